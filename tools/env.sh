# Sourced by the other scripts: finds a Rust that is new enough, and the root.
#
# A machine may have several: an old one first on PATH, Debian's rustc-web in /usr/bin,
# rustup's in the home directory. The first cargo that satisfies rust-version of
# Cargo.toml is put first on PATH, because cargo looks for rustc there. If the first one
# on PATH satisfies it, nothing changes.

selo_root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)

# Tools that are compiled or installed once for all clones.
selo_tools=${SELO_TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/selo/tools}

# True if version $1 (1.96.0) is at least $2 (1.85).
selo_version_at_least() {
    [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]
}

selo_rust_needed=$(sed -n 's/^rust-version *= *"\([0-9.]*\)".*/\1/p' "$selo_root/Cargo.toml")

# True if the directory $1 holds a cargo and a rustc of sufficient version.
selo_rust_in() {
    local tool version
    for tool in cargo rustc; do
        [ -x "$1/$tool" ] || return 1
        # Run from the root, because a rustup proxy may be pinned to a toolchain there.
        version=$(cd "$selo_root" && "$1/$tool" --version 2>/dev/null | cut -d ' ' -f 2)
        [ -n "$version" ] && selo_version_at_least "$version" "$selo_rust_needed" || return 1
    done
}

# Puts a suitable Rust first on PATH. Returns false if the machine has none.
selo_find_rust() {
    local front directory
    front=$(command -v cargo 2>/dev/null) || front=
    for directory in "${front%/cargo}" /usr/bin "${CARGO_HOME:-$HOME/.cargo}/bin"; do
        [ -n "$directory" ] && selo_rust_in "$directory" || continue
        if [ "$directory" != "${front%/cargo}" ]; then
            PATH=$directory:$PATH
            export PATH
        fi
        return 0
    done
    return 1
}

# From here on cargo compiles the workspace's own crates with clippy's compiler, so that one build
# makes the tests and the commands, and lints them. A warning is an error. Without clippy nothing
# changes.
selo_lint_while_building() {
    if command -v clippy-driver >/dev/null 2>&1; then
        export RUSTC_WORKSPACE_WRAPPER=$selo_root/tools/lint-compiler.sh
        export CLIPPY_ARGS=-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__
    fi
}

# From here on cargo builds as for tools/test.sh. Nobody debugs a build of CI, and it is made faster
# without line numbers.
selo_build_for_tests() {
    selo_lint_while_building
    [ "${CI:-}" != true ] || export CARGO_PROFILE_DEV_DEBUG=none
}

# From here on the results of C compilers are kept outside the clone, so that the next clone need
# not compile the same again. Without ccache nothing changes. SELO_COMPILER_CACHE names another
# folder (default: ~/.cache/selo/compilers); "no" uses none.
selo_cache_compilers() {
    local folder=${SELO_COMPILER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/selo/compilers}
    [[ $PATH != /usr/lib/ccache:* ]] || return 0
    if [ "$folder" = no ] || [ ! -d /usr/lib/ccache ] || ! command -v ccache >/dev/null 2>&1; then
        return 0
    fi
    # Commands of these names find the compiler further on in PATH.
    export PATH=/usr/lib/ccache:$PATH CCACHE_DIR=$folder CCACHE_MAXSIZE=${CCACHE_MAXSIZE:-2G}
    # A clone elsewhere has the same results.
    export CCACHE_BASEDIR=$selo_root CCACHE_NOHASHDIR=yes
}
