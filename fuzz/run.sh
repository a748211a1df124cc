#!/usr/bin/env bash
# A bounded run of every fuzzer from the seeds: fuzz/run.sh [SECONDS for each, default 20]. Needs clang (libFuzzer).
# Fails if one finds something; the input is then left in the current folder as found-TARGET-*.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
seconds=${1:-20}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export ASAN_OPTIONS=quarantine_size_mb=4:detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1
"$here/build.sh" "$work/bin"

figure() { sed -n "s/^stat::$1: *//p" "$work/log"; }

targets=(number read)
[ "$(uname -m)" != x86_64 ] || targets+=(read_avx2)
for target in "${targets[@]}"; do
    length=300
    [ "$target" != number ] || length=40
    mkdir "$work/$target"
    if ! "$work/bin/$target" -max_total_time="$seconds" -max_len="$length" -dict="$here/trec.dict" -verbosity=0 \
        -artifact_prefix="found-$target-" -print_final_stats=1 "$work/$target" "$here/seeds/${target%_avx2}" \
        > "$work/log" 2>&1; then
        cat "$work/log"
        echo "$target found something" >&2
        exit 1
    fi
    executions=$(figure number_of_executed_units)
    [ "${executions:-0}" -gt 1000 ] || { cat "$work/log"; echo "$target hardly ran" >&2; exit 1; }
    printf '%-10s %12d executions in %d s, %d inputs kept\n' "$target" "$executions" "$seconds" \
        "$(figure new_units_added)"
done
