// The native core of leadline: reading runs and qrels, and scans over ragged lists.

#include <nanobind/nanobind.h>

namespace nb = nanobind;

void bind_records(nb::module_ &m);
void bind_job(nb::module_ &m);
void bind_segments(nb::module_ &m);

NB_MODULE(_core, m) {
    m.doc() = "The native core of leadline: reading runs and qrels, and scans over ragged lists.";
    nb::set_leak_warnings(false);  // readings may well live until the interpreter ends
    bind_records(m);
    bind_job(m);
    bind_segments(m);
}
