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

/// The headers of Unix that sources include for what the language's own headers declare, with the
/// latter. A board without an operating system lacks them. A source that calls anything else of them
/// does not link.
const OF_SYSTEM: [(&str, &[&str]); 16] = [
    ("memory.h", &["string.h"]),
    ("strings.h", &["string.h"]),
    ("malloc.h", &["stdlib.h"]),
    ("alloca.h", &["stdlib.h"]),
    ("sys/types.h", &["stddef.h", "stdint.h"]),
    ("sys/param.h", &["stddef.h", "stdint.h"]),
    ("sys/cdefs.h", &[]),
    ("sys/stat.h", &[]),
    ("sys/time.h", &[]),
    ("sys/mman.h", &[]),
    ("unistd.h", &[]),
    ("fcntl.h", &[]),
    ("time.h", &[]),
    ("locale.h", &[]),
    ("signal.h", &[]),
    ("pthread.h", &[]),
];

/// The headers that tell the order of bytes.
const OF_ORDER: [&str; 3] = ["endian.h", "sys/endian.h", "machine/endian.h"];

/// What these define.
const ORDER: &str = "\
#ifndef BYTE_ORDER
#define LITTLE_ENDIAN __ORDER_LITTLE_ENDIAN__
#define BIG_ENDIAN __ORDER_BIG_ENDIAN__
#define BYTE_ORDER __BYTE_ORDER__
#endif
#ifndef __BYTE_ORDER
#define __LITTLE_ENDIAN __ORDER_LITTLE_ENDIAN__
#define __BIG_ENDIAN __ORDER_BIG_ENDIAN__
#define __BYTE_ORDER __BYTE_ORDER__
#endif
";

/// The headers of the language that stand in the place of a system's header.
pub(super) fn of_system(header: &str) -> Option<&'static [&'static str]> {
    if OF_ORDER.contains(&header) {
        return Some(&[]);
    }
    let mut known = OF_SYSTEM.iter();
    known.find(|(name, _)| *name == header).map(|(_, own)| *own)
}

/// True if a header adds to one of the machine's own, and so is right on any board.
pub(super) fn is_portable(header: &str) -> bool {
    header == "features.h" || of_system(header).is_some()
}

/// The text of a supplied header.
pub fn text_of(header: &str) -> String {
    if header == "features.h" {
        return FEATURES.to_owned();
    }
    let Some(own) = of_system(header) else {
        return EMPTY_TEXT.to_owned();
    };
    let own = own.iter().map(|name| format!("#include <{name}>\n"));
    let order = OF_ORDER.contains(&header).then(|| ORDER.to_owned());
    let own: String = own.chain(order).collect();
    format!(
        "/* The system's own, or what a board without a system has of it. */\n\
         #if defined(__has_include_next)\n#if __has_include_next(<{header}>)\n\
         #include_next <{header}>\n#endif\n#endif\n{own}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_of_the_system_has_what_the_language_declares() {
        let text = text_of("memory.h");
        assert!(
            text.contains("#include_next <memory.h>") && text.ends_with("#include <string.h>\n")
        );
        let order = text_of("sys/endian.h");
        assert!(
            order.contains("__has_include_next(<sys/endian.h>)") && order.contains("BYTE_ORDER")
        );
        assert!(is_portable("endian.h"));
        assert!(is_portable("memory.h") && !is_portable("config.h"));
        assert!(text_of("config.h").starts_with("/* Empty"));
    }
}
