#include "job.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <new>
#include <system_error>

namespace leadline {

Job::Job(size_t runs, const RunOptions &run_options, const QrelsOptions &qrels_options, size_t threads, size_t chunk)
    : outcomes(runs), run_options_(run_options), qrels_options_(qrels_options), chunk_(chunk) {
    for (size_t i = 0; i < runs; ++i) slots_.push_back(std::make_unique<Slot>());
    for (size_t i = 0; i < std::max<size_t>(1, threads); ++i) {
        try {
            threads_.emplace_back([this] { work(); });
        } catch (const std::system_error &) {  // no memory for another one: fewer do as well
            if (threads_.empty()) throw std::bad_alloc();
            break;
        }
    }
}

Job::~Job() {
    {
        std::lock_guard<std::mutex> hold(mutex_);
        stop_ = true, finished_ = true;
    }
    more_.notify_all();
    for (std::thread &t : threads_) t.join();
}

void Job::work() {
    for (;;) {
        std::function<void()> task;
        {
            std::unique_lock<std::mutex> hold(mutex_);
            more_.wait(hold, [this] { return finished_ || !tasks_.empty(); });
            if (finished_) return;
            task = std::move(tasks_.front());
            tasks_.pop_front();
        }
        try {
            task();
        } catch (...) {
            {
                std::lock_guard<std::mutex> hold(mutex_);
                if (!failure_) failure_ = std::current_exception();
                stop_ = true, finished_ = true;
            }
            more_.notify_all(), done_.notify_all();
        }
    }
}

void Job::put(std::function<void()> task, bool soon) {
    {
        std::lock_guard<std::mutex> hold(mutex_);
        if (soon)
            tasks_.push_front(std::move(task));
        else
            tasks_.push_back(std::move(task));
    }
    more_.notify_one();
}

bool Job::wait(int milliseconds) {
    std::unique_lock<std::mutex> hold(mutex_);
    done_.wait_for(hold, std::chrono::milliseconds(milliseconds), [this] { return finished_; });
    if (failure_) std::rethrow_exception(failure_);
    return finished_;
}

void Job::give_qrels(std::unique_ptr<Input> input) {
    qrels_input_ = std::move(input);
    put([this] { read_qrels(qrels_input_.get()); }, true);
}

void Job::give_run(size_t i, std::unique_ptr<Input> input) {
    slots_.at(i)->input = std::move(input);
    bool ready;
    {
        std::lock_guard<std::mutex> hold(mutex_);
        slots_[i]->given = true;
        ready = qrels_ready_;
    }
    if (ready) put([this, i] { open_run(i); });
}

void Job::read_qrels(Input *input) {
    if (input) {
        int failed = 0;
        if (input->is_path && (failed = input->text.open(input->path)) != 0)
            qrels.errors.add(Wrong::open, 0, [&] { return Problem{Wrong::open, 0, 0, failed, {}, {}}; });
        else if (input->records)
            qrels.take(*input->records, qrels_options_);
        else
            qrels.read(input->text, qrels_options_, stop_);
        if (input->text.changed()) only_changed(qrels.errors);
        qrels_input_.reset();
    }
    std::vector<size_t> given;
    {
        std::lock_guard<std::mutex> hold(mutex_);
        qrels_ready_ = true;
        for (size_t i = 0; i < slots_.size(); ++i)
            if (slots_[i]->given) given.push_back(i);
    }
    for (size_t i : given) put([this, i] { open_run(i); });
    if (slots_.empty()) assemble();
}

void Job::open_run(size_t i) {
    Slot &slot = *slots_[i];
    Input *input = slot.input.get();
    if (!input) return run_done();
    int failed = 0;
    if (input->is_path && (failed = input->text.open(input->path)) != 0) {
        outcomes[i].errors.add(Wrong::open, 0, [&] { return Problem{Wrong::open, 0, 0, failed, {}, {}}; });
        return run_done();
    }
    if (input->records) {
        slot.parts.resize(1);
        RunReader(qrels, run_options_, stop_).records(*input->records, slot.parts[0]);
        return settle(i);
    }
    // Fewer runs than threads: smaller pieces, so that all of them have something to do.
    const size_t share = slots_.size() < threads_.size() ? input->text.size() / (2 * threads_.size()) : chunk_;
    const std::vector<const char *> cuts =
        RunReader::cuts(input->text, std::min(chunk_, std::max(share, size_t(1) << 20)));
    const size_t parts = cuts.size() - 1;
    slot.parts.resize(parts);
    slot.left = parts;
    // The pieces of a file go before other files, so that few files are open at a time.
    for (size_t p = parts; p-- > 1;)
        put([this, i, p, from = cuts[p], to = cuts[p + 1]] { read_part(i, p, from, to); }, true);
    read_part(i, 0, cuts[0], cuts[1]);
}

void Job::read_part(size_t i, size_t part, const char *from, const char *to) {
    Slot &slot = *slots_[i];
    if (!slot.interleaved) {
        RunReader(qrels, run_options_, stop_).grouped(slot.input->text, from, to, slot.parts[part], slot.interleaved);
        if (slot.parts[part].interleaved) slot.interleaved = true;
    }
    if (--slot.left == 0) part_done(i);
}

// The last part of a text is read: has a topic come back in another part?
void Job::part_done(size_t i) {
    Slot &slot = *slots_[i];
    bool again = slot.interleaved;
    if (!again && slot.parts.size() > 1) {
        std::vector<char> seen(qrels.topics(), 0);
        Names outside;
        for (const Part &part : slot.parts) {
            for (const List &list : part.lists) again |= seen[list.topic], seen[list.topic] = 1;
            const Strings &names = part.outside.strings();
            for (size_t k = 0; k < names.size(); ++k) {
                bool fresh;
                outside.add(names.at(k), names.length(k), hash(names.at(k), names.length(k)), &fresh);
                again |= !fresh;
            }
        }
    }
    if (again && !stop_) {
        slot.parts.clear();
        slot.parts.resize(1);
        RunReader(qrels, run_options_, stop_).interleaved(slot.input->text, slot.parts[0]);
    }
    settle(i);
}

void Job::settle(size_t i) {
    Slot &slot = *slots_[i];
    Outcome &outcome = outcomes[i];
    bool any = false;
    for (Part &part : slot.parts) {
        if (!any) outcome.tag = part.tag;
        any |= part.any || !part.tag.empty();
        outcome.errors.take(std::move(part.errors)), outcome.notes.take(std::move(part.notes));
        const Strings &names = part.outside.strings();
        for (size_t k = 0; k < names.size(); ++k) outcome.outside.push_back(names.str(k));
        part.outside = Names();
    }
    if (!any && !outcome.errors.total) outcome.errors.add(Wrong::empty, 0, [] { return Problem{}; });
    if (outcome.errors.counts[static_cast<int>(Wrong::binary)]) {  // nothing else about it is worth saying
        // Looked for anew: it is not among the kept problems if there are many before it.
        const Text &text = slot.input->text;
        const void *nul = std::memchr(text.begin(), 0, text.size());
        const int64_t place = nul ? static_cast<const char *>(nul) - text.begin() : 0;
        outcome.errors = Problems();
        outcome.errors.add(Wrong::binary, place, [&] { return Problem{Wrong::binary, place, 0, 0, {}, {}}; });
    }
    if (!slot.input->records) {
        const Text &text = slot.input->text;
        number_lines(outcome.errors, text.begin(), text.end());
        number_lines(outcome.notes, text.begin(), text.end());
        if (text.changed()) only_changed(outcome.errors);
    }
    slot.input.reset();
    run_done();
}

void Job::run_done() {
    if (++runs_done_ == slots_.size()) assemble();
}

// All lists are there: find their places, then copy run by run.
void Job::assemble() {
    bool failed = qrels.errors.total > 0 || stop_;
    for (const Outcome &o : outcomes) failed |= o.errors.total > 0;
    if (failed) return finish();
    const size_t topics = qrels.topics(), n = lists();
    lengths.fill(n, 0), answered.fill(n, 0), offsets.fill(n + 1, 0), starts.fill(n + 1, 0);
    if (run_options_.has_nil) nil_rank.fill(n, 0);
    if (run_options_.keep_docs) doc_starts.fill(n + 1, 0);
    for (size_t i = 0; i < slots_.size(); ++i)
        for (const Part &part : slots_[i]->parts) {
            const uint32_t *doc_length = part.doc_lengths.data();
            for (const List &list : part.lists) {
                const size_t l = i * topics + list.topic;
                lengths[l] = list.length, answered[l] = 1;
                offsets[l + 1] = list.judged, starts[l + 1] = list.length;
                if (run_options_.has_nil) nil_rank[l] = list.nil_rank;
                if (run_options_.keep_docs)
                    for (int32_t k = 0; k < list.length; ++k) doc_starts[l + 1] += *doc_length++;
            }
        }
    for (size_t l = 0; l < n; ++l) {
        offsets[l + 1] += offsets[l], starts[l + 1] += starts[l];
        if (run_options_.keep_docs) doc_starts[l + 1] += doc_starts[l];
    }
    const size_t entries = static_cast<size_t>(offsets[n]);
    rank.resize(entries), row.resize(entries);
    if (run_options_.keep_scores) scores.resize(static_cast<size_t>(starts[n]));
    if (run_options_.keep_docs) {
        doc_lengths.resize(static_cast<size_t>(starts[n]));
        doc_bytes.resize(static_cast<size_t>(doc_starts[n]));
    }
    complete_ = true;
    copies_left_ = slots_.size();
    if (slots_.empty()) return finish();
    for (size_t i = 0; i < slots_.size(); ++i) put([this, i] { copy_run(i); });
}

void Job::copy_run(size_t i) {
    const size_t topics = qrels.topics();
    const auto copy = [](auto &to, int64_t at, const auto &from, size_t cursor, size_t n) {
        if (n) std::memcpy(to.data() + at, from.data() + cursor, n * sizeof(*to.data()));
    };
    for (Part &part : slots_[i]->parts) {
        size_t judged = 0, documents = 0, bytes = 0;
        for (const List &list : part.lists) {
            const size_t l = i * topics + list.topic, length = static_cast<size_t>(list.length);
            copy(rank, offsets[l], part.rank, judged, list.judged);
            copy(row, offsets[l], part.row, judged, list.judged);
            if (run_options_.keep_scores) copy(scores, starts[l], part.scores, documents, length);
            if (run_options_.keep_docs) {
                const size_t size = static_cast<size_t>(doc_starts[l + 1] - doc_starts[l]);
                copy(doc_lengths, starts[l], part.doc_lengths, documents, length);
                copy(doc_bytes, doc_starts[l], part.doc_bytes, bytes, size);
                bytes += size;
            }
            judged += list.judged, documents += length;
        }
        part.clear_lists();
    }
    if (--copies_left_ == 0) finish();
}

void Job::finish() {
    {
        std::lock_guard<std::mutex> hold(mutex_);
        finished_ = true;
    }
    more_.notify_all(), done_.notify_all();
}

}  // namespace leadline
