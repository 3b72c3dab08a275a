//! Interfaces of strangers' libraries, each as a small library that is bound by trial unedited. A
//! new kind of call that the trials learn comes with a shape here.

mod apart;
mod blocks;
mod messages;
mod states;

use std::path::Path;

use crate::common::{Project, sample};
use crate::survey::{finding, mark, survey};

/// A library of one header and one source.
struct Shape {
    name: &'static str,
    algorithm: &'static str,
    /// The functions that must be bound.
    calls: &'static str,
    /// The name of the source, and the text that it includes.
    source: (&'static str, &'static str),
    header: &'static str,
    body: &'static str,
}

const AES: (&str, &str) = ("aes.c", "rounds.inc");

/// Writes a library, and returns its folder.
fn plant(project: &Project, shape: &Shape) -> String {
    let folder = format!("shapes/{}", shape.name);
    let planted = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lab/planted");
    let text = |name: &str| std::fs::read_to_string(planted.join(name)).expect("a text");
    let (file, parts) = shape.source;
    let stem = file.split('.').next().expect("a stem");
    let header = format!(
        "#pragma once\n#include <stddef.h>\n#include <stdint.h>\n{}\n",
        shape.header
    );
    project.write(&format!("{folder}/{stem}.h"), &header);
    let body = format!(
        "#include \"{stem}.h\"\n#include \"{parts}\"\n{}\n",
        shape.body
    );
    project.write(&format!("{folder}/{file}"), &body);
    project.write(
        &format!("{folder}/{parts}"),
        &text(&format!("shapes/{parts}")),
    );
    project.write(&format!("{folder}/box.inc"), &text("box.h"));
    folder
}

#[test]
fn each_shape_is_bound_unedited() {
    let project = Project::new();
    let blocks = sample(&blocks::SHAPES, 2);
    let shapes = blocks.chain(sample(&messages::SHAPES, 2));
    let shapes = shapes.chain(sample(&apart::SHAPES, 2));
    for shape in shapes.chain(sample(&states::SHAPES, 2)) {
        let folder = plant(&project, shape);
        let answer = project.selo(&[
            "lab",
            "survey",
            &folder,
            "--board",
            "native",
            "--budget",
            "1",
            "--algorithm",
            shape.algorithm,
            "--json",
        ]);
        let said = answer.all();
        let line = said.lines().find(|line| {
            let mut words = line.split_whitespace();
            words.next() == Some("bound") && words.next() == Some(shape.algorithm)
        });
        let line = line.unwrap_or_else(|| panic!("{}: {said}", shape.name));
        assert!(line.contains(shape.calls), "{}: {line}", shape.name);
        assert_eq!(answer.code, Some(0), "{}: {said}", shape.name);
    }
}

/// A function for single blocks must not pass for a mode, although one block with an IV of zeros
/// is the same in each.
#[test]
fn a_block_cipher_with_a_scratch_argument_is_not_bound_as_cbc() {
    let project = Project::new();
    let shape = Shape {
        name: "scratch",
        algorithm: "aes-128-cbc",
        calls: "",
        source: AES,
        header: "void aes_setup(uint8_t *rk, const uint8_t *key);
void aes_one_block(const uint8_t *in, uint8_t *out, const uint8_t *rk, uint8_t *iv);",
        body: "void aes_setup(uint8_t *rk, const uint8_t *key) { expand(rk, key); }
void aes_one_block(const uint8_t *in, uint8_t *out, const uint8_t *rk, uint8_t *iv)
{
    (void)iv;
    forward(rk, in, out);
}",
    };
    let folder = plant(&project, &shape);
    let answer = project.selo(&["lab", "survey", &folder, "--board", "native", "--json"]);
    let said = answer.all();
    let bound = said
        .lines()
        .any(|line| line.starts_with("bound") && line.contains("aes-128-cbc"));
    assert!(!bound, "{said}");
    let accused = answer
        .lines()
        .iter()
        .any(|line| line["verdict"] == "not-suitable");
    assert!(!accused, "{said}");
}

/// A library that is right, but for one compiler's optimisation, is not called wrong.
#[test]
fn code_that_one_optimisation_breaks_is_not_the_librarys_fault() {
    let project = Project::new();
    let shape = Shape {
        name: "optimised",
        algorithm: "aes-128",
        calls: "",
        source: AES,
        header: "void aes_setup(uint8_t *rk, const uint8_t *key);
void aes_encrypt(const uint8_t *rk, uint8_t *block);",
        // It stands for a fault of the compiler.
        body: "void aes_setup(uint8_t *rk, const uint8_t *key) { expand(rk, key); }
void aes_encrypt(const uint8_t *rk, uint8_t *block)
{
    forward(rk, block, block);
#if defined(__AVR__) && defined(__OPTIMIZE_SIZE__)
    block[3] ^= 1;
#endif
}",
    };
    let folder = plant(&project, &shape);
    let (answer, lines) = survey(
        &project,
        &folder,
        &["--board", "uno", "--algorithm", "aes-128"],
    );
    assert_eq!(answer.code, Some(0), "{}", answer.all());
    assert_eq!(lines[0]["verdict"], "reservations", "{}", answer.all());
    let found = finding(&lines[0], "optimisation");
    let title = found["title"].as_str().expect("a title");
    assert!(
        title.contains("needs -O2") && title.contains("with -Os"),
        "{title}"
    );
    assert_eq!(mark(&lines[0], "conforms"), "yes");
}

/// A source that is built once for each kind of processor, and one that chooses among the results.
#[test]
fn a_source_for_each_processor_is_bound() {
    let project = Project::new();
    let shape = Shape {
        name: "processors",
        algorithm: "aes-128",
        calls: "aes_setup, aes_encrypt",
        source: ("block-ref.c", "rounds.inc"),
        header: "void aes_setup(uint8_t *rk, const uint8_t *key);
void aes_encrypt(const uint8_t *rk, const uint8_t *in, uint8_t *out);",
        body: "#define PASTE(name, end) name##end
#define JOIN(name, end) PASTE(name, end)
#define aes_setup JOIN(aes_setup, SUFFIX)
#define aes_encrypt JOIN(aes_encrypt, SUFFIX)
void aes_setup(uint8_t *rk, const uint8_t *key) { expand(rk, key); }
void aes_encrypt(const uint8_t *rk, const uint8_t *in, uint8_t *out) { forward(rk, in, out); }",
    };
    let folder = plant(&project, &shape);
    let dispatch = "#include \"block-ref.h\"
void aes_setup_ref(uint8_t *rk, const uint8_t *key);
void aes_encrypt_ref(const uint8_t *rk, const uint8_t *in, uint8_t *out);
void aes_setup(uint8_t *rk, const uint8_t *key) { aes_setup_ref(rk, key); }
void aes_encrypt(const uint8_t *rk, const uint8_t *in, uint8_t *out) { aes_encrypt_ref(rk, in, out); }
";
    project.write(&format!("{folder}/block-choice.c"), dispatch);
    let arguments = ["--board", "native", "--algorithm", "aes-128"];
    let (answer, lines) = survey(&project, &folder, &arguments);
    assert_eq!(answer.code, Some(0), "{}", answer.all());
    assert_eq!(mark(&lines[0], "conforms"), "yes", "{}", answer.all());
}
