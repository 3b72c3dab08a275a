#!/usr/bin/env bash
# Compiles a crate of the workspace for cargo (RUSTC_WORKSPACE_WRAPPER), and lints it with clippy.
# The tests' build compiles a library twice: for its users, and with its unit tests. The second has
# all of its code, so clippy reads only that one; of the first, the compiler's warnings are errors.
# It holds as long as no code is left out of the tests (tools/check-tree.sh). A library that has no
# unit tests, as its manifest says, is compiled once, and clippy reads that.
# It is in bash: dash drops variables such as CARGO_BIN_EXE_selo-lab, whose names have a hyphen.
#
# usage: tools/lint-compiler.sh RUSTC ARGUMENT...
library=no
previous=
for word; do
    case $previous$word in
    --crate-typelib) library=yes ;;
    *--test) library=no && break ;;
    esac
    previous=$word
done
has_unit_tests() {
    ! sed -n '/^\[lib\]/,/^\[[^l]/p' "$CARGO_MANIFEST_DIR/Cargo.toml" | grep -q '^test = false'
}
if [ $library = yes ] && has_unit_tests; then
    exec "$@" -D warnings
fi
exec clippy-driver "$@"
