// The masks and positions of whole 64-byte blocks, in the instructions that the including file is compiled for.
//
// Everything here has internal linkage, so that each including file keeps the code made for it.
#pragma once

#include "bytes.hpp"

#include <cstdint>

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
#define LEADLINE_SSE2 1
#endif

namespace leadline {

// Lists under construction.
struct Indexing {
    uint64_t *space;
    uint32_t *newline;
    bool nul;
};

using Indexer = void (*)(const char *from, size_t blocks, uint32_t at, Indexing &out);
#if defined(LEADLINE_AVX2)
void index_avx2(const char *from, size_t blocks, uint32_t at, Indexing &out);
#endif

namespace {

LEADLINE_INLINE int count_bits(uint64_t x) {
#if defined(__POPCNT__) || defined(__aarch64__)
    return __builtin_popcountll(x);
#else
    x -= (x >> 1) & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + ((x >> 2) & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return static_cast<int>((x * 0x0101010101010101u) >> 56);
#endif
}

LEADLINE_INLINE uint32_t low(uint64_t x) {
#if defined(__BMI__)
    return static_cast<uint32_t>(_tzcnt_u64(x));
#elif defined(_MSC_VER)
    return x ? static_cast<uint32_t>(lowest_bit(x)) : 0;
#else
    return static_cast<uint32_t>(__builtin_ctzll(x | uint64_t(1) << 63));
#endif
}

// Writes the positions of all set bits, N at a time: guessing their exact number would cost more than surplus stores.
template <int N>
LEADLINE_INLINE uint32_t *positions(uint64_t bits, uint32_t at, uint32_t *out) {
    const int n = count_bits(bits);
    int done = 0;
    do {
        for (int i = 0; i < N; ++i) {
            out[done + i] = at + low(bits);
            bits &= bits - 1;
        }
        done += N;
    } while (done < n);
    return out + n;
}

// White space is what C calls so in its own locale: blank, tab, line feed, vertical tab, form feed, carriage return.
void index_blocks(const char *from, size_t blocks, uint32_t at, Indexing &out) {
    uint64_t *to = out.space;
    uint32_t *newline = out.newline;
#if defined(__AVX2__)
    const __m256i blank = _mm256_set1_epi8(' '), feed = _mm256_set1_epi8('\n'), nine = _mm256_set1_epi8(9),
                  four = _mm256_set1_epi8(4);
    __m256i least = _mm256_set1_epi8(1);
#elif defined(LEADLINE_SSE2)
    const __m128i blank = _mm_set1_epi8(' '), feed = _mm_set1_epi8('\n'), nine = _mm_set1_epi8(9),
                  four = _mm_set1_epi8(4);
    __m128i least = _mm_set1_epi8(1);
#else
    bool nul = false;
#endif
    for (size_t b = 0; b < blocks; ++b, from += 64, at += 64) {
        uint64_t space = 0, feeds = 0;
        LEADLINE_PREFETCH(from + 2048);  // the processor itself does not look beyond a page
#if defined(__AVX2__)
        for (int i = 0; i < 2; ++i) {
            const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(from + 32 * i));
            const __m256i y = _mm256_sub_epi8(x, nine);
            const __m256i s =
                _mm256_or_si256(_mm256_cmpeq_epi8(x, blank), _mm256_cmpeq_epi8(_mm256_min_epu8(y, four), y));
            space |= static_cast<uint64_t>(static_cast<uint32_t>(_mm256_movemask_epi8(s))) << (32 * i);
            feeds |= static_cast<uint64_t>(static_cast<uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(x, feed))))
                     << (32 * i);
            least = _mm256_min_epu8(least, x);
        }
#elif defined(LEADLINE_SSE2)
        for (int i = 0; i < 4; ++i) {
            const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i *>(from + 16 * i));
            const __m128i y = _mm_sub_epi8(x, nine);
            const __m128i s = _mm_or_si128(_mm_cmpeq_epi8(x, blank), _mm_cmpeq_epi8(_mm_min_epu8(y, four), y));
            space |= static_cast<uint64_t>(static_cast<uint32_t>(_mm_movemask_epi8(s))) << (16 * i);
            feeds |= static_cast<uint64_t>(static_cast<uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(x, feed))))
                     << (16 * i);
            least = _mm_min_epu8(least, x);
        }
#else
        for (int i = 0; i < 64; ++i) {
            const unsigned char c = static_cast<unsigned char>(from[i]);
            space |= static_cast<uint64_t>(c == ' ' || static_cast<unsigned char>(c - 9) <= 4) << i;
            feeds |= static_cast<uint64_t>(c == '\n') << i;
            nul |= c == 0;
        }
#endif
        *to++ = space;
        newline = positions<4>(feeds, at, newline);
    }
    out.space = to, out.newline = newline;
#if defined(__AVX2__)
    out.nul |= _mm256_movemask_epi8(_mm256_cmpeq_epi8(least, _mm256_setzero_si256())) != 0;
#elif defined(LEADLINE_SSE2)
    out.nul |= _mm_movemask_epi8(_mm_cmpeq_epi8(least, _mm_setzero_si128())) != 0;
#else
    out.nul |= nul;
#endif
}

}  // namespace
}  // namespace leadline
