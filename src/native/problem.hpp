// What is wrong with an input, in figures; the words are found in Python.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace leadline {

enum class Wrong : int {
    columns = 1,    // value: columns found; text: the line
    score = 2,      // text: no number
    nan = 3,        // text: as written
    grade = 4,      // text: no integer; value: label column
    range = 5,      // text: an integer out of range; value: label column
    label = 6,      // text: none of the declared labels; value: label column
    rank = 7,       // text: no integer
    duplicate = 8,  // text: document; more: topic; other: the earlier place
    empty = 9,
    binary = 10,
    open = 11,       // value: error number
    too_long = 12,   // more: topic; a list or file beyond the limits
    differing = 13,  // a judgment given twice with different labels (lenient reading); as duplicate
    changed = 14,    // the file was written to while it was read
};

struct Problem {
    Wrong wrong = Wrong::empty;
    int64_t place = 0;  // byte offset while reading, then line number (or record number); 0 for the whole input
    int64_t other = 0;
    int64_t value = 0;
    std::string text, more;
};

// Counts all problems and keeps the first ones by place, whatever the order in which they are found.
class Problems {
  public:
    static constexpr size_t KEPT = 20;
    static constexpr int KINDS = 16;

    template <typename Make>
    void add(Wrong wrong, int64_t place, Make make) {
        ++total, ++counts[static_cast<int>(wrong)];
        if (kept.size() < KEPT) {
            kept.push_back(make());
        } else {
            auto last = std::max_element(kept.begin(), kept.end(), before);
            if (place >= last->place) return;
            *last = make();
        }
    }
    void take(Problems &&o) {
        for (Problem &p : o.kept) kept.push_back(std::move(p));
        total += o.total;
        for (int i = 0; i < KINDS; ++i) counts[i] += o.counts[i];
        sort();
    }
    void sort() {
        std::stable_sort(kept.begin(), kept.end(), before);
        if (kept.size() > KEPT) kept.resize(KEPT);
    }

    std::vector<Problem> kept;
    int64_t total = 0;
    int64_t counts[KINDS] = {};

  private:
    static bool before(const Problem &a, const Problem &b) { return a.place < b.place; }
};

// The file was written to while it was read: nothing else about it is worth saying.
void only_changed(Problems &problems);

// Byte offsets become line numbers, in one pass over the text.
void number_lines(Problems &problems, const char *begin, const char *end);

// The beginning of a line or column, short enough for a message.
std::string excerpt(const char *p, size_t n);

}  // namespace leadline
