//! Planted faults: five small libraries of different shapes (`planted/`) are bound by trial. Each is
//! right as it is; with one change of its text, the survey must find the fault and name it.

use std::path::Path;

use serde_json::Value;

use crate::common::{Project, left_in_the_end, sample};

/// A change of one file, and what the survey must say.
struct Fault {
    algorithm: &'static str,
    file: &'static str,
    from: &'static str,
    to: &'static str,
    finding: &'static str,
    words: &'static str,
}

fn fault(
    (algorithm, file): (&'static str, &'static str),
    (from, to): (&'static str, &'static str),
    (finding, words): (&'static str, &'static str),
) -> Fault {
    Fault {
        algorithm,
        file,
        from,
        to,
        finding,
        words,
    }
}

/// Copies a library of `planted/` into the project, with a change if there is one.
fn plant(project: &Project, shape: &str, into: &str, change: Option<&Fault>) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lab/planted");
    let mut files: Vec<_> = std::fs::read_dir(source.join(shape))
        .expect("the library's folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    if ["context", "global", "class"].contains(&shape) {
        files.push(source.join("box.h"));
    }
    let mut changed = false;
    for path in files {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let mut text = std::fs::read_to_string(&path).expect("a text");
        if let Some(fault) = change.filter(|fault| fault.file == name) {
            assert_eq!(text.matches(fault.from).count(), 1, "{}", fault.from);
            text = text.replace(fault.from, fault.to);
            changed = true;
        }
        project.write(&format!("{into}/{name}"), &text);
    }
    assert_eq!(changed, change.is_some());
}

/// The lines of a survey of a planted library, and what it said.
fn survey(project: &Project, folder: &str, algorithm: &str) -> (Vec<Value>, String) {
    surveyed(
        project,
        folder,
        &["--board", "uno", "--algorithm", algorithm],
    )
}

fn survey_on(project: &Project, folder: &str, board: &str) -> (Vec<Value>, String) {
    surveyed(project, folder, &["--board", board])
}

fn surveyed(project: &Project, folder: &str, more: &[&str]) -> (Vec<Value>, String) {
    let arguments = [
        "lab",
        "survey",
        folder,
        "--json",
        "--budget",
        "4",
        "--secrets",
        "100",
    ];
    let answer = project.selo(&[&arguments[..], more].concat());
    let said = answer.all();
    (answer.lines(), said)
}

/// No fault was found. ECB, which is made of single blocks, has a reservation by its nature.
fn is_sound(line: &Value) {
    let is_ecb = line["algorithm"]
        .as_str()
        .expect("a name")
        .ends_with("-ecb");
    let wanted = if is_ecb { "reservations" } else { "suitable" };
    assert_eq!(line["verdict"], wanted, "{line:#}");
}

fn check(shape: &str, algorithms: &[&str], faults: &[Fault]) {
    let project = Project::new();
    plant(&project, shape, shape, None);
    let (lines, said) = survey(&project, shape, &algorithms.join(","));
    assert_eq!(lines.len(), algorithms.len(), "{said}");
    for line in &lines {
        assert_eq!(line["verdict"], "suitable", "{line:#}");
    }
    for (number, fault) in sample(faults, 1).enumerate() {
        let folder = format!("{shape}-{number}");
        plant(&project, shape, &folder, Some(fault));
        let (lines, said) = survey(&project, &folder, fault.algorithm);
        let line = lines.first().unwrap_or_else(|| panic!("{said}"));
        assert_eq!(line["verdict"], "not-suitable", "{}: {line:#}", fault.to);
        let findings = line["findings"].as_array().expect("findings");
        let found = findings
            .iter()
            .find(|finding| finding["id"] == fault.finding)
            .unwrap_or_else(|| panic!("{}: no {} in {line:#}", fault.to, fault.finding));
        assert_eq!(found["weight"], "fault");
        let title = found["title"].as_str().unwrap_or_default();
        assert!(title.contains(fault.words), "{title}");
    }
}

#[test]
fn c_with_a_context() {
    const BLOCK: (&str, &str) = ("aes-128", "aes.c");
    let faults = [
        fault(
            ("aes-128", "box.h"),
            ("0xed", "0xec"),
            ("wrong-s-box", "0x53 becomes 0xec, not 0xed"),
        ),
        fault(
            BLOCK,
            ("{0, 1, 2, 3}", "{0, 2, 1, 3}"),
            ("wrong-rounds", "ShiftRows exchanges rows"),
        ),
        fault(
            BLOCK,
            ("constant = 1;", "constant = 2;"),
            ("wrong-key-schedule", "off by one"),
        ),
        fault(
            ("aes-128-ctr", "aes.c"),
            (
                "column < 4; column++)\n            mix",
                "column < 0; column++)\n            mix",
            ),
            ("wrong-rounds", "MixColumns is missing"),
        ),
    ];
    check("context", &["aes-128", "aes-128-ctr"], &faults);
}

#[test]
#[ignore = "takes long: make test-all runs it"]
fn c_in_place_with_a_global_key() {
    const CBC: (&str, &str) = ("aes-128-cbc", "cipher.c");
    let faults = [
        fault(
            ("aes-128", "cipher.c"),
            ("constants[at / 16]", "constants[at / 16 - 1]"),
            ("wrong-key-schedule", "off by one: they begin with 0"),
        ),
        fault(
            CBC,
            (
                "*before = iv;",
                "*before = memset((uint8_t *)iv, 0x24, 16);",
            ),
            ("fixed-iv", "The IV is fixed"),
        ),
        fault(
            CBC,
            (
                "data[at + i] ^= before[i];",
                "data[at + i] ^= 0 & before[i];",
            ),
            ("ecb-called-cbc", "really ECB"),
        ),
        fault(
            CBC,
            (
                "uint16_t at = 0; at < size",
                "uint8_t at = 0; at < (uint8_t)size",
            ),
            ("length-overflow", "256 bytes"),
        ),
    ];
    check("global", &["aes-128", "aes-128-cbc"], &faults);
}

#[test]
#[ignore = "takes long: make test-all runs it"]
fn a_class_for_arduino() {
    let faults = [
        fault(
            ("aes-128", "AES128.cpp"),
            (
                "state[(i + 4 * (i % 4)) % 16]",
                "state[(i + 12 * (i % 4)) % 16]",
            ),
            ("wrong-rounds", "ShiftRows goes the wrong way"),
        ),
        fault(
            ("aes-128", "box.h"),
            ("0x16", "0x61"),
            ("wrong-s-box", "0xff becomes 0x61, not 0x16"),
        ),
        fault(
            ("aes-128-cbc", "AES128.cpp"),
            ("memcpy(chain, iv, 16);", "memset(chain, 0 * iv[0], 16);"),
            ("zero-iv", "always zero"),
        ),
    ];
    check("class", &["aes-128", "aes-128-cbc"], &faults);
}

#[test]
#[ignore = "takes long: make test-all runs it"]
fn an_aead_with_the_interface_of_nist() {
    const FILE: (&str, &str) = ("ascon-aead128", "ascon_aead128.c");
    let faults = [
        fault(
            FILE,
            ("if (differs != 0)", "if (0 * differs != 0)"),
            ("tag-not-checked", "The tag is not checked"),
        ),
        fault(
            FILE,
            (
                "typedef unsigned long long message_size",
                "typedef uint8_t message_size",
            ),
            ("length-overflow", "256 bytes"),
        ),
    ];
    check("nist", &["ascon-aead128"], &faults);
}

#[test]
fn a_hash_in_pieces() {
    const HASH: &str = "ascon-hash256";
    let faults = [
        fault(
            (HASH, "ascon_hash256.c"),
            ("absorb(state, 0x01)", "absorb(state, 0x80)"),
            ("wrong-padding", "the padding is wrong"),
        ),
        fault(
            (HASH, "ascon_hash256.c"),
            ("absorb(state, 0x01)", "absorb(state, 0)"),
            ("wrong-padding", "the padding is missing"),
        ),
        fault(
            (HASH, "ascon_hash256.h"),
            ("typedef uint16_t hash_size", "typedef uint8_t hash_size"),
            ("length-overflow", "256 bytes"),
        ),
    ];
    check("digest", &[HASH], &faults);
}

/// What a class for sketches may use of an Arduino core.
const USES_THE_CORE: &str = "
    String name = String(\"AES\") + 128;
    name += F(\" key of \");
    name += size;
    bool odd = EEPROM.read(3) != 255 || bitRead(name.length(), 7) != 0;
    if (odd || constrain(size, 16, 32) != max(size, 16u) || word(1, 2) != 258) {
        char text[12];
        Serial.begin(9600);
        Serial.print(name);
        Serial.println(millis() + micros(), HEX);
        randomSeed(analogRead(A0));
        delay(random(3, 5));
        snprintf_P(text, sizeof text, PSTR(\"%u\"), min(3, 5));
        noInterrupts();
        interrupts();
        yield();
        byte *copy = new byte[size];
        delete[] copy;
        return false;
    }
";

/// The lines of a survey on the Uno, with the installed Arduino core or the lab's own headers.
fn with_core(project: &Project, folder: &str, is_real: bool) -> Vec<Value> {
    let arguments = [
        "lab",
        "survey",
        folder,
        "--board",
        "uno",
        "--budget",
        "4",
        "--secrets",
        "100",
    ];
    let mut command = project.command(&[&arguments[..], &["--json"]].concat());
    if !is_real {
        command.env("ARDUINO_AVR", "/nonexistent");
    }
    let output = command.output().expect("selo runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let lines: Result<Vec<Value>, _> = text.lines().map(serde_json::from_str).collect();
    lines.expect("JSON Lines")
}

#[test]
#[ignore = "takes long: make test-all runs it"]
fn a_class_that_uses_the_arduino_core() {
    let project = Project::new();
    let change = Fault {
        algorithm: "aes-128",
        file: "AES128.cpp",
        from: "    byte constant = 1;\n",
        to: "    USES_THE_CORE\n    byte constant = 1;\n",
        finding: "",
        words: "",
    };
    plant(&project, "class", "sketch", Some(&change));
    let file = project.path().join("sketch/AES128.cpp");
    let text = std::fs::read_to_string(&file).expect("a text");
    let text = text.replace("    USES_THE_CORE\n", USES_THE_CORE);
    let headers = "#include <EEPROM.h>\n#include <stdio.h>\n";
    project.write("sketch/AES128.cpp", &(headers.to_owned() + &text));
    for is_real in [true, false] {
        let lines = with_core(&project, "sketch", is_real);
        assert_eq!(lines.len(), 3, "{lines:#?}");
        lines.iter().for_each(is_sound);
    }
    let (lines, said) = survey_on(&project, "sketch", "native");
    assert_eq!(lines.len(), 3, "{said}");
    lines.iter().for_each(is_sound);
}

/// A library that only needs Arduino's types costs the same with any core.
#[test]
#[ignore = "takes long: make test-all runs it"]
fn the_arduino_core_costs_nothing_where_it_is_not_called() {
    let project = Project::new();
    let silent = Fault {
        algorithm: "aes-128",
        file: "AES128.cpp",
        from: "Serial.println(F(\"AES128: the key must have 16 bytes\"));",
        to: "",
        finding: "",
        words: "",
    };
    plant(&project, "class", "silent", Some(&silent));
    let costs = |is_real| -> Vec<Value> {
        let lines = with_core(&project, "silent", is_real);
        lines.iter().map(|line| line["costs"].clone()).collect()
    };
    let real = costs(true);
    assert_eq!(real.len(), 3);
    assert_eq!(real, costs(false));
}

/// Where opening returns nothing, another function of the library refuses a forged message. The lab
/// does not call that one, so it must not call the library wrong.
#[test]
fn an_opening_that_returns_nothing_is_no_fault() {
    let project = Project::new();
    plant(&project, "nist", "silent", None);
    for name in ["crypto_aead.h", "ascon_aead128.c"] {
        let file = project.path().join("silent").join(name);
        let text = std::fs::read_to_string(file).expect("a text");
        let (before, after) = text
            .split_once("int crypto_aead_decrypt")
            .expect("it opens");
        let after = after
            .replace("return -1;", "return;")
            .replace("return 0;", "return;");
        let text = format!("{before}void crypto_aead_decrypt{after}");
        project.write(&format!("silent/{name}"), &text);
    }
    let (lines, said) = survey(&project, "silent", "ascon-aead128");
    assert_eq!(lines.len(), 1, "{said}");
    is_sound(&lines[0]);
}

/// What a hostile library does in its key set-up on this machine.
const HOSTILE: &str = "
    #include <arpa/inet.h>
    #include <fcntl.h>
    #include <stdlib.h>
    #include <sys/socket.h>
    #include <unistd.h>
    static void harm(void)
    {
        static int done;
        if (done++)
            return;
        struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(PORT)};
        to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        int wire = socket(AF_INET, SOCK_STREAM, 0);
        if (wire >= 0 && connect(wire, (struct sockaddr *)&to, sizeof to) == 0)
            write(wire, \"stolen\", 6);
        int file = open(\"WRITTEN\", O_CREAT | O_WRONLY, 0600);
        signal(SIGXFSZ, SIG_IGN);
        if (file >= 0)
            write(file, \"stolen\", 6);
        char *much = malloc((size_t)6 << 30);
        if (much != NULL)
            memset(much, 1, (size_t)6 << 30);
        for (int i = 0; i < 3; i++)
            if (fork() == 0) {
                execl(\"/bin/sleep\", \"/bin/sleep\", \"STAYS\", (char *)NULL);
                _exit(0);
            }
    }
";

/// A hostile library reaches no network, writes no file, and leaves no process behind. It is judged
/// all the same.
#[test]
fn a_hostile_library_does_no_harm() {
    let project = Project::new();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.set_nonblocking(true).expect("a setting");
    let port = listener.local_addr().expect("an address").port();
    let written = project.path().join("written");
    // No other test sleeps for as long.
    let stays = format!("8{port}");
    let harm = HOSTILE
        .replace("PORT", &port.to_string())
        .replace("WRITTEN", &written.display().to_string())
        .replace("STAYS", &stays);
    plant(&project, "context", "hostile", None);
    let file = project.path().join("hostile/aes.c");
    let text = std::fs::read_to_string(file).expect("a text");
    let text = text.replace(
        "    uint8_t *words = context->round_keys, constant = 1;",
        "    harm();\n    uint8_t *words = context->round_keys, constant = 1;",
    );
    let text =
        format!("#define _GNU_SOURCE\n#include <signal.h>\n#include <string.h>\n{harm}{text}");
    project.write("hostile/aes.c", &text);
    let (lines, said) = survey_on(&project, "hostile", "native");
    assert!(!lines.is_empty(), "{said}");
    lines.iter().for_each(is_sound);
    let length = std::fs::metadata(&written).map_or(0, |data| data.len());
    assert_eq!(length, 0, "it wrote a file");
    if !said.contains("does not let a user separate") {
        let reached = listener.accept().map(|(_, from)| from);
        assert!(reached.is_err(), "it reached the network: {reached:?}");
    }
    let sleeping = || {
        let entries = std::fs::read_dir("/proc").expect("/proc").flatten();
        let commands = entries.map(|entry| std::fs::read(entry.path().join("cmdline")));
        let commands = commands.map(Result::unwrap_or_default);
        commands
            .filter(|command| String::from_utf8_lossy(command).contains(&stays))
            .count()
    };
    assert_eq!(left_in_the_end(sleeping), 0, "it left processes behind");
}

/// The agent's buffers shrink where they and the library together do not fit.
#[test]
fn a_library_with_large_tables_is_judged_beside_smaller_buffers() {
    let project = Project::new();
    let table = Fault {
        algorithm: "aes-128",
        file: "aes.c",
        from: "static uint8_t twice(uint8_t byte)",
        to: "static uint8_t table[1150] = {1};\n\nstatic uint8_t twice(uint8_t byte)",
        finding: "",
        words: "",
    };
    plant(&project, "context", "large", Some(&table));
    let file = project.path().join("large/aes.c");
    let text = std::fs::read_to_string(file).expect("a text");
    let text = text.replace(
        "    memcpy(out, state, 16);",
        "    table[state[0]] ^= 1;\n    table[state[0]] ^= 1;\n    memcpy(out, state, 16);\n    out[0] ^= table[1100];",
    );
    project.write("large/aes.c", &text);
    let (lines, said) = survey(&project, "large", "aes-128");
    assert_eq!(lines.len(), 1, "{said}");
    assert!(said.contains("on uno: aes128_init"), "{said}");
    assert_eq!(lines[0]["verdict"], "suitable", "{:#}", lines[0]);
    let costs = lines[0]["costs"].as_array().expect("costs");
    let cycles = costs
        .iter()
        .find(|cost| cost["metric"] == "cycles" && cost["operation"] == "encrypt");
    assert!(cycles.is_some_and(|cost| cost["value"].as_f64() > Some(1000.0)));
}
