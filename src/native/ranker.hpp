// One topic's retrieved documents: put in order, checked for repetitions, looked up in the qrels.
#pragma once

#include "bytes.hpp"
#include "problem.hpp"
#include "qrels.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace leadline {

enum class Ties : int { trec = 0, trec32 = 1, run = 2, file = 3, rank = 4 };

struct RunOptions {
    Ties ties = Ties::trec;
    bool lenient = false, keep_scores = false, keep_docs = false, has_nil = false;
    std::string nil;
};

struct Entry {
    const char *doc;
    uint32_t length;
    uint32_t tag;  // of the document's hash
    double score;
};

// The outcome of one list; its judged entries, scores and documents follow each other in the part's piles.
struct List {
    uint32_t topic;
    int32_t length, nil_rank;
    uint32_t judged;
};

// What was read from one part of a run.
struct Part {
    std::vector<List> lists;
    Pile<int32_t> rank, row;
    Pile<double> scores;
    Pile<uint32_t> doc_lengths;
    Pile<char> doc_bytes;
    Names outside;  // topics that the qrels do not have
    std::string tag;
    Problems errors, notes;
    bool interleaved = false;
    bool any = false;  // records were given, possibly none for any topic
    void clear_lists();
};

class Ranker {
  public:
    Ranker(const Qrels &qrels, const RunOptions &options, Part &part) : qrels_(qrels), options_(options), part_(part) {}

    Pile<Entry> entries;
    Pile<int64_t> ranks;            // the rank column, with the rank rule only
    const char *text = nullptr;     // the text that the documents point into, or
    const Strings *docs = nullptr;  // the records' documents

    // All documents of the topic are in `entries`: settle it and start anew.
    void finish(uint32_t topic, const char *name, size_t name_length);

  private:
    enum class Order { falling, tied, none };
    Order look() const;
    void sort();
    void sort_ties();
    void sort_block(uint32_t *from, uint32_t *to);
    void drop_duplicates(const char *name, size_t name_length);
    void note_duplicate(const Entry &a, const Entry &b, const char *name, size_t name_length);
    void emit(uint32_t topic);
    void keep();
    int64_t place(const Entry &e) const;
    const Entry &at(size_t rank) const { return entries[order_.empty() ? rank : order_[rank]]; }

    const Qrels &qrels_;
    const RunOptions &options_;
    Part &part_;
    struct Key {
        uint64_t key;  // ascending: best first
        uint32_t entry;
    };
    static void sort_keys(std::vector<Key> &keys, std::vector<Key> &room);
    std::vector<Key> keys_, room_;
    std::vector<uint32_t> order_;  // the entry at each rank; empty: as read
    size_t length_ = 0;            // of the ranking
    Pile<uint32_t> chain_, heads_, maybe_;
};

}  // namespace leadline
