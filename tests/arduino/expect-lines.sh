#!/usr/bin/env bash
# Checks that the lines of a file appear on standard input, in that order. Case is ignored,
# because Arduino prints hex in capitals. # starts a comment.
#
# usage: tests/arduino/expect-lines.sh FILE < OUTPUT
set -euo pipefail
awk -v file="$1" '
    BEGIN {
        while ((getline line < file) > 0) {
            if (line !~ /^#/ && line != "") want[++count] = tolower(line)
        }
        next_line = 1
    }
    { sub(/\r$/, "") }
    next_line <= count && tolower($0) == want[next_line] { next_line++ }
    END {
        if (count == 0) { print "no expected lines in " file; exit 1 }
        if (next_line <= count) { print "missing: " want[next_line]; exit 1 }
    }
'
