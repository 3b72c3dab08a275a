#!/usr/bin/env bash
# Builds packages that install without a Rust compiler, into out/packaging/, with checksums.
#
# usage: site/packaging/build.sh wheel              a Python wheel with the command and the lab's data
#        site/packaging/build.sh static [TARGET]... the command alone, linked statically
#                                              (default: x86_64-unknown-linux-musl,
#                                              aarch64-unknown-linux-musl and
#                                              armv7-unknown-linux-gnueabihf)
#        site/packaging/build.sh deb                the Debian packages `selo` and `selo-lab`, of what
#                                              `make build` made
#        site/packaging/build.sh image              an OCI image of the static command, which it also
#                                              makes; without a daemon
#        site/packaging/build.sh home-assistant     the add-on for Home Assistant, as a repository
#        site/packaging/build.sh library            the device library, packed for its registries
#        site/packaging/build.sh check WHEEL        installs a wheel and measures with it
#
# `wheel` needs maturin (`pip install maturin`). `static` needs the target's standard library
# (`rustup target add TARGET`) and a C compiler for it: musl-tools for x86_64. For aarch64,
# gcc-aarch64-linux-gnu links, and Zig's compiler with musl's headers is installed into
# target/tools/zig. For armv7 Debian's gcc-arm-linux-gnueabihf compiles and links, with its static
# GNU C library: Rust has no standard library with musl for it everywhere. `library` checks the packages with platformio, idf-component-manager and
# pykwalify, and installs these into target/tools/packages if needed.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tools/env.sh
selo_find_rust || { echo "build: no Rust $selo_rust_needed or later" >&2; exit 3; }
out=$PWD/out/packaging
mkdir -p "$out"

need() {
    command -v "$1" >/dev/null || { echo "build: $1 is missing; install it: $2" >&2; exit 3; }
}

wheel() {
    need maturin "pip install maturin"
    rm -rf "$out/wheel"
    site/packaging/lab-data.sh "$out/wheel/data/share/selo"
    maturin build --release --locked --out "$out"
}

# Sets `compiler` to Zig's clang, which includes musl's headers for every processor.
musl_compiler() {
    local own=$PWD/target/tools/zig pinned=ziglang==0.17.1
    compiler=$own/cc
    if ! grep -qsFx "# $pinned" "$compiler"; then
        echo "build: fetching $pinned" >&2
        rm -rf "$own"
        python3 -m venv "$own"
        "$own/bin/pip" install -q --disable-pip-version-check "$pinned"
        # Rust's build scripts pass Rust's target names, which Zig does not accept.
        cat >"$compiler" <<EOF
#!/bin/sh
# $pinned
for word do
    shift
    case \$word in
    --target=*) ;;
    *) set -- "\$@" "\$word" ;;
    esac
done
exec "$own/bin/python" -m ziglang cc -target aarch64-linux-musl "\$@"
EOF
        chmod +x "$compiler"
    fi
}

static() {
    local target compiler
    [ $# -gt 0 ] || set -- x86_64-unknown-linux-musl aarch64-unknown-linux-musl armv7-unknown-linux-gnueabihf
    for target in "$@"; do
        case $target in
        aarch64-*)
            need aarch64-linux-gnu-gcc "apt-get install gcc-aarch64-linux-gnu"
            export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_LINKER=aarch64-linux-gnu-gcc
            export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
            # gcc links. C libraries also need musl's headers, which Debian has only for the
            # machine's own processor.
            musl_compiler
            export CC_aarch64_unknown_linux_musl=$compiler
            export AR_aarch64_unknown_linux_musl=aarch64-linux-gnu-ar
            ;;
        armv7-unknown-linux-gnueabihf)
            need arm-linux-gnueabihf-gcc "apt-get install gcc-arm-linux-gnueabihf"
            # The other linker of Debian 12 loses that the C library's choice of memcpy is Thumb code,
            # and the command ends before its first instruction.
            mkdir -p target/tools
            printf '#!/bin/sh\nexec arm-linux-gnueabihf-gcc -fuse-ld=gold "$@"\n' >target/tools/armv7-cc
            chmod +x target/tools/armv7-cc
            export CARGO_TARGET_ARMV7_UNKNOWN_LINUX_GNUEABIHF_LINKER=$PWD/target/tools/armv7-cc
            ;;
        *-musl) need musl-gcc "apt-get install musl-tools" ;;
        esac
        RUSTFLAGS="-C target-feature=+crt-static" \
            cargo build --release --locked -p selo --target "$target"
        install -m 0755 "${CARGO_TARGET_DIR:-target}/$target/release/selo" "$out/selo-$target"
        case $target in
        aarch64-*) aarch64-linux-gnu-strip "$out/selo-$target" ;;
        armv7-*) arm-linux-gnueabihf-strip "$out/selo-$target" ;;
        *) strip "$out/selo-$target" ;;
        esac
        if readelf -l "$out/selo-$target" | grep -q INTERP; then
            echo "build: selo-$target is not static" >&2
            exit 1
        fi
    done
}

# Installs the registries' tools in a virtual environment.
registry_tools() {
    local own=$PWD/target/tools/packages pinned=site/packaging/requirements.txt
    PATH=$own/bin:$PATH
    if ! cmp -s "$pinned" "$own/installed"; then
        echo "build: fetching the tools of $pinned" >&2
        rm -rf "$own"
        python3 -m venv "$own"
        "$own/bin/pip" install -q --no-compile --disable-pip-version-check -r "$pinned"
        cp "$pinned" "$own/installed"
    fi
}

# Prints "N passed, N failed" at the end. Packs a copy of the tracked files: a packer that walks
# the work tree meets the files that a build beside it makes and removes.
library() {
    . tools/verdict.sh
    local said tree
    registry_tools
    tree=$(mktemp -d)
    # shellcheck disable=SC2064 # its value now
    trap "rm -rf '$tree'" EXIT
    git ls-files -z | tar -c --null -T - | tar -x -C "$tree"
    # Does the same as `pio pkg pack`, without downloading the list of licences.
    said=$("$(sed -n '1s/^#!//p' "$(command -v pio)")" - "$out/selo-platformio.tar.gz" "$tree" 2>&1 <<'PYTHON'
import sys
from platformio.package.manifest import schema
from platformio.package.pack import PackagePacker
known = {"licenses": [{"licenseId": name} for name in ("MIT", "Apache-2.0")]}
schema.ManifestSchema.load_spdx_licenses = staticmethod(lambda: known)
PackagePacker(sys.argv[2]).pack(sys.argv[1])
PYTHON
) && said=
    verdict "pio pkg pack" "$said"
    local missing=
    for file in library.json src/selo.h examples/SealReading/SealReading.ino; do
        tar -tzf "$out/selo-platformio.tar.gz" "$file" >/dev/null 2>&1 || missing+=" $file"
    done
    verdict "the PlatformIO package" "${missing:+lacks$missing}"
    rm -rf "$out/esp-idf"
    said=$(compote component pack --name selo --project-dir "$tree" --dest-dir "$out/esp-idf" 2>&1) && said=
    verdict "compote component pack" "$said"
    said=$(tar -tzf "$out"/esp-idf/*.tgz 2>&1 | grep -vE '^\./(src/.*|docs/(BIBLIOGRAPHY.md)?|CMakeLists.txt|LICENSE-[A-Z]*|README.md|idf_component.yml)?$') || true
    verdict "the component holds only the library" "$said"
    said=$(pykwalify -d zephyr/module.yml -s site/packaging/zephyr-module.schema.yml 2>&1) && said=
    verdict "zephyr/module.yml" "$said"
    echo "$passed passed, $failed failed"
    [ "$failed" = 0 ]
}

# Installs a wheel in a virtual environment and uses it from an empty folder.
check() {
    local wheel scratch
    wheel=$(realpath "$1")
    scratch=$(mktemp -d)
    # shellcheck disable=SC2064 # its value now
    trap "rm -rf '$scratch'" EXIT
    python3 -m venv "$scratch/venv"
    "$scratch/venv/bin/pip" install -q --no-index "$wheel"
    mkdir "$scratch/empty"
    cd "$scratch/empty"
    export XDG_DATA_HOME=$scratch/data HOME=$scratch PATH=$scratch/venv/bin:$PATH
    selo-lab --version
    selo-lab run --board native --library selo --algorithm aes-128 --variant fast
    selo-lab check --board native --library selo --algorithm aes-128 --variant fast
    [ -z "$(ls -A)" ] || { echo "build: files in the working folder" >&2; exit 1; }
}

case ${1:-} in
wheel) wheel ;;
static) shift; static "$@" ;;
deb) site/packaging/deb.sh "$out" ;;
image) static "$(uname -m)-unknown-linux-musl"; site/packaging/image.sh oci "$out" ;;
home-assistant) static; site/packaging/image.sh home-assistant "$out" ;;
library) library ;;
check) check "${2:?a wheel}"; exit ;;
*) sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
(cd "$out" && find . -maxdepth 2 -type f \( -name '*.whl' -o -name '*.deb' -o -name '*.gz' -o -name '*.tgz' -o -name '*.tar' -o -name 'selo-*-linux-*' \) -print0 |
    sort -z | xargs -0 -r sha256sum > SHA256SUMS && cat SHA256SUMS)
