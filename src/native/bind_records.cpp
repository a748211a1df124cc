// Python objects to records: dictionaries {topic: {document: value}} and columns of strings.

#include "bind.hpp"
#include "records.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>

namespace nb = nanobind;
using namespace leadline;

namespace {

constexpr size_t BAD_KEPT = 20;

// What in the objects was no usable value: (record number, what, topic, document, value); `what` is one of
// "topic", "document", "documents", "score", "grade", "range", "label", "labels".
struct Bad {
    std::vector<nb::object> kept;
    size_t total = 0;
    void add(size_t record, const char *what, nb::handle topic, nb::handle doc, nb::handle value) {
        ++total;
        if (kept.size() < BAD_KEPT) kept.push_back(nb::make_tuple(record, what, topic, doc, value));
    }
};

struct PyRecords {
    std::unique_ptr<Records> records = std::make_unique<Records>();
    Bad bad;
};

// The UTF-8 bytes of a str, lone surrogates standing for the bytes they were made from.
class Utf8 {
  public:
    explicit Utf8(PyObject *o) {
        if (!PyUnicode_Check(o)) return;
        p = PyUnicode_AsUTF8AndSize(o, &n);
        if (p) return;
        PyErr_Clear();
        held_ = nb::steal(PyUnicode_AsEncodedString(o, "utf-8", "surrogateescape"));
        if (held_.is_valid())
            p = PyBytes_AS_STRING(held_.ptr()), n = PyBytes_GET_SIZE(held_.ptr());
        else
            PyErr_Clear();
    }
    bool fine() const { return p && n > 0 && n < std::numeric_limits<int32_t>::max(); }
    const char *p = nullptr;
    Py_ssize_t n = 0;

  private:
    nb::object held_;
};

// Hashing loads whole words: short names are copied to where PAD bytes follow.
uint64_t safe_hash(const char *p, size_t n) {
    char room[PAD + 64];
    if (n < 64) {
        std::memcpy(room, p, n);
        std::memset(room + n, 0, PAD);
        return hash(room, n);
    }
    return hash(p, n);
}

bool to_real(PyObject *o, double &x) {
    if (PyFloat_CheckExact(o)) {
        x = PyFloat_AS_DOUBLE(o);
        return true;
    }
    if (PyUnicode_Check(o) || PyBytes_Check(o)) return false;
    x = PyFloat_AsDouble(o);
    if (x != -1.0 || !PyErr_Occurred()) return true;
    PyErr_Clear();
    return false;
}

// An int32, a label name, or what is wrong.
const char *to_label(PyObject *o, const std::vector<std::string> &names, int32_t &out) {
    if (!names.empty()) {
        const Utf8 name(o);
        for (size_t i = 0; name.p && i < names.size(); ++i)
            if (names[i].compare(0, std::string::npos, name.p, static_cast<size_t>(name.n)) == 0) {
                out = static_cast<int32_t>(i);
                return nullptr;
            }
        return "label";
    }
    nb::object number;
    if (PyFloat_Check(o)) {
        const double x = PyFloat_AS_DOUBLE(o);
        if (std::floor(x) != x || std::isinf(x)) return "grade";
        number = nb::steal(PyLong_FromDouble(x));
    } else {
        number = nb::steal(PyNumber_Index(o));
    }
    if (!number.is_valid()) {
        PyErr_Clear();
        return "grade";
    }
    int overflow = 0;
    const long long x = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
    if (overflow || x < std::numeric_limits<int32_t>::min() || x > std::numeric_limits<int32_t>::max()) return "range";
    out = static_cast<int32_t>(x);
    return nullptr;
}

// One row of labels: a plain value for one column, a sequence for several.
const char *to_labels(PyObject *o, const LabelNames &names, int32_t *out) {
    if (names.size() == 1) return to_label(o, names[0], out[0]);
    if (PyUnicode_Check(o)) return "labels";
    const nb::object row = nb::steal(PySequence_Fast(o, ""));
    if (!row.is_valid()) {
        PyErr_Clear();
        return "labels";
    }
    if (static_cast<size_t>(PySequence_Fast_GET_SIZE(row.ptr())) != names.size()) return "labels";
    for (size_t a = 0; a < names.size(); ++a)
        if (const char *wrong =
                to_label(PySequence_Fast_GET_ITEM(row.ptr(), static_cast<Py_ssize_t>(a)), names[a], out[a]))
            return wrong;
    return nullptr;
}

// Calls f(key, value) for every item of a mapping; false if it is none.
template <typename F>
bool items(PyObject *mapping, F f) {
    if (PyDict_CheckExact(mapping)) {
        PyObject *key, *value;
        Py_ssize_t at = 0;
        while (PyDict_Next(mapping, &at, &key, &value)) {
            const nb::object held_key = nb::borrow(key), held_value = nb::borrow(value);  // f may run Python code
            f(key, value);
        }
        return true;
    }
    const nb::object list = nb::steal(PyMapping_Check(mapping) ? PyMapping_Items(mapping) : nullptr);
    if (!list.is_valid()) {
        PyErr_Clear();
        return false;
    }
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list.ptr()); ++i) {
        PyObject *pair = PyList_GET_ITEM(list.ptr(), i);
        if (!PyTuple_Check(pair) || PyTuple_GET_SIZE(pair) != 2) return false;
        f(PyTuple_GET_ITEM(pair, 0), PyTuple_GET_ITEM(pair, 1));
    }
    return true;
}

// `labels` empty: a run, otherwise qrels with that many label columns.
std::unique_ptr<PyRecords> from_dict(nb::handle mapping, nb::sequence label_names) {
    const LabelNames labels = to_label_names(label_names);
    auto result = std::make_unique<PyRecords>();
    Records &r = *result->records;
    Bad &bad = result->bad;
    std::vector<int32_t> row(labels.size());
    items(mapping.ptr(), [&](PyObject *topic, PyObject *documents) {
        const Utf8 name(topic);
        if (!name.fine()) return bad.add(r.size() + 1, "topic", topic, nb::none(), nb::none());
        const uint32_t number =
            r.topics.add(name.p, static_cast<size_t>(name.n), safe_hash(name.p, static_cast<size_t>(name.n)));
        const bool mapped = items(documents, [&](PyObject *doc, PyObject *value) {
            const Utf8 id(doc);
            if (!id.fine()) return bad.add(r.size() + 1, "document", topic, doc, value);
            double score = 0;
            if (labels.empty() && !to_real(value, score)) return bad.add(r.size() + 1, "score", topic, doc, value);
            if (!labels.empty())
                if (const char *wrong = to_labels(value, labels, row.data()))
                    return bad.add(r.size() + 1, wrong, topic, doc, value);
            r.topic.push(number);
            r.docs.push(id.p, static_cast<size_t>(id.n));
            if (labels.empty())
                r.scores.push(score);
            else
                r.labels.append(row.data(), row.size());
        });
        if (!mapped) bad.add(r.size() + 1, "documents", topic, nb::none(), documents);
    });
    return result;
}

// A column of strings: a sequence of str, or (bytes, offsets) as Arrow keeps them.
using Bytes = nb::ndarray<const uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <typename F>
void strings(nb::handle column, F f) {
    if (PyTuple_CheckExact(column.ptr()) && PyTuple_GET_SIZE(column.ptr()) == 2 &&
        nb::ndarray_check(nb::handle(PyTuple_GET_ITEM(column.ptr(), 0)))) {
        const auto bytes = nb::cast<Bytes>(nb::handle(PyTuple_GET_ITEM(column.ptr(), 0)));
        const auto offsets = nb::cast<Vector<int64_t>>(nb::handle(PyTuple_GET_ITEM(column.ptr(), 1)));
        const char *base = reinterpret_cast<const char *>(bytes.data());
        for (size_t i = 0; i + 1 < offsets.shape(0); ++i) {
            const int64_t a = offsets(i), b = offsets(i + 1);
            if (a < 0 || b < a || static_cast<size_t>(b) > bytes.shape(0))
                throw std::invalid_argument("offsets do not fit the bytes");
            f(i, base + a, static_cast<size_t>(b - a), nb::handle());
        }
        return;
    }
    const nb::object list = nb::steal(PySequence_Fast(column.ptr(), "a column must be a sequence of str"));
    if (!list.is_valid()) throw nb::python_error();
    const Py_ssize_t n = PySequence_Fast_GET_SIZE(list.ptr());
    for (Py_ssize_t i = 0; i < n; ++i) {
        PyObject *o = PySequence_Fast_GET_ITEM(list.ptr(), i);
        const Utf8 s(o);
        f(static_cast<size_t>(i), s.fine() ? s.p : nullptr, s.fine() ? static_cast<size_t>(s.n) : 0, nb::handle(o));
    }
}

std::unique_ptr<PyRecords> from_columns(nb::handle topics, nb::handle docs, nb::object scores, nb::object labels,
                                        nb::object ranks) {
    auto result = std::make_unique<PyRecords>();
    Records &r = *result->records;
    Bad &bad = result->bad;
    const char *last = nullptr;
    size_t last_length = 0;
    uint32_t number = 0;
    strings(topics, [&](size_t i, const char *p, size_t n, nb::handle o) {
        if (!n)
            bad.add(i + 1, "topic", o.is_valid() ? o : nb::handle(Py_None), nb::none(), nb::none());
        else if (n != last_length || (p != last && std::memcmp(p, last, n) != 0)) {
            number = r.topics.add(p, n, safe_hash(p, n));
            last = r.topics.strings().at(number), last_length = n;
        }
        r.topic.push(number);
    });
    strings(docs, [&](size_t i, const char *p, size_t n, nb::handle o) {
        if (!n) bad.add(i + 1, "document", nb::none(), o.is_valid() ? o : nb::handle(Py_None), nb::none());
        r.docs.push(p, n);
    });
    if (!scores.is_none()) {
        const auto v = nb::cast<Vector<double>>(scores);
        r.scores.append(v.data(), v.shape(0));
    }
    if (!labels.is_none()) {
        const auto v = nb::cast<nb::ndarray<const int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>>(labels);
        r.labels.append(v.data(), v.shape(0) * v.shape(1));
        if (v.shape(0) != r.size()) throw std::invalid_argument("columns of different lengths");
    }
    if (!ranks.is_none()) {
        const auto v = nb::cast<Vector<int64_t>>(ranks);
        r.ranks.append(v.data(), v.shape(0));
        if (v.shape(0) != r.size()) throw std::invalid_argument("columns of different lengths");
    }
    if (r.docs.size() != r.size() || (!scores.is_none() && r.scores.size() != r.size()))
        throw std::invalid_argument("columns of different lengths");
    return result;
}

}  // namespace

LabelNames to_label_names(nb::sequence columns) {
    LabelNames result;
    for (nb::handle names : columns) {
        result.emplace_back();
        for (nb::handle name : names) {
            const nb::bytes b = nb::cast<nb::bytes>(name);
            result.back().emplace_back(b.c_str(), b.size());
        }
    }
    return result;
}

std::unique_ptr<Records> take_records(nb::handle h) {
    auto &r = nb::cast<PyRecords &>(h);
    if (!r.records) throw std::invalid_argument("these records were already read");
    return std::move(r.records);
}

void bind_records(nb::module_ &m) {
    nb::class_<PyRecords>(m, "Records")
        .def_static("from_dict", &from_dict, nb::arg("mapping"), nb::arg("labels"))
        .def_static("from_columns", &from_columns, nb::arg("topics"), nb::arg("docs"), nb::arg("scores").none(),
                    nb::arg("labels").none(), nb::arg("ranks").none())
        .def_prop_ro("bad", [](const PyRecords &r) { return r.bad.kept; })
        .def_prop_ro("bad_total", [](const PyRecords &r) { return r.bad.total; });
}
