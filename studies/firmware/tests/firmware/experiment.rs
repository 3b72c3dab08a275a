//! The published experiment on simulated chips. With every cipher the receiver outputs the values
//! of the transmitter's sensors, and a faulty node gets no figure.

use std::path::{Path, PathBuf};

use selo_engine::build::{Builder, Image};
use selo_engine::library::Unit;
use selo_engine::project::{Project, Selection};
use selo_firmware::experiment::{self, Measured, PLAIN, RECEIVE, TRANSMIT};

const CIPHERS: [&str; 6] = [
    "aes128", "aes192", "aes256", "speck128", "speck192", "speck256",
];

/// Flash and RAM that a node of the paper may use on an Uno with a boot loader.
const FLASH: u64 = 8_192;
const RAM: u64 = 1_024;

struct Bench {
    root: PathBuf,
    project: Project,
}

impl Bench {
    fn new() -> Bench {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let root = root.canonicalize().expect("the repository");
        let project = Project::load(&root).expect("the data files");
        Bench { root, project }
    }

    fn image(&self, variant: &str, role: &str, defines: &[String]) -> Image {
        let board = self.project.board("uno").expect("the Uno");
        let selection = Selection {
            libraries: vec!["selo".into()],
            algorithms: vec!["node".into()],
            variants: vec![variant.into()],
        };
        let units: Vec<Unit<'_>> = self.project.units(board, &selection).expect("the node");
        let list = units[0].program().expect("a whole firmware");
        let builder = Builder::new(&self.project, board).expect("avr-gcc");
        let image = builder.program_role(&units[0], &list, role, defines);
        image.expect("an image")
    }

    fn run(
        &self,
        transmitter: &Image,
        receiver: &Image,
        plain: bool,
    ) -> selo_engine::Result<Measured> {
        let board = self.project.board("uno").expect("the Uno");
        experiment::run(&self.root, board, transmitter, receiver, plain)
    }

    /// Runs a transmitter against a receiver with the same variant or another one of its cipher.
    fn role(&self, transmitter: &str, receiver: &str) -> Measured {
        let transmitting = self.image(transmitter, TRANSMIT, &[]);
        let receiving = self.image(receiver, RECEIVE, &[]);
        let measured = self.run(&transmitting, &receiving, transmitter == PLAIN);
        let measured = measured.unwrap_or_else(|error| panic!("{transmitter}: {error}"));
        for (role, image) in [(TRANSMIT, &transmitting), (RECEIVE, &receiving)] {
            let weight = &image.weight;
            assert!(weight.flash <= FLASH, "{role} {}", weight.flash);
            assert!(weight.ram + measured.stack[role] <= RAM, "{role}");
        }
        measured
    }
}

/// The 32-bit words of a packet.
fn words(packet: &[u8]) -> Vec<u32> {
    let words = packet.chunks(4);
    let word = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().expect("four bytes"));
    words.map(word).collect()
}

/// The variants of a transmitter and of its receiver. A `tiny` cipher only encrypts.
fn pairs(cipher: &str) -> &'static [(&'static str, &'static str)] {
    // `make test-all` runs all of them.
    if std::env::var_os("SELO_TEST_ALL").is_some() {
        &[("fast", "fast"), ("small", "small"), ("tiny", "small")]
    } else if cipher == "aes128" || cipher == "speck128" {
        &[("fast", "small"), ("tiny", "small")]
    } else {
        &[("fast", "small")]
    }
}

#[test]
fn what_is_received_is_what_was_sent_by_every_cipher() {
    let bench = Bench::new();
    let plain = bench.role(PLAIN, PLAIN);
    // Without a cipher the packets on the air have the sensors' values. They are the reference for
    // all ciphers.
    assert_eq!(plain.aired, plain.received);
    assert!(plain.received.len() >= 17, "{}", plain.received.len());
    // The first reading after a start, then tips that grow by one; the temperature is below zero.
    let first = words(&plain.received[0]);
    assert_eq!(&first[1..3], [0, (-325_i32) as u32]);
    assert_eq!(first[3] >> 16, 2);
    for (tips, packet) in plain.received.iter().enumerate().take(5) {
        assert_eq!(words(packet)[1] as usize, tips);
    }
    let mut firsts = Vec::new();
    for cipher in CIPHERS {
        let mut of_cipher = Vec::new();
        for (variant, other) in pairs(cipher) {
            let (transmitter, receiver) =
                (format!("{cipher}-{variant}"), format!("{cipher}-{other}"));
            let measured = bench.role(&transmitter, &receiver);
            assert_eq!(measured.received.len(), measured.aired.len());
            assert_eq!(measured.received[0], plain.received[0], "{transmitter}");
            of_cipher.push(measured.aired[0].clone());
        }
        for other in &of_cipher[1..] {
            assert_eq!(of_cipher[0], *other, "{cipher}");
        }
        firsts.push(of_cipher.swap_remove(0));
    }
    firsts.push(plain.aired[0].clone());
    firsts.sort();
    firsts.dedup();
    assert_eq!(firsts.len(), 7, "each cipher makes another packet of it");
}

#[test]
fn a_receiver_with_another_cipher_gets_no_figures() {
    let bench = Bench::new();
    let transmitter = bench.image("aes128-fast", TRANSMIT, &[]);
    let receiver = bench.image("speck128-fast", RECEIVE, &[]);
    let error = bench.run(&transmitter, &receiver, false);
    let error = error.expect_err("nonsense is handed on").to_string();
    assert!(error.contains("the time differs from the clock"), "{error}");
}

#[test]
fn a_node_that_does_not_encrypt_gets_no_figures() {
    let bench = Bench::new();
    let transmitter = bench.image(PLAIN, TRANSMIT, &[]);
    let receiver = bench.image(PLAIN, RECEIVE, &[]);
    // Run as if it had a cipher.
    let error = bench.run(&transmitter, &receiver, false);
    let error = error.expect_err("clear text is on the air").to_string();
    assert!(error.contains("in clear"), "{error}");
}

#[test]
fn two_runs_give_the_same_figures() {
    let bench = Bench::new();
    let run = || bench.role("speck128-small", "speck128-small");
    let (first, second) = (run(), run());
    assert_eq!(first.took, second.took);
    assert_eq!(first.rates, second.rates);
    assert_eq!(first.on_air, second.on_air);
    // The cipher takes time, and the time on the air limits the rate.
    let cycles = |operation: &str| -> Vec<u64> {
        first.took[operation]
            .iter()
            .map(|span| span.cycles)
            .collect()
    };
    for operation in ["encrypt", "decrypt"] {
        let least = *cycles(operation).iter().min().expect("some");
        assert!(least > 1_000, "{least}");
    }
    assert!(
        first
            .on_air
            .iter()
            .all(|seconds| (0.246..0.248).contains(seconds))
    );
    let rate = &first.rates[TRANSMIT];
    assert!(
        rate.iter()
            .all(|rate| *rate <= 1.0 / first.on_air[0] + 1e-6),
        "{rate:?}"
    );
}
