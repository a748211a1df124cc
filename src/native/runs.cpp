#include "runs.hpp"

#include "number.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace leadline {
namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

const char *line_after(const char *p, const char *end) {
    const void *newline = std::memchr(p, '\n', static_cast<size_t>(end - p));
    return newline ? static_cast<const char *>(newline) + 1 : end;
}

// The first column of the line at p; length 0 for a blank line.
std::pair<const char *, size_t> first_column(const char *p, const char *end) {
    while (p < end && *p != '\n' && is_space(*p)) ++p;
    const char *s = p;
    while (p < end && !is_space(*p)) ++p;
    return {s, static_cast<size_t>(p - s)};
}

}  // namespace

std::vector<const char *> RunReader::cuts(const Text &text, size_t chunk) {
    std::vector<const char *> result{text.first()};
    const char *end = text.end();
    while (static_cast<size_t>(end - result.back()) > chunk + chunk / 2) {
        const char *p = line_after(result.back() + chunk, end);
        std::pair<const char *, size_t> topic{p, 0}, next{p, 0};
        for (; p < end; p = line_after(p, end)) {
            next = first_column(p, end);
            if (!next.second) continue;
            if (topic.second &&
                (next.second != topic.second || std::memcmp(next.first, topic.first, topic.second) != 0))
                break;
            topic = next;
        }
        text.forget(result.back() + chunk, p);  // long lists would else be in memory from end to end
        if (p >= end) break;
        result.push_back(p);
    }
    result.push_back(end);
    return result;
}

// The columns of a line that is not of the plain kind. False if there are none, or not six.
bool RunReader::columns(const Text &text, const Window &window, size_t line, uint32_t start, Part &part,
                        Columns &c) const {
    Edges edges;
    window.split(start, window.newlines[line], edges);
    if (edges.columns == 6) {
        const auto &t = edges.at;
        c = {window.base + t[0], window.base + t[4], window.base + t[8], t[1] - t[0], t[5] - t[4], t[9] - t[8]};
        if (part.tag.empty()) part.tag.assign(window.base + t[10], t[11] - t[10]);
        return true;
    }
    if (edges.columns) {
        const char *p = window.base + start;
        part.errors.add(Wrong::columns, p - text.begin(), [&] {
            return Problem{
                Wrong::columns, p - text.begin(), 0, edges.columns, excerpt(p, window.newlines[line] - start), {}};
        });
    }
    return false;
}

// Score and rank where something about them is unusual. False if the line cannot be used.
bool RunReader::values(const Text &text, const Columns &c, Part &part, Values &v) const {
    bool fine = true;
    const auto wrong = [&](Wrong what, const char *p, size_t n, Problems &problems) {
        problems.add(what, p - text.begin(), [&] { return Problem{what, p - text.begin(), 0, 0, excerpt(p, n), {}}; });
    };
    if (!parse_real(c.score, c.score + c.score_length, v.score)) {
        wrong(Wrong::score, c.score, c.score_length, part.errors), fine = false;
    } else if (std::isnan(v.score)) {
        wrong(Wrong::nan, c.score, c.score_length, options_.lenient ? part.notes : part.errors),
            fine = options_.lenient;
    }
    if (options_.ties == Ties::trec32) v.score = static_cast<double>(static_cast<float>(v.score));
    if (options_.ties == Ties::rank) {
        constexpr int64_t most = int64_t(1) << 52;
        const char *s = c.doc + c.doc_length, *e = c.score;
        while (is_space(*s)) ++s;
        while (is_space(e[-1])) --e;
        if (parse_integer(s, e, -most, most, v.rank) != Integer::fine)
            wrong(Wrong::rank, s, static_cast<size_t>(e - s), part.errors), fine = false;
    }
    return fine;
}

// Calls take(columns, values) for every line that can be used, until it returns false.
template <typename Take>
void RunReader::lines(const Text &text, const char *from, const char *to, Part &part, Take take) const {
    const bool simple = options_.ties != Ties::rank && options_.ties != Ties::trec32;  // scores are taken as they are
    bool tagged = false;
    Window window;
    for (const char *at = from; !stop_ && window.look(at, to); at = window.limit) {
        if (window.nul) {
            const int64_t place = window.nul - text.begin();
            part.errors.add(Wrong::binary, place, [&] { return Problem{Wrong::binary, place, 0, 0, {}, {}}; });
            return;
        }
        uint32_t start = 0, e[5], last;
        for (size_t k = 0; k < window.lines; start = window.newlines[k++] + 1) {
            Columns c;
            if (LEADLINE_LIKELY(window.split_plain<5>(start, window.newlines[k], e, last))) {
                const char *p = window.base + start;
                c = {p, p + e[1] + 1, p + e[3] + 1, e[0], e[2] - e[1] - 1, e[4] - e[3] - 1};
                if (!LEADLINE_LIKELY(tagged)) part.tag.assign(p + e[4] + 1, last - start - e[4] - 1), tagged = true;
            } else {
                Columns other;
                if (!columns(text, window, k, start, part, other)) continue;
                c = other, tagged = true;
            }
            Values v{0, 0};
            if (!LEADLINE_LIKELY(simple && parse_real(c.score, c.score + c.score_length, v.score) &&
                                 v.score == v.score)) {
                Values other{0, 0};
                if (!values(text, c, part, other)) continue;
                v = other;
            }
            if (!take(c, v)) return;
        }
    }
}

void RunReader::grouped(const Text &text, const char *from, const char *to, Part &part,
                        const std::atomic<bool> &other) const {
    Ranker ranker(qrels_, options_, part);
    ranker.text = text.begin();
    std::vector<char> seen(qrels_.topics(), 0);
    const char *name = nullptr;
    uint32_t name_length = 0;
    uint64_t name_word = 0;  // its first bytes, which settle the usual question
    uint32_t topic = Names::NONE;
    const bool by_rank = options_.ties == Ties::rank;
    Qrels::Table table{};
    lines(text, from, to, part, [&](const Columns &c, const Values &v) {
        const uint64_t word = load_first(c.topic, c.topic_length < 8 ? c.topic_length : 8);
        if (c.topic_length != name_length || word != name_word ||
            (name_length > 8 && !equal(c.topic, name, name_length))) {
            if (name) ranker.finish(topic, name, name_length);
            name = c.topic, name_length = c.topic_length, name_word = word;
            topic = qrels_.topic(name, name_length);
            bool fresh = true;
            if (topic == Names::NONE)
                part.outside.add(name, name_length, hash(name, name_length), &fresh);
            else
                fresh = !seen[topic], seen[topic] = 1, table = qrels_.table(topic);
            part.interleaved = !fresh;
            if (!fresh || other) return false;
        }
        table.fetch(ranker.entries.size());
        ranker.entries.push({c.doc, c.doc_length, tag_of(c.doc, c.doc_length), v.score});
        if (by_rank) ranker.ranks.push(v.rank);
        return true;
    });
    if (name && !part.interleaved && !other) ranker.finish(topic, name, name_length);
    text.forget(from, to);
}

void RunReader::finish_groups(const Names &topics, const Pile<Entry> &entries, const Pile<uint32_t> &topic,
                              const Pile<int64_t> &ranks, Ranker &ranker, Part &part) const {
    if (entries.size() > std::numeric_limits<uint32_t>::max())
        throw std::length_error("more than 4,294,967,295 lines in one run");
    const Strings &names = topics.strings();
    std::vector<uint32_t> start(topics.size() + 1, 0), order(entries.size());
    for (size_t i = 0; i < entries.size(); ++i) ++start[topic[i] + 1];
    for (size_t t = 0; t < topics.size(); ++t) start[t + 1] += start[t];
    std::vector<uint32_t> next(start.begin(), start.end());
    for (size_t i = 0; i < entries.size(); ++i) order[next[topic[i]]++] = static_cast<uint32_t>(i);
    for (size_t t = 0; t < topics.size() && !stop_; ++t) {
        for (uint32_t i = start[t]; i < start[t + 1]; ++i) {
            ranker.entries.push(entries[order[i]]);
            if (options_.ties == Ties::rank) ranker.ranks.push(ranks[order[i]]);
        }
        const uint32_t known = qrels_.topic(names.at(t), names.length(t));
        if (known == Names::NONE) part.outside.add(names.at(t), names.length(t), hash(names.at(t), names.length(t)));
        ranker.finish(known, names.at(t), names.length(t));
    }
}

void RunReader::interleaved(const Text &text, Part &part) const {
    Ranker ranker(qrels_, options_, part);
    ranker.text = text.begin();
    Names topics;
    Pile<Entry> entries;
    Pile<uint32_t> topic;
    Pile<int64_t> ranks;
    const char *name = nullptr;
    size_t name_length = 0;
    uint32_t number = Names::NONE;
    lines(text, text.first(), text.end(), part, [&](const Columns &c, const Values &v) {
        if (c.topic_length != name_length || !equal(c.topic, name, name_length)) {
            name = c.topic, name_length = c.topic_length;
            number = topics.add(name, name_length, hash(name, name_length));
        }
        entries.push({c.doc, c.doc_length, tag_of(c.doc, c.doc_length), v.score});
        topic.push(number);
        if (options_.ties == Ties::rank) ranks.push(v.rank);
        return true;
    });
    finish_groups(topics, entries, topic, ranks, ranker, part);
}

void RunReader::records(const Records &records, Part &part) const {
    Ranker ranker(qrels_, options_, part);
    ranker.docs = &records.docs;
    Pile<Entry> entries;
    entries.reserve(records.size());
    part.any = records.topics.size() > 0;
    Pile<uint32_t> topic;
    for (size_t i = 0; i < records.size(); ++i) {
        const char *doc = records.docs.at(i);
        const uint32_t n = static_cast<uint32_t>(records.docs.length(i));
        double score = records.scores[i];
        if (std::isnan(score)) {
            const int64_t place = static_cast<int64_t>(i) + 1;
            (options_.lenient ? part.notes : part.errors).add(Wrong::nan, place, [&] {
                return Problem{Wrong::nan, place,           0,
                               0,          excerpt(doc, n), records.topics.strings().str(records.topic[i])};
            });
        }
        if (options_.ties == Ties::trec32) score = static_cast<double>(static_cast<float>(score));
        entries.push({doc, n, tag_of(doc, n), score});
    }
    finish_groups(records.topics, entries, records.topic, records.ranks, ranker, part);
}

}  // namespace leadline
