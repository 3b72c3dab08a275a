#!/usr/bin/env bash
# Checks that dependencies between the houses go one way: site/ (deployed) and lab/ (the
# instrument) link base/ and themselves, but not each other; studies/ may link all. Tests may
# use everything. In C, src/ and the measured image include nothing of station/. Inside a crate,
# modules do not depend on each other in a circle (tools/longest.py).
#
# usage: tools/check-streets.sh [REPOSITORY]
set -euo pipefail
here=$(realpath "$(dirname "$0")")
. "$here/verdict.sh"
cd "${1:-$(dirname "$0")/..}"

# The name of the crate in a folder.
name() {
    sed -n '0,/^name = "\(.*\)"/s//\1/p' "$1/Cargo.toml"
}

# The workspace's crates that the crate in folder $1 links, without those of its tests.
links() {
    python3 - "$1" <<'PYTHON'
import sys, tomllib

with open(f"{sys.argv[1]}/Cargo.toml", "rb") as file:
    manifest = tomllib.load(file)
tables = [manifest] + list(manifest.get("target", {}).values())
for table in tables:
    for kind in ("dependencies", "build-dependencies"):
        for name in table.get(kind, {}):
            if name.startswith("selo-"):
                print(name)
PYTHON
}

# house FOLDERS MAY: checks that the crates in FOLDERS link only crates in the folders MAY.
house() {
    local crate linked wrong folder may=
    for folder in $2; do
        may="$may $(name "$folder")"
    done
    for crate in $1; do
        wrong=
        for linked in $(links "$crate"); do
            case "$may " in
            *" $linked "*) ;;
            *) wrong="$wrong $linked" ;;
            esac
        done
        verdict "$crate" "${wrong:+links$wrong, against the streets}"
    done
}

# folders HOUSE: the folders of its crates.
folders() {
    local manifest
    for manifest in "$1"/*/Cargo.toml; do
        dirname "$manifest"
    done
}

base="base base/command" site=$(folders site) lab=$(folders lab)
house base base
house base/command base
house "$site" "$base $site"
house "$lab" "$base $lab"

# C: the device library includes nothing of the station, and neither does measuring code.
c_includes() {
    local found
    found=$(grep -rnE "#include .*($3)" --include='*.[chS]' --include='*.inc' --include='*.cpp' $2 || true)
    verdict "$1" "${found:+includes against the streets: $(head -n 1 <<<"$found")}"
}
c_includes "the device library" src 'selo_station|station/'
c_includes "the measured image" "lab/firmware" 'selo_station|station/'

circles=$(python3 "$here/longest.py" --circles | sed -n '/^circles between modules: [1-9]/,$p')
verdict "modules in a circle" "$circles"

echo "streets: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
