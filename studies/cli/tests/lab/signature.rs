//! Signatures with large keys: ML-DSA of PQClean as a library of the lab, and in trees of NIST's and
//! PQClean's names, right, hedged and with planted faults.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::common::{Answer, Project};
use crate::survey::kem::{copy, fetched};
use crate::survey::{finding, mark, survey};

const CLEAN: &str = "crypto_sign/ml-dsa-44/clean";

/// A tree with an implementation of ML-DSA-44, and the folder of the implementation.
fn tree(project: &Project, name: &str) -> PathBuf {
    let from = fetched(project);
    let tree = project.path().join("tree");
    copy(&from.join("common"), &tree.join("common"));
    let folder = tree.join("crypto_sign/ml-dsa-44").join(name);
    copy(&from.join(CLEAN), &folder);
    folder
}

fn edit(file: &Path, from: &str, to: &str) {
    let text = std::fs::read_to_string(file).expect("the source");
    assert!(text.contains(from), "{} has no {from}", file.display());
    std::fs::write(file, text.replacen(from, to, 1)).expect("the source");
}

/// What the official vectors say of a library on this machine.
fn check(project: &Project, library: &str) -> Answer {
    project.selo(&["lab", "check", "--board", "native", "--library", library])
}

/// Rows of the lab's own library.
fn rows(project: &Project, board: &str, algorithm: &str, metrics: &str) -> Vec<Value> {
    let run = ["lab", "run", "--board", board, "--library", "pqclean"];
    let more = ["--algorithm", algorithm, "--metric", metrics, "--json"];
    project.selo(&[&run[..], &more[..]].concat()).lines()
}

fn find<'a>(rows: &'a [Value], operation: &str, metric: &str) -> &'a Value {
    let is = |row: &&Value| row["operation"] == operation && row["metric"] == metric;
    let row = rows.iter().find(is);
    row.unwrap_or_else(|| panic!("no row for {operation} {metric} in {rows:?}"))
}

#[test]
#[ignore = "takes long: make test-all runs it"]
fn ml_dsa_has_figures_where_it_fits_and_bytes_where_it_does_not() {
    let project = Project::new();
    let fits = rows(&project, "stm32f407", "ml-dsa-44", "cycles,stack");
    for operation in ["keygen", "sign", "verify"] {
        let row = find(&fits, operation, "cycles");
        assert_eq!(row["fidelity"], "cycle-model", "{row}");
        assert!(
            row["value"].as_f64().is_some_and(|cycles| cycles > 1e6),
            "{row}"
        );
    }
    // A signature is a search, so many are measured, and one takes several times as long as another.
    let sign = find(&fits, "sign", "cycles");
    assert_eq!(sign["samples"], 100, "{sign}");
    let of = |name: &str| sign[name].as_f64().expect("a number");
    assert!(of("max") > 3.0 * of("min"), "{sign}");
    // The largest set has room to make keys and to verify, but none to sign.
    let large = rows(&project, "stm32f407", "ml-dsa-87", "cycles,stack");
    for operation in ["keygen", "verify"] {
        let stack = find(&large, operation, "stack");
        assert!(
            stack["value"]
                .as_f64()
                .is_some_and(|bytes| bytes > 65_536.0),
            "{stack}"
        );
    }
    let sign = find(&large, "sign", "cycles");
    assert_eq!(sign["status"], "does-not-fit", "{sign}");
    let row = selo_engine::row::old::read(&sign.to_string()).expect("a row");
    let reason = row.reason().unwrap_or_default();
    assert!(reason.contains("bytes below the RAM"), "{reason}");
    // The compiler of the Uno refuses the variables of its functions.
    for row in rows(&project, "uno", "ml-dsa-44", "cycles,flash") {
        assert_eq!(row["status"], "does-not-fit", "{row}");
        let row = selo_engine::row::old::read(&row.to_string()).expect("a row");
        assert!(row.reason().unwrap_or_default().contains("32,767 bytes"));
    }
}

#[test]
fn every_vector_passes_on_this_machine() {
    let project = Project::new();
    let check = ["lab", "check", "--board", "native", "--library", "pqclean"];
    let of = ["--algorithm", "ml-dsa-44,ml-dsa-65,ml-dsa-87", "--full"];
    let answer = project.selo(&[&check[..], &of[..]].concat());
    assert_eq!(answer.code, Some(0), "{}", answer.all());
    assert!(
        answer.all().contains("297 passed, 0 failed"),
        "{}",
        answer.all()
    );
}

#[test]
#[ignore = "takes long: make test-all runs it"]
fn a_survey_of_pqcleans_folder_conforms_and_does_not_fit_an_uno() {
    let project = Project::new();
    let folder = tree(&project, "clean");
    let folder = folder.to_str().expect("a path");
    let on = ["--board", "stm32f407", "--algorithm", "ml-dsa-44"];
    let (answer, lines) = survey(&project, folder, &on);
    assert_eq!(answer.code, Some(0), "{}", answer.all());
    assert_eq!(mark(&lines[0], "conforms"), "yes");
    assert_eq!(lines[0]["verdict"], "suitable");
    let on = ["--board", "uno", "--algorithm", "ml-dsa-44"];
    let (answer, lines) = survey(&project, folder, &on);
    assert_eq!(answer.code, Some(1), "{}", answer.all());
    finding(&lines[0], "does-not-fit");
}

const NIST_API: &str = "
#include <stddef.h>
#include <stdint.h>
#define CRYPTO_PUBLICKEYBYTES 1312U
#define CRYPTO_SECRETKEYBYTES 2560U
#define CRYPTO_BYTES 2420U
#define CRYPTO_ALGNAME \"Dilithium2\"
int crypto_sign_keypair(unsigned char *pk, unsigned char *sk);
int crypto_sign(unsigned char *sm, size_t *smlen, const unsigned char *msg, size_t len, const unsigned char *sk);
int crypto_sign_open(unsigned char *m, size_t *mlen, const unsigned char *sm, size_t smlen, const unsigned char *pk);
";

const NIST: &str = "
#include \"api.h\"
#include \"sign.h\"
int crypto_sign_keypair(unsigned char *pk, unsigned char *sk)
{ return inner_keypair(pk, sk); }
int crypto_sign(unsigned char *sm, size_t *smlen, const unsigned char *msg, size_t len, const unsigned char *sk)
{ return inner_ctx(sm, smlen, msg, len, NULL, 0, sk); }
int crypto_sign_open(unsigned char *m, size_t *mlen, const unsigned char *sm, size_t smlen, const unsigned char *pk)
{ return inner_open_ctx(m, mlen, sm, smlen, NULL, 0, pk); }
";

#[test]
fn the_envelopes_of_nist_are_bound_unedited() {
    let project = Project::new();
    let folder = tree(&project, "ref");
    for entry in std::fs::read_dir(&folder).expect("the folder").flatten() {
        let text = std::fs::read_to_string(entry.path()).expect("a source");
        let text = text.replace("PQCLEAN_MLDSA44_CLEAN_crypto_sign", "inner");
        let text = text.replace("PQCLEAN_MLDSA44_CLEAN_", "");
        std::fs::write(entry.path(), text).expect("a source");
    }
    std::fs::write(folder.join("api.h"), NIST_API).expect("a header");
    std::fs::write(folder.join("nist.c"), NIST).expect("a source");
    let answer = project.selo(&["lab", "import", "pqm4", "tree"]);
    assert_eq!(answer.code, Some(0), "{}", answer.all());
    let into = project.path().join("out/import/pqm4-ml-dsa-44-ref");
    let manifest = std::fs::read_to_string(into.join("library.toml")).expect("a manifest");
    assert!(
        manifest.contains("messages without a context only"),
        "{manifest}"
    );
    let answer = check(&project, "pqm4-ml-dsa-44-ref");
    assert_eq!(answer.code, Some(0), "{}", answer.all());
}

/// Faults of signing and verifying, each in a source of its own.
const FAULTS: [(&str, &str, &str, &str); 4] = [
    // A constant of the transform.
    ("zeta", "ntt.c", "25847", "25848"),
    // Verification that compares the second half of the challenge only.
    (
        "compare",
        "sign.c",
        "if (c[i] != c2[i])",
        "if (i >= 16 && c[i] != c2[i])",
    ),
    // Verification that takes a response of any size.
    (
        "norm",
        "sign.c",
        "if (PQCLEAN_MLDSA44_CLEAN_polyvecl_chknorm(&z, GAMMA1 - BETA)) {\n        return -1;",
        "if (0) {\n        return -1;",
    ),
    // Signing that publishes what reveals the key.
    (
        "bound",
        "sign.c",
        "chknorm(&w0, GAMMA2 - BETA)",
        "chknorm(&w0, GAMMA2)",
    ),
];

#[test]
#[ignore = "takes long: make test-all runs it"]
fn planted_faults_are_caught_and_a_signer_with_its_own_random_numbers_is_not_accused() {
    let project = Project::new();
    for (name, file, from, to) in FAULTS {
        edit(&tree(&project, name).join(file), from, to);
    }
    let own = "{ static unsigned n; for (unsigned i = 0; i < RNDBYTES; i++) rnd[i] = (uint8_t)(n++ * 7); }";
    let hedged = tree(&project, "hedged").join("sign.c");
    edit(&hedged, "randombytes(rnd, RNDBYTES);", own);
    let answer = project.selo(&["lab", "import", "pqm4", "tree", "--board", "native"]);
    assert_eq!(answer.code, Some(5), "{}", answer.all());
    assert!(
        answer.all().contains("imported      pqm4-ml-dsa-44-hedged"),
        "{}",
        answer.all()
    );
    for (name, ..) in FAULTS {
        let library = format!("pqm4-ml-dsa-44-{name}");
        let refused = format!("not imported  {library}: its results are not those");
        if answer.all().contains(&refused) {
            continue;
        }
        // A few vectors tell how to call it; the others tell the fault.
        let answer = check(&project, &library);
        assert_eq!(answer.code, Some(1), "{name}: {}", answer.all());
        assert!(
            answer.all().contains("FAILED wycheproof-ml-dsa"),
            "{}",
            answer.all()
        );
    }
    let answer = check(&project, "pqm4-ml-dsa-44-hedged");
    assert_eq!(answer.code, Some(0), "{}", answer.all());
}
