// Numbers as written in runs and qrels, correctly rounded.
#pragma once

#include "bytes.hpp"

#include <cstdint>

namespace leadline {

// A decimal number in any notation, with or without sign, point and exponent; "inf", "infinity" and "nan" in any case.
// Too large becomes infinite, too small zero, as with strtod. False if the whole of [s, e) is no number.
bool parse_real_slowly(const char *s, const char *e, double &out);

// Correctly rounded mantissa / 10^power, for mantissa > 0 and power <= 27.
double divide_exactly(uint64_t mantissa, unsigned power);

constexpr uint64_t TENS[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
constexpr double REAL_TENS[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// Up to eight digits at a time, the first in the lowest byte. Bytes are taken as values 0 to 9.
LEADLINE_INLINE uint64_t digits_value(uint64_t d) {
    d = d * 10 + (d >> 8);
    return (((d & 0x000000ff000000ffu) * 0x000f424000000064u) +
            (((d >> 16) & 0x000000ff000000ffu) * 0x0000271000000001u)) >>
           32;
}

// The first n >= 1 characters of a word as the last of eight digits, zeros before them; marks in `bad` what is no
// digit.
LEADLINE_INLINE uint64_t digits(uint64_t word, unsigned n, uint64_t &bad) {
    const uint64_t d = (word ^ 0x3030303030303030u) << (64 - 8 * n);
    bad |= (d | (d + 0x7676767676767676u)) & 0x8080808080808080u;
    return digits_value(d);
}

// The same as parse_real_slowly, quickly for what runs are full of: at most seven digits before a point, at most
// sixteen behind it, at most nineteen in all. Eight and more readable bytes follow every column.
LEADLINE_INLINE bool parse_real(const char *s, const char *e, double &out) {
#if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    const bool minus = *s == '-';
    const char *p = s + minus;
    const uint64_t m = load8(p) ^ 0x2e2e2e2e2e2e2e2eu;  // the first point is the first byte that is zero
    const uint64_t zero = (m - 0x0101010101010101u) & ~m & 0x8080808080808080u;
    const size_t length = static_cast<size_t>(e - p);
    const size_t whole = zero ? static_cast<size_t>(lowest_bit(zero)) / 8 : SIZE_MAX / 2;
    const size_t fraction = length - whole - 1;  // huge if there is no point in the column
    uint64_t bad = 0, mantissa = 0;
    if (LEADLINE_LIKELY(length - 2 <= 7 && fraction <= 8)) {  // take the point out: one to eight digits are left
        const uint64_t before = ((zero & (0 - zero)) >> 7) - 1;
        mantissa = digits((load8(p) & before) | (load8(p + 1) & ~before), static_cast<unsigned>(length - 1), bad);
    } else if (length - 1 <= 7 && whole >= length) {  // an integer
        mantissa = digits(load8(p), static_cast<unsigned>(length), bad);
        const double x = static_cast<double>(static_cast<int64_t>(mantissa));
        out = minus ? -x : x;
        return bad ? parse_real_slowly(s, e, out) : true;
    } else if (whole && fraction - 1 <= 7) {
        mantissa = digits(load8(p), static_cast<unsigned>(whole), bad) * TENS[fraction];
        mantissa += digits(load8(p + whole + 1), static_cast<unsigned>(fraction), bad);
    } else if (whole && fraction - 9 <= 7 && fraction + whole <= 19) {
        const char *f = p + whole + 1;
        mantissa = digits(load8(p), static_cast<unsigned>(whole), bad) * TENS[8] + digits(load8(f), 8, bad);
        mantissa = mantissa * TENS[fraction - 8] + digits(load8(f + 8), static_cast<unsigned>(fraction - 8), bad);
    } else {
        bad = 1;
    }
    if (LEADLINE_LIKELY(!bad)) {
        const double x = LEADLINE_LIKELY(mantissa <= (uint64_t(1) << 53))
                             ? static_cast<double>(static_cast<int64_t>(mantissa)) / REAL_TENS[fraction]
                             : divide_exactly(mantissa, static_cast<unsigned>(fraction));
        out = minus ? -x : x;
        return true;
    }
#endif
    return parse_real_slowly(s, e, out);
}

enum class Integer { fine, none, too_large };

// An integer with an optional sign, within the bounds.
Integer parse_integer(const char *s, const char *e, int64_t low, int64_t high, int64_t &out);

}  // namespace leadline
