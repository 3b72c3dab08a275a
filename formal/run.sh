#!/usr/bin/env bash
# Runs every symbolic model of this folder through Verifpal, and compares the verdict on
# each query with the one that the model expects.
#
# usage: formal/run.sh [--folder FOLDER] [--changed | --record] [MODEL]...
#   MODEL      names without ending; all by default
#   --folder   the folder of the models (default: the folder of this script)
#   --changed  only models that are not listed in verified.txt as they are now; without such
#              models Verifpal is not needed
#   --record   a run of all models that ends as expected writes verified.txt
# environment: SELO_VERIFPAL  a verifpal to run instead of installing one
#              SELO_TOOLS     where it is installed, for all clones (default: ~/.cache/selo/tools)
#
# A model is a .vp file, or a .patch in attackers/ or broken/ for the .vp file that it
# names. A comment "// holds" or "// attack[: why]" before a query is its expected verdict.
# A line "// sessions: N" sets the number of concurrent sessions (default: 2). The models
# as run, and the output with the trace of every attack, are kept in target/formal/
# (with --folder, in FOLDER/out/).
# exit: 0 every query as expected; 1 a query differs; 2 no such model, or no tool
set -uo pipefail
here=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
. "$here/../tools/env.sh"

# The tool is GPL-3.0, so it runs as a separate program and is never linked.
version=1.6.7

folder=$here
work=$selo_root/target/formal
if [ "${1:-}" = --folder ]; then
    folder=$2
    work=$folder/out
    shift 2
fi
mode=all
case ${1:-} in
--changed | --record)
    mode=${1#--}
    shift
    ;;
esac
mkdir -p "$work"
verified=$folder/verified.txt

# Prints a line of verified.txt: the digest of the file $2 with Verifpal's version, and the name $1.
# The file of a model has its expected verdicts and its number of sessions.
line_of() { # NAME FILE
    printf '%s %s\n' "$({ echo "$version"; cat "$2"; } | sha256sum | cut -d ' ' -f 1)" "$1"
}
is_verified() { [ -f "$verified" ] && grep -qxF "$(line_of "$1" "$2")" "$verified"; }
# The results that the README shows.
shown() { sed -n '/^<!-- results -->$/,/^<!-- end -->$/p' "$folder/README.md" | grep -v -e '^<!--' -e '^```'; }

install_verifpal() {
    local folder=$selo_tools/verifpal-$version new log
    verifpal=${SELO_VERIFPAL:-$folder/bin/verifpal}
    [ -z "${SELO_VERIFPAL:-}" ] || return 0
    [ ! -x "$verifpal" ] || return 0
    selo_find_rust || { echo "formal: no Rust $selo_rust_needed or later to install verifpal with" >&2; return 1; }
    echo "formal: installing verifpal $version into $folder (some minutes, once)" >&2
    # Another clone may install at the same time. Each has its own folder until it is whole.
    mkdir -p "$selo_tools"
    new=$(mktemp -d "$folder.XXXXXX")
    log=$work/install.log
    # The package requires a newer rustc than it needs; 1.95 can build it. Only what searches is
    # optimized: the other packages read the command line and the model, and compile in half the time.
    if CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 CARGO_PROFILE_RELEASE_OPT_LEVEL=2 \
        cargo install verifpal --version "$version" --locked --ignore-rust-version \
        --config 'profile.release.package."*".opt-level=0' \
        --config 'profile.release.package.rayon-core.opt-level=2' \
        --root "$new" >"$log" 2>&1; then
        mv --no-target-directory "$new" "$folder" 2>/dev/null || rm -rf "$new"
        [ ! -x "$verifpal" ] || return 0
    fi
    rm -rf "$new"
    tail -n 15 "$log" >&2
    echo "formal: verifpal $version could not be installed" >&2
    echo "hint: the whole log is $log; a verifpal that you have can be named in SELO_VERIFPAL" >&2
    return 1
}

# Writes the model $1 (a .vp or .patch below the folder) to target/formal/.
write_model() {
    local name base
    name=$(basename "${1%.*}")
    case $1 in
    *.vp) cp "$folder/$1" "$work/$name.vp" ;;
    *.patch)
        base=$(sed -n 's/^--- //p' "$folder/$1")
        # No fuzz: a patch that no longer fits its model needs attention.
        patch --quiet --fuzz=0 --reject-file=- --output="$work/$name.vp" "$folder/$base" "$folder/$1"
        ;;
    esac
}

# Prints "verdict<tab>query" for each query that the model $1 expects, in order.
expected() {
    awk '
        /^queries\[/ { inside = 1; next }
        !inside || /^[\]]/ { next }
        { gsub(/^[ \t]+|[ \t]+$/, "") }
        /^\/\/ (holds|attack)(:|$)/ { sub(/:.*/, "", $2); verdict = $2; next }
        /^[a-z]+\?/ { print (verdict ? verdict : "unstated") "\t" $0; verdict = "" }
    ' "$1"
}

# Prints "verdict<tab>query<tab>reach" for each verdict in Verifpal's output $1, in order.
found() {
    sed -n -E \
        -e 's/^ *PASS \+ ([a-z]+\?.*[^ ])  \[(.*)\]$/holds\t\1\t\2/p;t' \
        -e 's/^ *FAIL x ([a-z]+\?.*[^ ])  \[(.*)\]$/attack\t\1\t\2/p;t' \
        -e 's/^ *FAIL x ([a-z]+\?.*)$/attack\t\1\t/p' "$1"
}

verify_one() {
    local model=$1 sessions
    sessions=$(sed -n 's|^// sessions: \([0-9]*\)$|\1|p' "$work/$model.vp")
    echo "${sessions:-2}" >"$work/$model.sessions"
    (cd "$work" && "$verifpal" verify "$model.vp" --sessions "${sessions:-2}" --quiet --color never) \
        >"$work/$model.out" 2>&1
    echo $? >"$work/$model.status"
}

models=() same=0
while IFS= read -r file; do
    name=$(basename "${file%.*}")
    if [ $# -eq 0 ] || [[ " $* " == *" $name "* ]]; then
        rm -f "$work/$name".*
        write_model "$file" >"$work/$name.write" 2>&1 || rm -f "$work/$name.vp"
        if [ $mode = changed ] && [ -f "$work/$name.vp" ] && is_verified "$name" "$work/$name.vp"; then
            same=$((same + 1))
        else
            models+=("$name")
        fi
    fi
done < <(cd "$folder" && LC_ALL=C ls ./*.vp attackers/*.patch broken/*.patch 2>/dev/null)
if [ $((${#models[@]} + same)) -eq 0 ]; then
    echo "formal: no model ${*:-at all} in $folder" >&2
    exit 2
fi

[ ${#models[@]} -eq 0 ] || install_verifpal || exit 2

export work verifpal
export -f verify_one
[ ${#models[@]} -eq 0 ] || for name in "${models[@]}"; do
    [ ! -f "$work/$name.vp" ] || printf '%s\0' "$name"
done | xargs -0 -n 1 -P "$(nproc)" bash -c 'verify_one "$1"' -

passed=$same failed=0
[ $mode != changed ] || echo "$same models are as verified.txt has them, ${#models[@]} are run"
say() { printf '%s\n' "${1%"${1##*[! ]}"}" | tee -a "$work/report"; }
: >"$work/report"
for name in ${models[@]+"${models[@]}"}; do
    if [ ! -f "$work/$name.vp" ]; then
        say "$name: the model could not be written"
        sed 's/^/    /' "$work/$name.write"
        failed=$((failed + 1))
        continue
    fi
    expected "$work/$name.vp" >"$work/$name.expected"
    found "$work/$name.out" >"$work/$name.found"
    if [ "$(cat "$work/$name.status")" -ne 0 ] || [ ! -s "$work/$name.expected" ] ||
        [ "$(cut -f 2 "$work/$name.expected")" != "$(cut -f 2 "$work/$name.found")" ]; then
        say "$name: verifpal did not answer the model's queries"
        sed 's/^/    /' "$work/$name.out" | tail -n 20
        failed=$((failed + 1))
        continue
    fi
    say "$name ($(cat "$work/$name.sessions") at once)"
    while IFS=$'\t' read -r want query got _ reach; do
        if [ "$want" = "$got" ]; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
            reach="EXPECTED: $want"
        fi
        say "$(printf '  %-7s %-43s %s' "$got" "$query" "$reach")"
    done < <(paste "$work/$name.expected" "$work/$name.found")
done

# The results in the README must be the beginning of a complete run's results.
if [ $# -eq 0 ] && [ -f "$folder/README.md" ]; then
    shown >"$work/shown"
    if [ $mode = changed ]; then
        is_verified README "$work/shown"
        status=$?
    else
        [ -s "$work/shown" ] && head -n "$(wc -l <"$work/shown")" "$work/report" | cmp -s - "$work/shown"
        status=$?
    fi
    if [ $status -eq 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "README.md: the results that it shows are not those of the models"
        echo "hint: formal/run.sh --record, and put the first lines of target/formal/report between its marks"
    fi
fi

# A complete run as it should be is kept.
if [ $# -eq 0 ] && [ $mode = record ] && [ "$failed" -eq 0 ]; then
    {
        for name in "${models[@]}"; do
            line_of "$name" "$work/$name.vp"
        done
        line_of README "$work/shown"
    } >"$verified"
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
