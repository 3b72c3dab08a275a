#!/usr/bin/env bash
# A whole site spread over processes on this machine, while random faults strike its parts: heads,
# engines, NATS servers, collectors, PostgreSQL with a standby, and nodes that roam. Ends by itself.
# Called by `make demo-cluster`.
#
# usage: tools/demo-cluster.sh [--nodes N] [--every SECONDS] [--faults N] [--seed N] [--nats N]
# environment: SELO_NATS_SERVER  the NATS server to run (default: that of tools/nats-server.sh, else the
#              installed one)
# exit: 0 nothing is lost, doubled or sealed twice; else what is, and where the logs are
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/env.sh
usage() { sed -n 's/^# \(usage: .*\)/\1/p' "$0"; }

seed=$((RANDOM * 32768 + RANDOM))
while [ $# -gt 0 ]; do
    case $1 in
    --nodes | --every | --faults | --seed | --nats)
        name=${1#--}
        least=1
        most=9
        case $name in nodes) most=1000000 ;; every) most=86400 ;; faults) least=0 most=9999 ;; seed) most=999999999 ;; esac
        if ! [[ ${2:-} =~ ^(0|[1-9][0-9]{0,8})$ ]] || [ "$2" -gt $most ] || [ "$2" -lt $least ]; then
            echo "demo-cluster: $1 takes a number from $least to $most, not '${2:-}'" >&2
            exit 2
        fi
        [ "$name" != seed ] || seed=$2
        export "SELO_${name^^}=$2"
        shift 2
        ;;
    --help | -h) usage && exit ;;
    *)
        echo "demo-cluster: there is no option '$1'" >&2
        usage >&2
        exit 2
        ;;
    esac
done
export SELO_SEED=$seed SELO_LOGS=$PWD/out/cluster/$seed
rm -rf "$SELO_LOGS"
mkdir -p "$SELO_LOGS"

selo_find_rust || { echo "demo-cluster: there is no Rust ${selo_rust_needed:-}: make setup-site" >&2 && exit 1; }
# The same build as that of the tests. Many nodes need programs as fast as those of a release.
build=(--workspace --locked --no-run --test site)
words="Compiling first"
if [ "${SELO_NODES:-200}" -gt 2000 ]; then
    build+=(--release)
    words="Compiling optimised programs first, for many nodes"
fi
selo_lint_while_building
echo "Selo: a site of processes under random faults. $words; its messages: out/cluster/build.txt"
tools/fast-link.sh cargo test "${build[@]}" >out/cluster/build.txt 2>&1 ||
    { tail -n 20 out/cluster/build.txt >&2 && exit 1; }
if [ -z "${SELO_NATS_SERVER:-}" ] && [ "${SELO_NATS:-3}" != 1 ]; then
    # Without one the trial goes on with the installed server, and says that it has no copies.
    if found=$(tools/nats-server.sh); then
        export SELO_NATS_SERVER=$found
    fi
fi
program=$(sed -n 's|^ *Executable tests/site/main.rs (\(.*\))$|\1|p' out/cluster/build.txt)
status=0
# CI makes a missing server an error instead of a test that is skipped. The harness's own lines, and
# what it repeats of a failure, are in the log only.
CI=yes RUST_BACKTRACE=0 "$program" --exact --ignored --nocapture \
    cluster::a_large_site_of_processes_loses_and_doubles_nothing_while_its_parts_are_struck 2>&1 |
    tee "$SELO_LOGS/demo.log" | sed -un 's/^cluster: //p' || status=$?
if [ "$status" -ne 0 ] || ! grep -q '^cluster: lost 0, ' "$SELO_LOGS/demo.log" ||
    ! grep -q '^test result: ok. 1 passed' "$SELO_LOGS/demo.log"; then
    # The reason, such as a server that is not installed.
    sed -n '/ panicked at /,$p' "$SELO_LOGS/demo.log" | sed -n 2p >&2
    echo "demo-cluster: failed; all that was said: ${SELO_LOGS#"$PWD"/}/demo.log" >&2
    exit 1
fi
