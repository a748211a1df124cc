// Reading one run into parts.
#pragma once

#include "ranker.hpp"
#include "scan.hpp"
#include "text.hpp"

#include <atomic>
#include <vector>

namespace leadline {

class RunReader {
  public:
    RunReader(const Qrels &qrels, const RunOptions &options, const std::atomic<bool> &stop)
        : qrels_(qrels), options_(options), stop_(stop) {}

    // Where a text may be cut: line starts at which another topic begins, about `chunk` bytes apart.
    // The first is the beginning of the text, the last its end.
    static std::vector<const char *> cuts(const Text &text, size_t chunk);

    // The lines of [from, to), every topic settled as soon as the next one begins. If a settled topic comes back, the
    // part is marked as interleaved and worthless. `other` is raised by another part of the same text.
    void grouped(const Text &text, const char *from, const char *to, Part &part, const std::atomic<bool> &other) const;
    // The same for topics in any order, keeping all lines until the end of the text.
    void interleaved(const Text &text, Part &part) const;
    void records(const Records &records, Part &part) const;

  private:
    // The columns of one line; the rank lies between document and score.
    struct Columns {
        const char *topic, *doc, *score;
        uint32_t topic_length, doc_length, score_length;
    };
    struct Values {
        double score;
        int64_t rank;
    };
    template <typename Take>
    void lines(const Text &text, const char *from, const char *to, Part &part, Take take) const;
    bool columns(const Text &text, const Window &window, size_t line, uint32_t start, Part &part, Columns &c) const;
    bool values(const Text &text, const Columns &c, Part &part, Values &v) const;
    void finish_groups(const Names &topics, const Pile<Entry> &entries, const Pile<uint32_t> &topic,
                       const Pile<int64_t> &ranks, Ranker &ranker, Part &part) const;

    const Qrels &qrels_;
    const RunOptions &options_;
    const std::atomic<bool> &stop_;
};

}  // namespace leadline
