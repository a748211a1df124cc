// Splitting text into lines and columns.
//
// Text is looked at in windows that stay in the first-level cache. For each window 64-byte masks are computed: one bit
// for each byte that is white space, and the positions of the line feeds. Columns are read off the bits.
#pragma once

#include "bytes.hpp"

#include <cstdint>
#include <vector>

#if !defined(LEADLINE_WINDOW)  // the fuzzers take small ones, so that short texts cross their edges
#define LEADLINE_WINDOW (size_t(1) << 14)
#endif

namespace leadline {

// The edges of one line's columns: start and end of each, relative to the window.
struct Edges {
    static constexpr size_t MOST = 32;  // columns kept; more are only counted
    uint32_t at[2 * MOST];
    uint32_t columns;

    // Four columns with one character between them.
    void plain(uint32_t start, const uint32_t *end, uint32_t last) {
        columns = 4;
        at[0] = start, at[1] = start + end[0], at[2] = at[1] + 1, at[3] = start + end[1];
        at[4] = at[3] + 1, at[5] = start + end[2], at[6] = at[5] + 1, at[7] = last;
    }
};

class Window {
  public:
    static constexpr size_t SIZE = LEADLINE_WINDOW;

    // Look at the text from `from` (the start of a line) on; `stop` is the end of the text. True if there was a line.
    bool look(const char *from, const char *stop);
    // The columns of the line [start, newline), whatever they look like.
    void split(uint32_t start, uint32_t newline, Edges &out) const;

    // The first N columns of a line with N + 1, where they take fewer than 59 bytes, one white space character follows
    // each of them and at most one the last column (a carriage return, say): by far the most frequent kind of line.
    // Column i ends at start + end[i], the next one starts behind that; `last` is the end of the last column. False if
    // the line is of another kind.
    template <int N>
    LEADLINE_INLINE bool split_plain(uint32_t start, uint32_t newline, uint32_t *end, uint32_t &last) const {
        static_assert(N <= 5, "as many bits are set aside");
        const uint32_t word = start >> 6, bit = start & 63;
        const uint64_t all = spaces[word] >> bit | (spaces[word + 1] << 1) << (63 - bit);
        uint64_t w = all | uint64_t(31) << 59;
        for (int i = 0; i < N; ++i) {
            end[i] = static_cast<uint32_t>(lowest_bit(w));
            w &= w - 1;
        }
        const uint32_t tail = end[N - 1];
        if (tail >= 59 || (all & (all << 1 | 1) & ((uint64_t(4) << tail) - 1))) return false;
        const uint64_t rest = all & ~uint64_t(1) << tail;
        last = LEADLINE_LIKELY(rest != 0) ? start + static_cast<uint32_t>(lowest_bit(rest)) : next_space(start + 64);
        return newline - last <= 1;
    }

    const char *base = nullptr;          // the first byte of the window
    const char *limit = nullptr;         // behind its last complete line
    const char *nul = nullptr;           // the first NUL byte up to limit, or null
    const uint64_t *spaces = nullptr;    // a bit for each byte, ones behind the last
    const uint32_t *newlines = nullptr;  // position of each line feed; the last line of a text may lack its own
    size_t lines = 0;

  private:
    uint32_t next_space(uint32_t from) const;
    void grow(size_t bytes);
    std::vector<uint64_t> space_room_;
    std::vector<uint32_t> newline_room_;
    size_t size_ = 0;
};

}  // namespace leadline
