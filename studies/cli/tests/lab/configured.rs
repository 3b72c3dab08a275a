//! Libraries that leave something to whoever builds or calls them: macros that a configuration would
//! define, headers of an operating system, bits of a secret.

use std::path::Path;

use serde_json::Value;

use crate::common::{Project, sample};
use crate::survey::{finding, survey};

/// The text of a part of `planted/shapes`.
fn part(name: &str) -> String {
    let planted = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lab/planted/shapes");
    std::fs::read_to_string(planted.join(name)).expect("a text")
}

/// The line of a survey of one algorithm of a folder.
fn line(project: &Project, folder: &str, board: &str, algorithm: &str) -> (Value, String) {
    let (answer, lines) = survey(
        project,
        folder,
        &["--board", board, "--algorithm", algorithm],
    );
    assert_eq!(lines.len(), 1, "{}", answer.all());
    (lines[0].clone(), answer.all())
}

const SHA256: &str =
    "void sha256(unsigned char *out, const unsigned char *in, unsigned long length);\n";

#[test]
fn macros_that_a_configuration_defines_are_found() {
    let project = Project::new();
    let sha256 = part("sha256.inc");
    let word = "#include <stdint.h>\ntypedef uint32_t word;\n";
    let sizes = "#if SIZEOF_UNSIGNED_LONG_INT == 4\ntypedef unsigned long word;\n\
                 #elif SIZEOF_UNSIGNED_INT == 4\ntypedef unsigned int word;\n#else\n\
                 #error \"no word of 32 bits\"\n#endif\n";
    let cases = [
        (
            "gated",
            format!("#ifdef ENABLE_SHA256\n{word}{sha256}\n#endif\n"),
            ["native"].as_slice(),
        ),
        (
            "sizes",
            format!("{sizes}{sha256}"),
            ["native", "uno"].as_slice(),
        ),
        (
            "system",
            format!(
                "#include <memory.h>\n#include <sys/types.h>\n#include <unistd.h>\n\
                 #include <endian.h>\n#if BYTE_ORDER == BIG_ENDIAN\n#error big\n#endif\n\
                 {word}{sha256}"
            ),
            ["native", "uno"].as_slice(),
        ),
    ];
    for (name, source, boards) in cases {
        project.write(&format!("{name}/sha256.h"), SHA256);
        project.write(
            &format!("{name}/sha256.c"),
            &format!("#include \"sha256.h\"\n{source}"),
        );
        for board in boards {
            let (line, said) = line(&project, name, board, "sha-256");
            assert_eq!(line["verdict"], "suitable", "{name} on {board}: {said}");
        }
    }
}

/// A macro that leads one source to another kind of machine stays with that source.
#[test]
fn what_another_machine_asks_for_is_not_kept() {
    let project = Project::new();
    let header = "#ifdef WITH_CHIP\n#include <chip_registers.h>\n#endif\n";
    project.write("machines/sha256.h", &format!("{header}{SHA256}"));
    project.write(
        "machines/chip.h",
        &format!("#ifndef WITH_CHIP\n#error \"define WITH_CHIP\"\n#endif\n{header}\
                  void sha256_hash(unsigned char *out, const unsigned char *in, unsigned long length);\n"),
    );
    project.write(
        "machines/chip.c",
        "#include \"chip.h\"\n\
         void sha256_hash(unsigned char *out, const unsigned char *in, unsigned long length) { chip(); }\n",
    );
    project.write(
        "machines/sha256.c",
        &format!(
            "#include \"sha256.h\"\n#include <stdint.h>\ntypedef uint32_t word;\n{}",
            part("sha256.inc")
        ),
    );
    let (line, said) = line(&project, "machines", "native", "sha-256");
    assert_eq!(line["verdict"], "suitable", "{said}");
}

#[test]
fn what_x25519_leaves_to_its_caller_is_told() {
    let project = Project::new();
    let copies = "    unsigned char secret[32], point[32];\n    int i;\n\
                  \x20   for (i = 0; i < 32; i++)\n        secret[i] = key[i], point[i] = peer[i];\n";
    let clamp = "    secret[0] &= 248, secret[31] &= 127, secret[31] |= 64;\n";
    let mask = "    point[31] &= 127;\n";
    let cases = [
        ("whole", clamp, mask, "suitable", [].as_slice()),
        (
            "raw",
            "",
            mask,
            "reservations",
            ["caller-clamps"].as_slice(),
        ),
        (
            "unmasked",
            clamp,
            "",
            "reservations",
            ["caller-masks"].as_slice(),
        ),
        (
            "neither",
            "",
            "",
            "reservations",
            ["caller-clamps", "caller-masks"].as_slice(),
        ),
        // What no caller can mend is called neither right nor wrong.
        (
            "wrong",
            "    secret[7] ^= 1;\n",
            mask,
            "not-told",
            [].as_slice(),
        ),
    ];
    let declared =
        "void x25519(unsigned char *out, const unsigned char *key, const unsigned char *peer)";
    for &(name, clamp, mask, verdict, findings) in sample(&cases, 3) {
        project.write(&format!("{name}/x25519.h"), &format!("{declared};\n"));
        project.write(
            &format!("{name}/x25519.c"),
            &format!(
                "#include \"x25519.h\"\n{}\n{declared}\n{{\n{copies}{clamp}{mask}    \
                 ladder(out, secret, point);\n}}\n",
                part("x25519.inc")
            ),
        );
        let (line, said) = line(&project, name, "native", "x25519");
        assert_eq!(line["verdict"], verdict, "{name}: {said}");
        for id in findings {
            finding(&line, id);
        }
        let all = line["findings"].as_array().expect("findings");
        let told = all.iter().filter_map(|one| one["id"].as_str());
        let left = told.filter(|id| id.starts_with("caller-")).count();
        assert_eq!(left, findings.len(), "{name}: {line:#}");
    }
}
