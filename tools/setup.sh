#!/usr/bin/env bash
# Installs the missing packages that building and testing Selo needs, from Debian.
# Prints nothing if none is missing.
#
# usage: tools/setup.sh [site | lab | all] [--check]
#   site     for the deployed programs: a compiler for this machine, no cross-compiler
#   lab      for the laboratory: cross-compilers, simulators, programs of the tests
#   all      both (the default)
#   --check  install nothing; if something is missing, print the command to install it
# exit: 0 all there; 1 the installation failed; 3 something is missing and this user
# cannot install it (the command to run as root is printed).
set -euo pipefail
. "$(dirname "$0")/env.sh"

# Each line has the sign of a package's presence (a command name, or a path if it has a slash) and
# the package that provides it. Node.js provides the dashboard's one package.
needed_site='
git                                                          git
/etc/ssl/certs/ca-certificates.crt                           ca-certificates
cc                                                           build-essential
g++                                                          build-essential
make                                                         build-essential
mold                                                         mold
node                                                         nodejs
npm                                                          npm
'
needed_lab='
cmake                                                        cmake
clang                                                        clang
ccache                                                       ccache
avr-gcc                                                      gcc-avr
avr-g++                                                      gcc-avr
avr-size                                                     binutils-avr
/usr/lib/avr/include/avr/io.h                                avr-libc
/usr/include/simavr/sim_avr.h                                libsimavr-dev
/usr/include/libelf.h                                        libelf-dev
verilator                                                    verilator
mmdebstrap                                                   mmdebstrap
musl-gcc                                                     musl-tools
arm-linux-gnueabihf-gcc                                      gcc-arm-linux-gnueabihf
/usr/arm-linux-gnueabihf/lib/libc.a                          libc6-dev-armhf-cross
buildah                                                      buildah
podman                                                       podman
newuidmap                                                    uidmap
runc                                                         runc
dpkg-shlibdeps                                               dpkg-dev
iverilog                                                     iverilog
/usr/lib/python3/dist-packages/pip                           python3-pip
arm-none-eabi-gcc                                            gcc-arm-none-eabi
/usr/lib/arm-none-eabi/newlib/nano.specs                     libnewlib-arm-none-eabi
riscv64-unknown-elf-gcc                                      gcc-riscv64-unknown-elf
/usr/lib/picolibc/riscv64-unknown-elf/picolibc.specs         picolibc-riscv64-unknown-elf
xtensa-lx106-elf-gcc                                         gcc-xtensa-lx106
/usr/lib/xtensa-lx106-elf/include                            picolibc-xtensa-lx106-elf
aarch64-linux-gnu-gcc                                        gcc-aarch64-linux-gnu
/usr/aarch64-linux-gnu/lib/libc.a                            libc6-dev-arm64-cross
qemu-system-arm                                              qemu-system-arm
qemu-system-xtensa                                           qemu-system-misc
qemu-system-avr                                              qemu-system-misc
qemu-aarch64                                                 qemu-user
/usr/share/arduino/hardware/arduino/avr/cores/arduino/Arduino.h  arduino-core-avr
arduino-builder                                              arduino-builder
/usr/lib/postgresql                                          postgresql
chromium-headless-shell                                      chromium-headless-shell
/usr/sbin/mosquitto                                          mosquitto
mosquitto_passwd                                             mosquitto
mosquitto_sub                                                mosquitto-clients
/usr/sbin/nats-server                                        nats-server
faketime                                                     faketime
psql                                                         postgresql-client-common
openssl                                                      openssl
/usr/include/openssl/evp.h                                   libssl-dev
curl                                                         curl
ip                                                           iproute2
mkdocs                                                       mkdocs
/usr/share/mkdocs/themes/material                            mkdocs-material
/usr/lib/python3/dist-packages/cryptography                  python3-cryptography
/var/lib/dpkg/info/python3-venv.list                         python3-venv
'

needed= check=
for argument in "$@"; do
    case $argument in
    site) needed+=$needed_site ;;
    lab) needed+=$needed_lab ;;
    all) needed+=$needed_site$needed_lab ;;
    --check) check=yes ;;
    *)
        echo "setup: '$argument' is not one of: site, lab, all, --check" >&2
        exit 2
        ;;
    esac
done
[ -n "$needed" ] || needed=$needed_site$needed_lab

present() {
    case $1 in
    */*) [ -e "$1" ] ;;
    *) command -v "$1" >/dev/null 2>&1 ;;
    esac
}

packages=
add() {
    case " $packages " in
    *" $1 "*) ;;
    *) packages="$packages${packages:+ }$1" ;;
    esac
}

while read -r test package; do
    if [ -n "$test" ] && ! present "$test"; then
        add "$package"
    fi
done <<<"$needed"

# The candidate version of a package, without the epoch and the Debian revision.
candidate() {
    apt-cache policy "$1" 2>/dev/null | sed -n 's/^ *Candidate: \(.*\)/\1/p' | sed 's/^[0-9]*://; s/[+-].*//'
}

# Debian 12's own rustc is too old; its rustc-web follows the newer releases that browsers need.
# Later Debian releases have a suitable one under the plain name.
rust_packages() {
    local version
    version=$(candidate cargo)
    if [ -n "$version" ] && [ "$version" != "(none)" ] && selo_version_at_least "$version" "$selo_rust_needed"; then
        echo cargo rustc rustfmt rust-clippy
    else
        echo cargo-web rustc-web rustfmt-web
    fi
}

rust_missing=
selo_find_rust || rust_missing=yes

if [ -z "$packages" ] && [ -z "$rust_missing" ]; then
    exit 0
fi

if ! command -v apt-get >/dev/null 2>&1; then
    echo "setup: missing: $packages${rust_missing:+ Rust $selo_rust_needed or later}" >&2
    echo "hint: this machine has no apt-get; install the counterparts of these Debian packages by hand" >&2
    exit 3
fi

as_root=
if [ "$(id -u)" -ne 0 ]; then
    as_root=sudo
fi

# Chooses the Rust packages only now, because before `apt-get update` the list may be old.
install_line() {
    # shellcheck disable=SC2046 # one word a package
    set -- $packages $([ -z "$rust_missing" ] || rust_packages)
    echo "apt-get install -y --no-install-recommends $*"
}

cannot() {
    echo "setup: something that Selo needs is missing${1:+, and $1}; run as root:" >&2
    echo "  apt-get update && $(install_line)" >&2
    exit 3
}

[ -z "$check" ] || cannot ""
if [ -n "$as_root" ]; then
    # -n: without a terminal a build must not stop at a password prompt.
    command -v sudo >/dev/null 2>&1 || cannot "there is no sudo"
    sudo -n true 2>/dev/null || { [ -t 0 ] && sudo -v; } || cannot "sudo refuses"
fi

log=$selo_root/out/setup.log
mkdir -p "$selo_root/out"
run() {
    echo "\$ $*" >>"$log"
    if ! DEBIAN_FRONTEND=noninteractive $as_root "$@" >>"$log" 2>&1 </dev/null; then
        tail -n 15 "$log" >&2
        echo "setup: failed: $*" >&2
        echo "hint: the whole log is out/setup.log" >&2
        exit 1
    fi
}

: >"$log"
run apt-get update
line=$(install_line)
echo "setup: $line" >&2
# shellcheck disable=SC2086 # the line is a command made of words
run $line

if [ -n "$rust_missing" ] && ! selo_find_rust; then
    echo "setup: the packages are installed, but no cargo $selo_rust_needed or later was found" >&2
    exit 1
fi
