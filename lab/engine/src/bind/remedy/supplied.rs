//! The texts of headers that a library lacks. Most are empty.

/// The text of an empty header.
const EMPTY_TEXT: &str =
    "/* Empty: the library's sources include this header, and its own build makes it. */\n";

/// The header by which sources ask the GNU C library for the compiler's version. Other C libraries
/// lack it, and the macro cannot be left out of a condition.
const FEATURES: &str = "\
/* The sources take the compiler's version from this header of the GNU C library. */
#if defined(__has_include_next)
#if __has_include_next(<features.h>)
#include_next <features.h>
#endif
#endif
#ifndef __GNUC_PREREQ
#define __GNUC_PREREQ(major, minor) \\
    (__GNUC__ > (major) || (__GNUC__ == (major) && __GNUC_MINOR__ >= (minor)))
#endif
";

/// True if a header adds to one of the machine's own, and so is right on any board.
pub(super) fn is_portable(header: &str) -> bool {
    header == "features.h"
}

/// The text of a supplied header.
pub fn text_of(header: &str) -> &'static str {
    match header {
        "features.h" => FEATURES,
        _ => EMPTY_TEXT,
    }
}
