#!/usr/bin/env bash
# Fuzzes the code that reads bytes from strangers: the targets of fuzz/ (Rust, coverage-guided by
# libFuzzer, with a stable compiler). Inputs that find something new stay in the corpus. An input
# that breaks something is kept in out/fuzz/, and its path is printed.
#
# usage: tools/fuzz.sh [--runs N | --seconds N] [TARGET...]
#   --runs N     replay the corpus, then N new inputs for each target; the same in every run
#   --seconds N  fuzz each target for this long, with another seed each time (default: 60)
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/env.sh
selo_find_rust || { echo "fuzz: no Rust $selo_rust_needed" >&2; exit 1; }

limit=-max_total_time=60
corpus_kept=yes
targets=()
while [ $# -gt 0 ]; do
    case $1 in
    --runs) limit="-runs=$2 -seed=1"; corpus_kept=; shift 2 ;;
    --seconds) limit=-max_total_time=$2; shift 2 ;;
    -h | --help) sed -n '2,/^set/{s/^# \{0,1\}//;/^set/d;p}' "$0"; exit 0 ;;
    -*) echo "fuzz: unknown option $1; see --help" >&2; exit 2 ;;
    *) targets+=("$1"); shift ;;
    esac
done
if [ ${#targets[@]} -eq 0 ]; then
    mapfile -t targets < <(sed -n 's/^name = "\([a-z_]*\)"$/\1/p' fuzz/Cargo.toml | grep -v -- -)
fi

# The flags that cargo-fuzz would set. --target keeps them away from build scripts.
host=$(rustc -vV | sed -n 's/^host: //p')
export RUSTFLAGS="--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
-Cllvm-args=-sanitizer-coverage-trace-compares"
build=${CARGO_TARGET_DIR:-target}/fuzz
cargo build --quiet --release --locked --manifest-path fuzz/Cargo.toml --target "$host" --target-dir "$build"

passed=0 failed=0
for target in "${targets[@]}"; do
    corpus=fuzz/corpus/$target
    out=out/fuzz/$target
    mkdir -p "$corpus" "$out"
    # New finds go to the first folder: the corpus in the tree, or a temporary one.
    found=$corpus
    [ -n "$corpus_kept" ] || { found=$out/found; rm -rf "$found"; mkdir -p "$found"; }
    log=$out/log.txt
    # shellcheck disable=SC2086 # $limit is several words
    if "$build/$host/release/$target" $limit -max_len=2048 -timeout=20 -artifact_prefix="$out/" \
        "$found" "$corpus" >"$log" 2>&1; then
        passed=$((passed + 1))
        printf '%-20s %s\n' "$target" "$(grep -E '^(Done|#[0-9]+ +DONE)' "$log" | tr '\n' ' ')"
    else
        failed=$((failed + 1))
        printf '%-20s failed; %s\n' "$target" "$(grep -h 'Test unit written' "$log" || echo "see $log")"
        tail -n 20 "$log" >&2
    fi
done
printf 'fuzz: %d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
