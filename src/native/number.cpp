#include "number.hpp"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <system_error>

#if !defined(__cpp_lib_to_chars)
#include <locale.h>
#if defined(__APPLE__)
#include <xlocale.h>
#endif
#endif

namespace leadline {
namespace {

// All powers of five that fit 64 bits.
struct Fives {
    uint64_t power[28] = {1};
    constexpr Fives() {
        for (int i = 1; i < 28; ++i) power[i] = 5 * power[i - 1];
    }
};
constexpr Fives FIVES;

bool same_word(const char *s, const char *e, const char *word) {
    for (; s != e && *word; ++s, ++word)
        if ((*s | 32) != *word) return false;
    return s == e && !*word;
}

// [s, e) is digits [. digits] [e [sign] digits], with at least one digit before the exponent.
bool is_decimal(const char *s, const char *e) {
    const auto digits = [&] {
        const char *from = s;
        while (s != e && *s >= '0' && *s <= '9') ++s;
        return s - from;
    };
    auto n = digits();
    if (s != e && *s == '.') ++s, n += digits();
    if (!n) return false;
    if (s != e && (*s | 32) == 'e') {
        ++s;
        if (s != e && (*s == '+' || *s == '-')) ++s;
        if (!digits()) return false;
    }
    return s == e;
}

// Whether a decimal outside the range of double is a large one: the power of ten of its first digit.
bool is_huge(const char *s, const char *e) {
    int64_t power = 0, written = 0;
    bool point = false, seen = false;
    for (; s != e && (*s | 32) != 'e'; ++s) {
        if (*s == '.') {
            point = true;
            continue;
        }
        seen = seen || *s != '0';
        if (seen && !point) ++power;
        if (!seen && point) --power;
    }
    if (s != e) {
        ++s;
        const bool minus = *s == '-';
        if (*s == '+' || *s == '-') ++s;
        for (; s != e; ++s)
            if (written < (int64_t(1) << 40)) written = written * 10 + (*s - '0');
        if (minus) written = -written;
    }
    return seen && power + written > 0;
}

double convert(const char *s, const char *e) {
#if defined(__cpp_lib_to_chars)
    double x = 0;
    const auto result = std::from_chars(s, e, x);
    if (result.ec == std::errc::result_out_of_range)
        return is_huge(s, e) ? std::numeric_limits<double>::infinity() : 0.0;
    return x;
#else
    (void)is_huge;
    static const locale_t plain = newlocale(LC_ALL_MASK, "C", nullptr);
    return strtod_l(std::string(s, e).c_str(), nullptr, plain);
#endif
}

}  // namespace

// The quotient as an integer of 55 bits or more, then rounded to 53: half to even, what was left over breaking ties.
double divide_exactly(uint64_t mantissa, unsigned power) {
#if defined(__SIZEOF_INT128__)
    __extension__ using Wide = unsigned __int128;
    const uint64_t fives = FIVES.power[power];
    // Both scaled to their highest bit: the quotient lies between 2^63 / 2 and 2^64.
    const int up = __builtin_clzll(mantissa), under = __builtin_clzll(fives);
    const Wide dividend = static_cast<Wide>(mantissa << up) << 63;
    const uint64_t divisor = fives << under;
    const uint64_t quotient = static_cast<uint64_t>(dividend / divisor);
    const bool rest = static_cast<uint64_t>(dividend) != quotient * divisor;  // they differ by less than the divisor
    const int shift = 11 - __builtin_clzll(quotient);
    uint64_t kept = quotient >> shift;
    const uint64_t cut = quotient & ((uint64_t(1) << shift) - 1), half = uint64_t(1) << (shift - 1);
    if (cut > half || (cut == half && (rest || (kept & 1)))) ++kept;
    const int scale = shift - 63 - up + under - static_cast<int>(power);  // nowhere near the smallest exponent
    const uint64_t bits = static_cast<uint64_t>(1023 + scale) << 52;
    double two_to_scale;
    std::memcpy(&two_to_scale, &bits, 8);
    return static_cast<double>(kept) * two_to_scale;
#else
    const std::string text = std::to_string(mantissa) + "e-" + std::to_string(power);
    return convert(text.data(), text.data() + text.size());
#endif
}

bool parse_real_slowly(const char *s, const char *e, double &out) {
    bool minus = false;
    if (s != e && (*s == '+' || *s == '-')) minus = *s++ == '-';
    if (is_decimal(s, e))
        out = convert(s, e);
    else if (same_word(s, e, "inf") || same_word(s, e, "infinity"))
        out = std::numeric_limits<double>::infinity();
    else if (same_word(s, e, "nan"))
        out = std::numeric_limits<double>::quiet_NaN();
    else
        return false;
    if (minus) out = -out;
    return true;
}

Integer parse_integer(const char *s, const char *e, int64_t low, int64_t high, int64_t &out) {
    bool minus = false;
    if (s != e && (*s == '+' || *s == '-')) minus = *s++ == '-';
    if (s == e) return Integer::none;
    constexpr int64_t most = int64_t(1) << 58;  // beyond any bound in use; ten times it is still no overflow
    int64_t x = 0;
    for (; s != e; ++s) {
        if (*s < '0' || *s > '9') return Integer::none;
        if (x < most / 10)
            x = x * 10 + (*s - '0');
        else
            x = most;
    }
    if (minus) x = -x;
    if (x < low || x > high) return Integer::too_large;
    out = x;
    return Integer::fine;
}

}  // namespace leadline
