//! Libraries whose words are an `int`: right on a PC, wrong on the Uno, unless a macro that their
//! sources test chooses another type.

use std::path::Path;

use serde_json::Value;

use crate::common::{Project, sample};
use crate::survey::{finding, mark, survey};

/// Writes a SHA-256 whose header has this text, and returns its survey on the Uno.
fn surveyed(project: &Project, name: &str, types: &str) -> (Value, String) {
    let parts = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lab/planted/shapes/sha256.inc");
    let parts = std::fs::read_to_string(parts).expect("a text");
    let header = format!(
        "#ifndef SHA256_H\n#define SHA256_H\n{types}\n\
         void sha256(unsigned char *out, const unsigned char *in, unsigned long length);\n#endif\n"
    );
    project.write(&format!("{name}/sha256.h"), &header);
    project.write(
        &format!("{name}/sha256.c"),
        &format!("#include \"sha256.h\"\n{parts}"),
    );
    let (answer, lines) = survey(project, name, &["--board", "uno", "--algorithm", "sha-256"]);
    assert_eq!(lines.len(), 1, "{}", answer.all());
    (lines[0].clone(), answer.all())
}

#[test]
fn a_macro_that_widens_the_words_is_found_and_named() {
    let project = Project::new();
    let cases = [
        (
            "as-long",
            "#ifdef X_INT32_AS_LONG\ntypedef unsigned long word;\n#else\ntypedef unsigned int word;\n#endif",
            "-DX_INT32_AS_LONG",
        ),
        (
            "sizeof",
            "#if SIZEOF_INT == 2\ntypedef unsigned long word;\n#else\ntypedef unsigned word;\n#endif",
            "-DSIZEOF_INT=2",
        ),
        (
            "default",
            "#ifndef INT_BITS\n#define INT_BITS 32\n#endif\n#if INT_BITS >= 32\n\
             typedef unsigned int word;\n#else\ntypedef unsigned long word;\n#endif",
            "-DINT_BITS=31",
        ),
        (
            "defined",
            "#if !defined(SMALL) && !defined(_WIN16)\n#define word unsigned int\n#else\n\
             #define word unsigned long\n#endif",
            "-DSMALL",
        ),
        (
            "itself",
            "#ifndef word\n#define word unsigned int\n#endif",
            "-Dword=unsigned long",
        ),
        (
            "twice",
            "#ifdef LONG_WORDS\n#define W unsigned long\n#else\n#define W unsigned int\n#endif\n\
             #ifdef SHORT_WORDS\ntypedef unsigned int word;\n#else\ntypedef W word;\n#endif",
            "-DLONG_WORDS",
        ),
    ];
    for &(name, types, macro_) in sample(&cases, 2) {
        let (line, said) = surveyed(&project, name, types);
        assert_eq!(line["verdict"], "reservations", "{name}: {said}");
        assert_eq!(mark(&line, "conforms"), "yes", "{name}");
        let found = finding(&line, "word-width");
        let title = found["title"].as_str().expect("a title");
        assert!(
            title.contains(&format!("needs {macro_}:")),
            "{name}: {title}"
        );
        assert!(
            found["text"]
                .as_str()
                .expect("a text")
                .contains("sha256.h:"),
            "{found}"
        );
    }
}

#[test]
fn a_library_that_knows_the_width_itself_needs_no_macro() {
    let project = Project::new();
    let types = "#include <limits.h>\n#if UINT_MAX == 0xffffffff\ntypedef unsigned int word;\n\
                 #else\ntypedef unsigned long word;\n#endif";
    let (line, said) = surveyed(&project, "limits", types);
    assert_eq!(line["verdict"], "suitable", "{said}");
}

#[test]
fn words_that_no_macro_widens_are_called_wrong() {
    let project = Project::new();
    let cases = [
        ("fixed", "typedef unsigned int word;"),
        (
            "other",
            "#ifdef FAST\ntypedef unsigned int word;\ntypedef unsigned long counter;\n#else\n\
             typedef unsigned int word;\n#endif",
        ),
        (
            "limits",
            "#include <limits.h>\n#if UINT_MAX < 65535\ntypedef unsigned long word;\n#else\n\
             typedef unsigned int word;\n#endif",
        ),
    ];
    for (name, types) in cases {
        let (line, said) = surveyed(&project, name, types);
        assert_eq!(line["verdict"], "not-suitable", "{name}: {said}");
        assert_eq!(mark(&line, "conforms"), "no", "{name}");
        let wrong = finding(&line, "wrong-output");
        let text = wrong["text"].as_str().expect("a text");
        assert!(text.contains("16 bits"), "{text}");
    }
}
