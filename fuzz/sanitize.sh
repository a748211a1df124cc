#!/usr/bin/env bash
# The whole native core, as Python loads it, under AddressSanitizer and UndefinedBehaviorSanitizer (gcc):
#     fuzz/sanitize.sh [PYTHON, default python3] [arguments of pytest, default: the tests of the native core]
# PYTHON has what the tests need. Nothing is installed there: the core is built into an environment of its own.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
python=${1:-python3}
[ $# -eq 0 ] || shift
tests=("$@")
[ $# -gt 0 ] || tests=(tests/test_{definitions,differential,io_formats,io_malformed,io_reader,io_sources,limits,pipeline,segments,ties}.py)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Packages of PYTHON are found by their folders, ours come first; an editable leadline of PYTHON's stays out.
"$python" -m venv --without-pip "$work/venv"
mine=$work/venv/bin/python
site=$("$mine" -c 'import sysconfig; print(sysconfig.get_path("platlib"))')
"$python" -c 'import sys; print(*(p for p in sys.path if p.endswith("-packages")), sep="\n")' > "$site/packages.pth"
CC=gcc CXX=g++ "$python" -m pip install --quiet --no-deps --target "$site" --config-settings build-dir="$work/build" \
    --config-settings cmake.build-type=RelWithDebInfo --config-settings cmake.define.LEADLINE_SANITIZE=ON "$root"

# The sanitizers come before everything else, and bring the C++ library: at the start they look up how it throws.
preload=
for library in libasan.so libubsan.so libstdc++.so.6; do
    preload=$preload${preload:+:}$(g++ -print-file-name="$library")
done
# Python itself keeps memory until the end of the process: leaks are looked for by the fuzzers, without Python.
export ASAN_OPTIONS=detect_leaks=0:detect_stack_use_after_return=1 UBSAN_OPTIONS=print_stacktrace=1
export PYTHONPATH='' PYTHONDONTWRITEBYTECODE=1
cd "$root"
core=$(LD_PRELOAD=$preload "$mine" -c 'import leadline._core; print(leadline._core.__file__)')
case $core in
"$site"/*) ;;
*) echo "the core under test is another one: $core" >&2; exit 1 ;;
esac
grep -q __asan_report "$core" || { echo "the core was built without sanitizers" >&2; exit 1; }
# --capture=sys: pytest must not swallow the report of the sanitizer together with the test that it ended.
LD_PRELOAD=$preload "$mine" -m pytest -p no:cacheprovider --capture=sys "${tests[@]}"
