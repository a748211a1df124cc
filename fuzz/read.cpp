// libFuzzer target: qrels and a run, read by the parser classes without Python.
//
// Two bytes of options, the text of the qrels up to a byte 1, the text of the run. Beyond memory errors (the sanitizers'
// business) it checks that every way to read one text finds the same: in pieces cut at any size, in one piece, and with
// all lines kept until the end.

#include "qrels.hpp"
#include "runs.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

using namespace leadline;

namespace {

[[noreturn]] void fail(const char *what) {
    std::fprintf(stderr, "disagreement: %s\n", what);
    std::abort();
}

void check(bool fine, const char *what) {
    if (!fine) fail(what);
}

Text text_of(const uint8_t *p, size_t n) {
    Text text;
    char *to = text.make(n);
    if (n) std::memcpy(to, p, n);
    return text;
}

// Every row is found by its document; what is in no row is not.
void check_qrels(const Qrels &qrels) {
    check(qrels.row_offsets().size() == qrels.topics() + 1, "one offset for each topic");
    for (uint32_t t = 0; t < qrels.topics(); ++t) {
        const Qrels::Table table = qrels.table(t);
        const Strings &names = qrels.topic_names();
        check(qrels.topic(names.at(t), names.length(t)) == t, "a topic is found by its name");
        for (int64_t row = qrels.row_offsets()[t]; row < qrels.row_offsets()[t + 1]; ++row) {
            const size_t r = static_cast<size_t>(row), n = qrels.doc_length(r);
            const uint32_t tag = tag_of(qrels.doc(r), n);
            check(table.maybe(tag), "the filter knows every judged document");
            check(table.row(qrels.doc(r), static_cast<uint32_t>(n), tag) == row, "a row is found by its document");
        }
    }
}

struct Seen {
    int32_t length, nil_rank;
    std::vector<int32_t> rank, row;
    std::string scores, docs;
    bool operator==(const Seen &o) const {
        return length == o.length && nil_rank == o.nil_rank && rank == o.rank && row == o.row && scores == o.scores &&
               docs == o.docs;
    }
};

// The lists of all parts by topic; false if a topic is there twice.
bool lists_of(const std::vector<Part> &parts, const RunOptions &options, std::map<uint32_t, Seen> &out) {
    for (const Part &part : parts) {
        size_t judged = 0, documents = 0, bytes = 0;
        for (const List &list : part.lists) {
            Seen seen{list.length, list.nil_rank, {}, {}, {}, {}};
            const size_t n = static_cast<size_t>(list.length);
            seen.rank.assign(part.rank.data() + judged, part.rank.data() + judged + list.judged);
            seen.row.assign(part.row.data() + judged, part.row.data() + judged + list.judged);
            for (size_t i = 0; i < list.judged; ++i) {
                check(seen.rank[i] >= 1 && seen.rank[i] <= list.length, "ranks lie within the list");
                check(!i || seen.rank[i] > seen.rank[i - 1], "ranks rise");
            }
            if (options.keep_scores) seen.scores.assign(reinterpret_cast<const char *>(part.scores.data() + documents), 8 * n);
            if (options.keep_docs)
                for (size_t i = 0; i < n; ++i) {
                    const size_t length = part.doc_lengths[documents + i];
                    seen.docs.append(part.doc_bytes.data() + bytes, length).push_back(' ');
                    bytes += length;
                }
            judged += list.judged, documents += n;
            if (!out.emplace(list.topic, std::move(seen)).second) return false;
        }
        check(judged == part.rank.size() && judged == part.row.size(), "every entry belongs to a list");
    }
    return true;
}

bool outside_repeats(const std::vector<Part> &parts, size_t &total) {
    Names all;
    bool again = false;
    for (const Part &part : parts)
        for (size_t k = 0; k < part.outside.size(); ++k) {
            bool fresh;
            const Strings &names = part.outside.strings();
            all.add(names.at(k), names.length(k), hash(names.at(k), names.length(k)), &fresh);
            again |= !fresh;
        }
    total = all.size();
    return again;
}

void check_run(const Qrels &qrels, const Text &text, const RunOptions &options, size_t chunk) {
    const std::atomic<bool> never{false};
    const RunReader reader(qrels, options, never);
    const std::vector<const char *> cuts = RunReader::cuts(text, chunk);
    check(cuts.front() == text.first() && cuts.back() == text.end(), "cuts span the text");
    std::vector<Part> parts(cuts.size() - 1), whole(1);
    bool again = false;
    for (size_t p = 0; p < parts.size() && !again; ++p) {
        check(cuts[p] <= cuts[p + 1], "cuts rise");
        reader.grouped(text, cuts[p], cuts[p + 1], parts[p], never);
        again = parts[p].interleaved;
    }
    reader.interleaved(text, whole[0]);
    std::map<uint32_t, Seen> a, b;
    check(lists_of(whole, options, b), "a topic has one list");
    size_t outside_a = 0, outside_b = 0;
    check(!outside_repeats(whole, outside_b), "a name is kept once");
    if (again || !lists_of(parts, options, a) || outside_repeats(parts, outside_a)) return;  // a topic came back
    Problems errors, notes;
    for (Part &part : parts) errors.take(std::move(part.errors)), notes.take(std::move(part.notes));
    if (errors.counts[static_cast<int>(Wrong::binary)]) {  // how much is read before a NUL byte is found depends on the cuts
        check(whole[0].errors.counts[static_cast<int>(Wrong::binary)] == 1, "a NUL byte is found");
        return;
    }
    check(a == b, "pieces and the whole give the same lists");
    check(outside_a == outside_b, "pieces and the whole see the same other topics");
    check(errors.total == whole[0].errors.total && notes.total == whole[0].notes.total, "as many problems");
    check(!std::memcmp(errors.counts, whole[0].errors.counts, sizeof errors.counts), "the same problems");
    whole[0].errors.sort();
    check(errors.kept.size() == whole[0].errors.kept.size(), "as many problems kept");
    for (size_t i = 0; i < errors.kept.size(); ++i) check(errors.kept[i].place == whole[0].errors.kept[i].place, "at the same places");
    number_lines(errors, text.begin(), text.end());
    for (const Problem &p : errors.kept) check(p.place >= 1, "lines count from one");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2) return 0;
    const uint8_t first = data[0], second = data[1];
    data += 2, size -= 2;
    const void *mark = std::memchr(data, 1, size);
    const size_t split = mark ? static_cast<size_t>(static_cast<const uint8_t *>(mark) - data) : size;
    RunOptions options;
    options.ties = static_cast<Ties>(first % 5);
    options.lenient = first & 16, options.keep_scores = first & 32, options.keep_docs = first & 64;
    options.has_nil = first & 128, options.nil = "NIL";
    QrelsOptions labels;
    labels.lenient = options.lenient;
    labels.columns = second & 64 ? 2 : 1;
    labels.labels.resize(labels.columns);
    if (second & 128) labels.labels.back() = {"no", "yes"};

    Qrels qrels;
    const std::atomic<bool> never{false};
    const Text judged = text_of(data, split);
    qrels.read(judged, labels, never);
    check_qrels(qrels);
    if (split < size) check_run(qrels, text_of(data + split + 1, size - split - 1), options, size_t(1) << (second & 15));
    return 0;
}
