#include "ranker.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace leadline {
namespace {

// Scores as integers that fall when scores rise; both zeros alike, NaN behind everything.
uint64_t falling_key(double x) {
    if (std::isnan(x)) return UINT64_MAX;
    x += 0.0;
    uint64_t bits;
    std::memcpy(&bits, &x, 8);
    return bits >> 63 ? bits : ~bits & ~(uint64_t(1) << 63);
}

uint64_t rising_key(int64_t x) { return static_cast<uint64_t>(x) ^ (uint64_t(1) << 63); }

}  // namespace

void Part::clear_lists() {
    lists.clear();
    rank.release(), row.release(), scores.release(), doc_lengths.release(), doc_bytes.release();
}

int64_t Ranker::place(const Entry &e) const {
    return text ? e.doc - text : static_cast<int64_t>(docs->number(e.doc)) + 1;
}

Ranker::Order Ranker::look() const {
    const size_t n = entries.size();
    if (options_.ties == Ties::file) return Order::falling;
    if (options_.ties == Ties::rank)
        return std::is_sorted(ranks.data(), ranks.data() + n) ? Order::falling : Order::none;
    bool falling = true, tied = true;
    for (size_t i = 1; i < n; ++i) {
        const double a = entries[i - 1].score, b = entries[i].score;
        falling &= a > b;
        tied &= a >= b;
    }
    if (n == 1) return Order::falling;
    return falling ? Order::falling : tied ? Order::tied : Order::none;
}

// By key, equal ones as they stand. Long lists go digit by digit, a digit being a byte that is not the same in all
// keys.
void Ranker::sort_keys(std::vector<Key> &keys, std::vector<Key> &room) {
    const size_t n = keys.size();
    if (n < 200) {
        std::sort(keys.begin(), keys.end(),
                  [](const Key &a, const Key &b) { return a.key != b.key ? a.key < b.key : a.entry < b.entry; });
        return;
    }
    uint64_t all = ~uint64_t(0), any = 0;
    for (const Key &k : keys) all &= k.key, any |= k.key;
    room.resize(n);
    for (int shift = 0; shift < 64; shift += 8) {
        if (!((all ^ any) >> shift & 255)) continue;
        size_t start[257] = {};
        for (const Key &k : keys) ++start[(k.key >> shift & 255) + 1];
        for (int d = 0; d < 256; ++d) start[d + 1] += start[d];
        for (const Key &k : keys) room[start[k.key >> shift & 255]++] = k;
        keys.swap(room);
    }
}

void Ranker::sort() {
    const size_t n = entries.size();
    keys_.resize(n);
    const bool by_rank = options_.ties == Ties::rank;
    for (uint32_t i = 0; i < n; ++i) keys_[i] = {by_rank ? rising_key(ranks[i]) : falling_key(entries[i].score), i};
    sort_keys(keys_, room_);
    order_.resize(n);
    for (size_t i = 0; i < n; ++i) order_[i] = keys_[i].entry;
}

// Equal scores stand together: the documents of each block go by their bytes, descending.
void Ranker::sort_ties() {
    const size_t n = entries.size();
    if (order_.empty()) {
        order_.resize(n);
        for (uint32_t i = 0; i < n; ++i) order_[i] = i;
    }
    const auto same = [&](size_t a, size_t b) {
        const double x = entries[order_[a]].score, y = entries[order_[b]].score;
        return x == y || (std::isnan(x) && std::isnan(y));
    };
    for (size_t from = 0; from < n;) {
        size_t to = from + 1;
        while (to < n && same(from, to)) ++to;
        if (to - from > 1) sort_block(order_.data() + from, order_.data() + to);
        from = to;
    }
}

void Ranker::sort_block(uint32_t *from, uint32_t *to) {
    const auto before = [&](uint32_t a, uint32_t b) {
        const Entry &x = entries[a], &y = entries[b];
        const int c = compare(x.doc, x.length, y.doc, y.length);
        return c ? c > 0 : a < b;
    };
    const size_t n = static_cast<size_t>(to - from);
    if (n < 8) return std::sort(from, to, before);
    // Ids of one collection begin alike: compare the eight bytes behind what all of them share, mostly that is enough.
    const Entry &first = entries[*from];
    size_t shared = first.length;
    for (uint32_t *p = from + 1; p != to; ++p) {
        const Entry &e = entries[*p];
        size_t i = 0;
        while (i < shared && i < e.length && e.doc[i] == first.doc[i]) ++i;
        shared = i;
    }
    keys_.resize(n);
    for (size_t i = 0; i < n; ++i) {
        const Entry &e = entries[from[i]];
        keys_[i] = {order_first(e.doc + shared, std::min<size_t>(8, e.length - shared)), from[i]};
    }
    std::sort(keys_.begin(), keys_.end(),
              [&](const Key &a, const Key &b) { return a.key != b.key ? a.key > b.key : before(a.entry, b.entry); });
    for (size_t i = 0; i < n; ++i) from[i] = keys_[i].entry;
}

void Ranker::note_duplicate(const Entry &a, const Entry &b, const char *name, size_t name_length) {
    const int64_t first = std::min(place(a), place(b)), again = std::max(place(a), place(b));
    (options_.lenient ? part_.notes : part_.errors).add(Wrong::duplicate, again, [&] {
        return Problem{Wrong::duplicate, again, first, 0, excerpt(a.doc, a.length), excerpt(name, name_length)};
    });
}

// Chained hashing with few chains: equal documents meet in one chain, and their bytes decide.
void Ranker::drop_duplicates(const char *name, size_t name_length) {
    const size_t n = entries.size();
    size_t heads = 64;
    while (heads < 4 * n) heads *= 2;
    heads_.resize(heads), chain_.resize(n);
    std::memset(heads_.data(), 0, heads * sizeof(uint32_t));
    const uint32_t mask = static_cast<uint32_t>(heads - 1);
    size_t kept = 0;
    for (size_t i = 0; i < n; ++i) {
        const Entry &e = at(i);
        uint32_t &head = heads_[e.tag & mask];
        uint32_t other = head;
        for (; other; other = chain_[other - 1]) {
            const Entry &o = at(other - 1);
            if (o.tag == e.tag && o.length == e.length && equal(o.doc, e.doc, e.length)) break;
        }
        if (LEADLINE_LIKELY(!other)) {
            if (kept != i) order_[kept] = order_[i];
            chain_[kept] = head;
            head = static_cast<uint32_t>(++kept);
            continue;
        }
        note_duplicate(at(other - 1), e, name, name_length);
        if (order_.empty()) {
            order_.resize(n);
            for (uint32_t k = 0; k < n; ++k) order_[k] = k;
        }
    }
    length_ = kept;
}

void Ranker::emit(uint32_t topic) {
    const size_t n = length_;
    const Qrels::Table table = qrels_.table(topic);
    maybe_.resize(n + 1);
    size_t maybe = 0, judged = 0;
    if (order_.empty())
        for (size_t i = 0; i < n; ++i) maybe_[maybe] = static_cast<uint32_t>(i), maybe += table.maybe(entries[i].tag);
    else
        for (size_t i = 0; i < n; ++i)
            maybe_[maybe] = static_cast<uint32_t>(i), maybe += table.maybe(entries[order_[i]].tag);
    // Room for these and no more: parts stay until the end, and long lists have few judged documents.
    part_.rank.reserve(part_.rank.size() + maybe), part_.row.reserve(part_.row.size() + maybe);
    int32_t *rank = part_.rank.data() + part_.rank.size(), *row = part_.row.data() + part_.row.size();
    for (size_t k = 0; k < maybe; ++k) {
        const Entry &e = at(maybe_[k]);
        const int32_t found = table.row(e.doc, e.length, e.tag);
        rank[judged] = static_cast<int32_t>(maybe_[k] + 1);
        row[judged] = found;
        judged += found != Qrels::UNJUDGED;
    }
    part_.rank.resize(part_.rank.size() + judged), part_.row.resize(part_.row.size() + judged);
    int32_t nil = 0;
    if (options_.has_nil)
        for (size_t i = 0; i < n && !nil; ++i)
            if (at(i).length == options_.nil.size() &&
                std::memcmp(at(i).doc, options_.nil.data(), options_.nil.size()) == 0)
                nil = static_cast<int32_t>(i + 1);
    part_.lists.push_back({topic, static_cast<int32_t>(n), nil, static_cast<uint32_t>(judged)});
}

void Ranker::keep() {
    if (options_.keep_scores)
        for (size_t i = 0; i < length_; ++i) part_.scores.push(at(i).score);
    if (options_.keep_docs)
        for (size_t i = 0; i < length_; ++i) {
            part_.doc_lengths.push(at(i).length);
            part_.doc_bytes.append(at(i).doc, at(i).length);
        }
}

void Ranker::finish(uint32_t topic, const char *name, size_t name_length) {
    const size_t n = entries.size();
    order_.clear();
    if (n > static_cast<size_t>(std::numeric_limits<int32_t>::max())) {
        part_.errors.add(Wrong::too_long, 0, [&] {
            return Problem{Wrong::too_long, 0, 0, static_cast<int64_t>(n), {}, excerpt(name, name_length)};
        });
    } else {
        const Order order = look();
        if (order == Order::none) sort();
        if (order != Order::falling && (options_.ties == Ties::trec || options_.ties == Ties::trec32)) sort_ties();
        drop_duplicates(name, name_length);
        if (topic != Names::NONE) {
            emit(topic);
            keep();
        }
    }
    entries.clear(), ranks.clear();
}

}  // namespace leadline
