//! Invented rows for tests. The name of their run says that they are invented.

use selo_engine::check::CheckLine;
use selo_engine::interface::Interface;
use selo_engine::row::cause::{Counted, Excess, Memory, Taken};
use selo_engine::row::{Cause, Fidelity, Metric, Note, Row, SCHEMA, Status};

use crate::context::{AlgorithmNote, BoardNote, Context, PowerNote};

pub fn row(algorithm: &str, variant: &str, operation: &str, metric: Metric, value: f64) -> Row {
    let bytes = matches!(metric, Metric::Flash | Metric::Ram)
        .then_some(())
        .map_or(Some(16), |()| None);
    Row {
        schema: SCHEMA.to_owned(),
        run: "invented-uno".to_owned(),
        board: "uno".to_owned(),
        mcu: "atmega328p".to_owned(),
        clock_hz: Some(16_000_000),
        runner: "simavr".to_owned(),
        fidelity: Fidelity::CycleExact,
        compiler: "avr-gcc 5.4.0".to_owned(),
        flags: "-Os".to_owned(),
        library: "selo".to_owned(),
        library_version: "0.1.0".to_owned(),
        algorithm: algorithm.to_owned(),
        variant: variant.to_owned(),
        sweep: None,
        operation: operation.to_owned(),
        bytes,
        metric,
        unit: metric.unit().to_owned(),
        value: Some(value),
        samples: 1000,
        min: Some(value),
        max: Some(value),
        mean: Some(value),
        sd: None,
        ci95: None,
        status: Status::Ok,
        cause: None,
        notes: match metric {
            Metric::Energy => vec![Note::PowerProfile {
                name: "albarello2020".to_owned(),
            }],
            _ => Vec::new(),
        },
        basis: None,
        power: None,
        firmware_sha256: "3f".repeat(32),
        commit: "0123456789abcdef".to_owned(),
    }
}

/// Every metric of a few implementations. One does not fit, and the time of another depends
/// on its secrets.
pub fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    let choices = [
        ("aes-128", "fast", 5000.0, 2300.0, 192.0),
        ("aes-128", "small", 9000.0, 1400.0, 16.0),
        ("aes-128", "tiny", 12000.0, 1500.0, 17.0),
        ("speck128/128", "fast", 2600.0, 900.0, 256.0),
    ];
    for (algorithm, variant, cycles, flash, ram) in choices {
        for (operation, factor) in [("encrypt", 1.0_f64), ("decrypt", 1.5)] {
            if (variant, operation) == ("tiny", "decrypt") {
                continue;
            }
            let seconds = cycles * factor / 16e6;
            for (metric, value) in [
                (Metric::Cycles, cycles * factor),
                (Metric::Time, seconds),
                (Metric::Energy, seconds * 0.005),
                (Metric::Stack, 60.0),
                (Metric::CpuShare, 100.0),
                (Metric::Flash, flash * factor.sqrt()),
                (Metric::Ram, ram),
            ] {
                rows.push(row(
                    algorithm,
                    variant,
                    operation,
                    metric,
                    value.round_to(metric),
                ));
            }
        }
    }
    rows.extend([Metric::Cycles, Metric::Flash].map(too_large));
    rows.push(leaky());
    rows
}

/// A row of an implementation that needs too much RAM.
fn too_large(metric: Metric) -> Row {
    let mut large = row("rsa-2048", "small", "decrypt", metric, 0.0);
    large.value = None;
    large.status = Status::DoesNotFit;
    large.cause = Some(Cause::OverBudget {
        excess: vec![Excess {
            memory: Memory::Ram,
            used: 3512,
            size: 2048,
            largest: Vec::new(),
        }],
    });
    large
}

/// A row of an implementation whose time depends on its secrets.
fn leaky() -> Row {
    let mut leaky = row(
        "x25519",
        "small",
        "shared-secret",
        Metric::Cycles,
        43_000_000.0,
    );
    leaky.bytes = None;
    leaky.status = Status::VariableTime;
    leaky.min = Some(42_900_000.0);
    leaky.max = Some(43_100_000.0);
    let taken = |count, input: &str| Taken {
        count,
        inputs: vec![input.to_owned()],
    };
    leaky.cause = Some(Cause::DependsOnInputs {
        counted: Counted::Cycles,
        least: taken(42_900_000.0, "00"),
        most: taken(43_100_000.0, "ff"),
    });
    leaky
}

trait RoundTo {
    fn round_to(self, metric: Metric) -> f64;
}

impl RoundTo for f64 {
    /// Rounds counts to whole numbers.
    fn round_to(self, metric: Metric) -> f64 {
        if matches!(metric, Metric::Time | Metric::Energy) {
            self
        } else {
            self.round()
        }
    }
}

pub fn checks() -> Vec<CheckLine> {
    let line = |source: &str, algorithm: &str, tried, failed: u64| CheckLine {
        source: source.to_owned(),
        algorithm: algorithm.to_owned(),
        variant: "fast".to_owned(),
        library: "selo".to_owned(),
        board: "uno".to_owned(),
        runner: "simavr".to_owned(),
        tried,
        passed: tried - failed,
        failed,
        available: tried * 2,
        first_failure: (failed > 0).then(|| "case 7: the third byte is 0x12, not 0x13".to_owned()),
    };
    vec![
        line("fips-197", "aes-128", 4, 0),
        line("aesavs-kat", "aes-128", 284, 1),
        line("constant-time", "aes-128", 1000, 0),
    ]
}

pub fn context() -> Context {
    let algorithm = |name: &str, interface: Interface, family: &str| AlgorithmNote {
        name: name.to_owned(),
        title: name.to_uppercase(),
        interface: Some(interface),
        family: family.to_owned(),
        bytes: Some(16),
    };
    Context {
        boards: vec![BoardNote {
            name: "uno".to_owned(),
            title: "Arduino Uno R3".to_owned(),
            power: vec![PowerNote {
                name: "albarello2020".to_owned(),
                text: "5 V, 1 mA above idle; invented".to_owned(),
            }],
            flash: Some(32_768),
            ram: Some(2048),
        }],
        algorithms: vec![
            algorithm("aes-128", Interface::BlockCipher, "aes"),
            algorithm("speck128/128", Interface::BlockCipher, "speck"),
            algorithm("sha-256", Interface::Hash, "sha-2"),
            algorithm("x25519", Interface::Dh, "x25519"),
            algorithm("rsa-2048", Interface::PublicKey, "rsa"),
        ],
        libraries: Vec::new(),
    }
}
