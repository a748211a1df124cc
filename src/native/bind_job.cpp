// The reading job as Python sees it. Arrays become numpy arrays when they are asked for, not before.

#include "bind.hpp"
#include "job.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <stdexcept>

namespace nb = nanobind;
using namespace leadline;

namespace {

nb::object decode(const char *p, size_t n) {
    return nb::steal(PyUnicode_DecodeUTF8(p, static_cast<Py_ssize_t>(n), "surrogateescape"));
}
nb::object decode(const std::string &s) { return decode(s.data(), s.size()); }

nb::list decode_all(const Strings &s) {
    nb::list result;
    for (size_t i = 0; i < s.size(); ++i) result.append(decode(s.at(i), s.length(i)));
    return result;
}

// (wrong, place, other, value, text, more)
nb::list problems(const Problems &p) {
    nb::list result;
    for (const Problem &x : p.kept)
        result.append(
            nb::make_tuple(static_cast<int>(x.wrong), x.place, x.other, x.value, decode(x.text), decode(x.more)));
    return result;
}

nb::dict counts(const Problems &p) {
    nb::dict result;
    for (int i = 0; i < Problems::KINDS; ++i)
        if (p.counts[i]) result[nb::int_(i)] = p.counts[i];
    return result;
}

nb::tuple report(const Problems &errors, const Problems &notes) {
    return nb::make_tuple(problems(errors), errors.total, problems(notes), counts(notes));
}

template <typename T>
nb::object array(nb::handle owner, const Pile<T> &pile, std::initializer_list<size_t> shape) {
    static T nothing[1] = {};
    const T *data = pile.size() ? pile.data() : nothing;
    return nb::cast(nb::ndarray<nb::numpy, const T>(data, shape, owner));
}

template <auto Member>
nb::object vector(nb::handle self) {
    const auto &pile = nb::cast<Job &>(self).*Member;
    return array(self, pile, {pile.size()});
}

Job *make_job(size_t runs, int ties, bool lenient, bool keep_scores, bool keep_docs, nb::object nil,
              nb::sequence labels, size_t threads, size_t chunk) {
    RunOptions run;
    run.ties = static_cast<Ties>(ties), run.lenient = lenient;
    run.keep_scores = keep_scores, run.keep_docs = keep_docs;
    if (!nil.is_none()) run.has_nil = true, run.nil = nb::cast<nb::bytes>(nil).c_str();
    QrelsOptions qrels;
    qrels.lenient = lenient, qrels.labels = to_label_names(labels), qrels.columns = qrels.labels.size();
    return new Job(runs, run, qrels, threads, chunk);
}

std::unique_ptr<Input> path_input(nb::bytes path) {
    auto input = std::make_unique<Input>();
    input->is_path = true, input->path.assign(path.c_str(), path.size());
    return input;
}

std::unique_ptr<Input> data_input(nb::sequence blocks) {
    auto input = std::make_unique<Input>();
    std::vector<nb::bytes> all;
    size_t total = 0;
    for (nb::handle h : blocks) all.push_back(nb::cast<nb::bytes>(h)), total += all.back().size();
    char *to = input->text.make(total);
    nb::gil_scoped_release release;
    for (const nb::bytes &b : all) {
        const size_t n = static_cast<size_t>(PyBytes_GET_SIZE(b.ptr()));
        std::memcpy(to, PyBytes_AS_STRING(b.ptr()), n), to += n;
    }
    return input;
}

std::unique_ptr<Input> records_input(nb::handle records) {
    auto input = std::make_unique<Input>();
    input->records = take_records(records);
    return input;
}

// Waits for the end with the lock of the interpreter released, answering Ctrl-C and telling how far things are.
void wait(Job &job, nb::object progress) {
    size_t told = SIZE_MAX;
    for (;;) {
        bool done;
        {
            nb::gil_scoped_release release;
            done = job.wait(40);
        }
        if (PyErr_CheckSignals()) {
            job.cancel();
            throw nb::python_error();
        }
        if (!progress.is_none() && told != job.runs_done()) {
            told = job.runs_done();
            try {
                progress(told, job.runs());
            } catch (...) {
                job.cancel();
                throw;
            }
        }
        if (done) return;
    }
}

nb::list list_docs(const Job &job, size_t l) {
    if (l >= job.lists() || !job.doc_starts.size()) throw nb::index_error("no such list");
    const char *p = job.doc_bytes.data() + job.doc_starts[l];
    nb::list result;
    for (int64_t i = job.starts[l]; i < job.starts[l + 1]; ++i) {
        const size_t n = job.doc_lengths[static_cast<size_t>(i)];
        result.append(decode(p, n));
        p += n;
    }
    return result;
}

nb::list row_docs(const Job &job, nb::ndarray<const int64_t, nb::ndim<1>, nb::device::cpu> rows) {
    nb::list result;
    for (size_t i = 0; i < rows.shape(0); ++i) {
        const int64_t r = rows(i);
        if (r < 0 || static_cast<size_t>(r) >= job.qrels.rows()) throw nb::index_error("no such judgment");
        result.append(decode(job.qrels.doc(static_cast<size_t>(r)), job.qrels.doc_length(static_cast<size_t>(r))));
    }
    return result;
}

void bind_inputs(nb::class_<Job> &c) {
    c.def("qrels_path", [](Job &j, nb::bytes path) { j.give_qrels(path_input(path)); }, nb::arg("path"));
    c.def("qrels_data", [](Job &j, nb::sequence blocks) { j.give_qrels(data_input(blocks)); }, nb::arg("blocks"));
    c.def("qrels_records", [](Job &j, nb::handle r) { j.give_qrels(records_input(r)); }, nb::arg("records"));
    c.def("qrels_none", [](Job &j) { j.give_qrels(nullptr); });
    c.def(
        "run_path", [](Job &j, size_t i, nb::bytes path) { j.give_run(i, path_input(path)); }, nb::arg("run"),
        nb::arg("path"));
    c.def(
        "run_data", [](Job &j, size_t i, nb::sequence blocks) { j.give_run(i, data_input(blocks)); }, nb::arg("run"),
        nb::arg("blocks"));
    c.def(
        "run_records", [](Job &j, size_t i, nb::handle r) { j.give_run(i, records_input(r)); }, nb::arg("run"),
        nb::arg("records"));
    c.def("run_none", [](Job &j, size_t i) { j.give_run(i, nullptr); }, nb::arg("run"));
}

void bind_results(nb::class_<Job> &c) {
    c.def_prop_ro("complete", &Job::complete);
    c.def_prop_ro("topics", [](const Job &j) { return decode_all(j.qrels.topic_names()); });
    c.def_prop_ro("row_offsets", [](nb::handle self) {
        const auto &pile = nb::cast<Job &>(self).qrels.row_offsets();
        return array(self, pile, {pile.size()});
    });
    c.def_prop_ro("labels", [](nb::handle self) {
        const Qrels &q = nb::cast<Job &>(self).qrels;
        return array(self, q.labels(), {q.rows(), q.columns()});
    });
    c.def_prop_ro("lengths", vector<&Job::lengths>);
    c.def_prop_ro("offsets", vector<&Job::offsets>);
    c.def_prop_ro("rank", vector<&Job::rank>);
    c.def_prop_ro("row", vector<&Job::row>);
    c.def_prop_ro("nil_rank", vector<&Job::nil_rank>);
    c.def_prop_ro("answered", vector<&Job::answered>);
    c.def_prop_ro("scores", vector<&Job::scores>);
    c.def("list_docs", &list_docs, nb::arg("list"));
    c.def("row_docs", &row_docs, nb::arg("rows"));
    c.def("qrels_report", [](const Job &j) { return report(j.qrels.errors, j.qrels.notes); });
    c.def(
        "run_report", [](const Job &j, size_t i) { return report(j.outcomes.at(i).errors, j.outcomes.at(i).notes); },
        nb::arg("run"));
    c.def("run_tag", [](const Job &j, size_t i) { return decode(j.outcomes.at(i).tag); }, nb::arg("run"));
    c.def(
        "run_outside",
        [](const Job &j, size_t i) {
            nb::list result;
            for (const std::string &s : j.outcomes.at(i).outside) result.append(decode(s));
            return result;
        },
        nb::arg("run"));
}

}  // namespace

void bind_job(nb::module_ &m) {
    nb::class_<Job> c(m, "Job");
    c.def(nb::new_(&make_job), nb::arg("runs"), nb::arg("ties"), nb::arg("lenient"), nb::arg("keep_scores"),
          nb::arg("keep_docs"), nb::arg("nil").none(), nb::arg("labels"), nb::arg("threads"), nb::arg("chunk"));
    c.def("wait", &wait, nb::arg("progress").none() = nb::none());
    c.def("cancel", &Job::cancel);
    bind_inputs(c);
    bind_results(c);
}
