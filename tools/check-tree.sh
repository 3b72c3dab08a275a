#!/usr/bin/env bash
# What must hold for every tracked file: no path of somebody's machine, no host of
# a package registry, no leftover marker; one version number in all manifests;
# shell scripts that parse.
#
# usage: tools/check-tree.sh [REPOSITORY]
set -euo pipefail
. "$(dirname "$0")/verdict.sh"
cd "${1:-$(dirname "$0")/..}"

# Without a match git grep exits 1: here that is the good case. The brackets keep
# the patterns from matching this file. Vectors are others' texts.
found() {
    git grep --untracked -nIE "$1" -- . ':!lab/vectors' ${2:+"$2"} || true
}

verdict "a path of somebody's machine" \
    "$(found '(^|[^[:alnum:]_.~/])/([h]ome|[U]sers|[r]oot|[w]ork)/[[:alnum:]_.-]|/[t]mp/selo')"
verdict "a host of a package registry (leave it to the client's configuration)" \
    "$(found '(static|index)[.]crates[.]io|registry[.](npmjs|yarnpkg)[.]|(deb|security|ftp)[.]debian[.]org|proxy[.]golang[.]org|files[.]pythonhosted[.]org|//pypi[.]org/simple')"
verdict "a leftover marker" \
    "$(found '([T]ODO|[F]IXME|[X]XX)[: (]|^(<<<<<<<|>>>>>>>) ' ':!*.lock')"

# The version is written in selo.h; the manifests of each ecosystem must agree.
version=$(sed -n 's/^#define SELO_VERSION "\(.*\)"/\1/p' src/selo.h)
check_version() {
    local other
    other=$(sed -n "$2" "$1" | head -n 1)
    verdict "version of $1" "$([ "$other" = "$version" ] || echo "\"$other\" is not \"$version\" of src/selo.h")"
}
check_version library.properties 's/^version=//p'
check_version station/library.properties 's/^version=//p'
check_version station/library.json 's/^  "version": "\(.*\)",/\1/p'
check_version library.json 's/^  "version": "\(.*\)",/\1/p'
check_version idf_component.yml 's/^version: "\(.*\)"/\1/p'
check_version Cargo.toml 's/^version = "\(.*\)"/\1/p'

while read -r script; do
    verdict "$script does not parse" "$(bash -n "$script" 2>&1)"
done < <(git ls-files --cached --others --exclude-standard -- '*.sh' .ci/run)

echo "tree: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
