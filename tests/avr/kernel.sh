# Compares the kernels of a CPU on its emulated core with the portable C on this machine (kernel.h).
# tests/riscv/run.sh and tests/xtensa/run.sh source this file in the root of the repository. They set
#
#   target      the name of the CPU, and of the folder of out/
#   prefix      the prefix of its tools
#   sets        the instruction sets
#   flags_of    a function that prints the compiler's flags of a set
#   link_flags  those of the linker
#   port        the C files of the core
#   kernels     the kernels' files; a test with flags has a copy of them that is compiled with these
#   machine     QEMU's command line; {image} stands for the image
#
# and call compare_kernels. A test_<what>.c, in tests/<target>, tests/arm or tests/avr, runs for each
# set with the kernels and with SELO_NATIVE=0, and once on this machine; all must print the same. On
# the core every call fills the registers that a callee must keep and checks them, and every timed
# call must have the same instructions of each class.

out=out/$target
plugin=$PWD/target/sims/selo-qemu.so
warnings="-std=gnu11 -Wall -Wextra -Werror -Wno-cast-function-type"
cases=${SELO_KERNEL_CASES:-1000}
read -ra with_c <<<"${SELO_KERNEL_C-${sets[*]}}"
export OBJCOPY=$prefix-objcopy
. tests/avr/objects.sh

source_of() { ls "tests/$target/test_$1.c" "tests/arm/test_$1.c" "tests/avr/test_$1.c" 2>/dev/null | head -1; }

# The C files of the folders of src/selo/ that the test's second line names.
sources_of() { # TEST
    local folder
    for folder in common $(sed -n '2s|^/\* sources: \(.*\) \*/$|\1|p' "$(source_of "$1")"); do
        echo src/selo/$folder/*.c
    done
}

# The flags that a test has for both machines.
flags_for() { # TEST
    sed -n '3s|^/\* flags: \(.*\) \*/$|\1|p' "$(source_of "$1")"
}

# The flags that make this machine compile the C that the kernels replace; the test's line names them.
host_flags_of() { # TEST
    sed -n 's|^/\* host: \(.*\) \*/$|\1|p' "$(source_of "$1")"
}

for_host() { # PROGRAM TEST
    compile_for_host "$1" "$out/objects-host" "$cases" "$(flags_for "$2") $(host_flags_of "$2")" \
        "$(source_of "$2")" $(sources_of "$2")
}

# The compiler of a set with these flags.
compiler() { # SET FLAGS
    echo "$cc $warnings $(flags_of "$1") -Os -ffunction-sections -fdata-sections -DKERNEL_CASES=$cases $2 \
        -Isrc -Itests/avr -Ilab/firmware/ports/bare"
}

# Compiles files into a folder of their own, which is emptied before. Objects have their files' names.
compile() { # FOLDER SET FLAGS FILE...
    local folder=$1 command file
    command=$(compiler "$2" "$3")
    shift 3
    rm -rf "$folder"
    mkdir -p "$folder"
    for file in "$@"; do
        $command -c "$file" -o "$folder/$(basename "${file%.*}").o" || return 1
    done
}

# What all images of a set share.
for_set() { # SET
    compile "$out/$1.kernels" "$1" "" $kernels
    compile "$out/$1.port" "$1" "" tests/avr/kernel.c tests/arm/chip.c "tests/$target/call.S" $port
}

for_core() { # SET IMAGE TEST FLAGS OBJECT...
    local set=$1 image=$2 test=$3 flags objects=()
    flags="$4 $(flags_for "$test")"
    shift 4
    # The tests of a set share their objects.
    compile_into "$out/objects-$set$(name_of $flags)" "$(compiler "$set" "$flags")" \
        "$(source_of "$test")" $(sources_of "$test") &&
        $cc $link_flags "${objects[@]}" "$@" -Wl,--gc-sections -nostartfiles \
            -Tlab/firmware/ports/bare/sections.ld -Wl,--defsym=port_ram=16384 -o "$image"
}

one() { # TEST SET
    local base=$out/$1-$2 status=0 kind kinds objects=$out/$2.kernels
    kinds_on "$2" "${with_c[@]}"
    if [ -n "$(flags_for "$1")" ]; then
        objects+=-$1
        compile "$objects" "$2" "$(flags_for "$1")" $kernels || return 1
    fi
    for_core "$2" "$base-kernels.elf" "$1" "" "$objects"/*.o "$out/$2.port"/*.o || return 1
    [ ${#kinds[@]} = 1 ] || for_core "$2" "$base-c.elf" "$1" -DSELO_NATIVE=0 "$out/$2.port"/*.o || return 1
    for kind in "${kinds[@]}"; do
        python3 tests/arm/emulate.py - "$plugin" "$base-$kind.elf" $machine >"$base-$kind.txt" || true
        if ! diff <(grep -v '^!' "$base-$kind.txt") "$out/$1.expected" || grep UNEQUAL "$base-$kind.txt"; then
            echo "FAILED  $base-$kind (left: the core; right: this machine)"
            status=1
        fi
    done
    join_figures "$base" "${kinds[@]}" |
        awk -v set="$2" '{ printf "%-11s %-16s %s %s   in C: %s %s\n", set, $1, $3, $4, $6, $7 }' >>"$out/kernels.txt"
    return $status
}

compare_kernels() { # FIGURES TEST...
    local figures=$1 test set passed=0 failed=0
    shift
    mkdir -p "$out"
    make --no-print-directory -s -C lab/sims/qemu OUT="$PWD/target/sims"
    rm -rf "$out"/objects-*
    : >"$out/kernels.txt"
    for set in "${sets[@]}"; do
        for_set "$set"
    done
    for test in "$@"; do
        for_host "$out/$test.host" "$test"
        "$out/$test.host" >"$out/$test.expected"
        for set in "${sets[@]}"; do
            if one "$test" "$set"; then
                passed=$((passed + 1))
            else
                failed=$((failed + 1))
            fi
        done
    done
    for set in "${sets[@]}"; do
        $prefix-size "$out/$set.kernels"*/*.o |
            sed -n "s|^ *\([1-9][0-9]*\).*/\(.*\)\.o$|$set \2 flash=\1|p" | sort -u >>"$out/kernels.txt"
    done
    [ "$figures" = 0 ] || cat "$out/kernels.txt"
    echo "$target kernels: $passed passed, $failed failed"
    [ "$failed" -eq 0 ]
}
