#!/usr/bin/env bash
# The crates that are deployed link each other and crates/base, and nothing of the
# laboratory. Their tests may use everything.
#
# usage: tools/check-streets.sh [REPOSITORY]
set -euo pipefail
. "$(dirname "$0")/verdict.sh"
cd "${1:-$(dirname "$0")/..}"

base="base"
site="codec collector e32 gateway link mqtt tls"

# The crates of this workspace that crates/$1 links, without those of its tests.
links() {
    python3 - "$1" <<'PYTHON'
import sys, tomllib

with open(f"crates/{sys.argv[1]}/Cargo.toml", "rb") as file:
    manifest = tomllib.load(file)
tables = [manifest] + list(manifest.get("target", {}).values())
for table in tables:
    for kind in ("dependencies", "build-dependencies"):
        for name in table.get(kind, {}):
            if name.startswith("selo-"):
                print(name.removeprefix("selo-"))
PYTHON
}

# house CRATES MAY: each of CRATES links crates of MAY only.
house() {
    local crate linked wrong
    for crate in $1; do
        wrong=
        for linked in $(links "$crate"); do
            case " $2 " in
            *" $linked "*) ;;
            *) wrong="$wrong selo-$linked" ;;
            esac
        done
        verdict "crates/$crate" "${wrong:+links$wrong, which is not deployed with it}"
    done
}

house "$base" "$base"
house "$site" "$base $site"

echo "streets: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
