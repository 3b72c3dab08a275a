//! Checks that the notes in `lab/papers/` about published figures follow from the figures.

use crate::support::{paper, papers, printed};
use selo_report::paper::{Expression, MeasuredBy};

fn near(a: f64, b: f64, within: f64) {
    assert!((a - b).abs() <= within, "{a} is not {b} within {within}");
}

/// The power in milliwatts, from an energy in nWh and a time in ms.
fn milliwatts(nanowatt_hours: f64, milliseconds: f64) -> f64 {
    nanowatt_hours * 3.6 / milliseconds
}

const UNO_ROWS: [&str; 12] = [
    "AES128: Encrypt",
    "AES128: Decrypt",
    "AES192: Encrypt",
    "AES192: Decrypt",
    "AES256: Encrypt",
    "AES256: Decrypt",
    "SHA256",
    "SHA512",
    "SHA3-256",
    "SHA3-512",
    "x25519:dh1",
    "x25519:dh2",
];

#[test]
fn every_paper_reads() {
    let all = selo_report::paper::read_all(&papers()).unwrap_or_else(|error| panic!("{error}"));
    let names: Vec<&str> = all.iter().map(|paper| paper.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "albarello2020",
            "ferreira2020",
            "ferreira2021",
            "ramalho2024",
            "rocha-securino"
        ]
    );
    for paper in &all {
        assert!(!paper.notes.is_empty() && !paper.authors.is_empty());
    }
}

#[test]
fn albarello2020_times_have_the_step_of_a_16_mhz_clock() {
    let paper = paper("albarello2020");
    near(
        printed(&paper, "table-1", "Clock", "Arduino Uno R3"),
        20.0,
        0.0,
    );
    let mut distinct = std::collections::BTreeSet::new();
    for row in UNO_ROWS {
        let microseconds = (printed(&paper, "table-2-time", row, "Arduino") * 1e3).round() as u64;
        assert_eq!(microseconds % 4, 0, "{row}");
        distinct.insert(microseconds);
    }
    assert_eq!(distinct.len(), 11);
}

#[test]
fn albarello2020_sha_energies_stand_in_the_wrong_rows() {
    let paper = paper("albarello2020");
    let time = |row| printed(&paper, "table-2-time", row, "Arduino");
    let energy = |row| printed(&paper, "table-2-energy", row, "Arduino");
    for row in UNO_ROWS {
        let power = milliwatts(energy(row), time(row));
        if row.starts_with("SHA") {
            assert!((power - 5.0).abs() > 1.0, "{row} fits: {power}");
        } else {
            // Equal to the last printed digit: 0.0005 nWh.
            near(energy(row), 5.0 * time(row) / 3.6, 0.0005);
        }
    }
    // All four fit if the rows are in the order SHA3-256, SHA3-512, SHA256, SHA512.
    for (energy_of, time_of) in [
        ("SHA256", "SHA3-256"),
        ("SHA512", "SHA3-512"),
        ("SHA3-256", "SHA256"),
        ("SHA3-512", "SHA512"),
    ] {
        near(energy(energy_of), 5.0 * time(time_of) / 3.6, 0.0005);
    }
}

#[test]
fn albarello2020_esp32_powers() {
    let paper = paper("albarello2020");
    let power = |row, column| {
        milliwatts(
            printed(&paper, "table-2-energy", row, column),
            printed(&paper, "table-2-time", row, column),
        )
    };
    near(power("x25519:dh1", "ESP32 without accelerator"), 8.4, 0.05);
    near(
        power("AES128: Encrypt", "ESP32 without accelerator"),
        8.4,
        0.05,
    );
    let with = "ESP32 with accelerator";
    near(power("AES128: Encrypt", with), 90.0, 0.5);
    near(power("SHA512", with), 88.0, 0.5);
    near(power("RSA: Gen Key", with), 123.0, 0.5);
    near(power("RSA: Encrypt", with), 179.0, 0.5);
    near(power("RSA: Decrypt", with), 179.0, 0.5);
}

#[test]
fn albarello2020_protocol_includes_the_gateways_key() {
    let paper = paper("albarello2020");
    let time = |row, column| printed(&paper, "table-2-time", row, column);
    let total = |row| printed(&paper, "table-5", row, "Time");
    near(
        time("x25519:dh1", "Arduino") + time("x25519:dh2", "Arduino") + time("SHA3-256", "Arduino"),
        7704.0,
        0.5,
    );
    near(total("RPi + Arduino") - total("PC + Arduino"), 584.0, 0.5);
    near(total("RPi + ESP32") - total("PC + ESP32"), 556.0, 0.5);
    near(
        time("x25519:dh1", "RPi-3") - time("x25519:dh1", "PC"),
        535.0,
        0.5,
    );
}

#[test]
fn ramalho2024_times_are_means_of_five_readings() {
    let paper = paper("ramalho2024");
    let speck = |row| printed(&paper, "figure-2", row, "Transmitter");
    for row in ["Speck 128", "Speck 192", "Speck 256"] {
        let steps = speck(row) / 0.8;
        near(steps, steps.round(), 1e-9);
    }
    near(
        speck("Speck 192") - speck("Speck 128"),
        printed(&paper, "time-growth", "Speck 192", "Transmitter"),
        1e-9,
    );
    near(
        speck("Speck 256") - speck("Speck 128"),
        printed(&paper, "time-growth", "Speck 256", "Transmitter"),
        1e-9,
    );
    near(speck("Speck 128") / 32.0, 5.1, 0.05);
    // AES compared with albarello2020, which uses the same library.
    let other = crate::support::paper("albarello2020");
    for (ours, theirs) in [
        ("AES 128", "AES128: Encrypt"),
        ("AES 192", "AES192: Encrypt"),
        ("AES 256", "AES256: Encrypt"),
    ] {
        let ratio = speck(ours) / 1e3 / printed(&other, "table-2-time", theirs, "Arduino");
        assert!((1.0..1.02).contains(&ratio), "{ratio}");
    }
    // 3.4 transmissions a second are impossible if one takes 0.480 s.
    assert!(printed(&paper, "throughput", "PlainText", "Transmitter") > 1.0 / 0.480);
}

/// Every cell, drawn, printed or left out, is compared with a row of the node. The only
/// exception is the current at rest, which is taken from the paper.
#[test]
fn ramalho2024_is_measured_in_every_cell() {
    let paper = paper("ramalho2024");
    let mut nothing = Vec::new();
    for table in &paper.tables {
        for cell in &table.cells {
            let variants = |expression: &Expression| {
                assert_eq!(expression.algorithm, "node", "{} {}", table.id, cell.row);
                expression.variant.clone().expect("a cipher or none")
            };
            match &cell.measured_by {
                MeasuredBy::Nothing { reason } => nothing.push((cell.row.as_str(), reason)),
                MeasuredBy::Value(value) => {
                    // A row with the name of a candidate is measured in that candidate's variant.
                    let name = paper.candidates.iter().find(|c| c.name == cell.row);
                    if let Some(candidate) = name {
                        assert_eq!(candidate.variant, variants(value), "{}", table.id);
                    }
                }
                MeasuredBy::Quotient(value, by) | MeasuredBy::Difference(value, by) => {
                    assert_ne!(variants(value), variants(by));
                }
                MeasuredBy::Winner { .. } => {}
                other => panic!("{}: {other:?}", table.id),
            }
        }
    }
    assert_eq!(nothing.len(), 1, "{nothing:?}");
    assert_eq!(nothing[0].0, "At rest, 10 s at 6 uA");
    // Eighteen ciphers and no cipher, in each table that has all of them.
    assert_eq!(paper.candidates.len(), 18);
    for id in [
        "throughput",
        "battery-life",
        "figure-4-flash",
        "figure-4-sram",
    ] {
        let table = paper.tables.iter().find(|table| table.id == id);
        assert_eq!(table.expect("a table").cells.len(), 2 * 19, "{id}");
    }
}

/// The two energies of section 4 follow from its currents, which the profile uses.
#[test]
fn ramalho2024_energies_follow_from_its_currents() {
    let paper = paper("ramalho2024");
    let energy = |row| printed(&paper, "node-energy", row, "Node");
    let microwatt_hours = |amperes: f64, seconds: f64| 12.0 * amperes * seconds / 3.6e-3;
    near(
        energy("At rest, 10 s at 6 uA"),
        microwatt_hours(6e-6, 10.0),
        5e-3,
    );
    let transmission = energy("One transmission, 0.480 s at 14 uA");
    near(transmission, microwatt_hours(14e-6, 0.480), 5e-3);
    // In these 0.480 s: the energy at rest, and the total energy.
    near(microwatt_hours(6e-6, 0.480), 0.0096, 5e-5);
    near(microwatt_hours(14e-6, 0.480), 0.0224, 5e-5);
}

#[test]
fn rocha_securino_sums() {
    let paper = paper("rocha-securino");
    near(
        (printed(&paper, "does-not-fit", "Ptolemy-XV", "RAM used") / 20.48).round(),
        262.0,
        0.0,
    );
    near(
        printed(&paper, "does-not-fit", "Ptolemy-XV", "RAM used") - 2048.0,
        3317.0,
        0.0,
    );
    let other = "Arduino-AES (DanielVukelich)";
    near(
        printed(&paper, "does-not-fit", other, "RAM used") - 2048.0,
        658.0,
        0.0,
    );
    let cycles = |column| printed(&paper, "figure-2", "AESLib", column);
    near(cycles("Encrypt") + cycles("Decrypt"), 9759.0, 0.0);
    near(9759.0 - cycles("Both"), 43.0, 0.0);
}
