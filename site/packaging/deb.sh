#!/usr/bin/env bash
# Builds the Debian packages `selo` (what is deployed) and `selo-lab` (the laboratory) into a
# folder. Neither needs a compiler to install; the lab recommends those that it measures with.
#
# usage: site/packaging/deb.sh [FOLDER]     (default: out/packaging)
# environment: SELO      the built command `selo` (default: target/release/selo)
#              SELO_LAB  the built command `selo-lab` (default: target/release/selo-lab); the
#                        simulators' programs are those in target/sims
#              DEB_LEVEL compression, 0 (fast) to 9 (small; the default)
set -euo pipefail
cd "$(dirname "$0")/../.."
out=$(realpath -m "${1:-out/packaging}")
selo=$(realpath -m "${SELO:-target/release/selo}")
selo_lab=$(realpath -m "${SELO_LAB:-target/release/selo-lab}")
for file in "$selo" "$selo_lab" target/sims/selo-simavr target/sims/selo-qemu.so; do
    [ -e "$file" ] || { echo "deb: no $file; make build compiles it" >&2; exit 3; }
done
for program in dpkg-deb dpkg-shlibdeps; do
    command -v "$program" >/dev/null || { echo "deb: $program is missing; install it: apt-get install dpkg-dev" >&2; exit 3; }
done
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
architecture=$(dpkg --print-architecture)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$out"

# The libraries that programs load, as the field Depends.
loaded() { # PROGRAM...
    mkdir -p "$scratch/depends/debian"
    printf 'Source: selo\n\nPackage: selo\nArchitecture: any\n' >"$scratch/depends/debian/control"
    (cd "$scratch/depends" && dpkg-shlibdeps -O --ignore-missing-info "${@/#/-e}" 2>/dev/null) | sed 's/^shlibs:Depends=//'
}

# Strips programs, compresses the manual pages, writes control files, and packs the tree.
pack() { # NAME PROGRAM...
    local name=$1 tree=$scratch/$1 depends
    shift
    strip --strip-unneeded "${@/#/$tree/}"
    find "$tree/usr/share/man" -type f -exec gzip -9n {} +
    depends=$(loaded "${@/#/$tree/}")
    install -D -m 0644 site/packaging/debian/copyright "$tree/usr/share/doc/$name/copyright"
    mkdir -p "$tree/DEBIAN"
    sed -e "s/@VERSION@/$version/; s/@ARCHITECTURE@/$architecture/; s/@DEPENDS@/$depends/" \
        -e "s/@SIZE@/$(du -sk --exclude=DEBIAN "$tree" | cut -f1)/" \
        "site/packaging/debian/$name.control" >"$tree/DEBIAN/control"
    local script
    for script in postinst prerm postrm; do
        [ ! -e "site/packaging/debian/$name.$script" ] ||
            install -m 0755 "site/packaging/debian/$name.$script" "$tree/DEBIAN/$script"
    done
    (cd "$tree" && find etc -type f -printf '/%p\n' 2>/dev/null) >"$tree/DEBIAN/conffiles" || true
    [ -s "$tree/DEBIAN/conffiles" ] || rm "$tree/DEBIAN/conffiles"
    (cd "$tree" && find usr lib -type f -exec md5sum {} + 2>/dev/null) >"$tree/DEBIAN/md5sums" || true
    dpkg-deb --root-owner-group -Zgzip -z"${DEB_LEVEL:-9}" --build "$tree" "$out/${name}_${version}_${architecture}.deb" >/dev/null
    echo "$out/${name}_${version}_${architecture}.deb"
}

umask 022
make --no-print-directory -s install SELO="$selo" DESTDIR="$scratch/selo" PREFIX=/usr
pack selo usr/bin/selo

make --no-print-directory -s install-lab SELO_LAB="$selo_lab" DESTDIR="$scratch/selo-lab" PREFIX=/usr
install -D -m 0755 -t "$scratch/selo-lab/usr/lib/selo" target/sims/selo-simavr target/sims/selo-qemu.so
site/packaging/lab-data.sh "$scratch/selo-lab/usr/share/selo"
pack selo-lab usr/bin/selo-lab usr/lib/selo/selo-simavr usr/lib/selo/selo-qemu.so
