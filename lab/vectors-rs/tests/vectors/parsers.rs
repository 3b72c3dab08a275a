//! The parsers refuse malformed files, name the place, and never panic.

use std::path::Path;
use std::sync::LazyLock;

use proptest::prelude::*;
use selo_vectors::parse::{self, Format};
use selo_vectors::{Algorithm, Catalog, Error};

/// A small real file of each format, with its algorithms.
static FILES: LazyLock<Vec<(Format, Vec<Algorithm>, String)>> = LazyLock::new(|| {
    let mut files = Vec::new();
    for set in crate::common::catalog().sets() {
        for file in &set.files {
            let text =
                std::fs::read_to_string(&file.path).expect("the repository's files are readable");
            files.push((file.format, file.algorithms.clone(), text));
        }
    }
    // Keep one file per format, and all small ones: large files have the same structure.
    files.sort_by_key(|(_, _, text)| text.len());
    let mut formats = Vec::new();
    files.retain(|(format, _, text)| {
        let first = !formats.contains(format);
        formats.push(*format);
        first || text.len() < 100_000
    });
    for format in Format::ALL {
        assert!(formats.contains(&format), "{format:?} has no file");
    }
    files
});

fn algorithm(name: &str) -> Algorithm {
    Algorithm::named(name).expect("a known name")
}

fn error(format: Format, text: &str, name: &str) -> String {
    parse::cases(format, Path::new("file"), text, algorithm(name))
        .expect_err(text)
        .to_string()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// Real files with pieces cut out, doubled, overwritten and exchanged.
    #[test]
    fn a_mutated_file_parses_or_is_refused(
        file in any::<prop::sample::Index>(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0usize..24, 0u8..4, any::<char>()), 1..6),
        which in any::<prop::sample::Index>(),
    ) {
        let (format, algorithms, text) = file.get(&FILES);
        let mut text: Vec<char> = text.chars().take(20_000).collect();
        for (at, from, length, how, with) in edits {
            if text.is_empty() {
                break;
            }
            let at = at.index(text.len());
            let end = (at + length).min(text.len());
            let from = from.index(text.len());
            let piece: Vec<char> = text[from..(from + length).min(text.len())].to_vec();
            match how {
                0 => drop(text.drain(at..end)),
                1 => drop(text.splice(at..at, piece)),
                2 => drop(text.splice(at..end, [with])),
                _ => drop(text.splice(at..end, piece)),
            }
        }
        let text: String = text.into_iter().collect();
        let lines = text.lines().count().max(1);
        match parse::cases(*format, Path::new("mutated"), &text, *which.get(algorithms)) {
            Ok(_) => {}
            Err(Error::Parse { line, message, .. }) => {
                prop_assert!(line >= 1 && line <= lines + 1, "line {line} of {lines}: {message}");
                prop_assert!(!message.is_empty());
            }
            Err(other) => prop_assert!(false, "{other}"),
        }
    }

    /// Any text, in any format, for any algorithm.
    #[test]
    fn any_text_is_refused_or_parsed(text in "(\\[?[A-Z]{1,10}\\]?( = [0-9a-f]{0,40})?\\n|\\PC*\\n){0,12}") {
        for format in Format::ALL {
            for algorithm in Algorithm::all() {
                let _ = parse::cases(format, Path::new("any"), &text, algorithm);
            }
        }
        let _ = Catalog::parse(Path::new("vectors"), Path::new("index.toml"), &text, &[]);
    }
}

#[test]
fn every_file_fits_its_algorithms_and_no_other_interface() {
    for (format, algorithms, text) in FILES.iter() {
        for algorithm in algorithms {
            let cases =
                parse::cases(*format, Path::new("file"), text, *algorithm).expect("a real file");
            assert!(!cases.is_empty());
            let mut ids: Vec<_> = cases.iter().map(|case| &case.id).collect();
            ids.sort_unstable();
            ids.dedup();
            assert_eq!(ids.len(), cases.len(), "an id names one case");
        }
        for name in [
            "aes-128",
            "aes-256-cbc",
            "aes-192-ctr",
            "sha-256",
            "hmac-sha3-512",
            "aes-128-gcm",
            "hkdf-sha-256",
            "x25519",
        ] {
            let kind = |algorithm: &Algorithm| std::mem::discriminant(&algorithm.interface());
            if algorithms
                .iter()
                .all(|other| kind(other) != kind(&algorithm(name)))
            {
                // The file is refused or, if it has several algorithms, has no case for this one.
                let cases = parse::cases(*format, Path::new("file"), text, algorithm(name))
                    .unwrap_or_default();
                assert!(cases.is_empty(), "{format:?} for {name}");
            }
        }
    }
}

#[test]
fn an_error_in_an_aes_file_names_the_line() {
    let aes = "# comment\n[ENCRYPT]\n\nCOUNT = 0\nKEY = 00\nPLAINTEXT = zz\n";
    assert_eq!(
        error(Format::CavpAes, aes, "aes-128"),
        "file:6: PLAINTEXT is not hexadecimal: Invalid character 'z' at position 0"
    );
    let short_key = "[ENCRYPT]\nCOUNT = 0\nKEY = 00\nPLAINTEXT = 00\nCIPHERTEXT = 00\n";
    assert_eq!(
        error(Format::CavpAes, short_key, "aes-128"),
        "file:2: KEY has 1 bytes instead of 16"
    );
    let unopened = "[ENCRYPT]\nCOUNT = 0\n[DECRYPT]\nKEY = 00\n";
    assert_eq!(
        error(Format::CavpAes, unopened, "aes-128"),
        "file:4: KEY before COUNT"
    );
    assert_eq!(
        error(Format::CavpAes, "COUNT = 0\n", "aes-128"),
        "file:1: a vector before [ENCRYPT] or [DECRYPT]"
    );
    assert_eq!(
        error(Format::CavpAes, "FAIL\n", "aes-128"),
        "file:1: FAIL before COUNT"
    );
    assert_eq!(
        error(Format::CavpAes, "", "sha-256"),
        "file:1: this format holds nothing for sha-256"
    );
}

#[test]
fn an_error_in_a_hash_file_names_the_line() {
    let hash = "[L = 32]\nLen = 16\nMsg = 00\nMD = 00\n";
    assert_eq!(
        error(Format::CavpHash, hash, "sha-256"),
        "file:4: the digest has 1 bytes instead of 32"
    );
    let digest = "00".repeat(32);
    let hash = format!("[L = 32]\nLen = 16\nMsg = 00\nMD = {digest}\n");
    assert_eq!(
        error(Format::CavpHash, &hash, "sha-256"),
        "file:4: Msg has 1 bytes; Len says 16 bits"
    );
    assert_eq!(
        error(Format::CavpHash, "[L = 28]\n", "sha-256"),
        "file:1: [L = 28] is not the digest size of this hash, 32 bytes"
    );
    assert_eq!(
        error(Format::CavpHash, "Len = 8\n", "sha-256"),
        "file:1: the vector has no MD"
    );
}

#[test]
fn an_error_in_a_gcm_or_ccm_file_names_the_line() {
    assert_eq!(
        error(Format::CavpGcm, "FAIL\n", "aes-128-gcm"),
        "file:1: FAIL before Count"
    );
    let key = "00".repeat(16);
    let short = format!("[IVlen = 96]\nCount = 0\nKey = {key}\nIV = 00\n");
    assert_eq!(
        error(Format::CavpGcm, &short, "aes-128-gcm"),
        "file:2: the vector has no PT"
    );
    let short = format!("{short}PT =\nAAD =\nCT =\nTag = 00\n");
    assert_eq!(
        error(Format::CavpGcm, &short, "aes-128-gcm"),
        "file:2: IV has 1 bytes; the group says 96 bits"
    );
    assert_eq!(
        error(Format::CavpGcm, "[Sbox = 1]\n", "aes-128-gcm"),
        "file:1: unknown section [Sbox]"
    );
    let ccm =
        "[Alen = 0, Plen = 1, Nlen = 7, Tlen = 4]\nCount = 0\nAdata = 00\nPayload = 00\nCT = 00\n";
    assert_eq!(
        error(Format::CavpCcm, ccm, "aes-128-ccm"),
        "file:2: CT has 1 bytes instead of 5"
    );
    assert_eq!(
        error(
            Format::CavpCcm,
            "Count = 0\nResult = Maybe\n",
            "aes-128-ccm"
        ),
        "file:2: unknown field Result = Maybe"
    );
}

#[test]
fn an_error_in_an_ascon_file_names_the_line() {
    let key = "00".repeat(16);
    assert_eq!(
        error(Format::LwcKat, "Count = 1\nMsg =\n", "ascon-hash256"),
        "file:1: the vector has no MD"
    );
    let kat = format!("Count = 1\nKey = {key}\nNonce = {key}\nPT =\nAD =\nCT = 00\n");
    assert_eq!(
        error(Format::LwcKat, &kat, "ascon-aead128"),
        "file:1: CT has 1 bytes, PT 0"
    );
}

#[test]
fn an_error_in_a_wycheproof_file_names_the_line() {
    let json = "{\n \"testGroups\": [\n {\"curve\": \"curve448\", \"tests\": []}]}";
    assert_eq!(
        error(Format::WycheproofXdh, json, "x25519"),
        "file:1: a group is for curve448, not curve25519"
    );
    assert_eq!(
        error(Format::WycheproofMac, "{\n\n}", "hmac-sha-256"),
        "file:3: missing field `testGroups`"
    );
    assert_eq!(
        error(Format::WycheproofAead, "{\n\n}", "aes-128-gcm"),
        "file:3: missing field `testGroups`"
    );
    assert_eq!(
        error(Format::WycheproofHkdf, "{}", "aes-128-gcm"),
        "file:1: this format holds nothing for aes-128-gcm"
    );
}

#[test]
fn an_error_in_a_file_of_selo_names_the_line() {
    let toml =
        "\n[[vector]]\nname = \"a\"\nkind = \"x25519-keygen\"\nsecret = \"00\"\npublic = \"00\"\n";
    assert_eq!(
        error(Format::Selo, toml, "x25519"),
        "file:2: secret has 1 bytes instead of 32"
    );
    assert_eq!(
        error(Format::Selo, "\n\nvector = 1 2\n", "x25519")
            .split(": ")
            .next(),
        Some("file:3")
    );
}

#[test]
fn odd_bits_are_left_out() {
    let digest = "00".repeat(32);
    let text =
        format!("[L = 32]\nLen = 5\nMsg = 98\nMD = {digest}\nLen = 8\nMsg = 98\nMD = {digest}\n");
    let cases = parse::cases(
        Format::CavpHash,
        Path::new("file"),
        &text,
        algorithm("sha-256"),
    )
    .expect("it parses");
    assert_eq!(
        cases
            .iter()
            .map(|case| case.id.as_str())
            .collect::<Vec<_>>(),
        ["file:5"]
    );
}

#[test]
fn a_broken_index_is_refused_with_its_line() {
    let parse = |text: &str| {
        Catalog::parse(Path::new("vectors"), Path::new("index.toml"), text, &[])
            .expect_err(text)
            .to_string()
    };
    let set = |id: &str, file: &str, format: &str, algorithm: &str| {
        format!(
            "[[set]]\nid = \"{id}\"\ntitle = \"t\"\nsource = \"s\"\nfiles = [\n    \
             {{ path = \"{file}\", format = \"{format}\", algorithms = [\"{algorithm}\"] }},\n]\n"
        )
    };
    assert_eq!(
        parse(&set("a", "f", "selo", "aes-127")),
        "index.toml:6: unknown algorithm `aes-127`"
    );
    assert!(
        parse(&set("a", "f", "rsp", "aes-128")).starts_with("index.toml:6: unknown variant `rsp`")
    );
    assert_eq!(
        parse(&set("a", "../f", "selo", "aes-128")),
        "index.toml:6: `../f` does not stay inside the directory of the vectors"
    );
    let twice = set("a", "f", "selo", "aes-128").repeat(2);
    assert_eq!(parse(&twice), "index.toml:8: the set `a` appears twice");
    let nowhere = Catalog::load(Path::new("/nonexistent"))
        .expect_err("no such directory")
        .to_string();
    assert!(
        nowhere.starts_with("cannot read /nonexistent/index.toml: "),
        "{nowhere}"
    );
}
