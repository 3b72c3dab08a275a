#!/usr/bin/env bash
# Checks every tracked file: no path of a developer's machine, no host of a package registry, no
# leftover marker, no code in Rust that the tests' build leaves out; one version number in all
# manifests; and shell scripts that parse.
#
# usage: tools/check-tree.sh [REPOSITORY]
set -euo pipefail
. "$(dirname "$0")/verdict.sh"
cd "${1:-$(dirname "$0")/..}"

# git grep exits with 1 if it finds nothing, which is the good case. The brackets keep the patterns
# from matching this file. Vectors are texts of others, so they are left out.
found() {
    git grep --untracked -nIE "$1" -- . ':!lab/vectors' ${2:+"$2"} || true
}

verdict "a path of somebody's machine" \
    "$(found '(^|[^[:alnum:]_.~/])/([h]ome|[U]sers|[r]oot|[w]ork)/[[:alnum:]_.-]|/[t]mp/selo')"
verdict "a host of a package registry (leave it to the client's configuration)" \
    "$(found '(static|index)[.]crates[.]io|registry[.](npmjs|yarnpkg)[.]|(deb|security|ftp)[.]debian[.]org|proxy[.]golang[.]org|files[.]pythonhosted[.]org|//pypi[.]org/simple')"
verdict "a leftover marker" \
    "$(found '([T]ODO|[F]IXME|[X]XX)[: (]|^(<<<<<<<|>>>>>>>) ' ':!*.lock')"

verdict "code that the tests' build leaves out, and no lint reads (tools/lint-compiler.sh)" \
    "$(git grep --untracked -nE 'cfg.*[n]ot[(]test[)]' -- '*.rs' || true)"

# The version is in selo.h. The manifests of each ecosystem must agree with it.
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
