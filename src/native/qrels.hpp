// Relevance judgments: rows of labels grouped by topic, and for each topic a table from document to row.
//
// What a topic's look-ups touch lies together: a filter that answers for most unjudged documents, hashed slots that
// hold a tag of the document's hash and the place of its record, and the records: row, length and bytes of the id.
#pragma once

#include "problem.hpp"
#include "records.hpp"
#include "text.hpp"

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace leadline {

struct QrelsOptions {
    bool lenient = false;
    size_t columns = 1;                            // label columns
    std::vector<std::vector<std::string>> labels;  // per label column its label names; none: integers
};

class Qrels {
  public:
    static constexpr int32_t UNJUDGED = -1;

    Qrels() { row_offsets_.push(0); }
    void read(const Text &text, const QrelsOptions &options, const std::atomic<bool> &stop);
    void take(const Records &records, const QrelsOptions &options);

    uint32_t topic(const char *p, size_t n) const { return topics_.find(p, n, hash(p, n)); }
    size_t topics() const { return topics_.size(); }
    size_t rows() const { return records_.size(); }
    size_t columns() const { return columns_; }
    const Strings &topic_names() const { return topics_.strings(); }
    // The document of a row.
    const char *doc(size_t row) const { return arena() + records_[row] + 8; }
    size_t doc_length(size_t row) const { return length_at(arena() + records_[row]); }
    const Pile<int64_t> &row_offsets() const { return row_offsets_; }
    const Pile<int32_t> &labels() const { return labels_; }

    struct Slot {
        uint32_t tag;
        uint32_t record;  // in words from the first record, plus one; 0: none
    };
    // A view of one topic's table, for many look-ups.
    struct Table {
        const uint64_t *filter;
        const Slot *slots;
        const char *records, *end;
        uint32_t mask;
        int shift;
        // False for nearly all unjudged documents, true for all judged ones.
        LEADLINE_INLINE bool maybe(uint32_t tag) const {
            const uint32_t bit = tag >> shift;
            return filter[bit >> 6] >> (bit & 63) & 1;
        }
        // The row of a document, found by hash and proven by its bytes.
        LEADLINE_INLINE int32_t row(const char *p, uint32_t n, uint32_t tag) const {
            for (uint32_t s = tag & mask;; s = (s + 1) & mask) {
                const Slot slot = slots[s];
                if (!slot.record) return UNJUDGED;
                const char *record = records + 8 * static_cast<size_t>(slot.record - 1);
                if (slot.tag == tag && length_at(record) == n && equal(record + 8, p, n)) return row_at(record);
            }
        }
        // Have the i-th line of the table's memory fetched.
        LEADLINE_INLINE void fetch(size_t i) const {
            const char *p = reinterpret_cast<const char *>(filter);  // null for a topic without judgments
            if (64 * i < static_cast<size_t>(end - p)) LEADLINE_PREFETCH(p + 64 * i);
        }
    };
    Table table(uint32_t topic) const;

    Problems errors, notes;

  private:
    struct Line {
        const char *doc;
        int64_t place;
        uint32_t length, topic, tag;
    };
    struct Place {  // in words
        size_t filter, slots, records, end;
        uint32_t mask;
        int shift;
    };
    static uint32_t length_at(const char *record) {
        uint32_t n;
        std::memcpy(&n, record + 4, 4);
        return n;
    }
    static int32_t row_at(const char *record) {
        int32_t row;
        std::memcpy(&row, record, 4);
        return row;
    }
    const char *arena() const { return reinterpret_cast<const char *>(arena_.data()); }
    Slot &slot(const Place &place, uint32_t s) { return reinterpret_cast<Slot *>(arena_.data() + place.slots)[s]; }
    bool parse_labels(const char *base, const uint32_t *edges, int64_t place, const QrelsOptions &options,
                      int32_t *out);
    template <typename Take>
    void each_line(const Text &text, const QrelsOptions &options, const std::atomic<bool> &stop, Take take);
    bool read_grouped(const Text &text, const QrelsOptions &options, const std::atomic<bool> &stop);
    bool is_binary() const { return errors.counts[static_cast<int>(Wrong::binary)] > 0; }
    void forget();
    void build(const Pile<Line> &lines, const Pile<int32_t> &labels, const QrelsOptions &options);
    template <typename Number>
    void add_topic(size_t n, Number number, const Pile<Line> &lines, const Pile<int32_t> &labels,
                   const QrelsOptions &options);
    void lay_out(size_t judgments, size_t words);
    void insert(const Line &line, const int32_t *labels, size_t &room, const QrelsOptions &options);
    void repeat(const Line &line, const int32_t *labels, int32_t row, const QrelsOptions &options);

    size_t columns_ = 1;
    Names topics_;
    Pile<int64_t> row_offsets_;
    Pile<int32_t> labels_;
    Pile<uint64_t> records_;  // where each row's record is, in bytes
    Pile<uint64_t> arena_;
    std::vector<Place> places_;
    Pile<int64_t> first_;  // while reading: places of the current topic's rows
};

}  // namespace leadline
