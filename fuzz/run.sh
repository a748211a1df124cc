#!/usr/bin/env bash
# A bounded run of every fuzzer from the seeds: fuzz/run.sh [SECONDS for each, default 20]. Needs clang (libFuzzer).
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
seconds=${1:-20}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export ASAN_OPTIONS=quarantine_size_mb=4:detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1
"$here/build.sh" "$work/bin"
for target in number read read_avx2; do
    [ -x "$work/bin/$target" ] || continue
    seeds=$here/seeds/${target%_avx2}
    length=300
    [ "$target" = number ] && length=40
    mkdir -p "$work/$target"
    echo "== $target"
    "$work/bin/$target" -max_total_time="$seconds" -max_len="$length" -dict="$here/trec.dict" -verbosity=0 \
        -artifact_prefix="$here/found-" -print_final_stats=1 "$work/$target" "$seeds" 2>&1 | grep -v '^INFO\|^#'
done
