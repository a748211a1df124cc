#include "qrels.hpp"

#include "number.hpp"
#include "scan.hpp"

#include <limits>
#include <stdexcept>

namespace leadline {

bool Qrels::parse_labels(const char *base, const uint32_t *edges, int64_t place, const QrelsOptions &options,
                         int32_t *out) {
    bool fine = true;
    for (size_t a = 0; a < columns_; ++a) {
        const char *s = base + edges[6 + 2 * a], *e = base + edges[7 + 2 * a];
        Wrong wrong = Wrong::label;
        if (options.labels[a].empty()) {
            int64_t x = 0;
            const Integer read =
                parse_integer(s, e, std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max(), x);
            out[a] = static_cast<int32_t>(x);
            if (read == Integer::fine) continue;
            wrong = read == Integer::none ? Wrong::grade : Wrong::range;
        } else {
            const auto &names = options.labels[a];
            size_t i = 0;
            while (i < names.size() && names[i].compare(0, std::string::npos, s, static_cast<size_t>(e - s)) != 0) ++i;
            out[a] = static_cast<int32_t>(i);
            if (i < names.size()) continue;
        }
        fine = false;
        errors.add(wrong, place, [&] {
            return Problem{wrong, place, 0, static_cast<int64_t>(a), excerpt(s, static_cast<size_t>(e - s)), {}};
        });
    }
    return fine;
}

// Hands on every sound line with its labels, in file order, until `take` returns false.
template <typename Take>
void Qrels::each_line(const Text &text, const QrelsOptions &options, const std::atomic<bool> &stop, Take take) {
    std::vector<int32_t> row(columns_);
    Window window;
    Edges edges;
    uint32_t topic = Names::NONE;
    const char *name = nullptr;
    size_t name_length = 0;
    for (const char *at = text.first(); window.look(at, text.end()) && !stop; at = window.limit) {
        if (window.nul) {
            const int64_t place = window.nul - text.begin();
            errors = Problems();  // nothing else about it is worth saying
            errors.add(Wrong::binary, place, [&] { return Problem{Wrong::binary, place, 0, 0, {}, {}}; });
            return;
        }
        uint32_t start = 0;
        for (size_t k = 0; k < window.lines; start = window.newlines[k++] + 1) {
            uint32_t e[3], last;
            if (columns_ == 1 && window.split_plain<3>(start, window.newlines[k], e, last))
                edges.plain(start, e, last);
            else
                window.split(start, window.newlines[k], edges);
            if (!edges.columns) continue;
            const char *line = window.base + start;
            const int64_t place = line - text.begin();
            if (edges.columns != 3 + columns_) {
                errors.add(Wrong::columns, place, [&] {
                    return Problem{
                        Wrong::columns, place, 0, edges.columns, excerpt(line, window.newlines[k] - start), {}};
                });
                continue;
            }
            const uint32_t *t = edges.at;
            const char *s = window.base + t[0], *doc = window.base + t[4];
            const size_t n = t[1] - t[0];
            if (n != name_length || !equal(s, name, n)) {
                name = s, name_length = n;
                topic = topics_.add(s, n, hash(s, n));
            }
            const uint32_t length = t[5] - t[4];
            if (parse_labels(window.base, t, place, options, row.data()) &&
                !take(Line{doc, place, length, topic, tag_of(doc, length)}, row.data()))
                return;
        }
    }
}

void Qrels::read(const Text &text, const QrelsOptions &options, const std::atomic<bool> &stop) {
    columns_ = options.columns;
    if (!read_grouped(text, options, stop)) {
        forget();
        Pile<Line> lines;
        Pile<int32_t> labels;
        each_line(text, options, stop, [&](const Line &line, const int32_t *row) {
            lines.push(line), labels.append(row, columns_);
            return true;
        });
        if (is_binary()) lines.clear();
        build(lines, labels, options);
    }
    if (!rows() && !errors.total) errors.add(Wrong::empty, 0, [] { return Problem{}; });
    errors.sort(), notes.sort();
    number_lines(errors, text.begin(), text.end());
    number_lines(notes, text.begin(), text.end());
}

// Builds each topic as soon as the next one begins, so that only its own lines are kept, in the cache. False if a topic
// comes back after others.
bool Qrels::read_grouped(const Text &text, const QrelsOptions &options, const std::atomic<bool> &stop) {
    Pile<Line> lines;
    Pile<int32_t> labels;
    bool grouped = true;
    const auto finish_topics = [&](size_t upto) {
        while (places_.size() < upto) {  // more than one, if there are topics without a sound line
            add_topic(lines.size(), [&](size_t i) { return i; }, lines, labels, options);
            lines.clear(), labels.clear();
        }
    };
    each_line(text, options, stop, [&](const Line &line, const int32_t *row) {
        grouped = line.topic >= places_.size();
        finish_topics(line.topic);
        lines.push(line), labels.append(row, columns_);
        return grouped;
    });
    if (!grouped) return false;
    if (is_binary()) lines.clear();
    finish_topics(topics_.size());
    arena_.resize(arena_.size() + PAD / 8);
    return true;
}

void Qrels::forget() {
    topics_ = Names();
    row_offsets_.resize(1), labels_.clear(), records_.clear(), arena_.clear(), places_.clear();
    errors = Problems(), notes = Problems();
}

void Qrels::take(const Records &records, const QrelsOptions &options) {
    columns_ = options.columns;
    const Strings &names = records.topics.strings();
    for (size_t i = 0; i < names.size(); ++i)
        topics_.add(names.at(i), names.length(i), hash(names.at(i), names.length(i)));
    Pile<Line> lines;
    lines.reserve(records.size());
    for (size_t i = 0; i < records.size(); ++i) {
        const char *doc = records.docs.at(i);
        const size_t n = records.docs.length(i);
        lines.push({doc, static_cast<int64_t>(i) + 1, static_cast<uint32_t>(n), records.topic[i], tag_of(doc, n)});
    }
    if (!names.size()) errors.add(Wrong::empty, 0, [] { return Problem{}; });
    build(lines, records.labels, options);
    errors.sort(), notes.sort();
}

// Lines in file order become rows grouped by topic.
void Qrels::build(const Pile<Line> &lines, const Pile<int32_t> &labels, const QrelsOptions &options) {
    std::vector<size_t> start(topics_.size() + 1, 0);
    for (size_t i = 0; i < lines.size(); ++i) ++start[lines[i].topic + 1];
    for (size_t t = 0; t < topics_.size(); ++t) start[t + 1] += start[t];
    std::vector<size_t> next(start), order(lines.size());
    for (size_t i = 0; i < lines.size(); ++i) order[next[lines[i].topic]++] = i;
    for (size_t t = 0; t < topics_.size(); ++t)
        add_topic(start[t + 1] - start[t], [&](size_t i) { return order[start[t] + i]; }, lines, labels, options);
    arena_.resize(arena_.size() + PAD / 8);
}

// The rows and the table of the next topic, from n lines; `number` says which.
template <typename Number>
void Qrels::add_topic(size_t n, Number number, const Pile<Line> &lines, const Pile<int32_t> &labels,
                      const QrelsOptions &options) {
    size_t words = 0;
    for (size_t i = 0; i < n; ++i) words += 1 + (lines[number(i)].length + 7) / 8;
    lay_out(n, words);
    first_.clear();
    size_t room = places_.back().records;
    for (size_t i = 0; i < n; ++i) insert(lines[number(i)], labels.data() + columns_ * number(i), room, options);
    row_offsets_.push(static_cast<int64_t>(records_.size()));
}

// Room for the table of the next topic, with so many words of records.
void Qrels::lay_out(size_t judgments, size_t words) {
    if (records_.size() + judgments >= static_cast<size_t>(std::numeric_limits<int32_t>::max()))
        throw std::length_error("more than 2,147,483,646 judgments");
    if (words >= std::numeric_limits<uint32_t>::max())
        throw std::length_error("more than 32 GB of judged documents in one topic");
    size_t slots = 2;  // at most half of them are taken
    while (slots < 2 * judgments + 1) slots *= 2;
    int log = 6;  // of the filter's bits: about twenty for each judgment
    while (log < 31 && (size_t(1) << log) < 16 * judgments) ++log;
    const size_t filter = size_t(1) << (log - 6), at = arena_.size();
    places_.push_back({at, at + filter, at + filter + slots, at + filter + slots + words,
                       static_cast<uint32_t>(slots - 1), 32 - log});
    arena_.resize(at + filter + slots + words);
    std::memset(arena_.data() + at, 0, 8 * (filter + slots));
}

void Qrels::insert(const Line &line, const int32_t *labels, size_t &room, const QrelsOptions &options) {
    const Place &place = places_.back();
    uint32_t s = line.tag & place.mask;
    for (;; s = (s + 1) & place.mask) {
        const Slot found = slot(place, s);
        if (!found.record) break;
        const char *record = reinterpret_cast<const char *>(arena_.data() + place.records + found.record - 1);
        if (found.tag == line.tag && length_at(record) == line.length &&
            std::memcmp(record + 8, line.doc, line.length) == 0)
            return repeat(line, labels, row_at(record), options);
    }
    slot(place, s) = {line.tag, static_cast<uint32_t>(room - place.records + 1)};
    const uint32_t bit = line.tag >> place.shift;
    arena_[place.filter + (bit >> 6)] |= uint64_t(1) << (bit & 63);
    char *record = reinterpret_cast<char *>(arena_.data() + room);
    const int32_t row = static_cast<int32_t>(records_.size());
    std::memcpy(record, &row, 4), std::memcpy(record + 4, &line.length, 4),
        std::memcpy(record + 8, line.doc, line.length);
    records_.push(8 * room);
    room += 1 + (line.length + 7) / 8;
    labels_.append(labels, columns_);
    first_.push(line.place);
}

Qrels::Table Qrels::table(uint32_t topic) const {
    const Place &p = places_[topic];
    const uint64_t *a = arena_.data();
    return {a + p.filter,
            reinterpret_cast<const Slot *>(a + p.slots),
            reinterpret_cast<const char *>(a + p.records),
            reinterpret_cast<const char *>(a + p.end),
            p.mask,
            p.shift};
}

// A document judged twice: an error, or read leniently the higher labels count.
void Qrels::repeat(const Line &line, const int32_t *labels, int32_t row, const QrelsOptions &options) {
    const int64_t first = first_[static_cast<size_t>(row - row_offsets_[row_offsets_.size() - 1])];
    int32_t *kept = labels_.data() + columns_ * static_cast<size_t>(row);
    const bool same = std::equal(kept, kept + columns_, labels);
    const Wrong wrong = options.lenient && !same ? Wrong::differing : Wrong::duplicate;
    (options.lenient ? notes : errors).add(wrong, line.place, [&] {
        const Strings &names = topic_names();
        return Problem{wrong, line.place, first, 0, excerpt(line.doc, line.length),
                       excerpt(names.at(line.topic), names.length(line.topic))};
    });
    if (options.lenient && std::lexicographical_compare(kept, kept + columns_, labels, labels + columns_))
        std::copy(labels, labels + columns_, kept);
}

}  // namespace leadline
