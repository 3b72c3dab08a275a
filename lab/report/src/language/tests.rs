use super::*;

fn portuguese(text: &str) -> String {
    Translator::new(Language::Portuguese).text(text)
}

#[test]
fn sentences_are_portuguese_with_portuguese_numbers() {
    assert_eq!(
        portuguese(
            "Block ciphers, one block, encrypt: speck128/128 fast is fastest of 4 with 2,600 cycles, 0.162 ms, 0.226 nWh (the slowest takes 4.62× as long); least flash: speck128/128 fast (900 bytes)."
        ),
        "Cifras de bloco, um bloco, cifrar: speck128/128 fast é a mais rápida de 4, com 2.600 ciclos, 0,162 ms, 0,226 nWh (a mais lenta leva 4,62× esse tempo); menos flash: speck128/128 fast (900 bytes)."
    );
}

#[test]
fn lists_of_failures_are_portuguese() {
    assert_eq!(
        portuguese(
            "Without a figure: does not fit: rsa-2048 crt on uno, ml-kem-512 fast on uno and 2 more."
        ),
        "Sem número: não cabe: rsa-2048 crt em uno, ml-kem-512 fast em uno e mais 2."
    );
}

#[test]
fn notes_of_papers_are_portuguese() {
    let note = "mean of 10 runs; micros() on the Uno (4 us steps), a hardware timer on the ESP32, Python's datetime on RPi-3 and PC; AES one 16-byte block in ECB, hashes of 32 bytes, X25519 with 32-byte keys, RSA with a 256-byte key on 32 bytes; compilers at their defaults";
    assert!(
        portuguese(note).starts_with("média de 10 execuções; micros() no Uno (passos de 4 us), ")
    );
    assert_eq!(
        portuguese("Published: as the compiler reports it"),
        "Publicado: como o compilador informa"
    );
}

#[test]
fn names_and_versions_stay() {
    for name in ["avr-gcc 5.4.0", "aes-128 fast", "0.1.0"] {
        assert_eq!(portuguese(name), name);
    }
}

#[test]
fn a_sentence_that_is_not_known_stays_whole() {
    let note = "The gauge and the node of the paper draw less, by 4 mW on this board.";
    assert_eq!(portuguese(note), note);
    // What stands beside it is translated all the same.
    let beside = portuguese("run one; the gauge is at fault; all equal");
    assert_eq!(beside, "execução one; the gauge is at fault; todas iguais");
}

#[test]
fn english_stays_as_it_is() {
    let translator = Translator::new(Language::English);
    assert_eq!(translator.figure("1,234.5"), "1,234.5");
    assert_eq!(translator.text("Contents"), "Contents");
}

/// The kinds of the gaps of a line, in their order.
fn gaps(line: &str) -> Vec<&str> {
    let parts = line.split('{').skip(1);
    parts
        .filter_map(|rest| rest.split_once('}'))
        .map(|(kind, _)| kind)
        .collect()
}

#[test]
fn every_gap_of_a_template_is_in_its_translation() {
    let lines: Vec<&str> = PORTUGUESE
        .into_iter()
        .flat_map(str::lines)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .collect();
    let mut seen = BTreeSet::new();
    for pair in lines.chunks(2) {
        assert!(seen.insert(pair[0]), "twice: {}", pair[0]);
        let translated = pair.get(1).and_then(|line| line.strip_prefix("= "));
        let translated = translated.unwrap_or_else(|| panic!("no translation: {}", pair[0]));
        assert!(!pair[0].starts_with('='), "two translations: {}", pair[0]);
        assert_eq!(gaps(pair[0]), gaps(translated), "{}", pair[0]);
    }
}
