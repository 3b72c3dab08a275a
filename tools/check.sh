#!/usr/bin/env bash
# Runs the checks that a change needs before a commit: the lint steps, and the quick tests of
# the parts that changed. `make test` runs everything.
#
# A part has changed if it differs from the upstream branch, or without an upstream from the
# last commit but one. Untracked files count too.
#
# usage: tools/check.sh [--base COMMIT] [--list]
#   --base COMMIT  the commit to compare with
#   --list         print the commands instead of running them
# exit: 0 all passed; 1 something failed; 2 COMMIT is not in the repository
set -uo pipefail
cd "$(dirname "$0")/.."
. tools/env.sh
selo_find_rust || true
selo_lint_while_building

base= list=
while [ $# -gt 0 ]; do
    case $1 in
    --base) base=${2:-} && shift ;;
    --list) list=yes ;;
    *)
        sed -n '/^# usage:/,/^# exit:/s/^# //p' "$0" >&2
        exit 2
        ;;
    esac
    shift
done
if [ -z "$base" ]; then
    base=$(git merge-base HEAD '@{upstream}' 2>/dev/null) || base=$(git rev-parse -q --verify HEAD~1) || base=HEAD
fi
if ! git rev-parse -q --verify "$base^{commit}" >/dev/null; then
    echo "check: '$base' is not a commit of this repository" >&2
    echo "hint: --base takes a commit, a branch or a tag" >&2
    exit 2
fi

changed=$({ git diff --name-only "$base" && git ls-files --others --exclude-standard; } | sort -u)
# touched PATTERN: whether the extended regular expression matches a changed file.
touched() { grep -qE "$1" <<<"$changed"; }

# The changed crates as options of cargo. A change of the workspace's manifest or lock file affects
# all.
crates=() kinds=--bins
if touched '^Cargo\.(toml|lock)$'; then
    crates=(--workspace) kinds='--lib --bins'
else
    while read -r crate; do
        [ -f "$crate/Cargo.toml" ] || continue
        crates+=(-p "$(sed -n '0,/^name = "\(.*\)"/s//\1/p' "$crate/Cargo.toml")")
        # Cargo refuses --lib if no selected package has a library.
        [ ! -f "$crate/src/lib.rs" ] || kinds='--lib --bins'
    done < <(sed -nE 's#^(base/command|base|(site|lab|studies|fuzz)/[^/]*)/.*#\1#p' <<<"$changed" | sort -u)
fi

passed=0 failed=0
# part NAME COMMAND
part() {
    local started=$SECONDS log
    if [ -n "$list" ]; then
        printf '%-10s %s\n' "$1" "$2"
        return
    fi
    log=out/check/$1.log
    if bash -c "$2" >"$log" 2>&1 </dev/null; then
        passed=$((passed + 1))
        printf '  %-10s ok      (%d s)\n' "$1" $((SECONDS - started))
    else
        failed=$((failed + 1))
        printf '  %-10s FAILED  (%d s)\n' "$1" $((SECONDS - started))
        tail -n 30 "$log" | sed 's/^/    | /'
        echo "    the whole log: $log"
    fi
}

mkdir -p out/check
part tree 'tools/check-tree.sh && tools/check-licences.sh && tools/check-citations.sh && tools/check-links.py && tools/check-streets.sh'
part rustfmt 'cargo fmt --all --check'
if [ ${#crates[@]} -gt 0 ]; then
    # clippy lints during the build (below). Unit tests only: `make test` runs the tests that start
    # programs, brokers and databases.
    part rust "tools/fast-link.sh cargo test --locked $kinds ${crates[*]}"
fi
if touched '^(src|station|tests/c|lab/vectors)/'; then
    part c 'make --no-print-directory -s -j2 -C tests/c run'
fi
if touched '^(formal)/'; then
    part formal formal/run.sh
fi

[ -z "$list" ] || exit 0
echo "check: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
