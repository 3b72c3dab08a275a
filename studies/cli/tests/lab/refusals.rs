//! A library that encrypts only after a call which no survey can guess.

use crate::common::Project;
use crate::paper_libraries::core;

/// A person must know that a verdict speaks of functions that no other file can call.
#[test]
fn functions_that_only_their_source_can_call_are_told() {
    let project = Project::new();
    project.write(
        "hidden/aes.h",
        "#include <stdint.h>\nvoid aes128_set_key(uint8_t *schedule, const uint8_t *key);\n",
    );
    let rest = "void aes128_set_key(uint8_t *schedule, const uint8_t *key) { expand(key, 4, schedule); }\n\
        void *aes_functions[] = { (void *)forward, (void *)backward };\n";
    project.write(
        "hidden/aes.c",
        &format!("#include \"aes.h\"\n{}{rest}", core()),
    );
    let arguments = [
        "lab", "survey", "hidden", "--board", "native", "--budget", "1", "--json",
    ];
    let answer = project.selo(&[&arguments[..], &["--algorithm", "aes-128"]].concat());
    let told = "(only a file that includes aes.c can call it)";
    assert!(answer.stderr.contains(told), "{}", answer.all());
    assert!(
        !answer.stderr.contains("aes-192"),
        "only what is asked for is tried: {}",
        answer.all()
    );
    let unknown = project.selo(&["lab", "survey", "hidden", "--algorithm", "aes-18"]);
    assert_eq!(unknown.code, Some(2), "{}", unknown.all());
    assert!(unknown.stderr.contains("aes-128"), "{}", unknown.all());
}

/// The calls that were guessed leave the block as it is. That is no fault of the library.
#[test]
fn a_refused_call_is_not_taken_for_a_cipher_that_does_nothing() {
    let project = Project::new();
    project.write(
        "locked/aes.h",
        "#include <stdint.h>\nvoid aes_unlock(const char *licence);\n\
         void aes128_set_key(uint8_t *schedule, const uint8_t *key);\n\
         void aes128_encrypt(const uint8_t *schedule, uint8_t *block);\n",
    );
    // The lock is in the cipher itself, which a survey calls, too.
    let locked = core().replacen(
        "static void forward(const uint8_t *rk, uint8_t rounds, uint8_t *s)\n{",
        "static int open;\nstatic void forward(const uint8_t *rk, uint8_t rounds, uint8_t *s)\n{ if (!open) return;",
        1,
    );
    assert!(locked.contains("if (!open)"), "{locked}");
    let functions = "void aes_unlock(const char *licence) { open = strcmp(licence, \"A-17\") == 0; }\n\
        void aes128_set_key(uint8_t *schedule, const uint8_t *key) { expand(key, 4, schedule); }\n\
        void aes128_encrypt(const uint8_t *schedule, uint8_t *block)\n\
        { forward(schedule, 10, block); (void)backward; }\n";
    let text = format!("#include \"aes.h\"\n{locked}{functions}");
    project.write("locked/aes.c", &text);
    let answer = project.selo(&[
        "lab", "survey", "locked", "--board", "native", "--budget", "1", "--json",
    ]);
    assert_eq!(answer.code, Some(5), "{}", answer.all());
    for line in answer.lines() {
        assert_ne!(line["verdict"], "not-suitable", "{line:#}");
    }
}
