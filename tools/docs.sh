#!/bin/bash
# Makes the site of the documentation (mkdocs.yml) in out/docs, and checks every link of it.
# Prints "N passed, N failed". exit: 0; 1 a page or a link is wrong; 3 mkdocs is missing
set -euo pipefail
cd "$(dirname "$0")/.."
command -v mkdocs >/dev/null || {
    echo "docs: mkdocs is missing" >&2
    echo "hint: apt-get install mkdocs mkdocs-material, or make setup-lab" >&2
    exit 3
}
mkdir -p out/docs-source
# With --quiet, mkdocs counts its warnings and hides their text.
if ! said=$(mkdocs build --strict 2>&1); then
    grep -E 'WARNING|ERROR|Error|Aborted' <<<"$said" >&2
    exit 1
fi
tools/docs_links.py out/docs
echo "docs: out/docs/index.html" >&2
