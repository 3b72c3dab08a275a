#!/usr/bin/env bash
# Keeps what cargo built of the packages from the registry outside the clone, so that the next clone
# builds only the workspace's own crates. cargo itself decides what of it is valid: the name of each
# file has a digest of the package, its features, its profile and the compiler.
#
# usage: tools/rust-cache.sh restore   before a build; does nothing if the clone has built already
#        tools/rust-cache.sh save      after a build; does nothing if the cache has the same
# environment: SELO_COMPILER_CACHE  another folder (default: ~/.cache/selo/compilers), or no
set -uo pipefail
cd "$(dirname "$0")/.."
. tools/env.sh
selo_find_rust || exit 0

target=target/debug
folder=${SELO_COMPILER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/selo/compilers}
[ "$folder" != no ] || exit 0
# Packages that the lock file no longer names would stay for ever, so each list has its own folder.
name=$({
    cat Cargo.lock Cargo.toml
    rustc -vV
    echo "${RUSTFLAGS:-}"
} | sha256sum | cut -c 1-16)
cache=$folder/rust/$name

# Prints the files of $1 that are of packages from the registry.
of_registry() { # FOLDER
    (cd "$1" && find .fingerprint build -mindepth 1 -maxdepth 1 -not -name 'selo-*' &&
        find .fingerprint -mindepth 1 -maxdepth 1 -not -name 'selo-*' -printf '%f\n' |
        sed 's/.*-//' | sort -u >"$hashes" &&
        find deps -maxdepth 1 -type f | awk -v known="$hashes" '
            BEGIN { while ((getline hash < known) > 0) keep[hash] = 1 }
            { hash = $0; sub(/\.[a-z]*$/, "", hash); sub(/.*-/, "", hash); if (hash in keep) print }')
}

# Copies with the times of the files, by which cargo tells what is older than what it was made from.
copy() { # FROM TO
    hashes=$(mktemp)
    of_registry "$1" | (cd "$1" && cp -a --parents --reflink=auto -t "$2" $(cat))
    local status=$?
    rm -f "$hashes"
    return $status
}

case ${1:-} in
restore)
    [ -d "$cache" ] && [ ! -d $target/.fingerprint ] || exit 0
    mkdir -p $target
    touch "$cache"
    copy "$cache" "$PWD/$target" || {
        echo "rust-cache: $cache could not be copied; building everything" >&2
        rm -rf $target
    }
    ;;
save)
    [ -d $target/.fingerprint ] && [ ! -d "$cache" ] || exit 0
    mkdir -p "$folder/rust" && fresh=$(mktemp -d "$folder/rust/fresh.XXXXXX") || exit 0
    if copy $target "$fresh" && mv -T "$fresh" "$cache" 2>/dev/null; then
        # The two newest stay: that of this list, and of the one before.
        find "$folder/rust" -mindepth 1 -maxdepth 1 -printf '%T@ %p\n' | sort -rn | sed '1,2d; s/^[^ ]* //' |
            while read -r old; do rm -rf "$old"; done
    else
        rm -rf "$fresh"
    fi
    ;;
*)
    echo "usage: tools/rust-cache.sh restore | save" >&2
    exit 2
    ;;
esac
