// What the binding files share.
#pragma once

#include "records.hpp"

#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <vector>

// Per label column the bytes of its label names; none for integers.
using LabelNames = std::vector<std::vector<std::string>>;
LabelNames to_label_names(nanobind::sequence columns);

// The records inside a Python object; they can be taken once.
std::unique_ptr<leadline::Records> take_records(nanobind::handle h);
