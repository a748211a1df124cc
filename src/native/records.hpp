// Inputs that are not text: byte strings and records handed over by the caller, and names kept by number.
#pragma once

#include "bytes.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace leadline {

// Byte strings end to end, followed by PAD readable bytes.
class Strings {
  public:
    Strings() { offsets_.push(0); }
    void push(const char *p, size_t n) {
        bytes_.reserve(bytes_.size() + n + PAD);
        bytes_.append(p, n);
        offsets_.push(bytes_.size());
    }
    void reserve(size_t strings, size_t bytes) { offsets_.reserve(strings + 1), bytes_.reserve(bytes + PAD); }
    size_t size() const { return offsets_.size() - 1; }
    const char *at(size_t i) const { return bytes_.data() + offsets_[i]; }
    size_t length(size_t i) const { return offsets_[i + 1] - offsets_[i]; }
    // The number of the string that starts at p (none of them being empty).
    size_t number(const char *p) const {
        const uint64_t *from = offsets_.data(), *to = from + offsets_.size();
        return static_cast<size_t>(std::lower_bound(from, to, static_cast<uint64_t>(p - bytes_.data())) - from);
    }
    std::string str(size_t i) const { return std::string(at(i), length(i)); }

  private:
    Pile<char> bytes_;
    Pile<uint64_t> offsets_;
};

// Distinct byte strings, numbered in order of first appearance.
class Names {
  public:
    static constexpr uint32_t NONE = UINT32_MAX;

    uint32_t find(const char *p, size_t n, uint64_t h) const;
    uint32_t add(const char *p, size_t n, uint64_t h, bool *fresh = nullptr);
    size_t size() const { return strings_.size(); }
    const Strings &strings() const { return strings_; }

  private:
    void grow();
    Strings strings_;
    std::vector<uint64_t> hashes_;
    std::vector<uint32_t> slots_;  // number of the name, or NONE
};

// Records of a run or of qrels; the topics are numbered by `topics`, and each of them was answered, also without
// a record.
struct Records {
    Names topics;
    Pile<uint32_t> topic;
    Strings docs;
    Pile<double> scores;   // runs
    Pile<int64_t> ranks;   // runs read with the rank rule
    Pile<int32_t> labels;  // qrels: one row of labels per record
    size_t size() const { return topic.size(); }
};

}  // namespace leadline
