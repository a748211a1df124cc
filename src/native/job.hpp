// Reading qrels and runs with a few threads, in the background, into the arrays that leadline works on.
#pragma once

#include "qrels.hpp"
#include "runs.hpp"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace leadline {

// One input on its way: a path to be opened, a text in memory, or records.
struct Input {
    std::string path;
    bool is_path = false;
    Text text;
    std::unique_ptr<Records> records;
};

// What one run left behind.
struct Outcome {
    Problems errors, notes;
    std::string tag;
    std::vector<std::string> outside;
};

class Job {
  public:
    Job(size_t runs, const RunOptions &run_options, const QrelsOptions &qrels_options, size_t threads, size_t chunk);
    ~Job();
    Job(const Job &) = delete;
    Job &operator=(const Job &) = delete;

    // Inputs may come in any order and from any thread; a null input stands for one that could not be had.
    void give_qrels(std::unique_ptr<Input> input);
    void give_run(size_t i, std::unique_ptr<Input> input);

    void cancel() { stop_ = true; }
    // Waits for at most some milliseconds; true when everything is done. Throws what a thread has thrown.
    bool wait(int milliseconds);
    size_t runs_done() const { return runs_done_; }
    bool complete() const { return complete_; }
    size_t runs() const { return slots_.size(); }
    size_t lists() const { return slots_.size() * qrels.topics(); }

    Qrels qrels;
    std::vector<Outcome> outcomes;
    Pile<int32_t> lengths, rank, row, nil_rank;
    Pile<int64_t> offsets, starts, doc_starts;  // of judged entries, of documents, of document bytes; lists + 1 each
    Pile<uint8_t> answered;
    Pile<double> scores;
    Pile<uint32_t> doc_lengths;
    Pile<char> doc_bytes;

  private:
    struct Slot {
        std::unique_ptr<Input> input;
        std::vector<Part> parts;
        std::atomic<size_t> left{0};
        std::atomic<bool> interleaved{false};
        bool given = false;
    };
    void work();
    void put(std::function<void()> task, bool soon = false);
    void read_qrels(Input *input);
    void open_run(size_t i);
    void read_part(size_t i, size_t part, const char *from, const char *to);
    void part_done(size_t i);
    void settle(size_t i);
    void run_done();
    void assemble();
    void copy_run(size_t i);
    void finish();

    RunOptions run_options_;
    QrelsOptions qrels_options_;
    size_t chunk_;
    std::vector<std::unique_ptr<Slot>> slots_;
    std::unique_ptr<Input> qrels_input_;

    std::mutex mutex_;
    std::condition_variable more_, done_;
    std::deque<std::function<void()>> tasks_;
    bool qrels_ready_ = false, finished_ = false, complete_ = false;
    std::exception_ptr failure_;
    std::atomic<bool> stop_{false};
    std::atomic<size_t> runs_done_{0}, copies_left_{0};
    std::vector<std::thread> threads_;
};

}  // namespace leadline
