// The bytes of one input: a mapped file or a block of our own, always followed by PAD readable bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace leadline {

class Text {
  public:
    Text() = default;
    Text(Text &&o) noexcept { swap(o); }
    Text &operator=(Text &&o) noexcept {
        swap(o);
        return *this;
    }
    ~Text() { close(); }

    // Map a regular file. Returns 0 or the error number.
    int open(const std::string &path);
    // A block of our own, to be filled by the caller.
    char *make(size_t size);
    void close();
    // Whether the file was written to, or lost its end, since it was opened: what was read of it is worth nothing.
    bool changed() const;
    // The pages of [from, to) will not be needed soon: they need not count as ours.
    void forget(const char *from, const char *to) const;

    const char *begin() const { return data_; }
    // Behind a byte order mark, if there is one.
    const char *first() const {
        const bool mark = size_ >= 3 && data_[0] == '\xef' && data_[1] == '\xbb' && data_[2] == '\xbf';
        return data_ + (mark ? 3 : 0);
    }
    const char *end() const { return data_ + size_; }
    size_t size() const { return size_; }

  private:
    void swap(Text &o) noexcept {
        std::swap(data_, o.data_), std::swap(size_, o.size_), std::swap(mapped_, o.mapped_);
        std::swap(file_, o.file_), std::swap(written_, o.written_), std::swap(watch_, o.watch_);
    }
    char *data_ = nullptr;
    size_t size_ = 0;
    size_t mapped_ = 0;  // length of the mapping, 0 for a block of our own
    int file_ = -1;
    int64_t written_ = 0;  // when the file was last written to
    int watch_ = -1;       // number of the watch over the mapping
};

}  // namespace leadline
