#include "scan.hpp"

#include "scan_kernel.hpp"

#include <algorithm>
#include <stdexcept>

namespace leadline {
namespace {

Indexer choose() {
#if defined(LEADLINE_AVX2)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("popcnt"))
        return index_avx2;
#endif
    return index_blocks;
}

const Indexer index = choose();

}  // namespace

void Window::grow(size_t bytes) {
    size_ = bytes;
    space_room_.resize(bytes / 64 + 4);
    newline_room_.resize(bytes + 64 + 8);
}

bool Window::look(const char *from, const char *stop) {
    if (from >= stop) return false;
    if (!size_) grow(SIZE);
    for (;;) {
        const size_t left = static_cast<size_t>(stop - from), bytes = std::min(left, size_), blocks = bytes / 64;
        const bool whole = bytes == left;
        Indexing out{space_room_.data(), newline_room_.data(), false};
        index(from, blocks, 0, out);
        if (whole) {  // the text ends in this block: line feeds follow it
            char last[64];
            std::fill(last, last + 64, '\n');
            std::copy(from + 64 * blocks, stop, last);
            index(last, 1, static_cast<uint32_t>(64 * blocks), out);
        }
        lines = static_cast<size_t>(out.newline - newline_room_.data());
        if (!lines) {  // a line longer than the window
            if (size_ >= (size_t(1) << 31)) throw std::length_error("a line of more than 2 GB");
            grow(size_ * 2);
            continue;
        }
        out.space[0] = out.space[1] = ~uint64_t(0);
        base = from, spaces = space_room_.data(), newlines = newline_room_.data();
        limit = whole ? stop : from + newlines[lines - 1] + 1;
        nul = out.nul ? static_cast<const char *>(std::memchr(from, 0, static_cast<size_t>(limit - from))) : nullptr;
        return true;
    }
}

// The first white space from a position on; ones stand behind the window.
uint32_t Window::next_space(uint32_t from) const {
    uint32_t word = from >> 6;
    uint64_t w = spaces[word] & ~uint64_t(0) << (from & 63);
    while (!w) w = spaces[++word];
    return word * 64 + static_cast<uint32_t>(lowest_bit(w));
}

void Window::split(uint32_t start, uint32_t newline, Edges &out) const {
    uint32_t edges = 0;
    uint64_t before = 1;  // white space precedes a line
    for (uint32_t word = start >> 6; word <= newline >> 6; ++word) {
        uint64_t w = spaces[word];
        if (word == start >> 6) w |= ~(~uint64_t(0) << (start & 63));
        uint64_t turns = w ^ (w << 1 | before);
        before = w >> 63;
        for (; turns; turns &= turns - 1) {
            const uint32_t at = word * 64 + static_cast<uint32_t>(lowest_bit(turns));
            if (at > newline) break;
            if (edges < 2 * Edges::MOST) out.at[edges] = at;
            ++edges;
        }
    }
    out.columns = edges / 2;
}

}  // namespace leadline
