// Scans over ragged lists: one flat array of entries, list l owning entries offsets[l] .. offsets[l+1].
//
// A running array has one cell more than entries in each list: cell offsets[l] + l holds the value of the empty
// prefix, the next ones the value after each entry. Sums start anew in every list, so that a score never carries the
// rounding of another list, and a score is the very number found on its curve.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>

namespace nb = nanobind;

namespace {

template <typename T> using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Reals = nb::ndarray<nb::numpy, double, nb::ndim<1>>;
using Places = nb::ndarray<nb::numpy, int64_t, nb::ndim<1>>;
using Grid = nb::ndarray<nb::numpy, int64_t, nb::ndim<2>>;

template <typename Array, typename T> Array own(T *data, std::initializer_list<size_t> shape) {
    nb::capsule owner(data, [](void *p) noexcept { delete[] static_cast<T *>(p); });
    return Array(data, shape, owner);
}

void check_offsets(const Vector<int64_t> &offsets, size_t entries) {
    const size_t n = offsets.shape(0);
    if (n == 0 || offsets(0) != 0 || static_cast<size_t>(offsets(n - 1)) != entries)
        throw std::invalid_argument("offsets do not span the entries");
    for (size_t l = 1; l < n; ++l)
        if (offsets(l) < offsets(l - 1)) throw std::invalid_argument("offsets must not fall");
}

enum class Scan { sum, product, max };

template <Scan scan> double step(double value, double x) {
    if constexpr (scan == Scan::sum) return value + x;
    if constexpr (scan == Scan::product) return value * x;
    return value < x ? x : value;
}

// The empty prefix has sum 0, product 1 and, since the values scanned for a maximum are scores, maximum 0.
template <Scan scan> Reals running(Vector<double> x, Vector<int64_t> offsets) {
    check_offsets(offsets, x.shape(0));
    const size_t lists = offsets.shape(0) - 1, cells = x.shape(0) + lists;
    double *out = new double[cells ? cells : 1];
    {
        nb::gil_scoped_release unlocked;
        const double *in = x.data();
        double *to = out;
        for (size_t l = 0; l < lists; ++l) {
            double value = scan == Scan::product ? 1.0 : 0.0;
            *to++ = value;
            for (int64_t e = offsets(l); e < offsets(l + 1); ++e) {
                value = step<scan>(value, in[e]);
                *to++ = value;
            }
        }
    }
    return own<Reals>(out, {cells});
}

// The entries whose row is kept, each with the number of entries (and of valid ones) before it in its list.
nb::tuple select_rows(Vector<int32_t> rank, Vector<int32_t> row, Vector<int64_t> offsets, Vector<bool> keep,
                 Vector<bool> valid) {
    check_offsets(offsets, rank.shape(0));
    const size_t entries = rank.shape(0), lists = offsets.shape(0) - 1, rows = keep.shape(0);
    if (row.shape(0) != entries || valid.shape(0) != rows) throw std::invalid_argument("arrays of unequal length");
    const int32_t *from = row.data();
    const bool *kept = keep.data(), *fine = valid.data();
    size_t total = 0;
    bool inside = true;
    int32_t *out[4];
    int64_t *ends = new int64_t[lists + 1];
    {
        nb::gil_scoped_release unlocked;
        for (size_t e = 0; e < entries; ++e) {
            inside &= static_cast<size_t>(static_cast<uint32_t>(from[e])) < rows;
            if (!inside) break;
            total += kept[from[e]];
        }
        for (int32_t *&column : out) column = new int32_t[total ? total : 1];
        int64_t n = 0;
        ends[0] = 0;
        for (size_t l = 0; inside && l < lists; ++l) {
            int32_t before = 0, valid_before = 0;
            for (int64_t e = offsets(l); e < offsets(l + 1); ++e) {
                const int32_t r = from[e];
                if (kept[r]) {
                    out[0][n] = rank(e);
                    out[1][n] = r;
                    out[2][n] = before;
                    out[3][n++] = valid_before;
                }
                ++before;
                valid_before += fine[r];
            }
            ends[l + 1] = n;
        }
    }
    auto hand_over = [&](int32_t *column) { return own<nb::ndarray<nb::numpy, int32_t, nb::ndim<1>>>(column, {total}); };
    nb::tuple result = nb::make_tuple(hand_over(out[0]), hand_over(out[1]), own<Places>(ends, {lists + 1}),
                                      hand_over(out[2]), hand_over(out[3]));
    if (!inside) throw std::invalid_argument("no such row");
    return result;
}

// Cell of the running array for each point m: list[m], after the entries with rank <= cut[m].
Places positions(Vector<int32_t> rank, Vector<int64_t> offsets, Vector<int64_t> list, Vector<double> cut) {
    check_offsets(offsets, rank.shape(0));
    const size_t points = list.shape(0);
    const int64_t lists = static_cast<int64_t>(offsets.shape(0)) - 1;
    if (cut.shape(0) != points) throw std::invalid_argument("one cut for each point");
    for (size_t m = 0; m < points; ++m)
        if (list(m) < 0 || list(m) >= lists) throw std::invalid_argument("no such list");
    int64_t *out = new int64_t[points ? points : 1];
    {
        nb::gil_scoped_release unlocked;
        const int32_t *ranks = rank.data();
        for (size_t m = 0; m < points; ++m) {
            const int64_t l = list(m), from = offsets(l), to = offsets(l + 1);
            const double c = cut(m);
            int64_t end = to;
            if (to > from && ranks[to - 1] > c)
                end = std::upper_bound(ranks + from, ranks + to, c, [](double a, int32_t b) { return a < b; }) - ranks;
            out[m] = end + l;
        }
    }
    return own<Places>(out, {points});
}

// The same for a grid: every list at ascending points, none beyond the list's own limit.
Grid positions_grid(Vector<int32_t> rank, Vector<int64_t> offsets, Vector<double> points, Vector<double> limit) {
    check_offsets(offsets, rank.shape(0));
    const size_t lists = offsets.shape(0) - 1, columns = points.shape(0);
    if (limit.shape(0) != lists) throw std::invalid_argument("one limit for each list");
    for (size_t p = 1; p < columns; ++p)
        if (!(points(p) >= points(p - 1))) throw std::invalid_argument("points must ascend");
    int64_t *out = new int64_t[std::max<size_t>(lists * columns, 1)];
    {
        nb::gil_scoped_release unlocked;
        const int32_t *ranks = rank.data();
        int64_t *to = out;
        for (size_t l = 0; l < lists; ++l) {
            int64_t e = offsets(l);
            const int64_t end = offsets(l + 1);
            for (size_t p = 0; p < columns; ++p) {
                const double cut = std::min(points(p), limit(l));
                while (e < end && ranks[e] <= cut) ++e;
                *to++ = e + static_cast<int64_t>(l);
            }
        }
    }
    return own<Grid>(out, {lists, columns});
}

}  // namespace

void bind_segments(nb::module_ &m) {
    m.def("running_sum", &running<Scan::sum>, nb::arg("x"), nb::arg("offsets"));
    m.def("running_product", &running<Scan::product>, nb::arg("x"), nb::arg("offsets"));
    m.def("running_max", &running<Scan::max>, nb::arg("x"), nb::arg("offsets"));
    m.def("select", &select_rows, nb::arg("rank"), nb::arg("row"), nb::arg("offsets"), nb::arg("keep"), nb::arg("valid"));
    m.def("positions", &positions, nb::arg("rank"), nb::arg("offsets"), nb::arg("list"), nb::arg("cut"));
    m.def("positions_grid", &positions_grid, nb::arg("rank"), nb::arg("offsets"), nb::arg("points"), nb::arg("limit"));
}
