#!/usr/bin/env bash
# Checks the dependencies for advisories of RustSec and npm, and the licences and sources of crates.
# This needs a network and cargo-deny, so `make test` leaves it out. Run it before a release, and
# weekly where Selo is in service.
#
# usage: tools/advisories.sh
set -uo pipefail
cd "$(dirname "$0")/.."
. tools/verdict.sh

if command -v cargo-deny >/dev/null; then
    said=$(cargo deny --locked check advisories licenses sources 2>&1) && said=
    verdict "crates" "$said"
else
    verdict "crates" "cargo-deny is missing
hint: cargo install --locked cargo-deny"
fi
for folder in site/web site/web/tests lab/sims/avr8js lab/sims/rp2040js; do
    said=$(npm --prefix "$folder" audit --package-lock-only 2>&1) && said=
    verdict "npm, $folder" "$said"
done

echo "advisories: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
