# Objects that the tests of kernels share. Sourced in the root of the repository.

# Compiles into a folder the files whose objects are not there yet, and adds all of them to the array
# `objects`. The folder stands for the command: another command needs another folder.
compile_into() { # FOLDER COMMAND FILE...
    local folder=$1 command=$2 file object
    shift 2
    mkdir -p "$folder"
    for file in "$@"; do
        object=$folder/${file//\//_}.o
        [ -e "$object" ] || $command -c "$file" -o "$object" || return 1
        objects+=("$object")
    done
}

# The part of a folder's name that stands for flags.
name_of() { # FLAG...
    printf '%s' "${*//[^A-Za-z0-9]/-}"
}

# A program of this machine. Only the test depends on the number of inputs.
compile_for_host() { # PROGRAM FOLDER CASES FLAGS TEST FILE...
    local program=$1 folder=$2 cases=$3 test=$5 objects=()
    local command="cc -std=gnu11 -Wall -Wextra -Werror -Wno-cast-function-type -O2 $4 -Isrc -Itests/avr"
    folder+=-$(name_of $4)
    shift 5
    compile_into "$folder" "$command" "$@" &&
        compile_into "$folder-$cases" "$command -DKERNEL_CASES=$cases" "$test" tests/avr/kernel.c &&
        cc "${objects[@]}" -o "$program"
}

# Sets the array `kinds` to the programs of a core: `kernels`, and `c` if the portable C runs there too.
kinds_on() { # CORE CORE-WITH-C...
    local core=$1
    shift
    kinds=(kernels)
    [[ " $* " != *" $core "* ]] || kinds+=(c)
}

# Prints each figure of the kernels, and beside it that of the portable C if it was run.
join_figures() { # BASE KIND...
    local base=$1
    shift
    if [ $# = 1 ]; then
        sed -n 's/^! //p' "$base-kernels.txt" | sort
    else
        join <(sed -n 's/^! //p' "$base-kernels.txt" | sort) <(sed -n 's/^! //p' "$base-c.txt" | sort)
    fi
}
