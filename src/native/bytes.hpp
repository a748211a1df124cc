// Byte strings: loading, comparing, hashing. Identifiers are bytes here; nothing knows about characters.
//
// Every identifier handed to these functions is followed by at least PAD readable bytes (see text.hpp), so that whole
// words may be loaded past its end.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>

#if defined(_MSC_VER)
#include <intrin.h>
#endif

namespace leadline {

constexpr size_t PAD = 64;

#if defined(__GNUC__)
#define LEADLINE_LIKELY(x) __builtin_expect(!!(x), 1)
#define LEADLINE_INLINE inline __attribute__((always_inline))
#define LEADLINE_PREFETCH(p) __builtin_prefetch(p)
#else
#define LEADLINE_LIKELY(x) (x)
#define LEADLINE_INLINE inline
#define LEADLINE_PREFETCH(p) ((void)0)
#endif

LEADLINE_INLINE int lowest_bit(uint64_t x) {
#if defined(_MSC_VER)
    unsigned long i;
    _BitScanForward64(&i, x);
    return static_cast<int>(i);
#else
    return __builtin_ctzll(x);
#endif
}

LEADLINE_INLINE uint64_t load8(const char *p) {
    uint64_t x;
    std::memcpy(&x, p, 8);
    return x;
}

// The first n <= 8 bytes as a number in which the others are zero.
LEADLINE_INLINE uint64_t load_first(const char *p, size_t n) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return n ? load8(p) & (~uint64_t(0) << (64 - 8 * n)) : 0;
#else
    return n ? load8(p) & (~uint64_t(0) >> (64 - 8 * n)) : 0;
#endif
}

// The first n <= 8 bytes as a number that orders as the bytes do.
LEADLINE_INLINE uint64_t order_first(const char *p, size_t n) {
    const uint64_t x = load_first(p, n);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return x;
#elif defined(_MSC_VER)
    return _byteswap_uint64(x);
#else
    return __builtin_bswap64(x);
#endif
}

LEADLINE_INLINE bool equal(const char *a, const char *b, size_t n) {
    if (n <= 8) return load_first(a, n) == load_first(b, n);
    if (n <= 16) return load8(a) == load8(b) && load8(a + n - 8) == load8(b + n - 8);
    return std::memcmp(a, b, n) == 0;
}

// Bytes as unsigned numbers, a prefix before its extension: the order of trec_eval's strcmp.
inline int compare(const char *a, size_t na, const char *b, size_t nb) {
    const int c = std::memcmp(a, b, na < nb ? na : nb);
    return c ? c : (na > nb) - (na < nb);
}

LEADLINE_INLINE uint64_t mix(uint64_t a, uint64_t b) {
#if defined(__SIZEOF_INT128__)
    __extension__ using Wide = unsigned __int128;
    const Wide r = static_cast<Wide>(a) * b;
    return static_cast<uint64_t>(r) ^ static_cast<uint64_t>(r >> 64);
#elif defined(_MSC_VER) && defined(_M_X64)
    uint64_t high;
    const uint64_t low = _umul128(a, b, &high);
    return low ^ high;
#else
    a = (a ^ (a >> 32)) * 0xd6e8feb86659fd93u ^ b;
    a = (a ^ (a >> 32)) * 0xd6e8feb86659fd93u;
    return a ^ (a >> 32);
#endif
}

// A quick hash. Equal hashes prove nothing: every user compares the bytes as well.
LEADLINE_INLINE uint64_t hash(const char *p, size_t n) {
    constexpr uint64_t A = 0x9e3779b97f4a7c15u, B = 0xe7037ed1a0b428dbu;
    if (n <= 8) return mix(load_first(p, n) ^ A, B ^ n);
    if (n <= 16) return mix(load8(p) ^ A, load8(p + n - 8) ^ B ^ n);
    uint64_t h = n;
    for (size_t i = 0; i + 16 < n; i += 16) h = mix(load8(p + i) ^ A ^ h, load8(p + i + 8) ^ B);
    return mix(load8(p + n - 16) ^ A ^ h, load8(p + n - 8) ^ B);
}

LEADLINE_INLINE uint32_t tag_of(const char *p, size_t n) { return static_cast<uint32_t>(hash(p, n) >> 16); }

// A growing array of plain values: malloc'ed, so that growth can remap pages instead of copying, and nothing is
// filled before it is written.
template <typename T>
class Pile {
    static_assert(std::is_trivially_copyable<T>::value, "plain values only");

  public:
    Pile() = default;
    Pile(Pile &&o) noexcept : data_(o.data_), size_(o.size_), room_(o.room_) {
        o.data_ = nullptr, o.size_ = o.room_ = 0;
    }
    Pile &operator=(Pile &&o) noexcept {
        if (this != &o) {
            std::free(data_);
            data_ = o.data_, size_ = o.size_, room_ = o.room_;
            o.data_ = nullptr, o.size_ = o.room_ = 0;
        }
        return *this;
    }
    Pile(const Pile &) = delete;
    Pile &operator=(const Pile &) = delete;
    ~Pile() { std::free(data_); }

    void reserve(size_t n) {
        if (n <= room_) return;
        size_t room = room_ + room_ / 2;
        if (room < n) room = n;
        if (room < 16) room = 16;
        void *p = std::realloc(data_, room * sizeof(T));
        if (!p) throw std::bad_alloc();
        data_ = static_cast<T *>(p), room_ = room;
    }
    void push(T x) {
        if (size_ == room_) reserve(size_ + 1);
        data_[size_++] = x;
    }
    void append(const T *p, size_t n) {
        if (!n) return;
        reserve(size_ + n);
        std::memcpy(data_ + size_, p, n * sizeof(T));
        size_ += n;
    }
    // New cells are left as they are.
    void resize(size_t n) { reserve(n), size_ = n; }
    void fill(size_t n, T x) {
        resize(n);
        for (size_t i = 0; i < n; ++i) data_[i] = x;
    }
    void clear() { size_ = 0; }
    void release() { std::free(data_), data_ = nullptr, size_ = room_ = 0; }
    size_t size() const { return size_; }
    T *data() { return data_; }
    const T *data() const { return data_; }
    T &operator[](size_t i) { return data_[i]; }
    const T &operator[](size_t i) const { return data_[i]; }

  private:
    T *data_ = nullptr;
    size_t size_ = 0, room_ = 0;
};

}  // namespace leadline
