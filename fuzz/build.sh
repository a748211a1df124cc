#!/usr/bin/env bash
# The parser under AddressSanitizer and UndefinedBehaviorSanitizer, as libFuzzer targets: fuzz/build.sh FOLDER
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
native=$here/../src/native
out=${1:?which folder to build into?}
mkdir -p "$out"
flags=(-std=c++17 -O2 -g -fno-omit-frame-pointer -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all
       -D_GLIBCXX_ASSERTIONS -Wall -Wextra -I "$native")
cxx=${CXX:-clang++}
parser=("$native"/{number,problem,qrels,ranker,records,runs,scan,text}.cpp)

# The kernel of each processor is fuzzed in a target of its own; small windows, so that short texts cross their edges.
read_avx2() {
    "$cxx" "${flags[@]}" -mavx2 -mbmi -mpopcnt -DLEADLINE_AVX2 -c "$native/scan_avx2.cpp" -o "$out/scan_avx2.o"
    "$cxx" "${flags[@]}" -DLEADLINE_AVX2 -DLEADLINE_WINDOW=128 "$here/read.cpp" "${parser[@]}" "$out/scan_avx2.o" \
        -o "$out/read_avx2"
}
rm -f "$out"/{number,read,read_avx2}
"$cxx" "${flags[@]}" -DLEADLINE_WINDOW=64 "$here/read.cpp" "${parser[@]}" -o "$out/read" &
read=$!
"$cxx" "${flags[@]}" "$here/number.cpp" "$native/number.cpp" -o "$out/number"
if [ "$(uname -m)" = x86_64 ]; then
    read_avx2
fi
wait "$read"  # one by one: a list of commands would hide that one has failed
