//! The cost of one sealed reading of 16 bytes by each way to a server: the paper's protocol, Selo's
//! link and TLS 1.3. The cost is given for a single reading, and for one of a day's readings.
//!
//! The link's bytes are those of its frames (`selo-link`). Its cycles, memory and flash come from
//! measured rows on the Uno. The figures of the paper's protocol are sums over the rows of its
//! parts. TLS is counted on the wire and measured in rows of this crate.

mod cost;
mod rows;
mod table;
mod uno;

use serde_json::Value;

pub use self::cost::{Computing, Cost, Memory, Way};
pub use self::table::{Chip, picture, table};
pub use self::uno::baseline;
use crate::row::Row;

/// The ways, for `readings` a day. `suite` is the link's.
pub fn ways(file: &Value, suite: &str, rows: &[Row], readings: u32) -> Vec<Way> {
    let n = f64::from(readings.max(1));
    let mut ways = vec![uno::classic(file, n)];
    ways.extend(uno::link(file, suite, n));
    ways.extend(self::rows::link(rows, suite, n));
    ways.extend(self::rows::tls(rows, n));
    ways
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;

    use selo_engine::energy::PowerProfile;

    use super::*;
    use crate::row::record::tests::sample;
    use crate::row::{Counted, Experiment, TlsTimes};

    fn tls_row(handshake: &str, sent: u64) -> Row {
        let mut row = sample("TLS_AES_128_GCM_SHA256", 0, 1);
        row.unit.experiment = Experiment::Tls;
        row.unit.group = Some("x25519".into());
        row.unit.handshake = Some(handshake.into());
        row.stamps = None;
        row.sent = sent;
        row.received = 100;
        row.tls = Some(TlsTimes {
            handshake_trips: 1,
            exchange_trips: 1,
            handshake_cpu: 1_000_000,
            ..TlsTimes::default()
        });
        row
    }

    fn kept() -> Value {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/baseline/uno.json");
        baseline(&path).expect("it is in the tree")
    }

    fn of(rows: &[Row]) -> Vec<Way> {
        ways(&kept(), "chachapoly-blake2s", rows, 10)
    }

    fn last(rows: &[Row]) -> Way {
        of(rows).pop().expect("a way")
    }

    /// A row of a client on an emulated board: a full handshake, with its memory.
    fn counted_row() -> Row {
        let mut counted = tls_row("full", 1000);
        counted.unit.device = Some("esp8266".into());
        let tls = counted.tls.as_mut().expect("it is one of TLS");
        tls.instructions = Some(Counted {
            handshake: 200_000_000,
            exchange: 50_000,
        });
        (tls.variables, tls.heap, tls.stack) = (Some(4_000), Some(70_000), Some(10_000));
        tls.memory = Some(81_920);
        counted
    }

    #[test]
    fn a_day_shares_what_comes_before_the_reading() {
        let rows = [tls_row("full", 1000), tls_row("resumed", 500)];
        let all = of(&rows);
        let way = |name: &str| {
            let found = all.iter().find(|way| way.name.starts_with(name));
            found.unwrap_or_else(|| panic!("no {name}"))
        };
        // docs/protocol.md: 29 bytes, 58 + 58, 38 + 37 + 53 + 21.
        assert_eq!(way("link, in").alone.bytes(), 29.0);
        assert_eq!(way("link, join").alone.bytes(), 145.0);
        assert!((way("link, join").of_a_day.bytes() - (116.0 / 10.0 + 29.0)).abs() < 1e-9);
        assert_eq!(way("link, pair").alone.bytes(), 149.0 + 145.0);
        assert_eq!(way("link, pair").alone.sent, 38.0 + 53.0 + 58.0 + 29.0);
        // As selo-link's test both_ends_have_the_same_key counts: 1,082 and 1,088 bytes, 35 answers.
        let hybrid = way("link, hybrid").alone;
        assert_eq!(hybrid.sent, 1082.0 + 58.0 + 29.0);
        assert_eq!((hybrid.received, hybrid.trips), (1088.0 + 58.0, 36.0));
        assert!(matches!(hybrid.computing, Computing::Cycles(c) if c > 5e7));
        // 5,225,205 + 12,683,635 + 95,502 + 1,166, and two blocks of 3,164 and 3,094.
        let classic = way("classic").alone.computing;
        assert!(matches!(classic, Computing::Cycles(c) if (1.5e7..2.5e7).contains(&c)));
        assert!(matches!(way("link, join").alone.computing, Computing::Cycles(c) if c > 1e6));
        let full = way("TLS 1.3, TLS_AES_128_GCM_SHA256, x25519, full");
        assert_eq!((full.alone.bytes(), full.alone.trips), (1100.0, 3.0));
        assert_eq!(full.alone.computing, Computing::Seconds(0.001));
        let resumed = way("TLS 1.3, TLS_AES_128_GCM_SHA256, x25519, resumed");
        assert!((resumed.of_a_day.sent - (1000.0 + 9.0 * 500.0) / 10.0).abs() < 1e-9);
        assert!(picture(&all, 10).standalone().contains("link, join"));
    }

    #[test]
    fn an_emulated_client_has_instructions_and_memory() {
        let emulated = last(&[counted_row()]);
        assert_eq!(emulated.alone.computing, Computing::Instructions(200.05e6));
        assert_eq!(emulated.memory.ram, Some(74_000.0));
        assert_eq!(emulated.memory.exceeded, Some(81_920.0));
    }

    /// Modelled cycles appear with the instructions, with the energy by the board's own profile,
    /// and with the caution.
    #[test]
    fn modelled_cycles_have_an_energy_and_a_caution() {
        let mut modelled = counted_row();
        modelled.caution = Some("cycle model m3: off".into());
        let tls = modelled.tls.as_mut().expect("it is one of TLS");
        tls.cycles = Some(Counted {
            handshake: 300_000_000,
            exchange: 100_000,
        });
        let modelled = last(&[modelled]);
        let computing = Computing::Modelled {
            instructions: 200.05e6,
            cycles: 300.1e6,
        };
        assert_eq!(modelled.alone.computing, computing);
        assert_eq!(modelled.of_a_day.computing, computing);
        let power = PowerProfile {
            name: "sheet".into(),
            source: "a data sheet".into(),
            supply_volts: 2.0,
            active_milliamps: 6.0,
            idle_milliamps: 1.0,
            radio: None,
            power_down_milliamps: None,
            note: None,
        };
        let chip = Chip {
            clock_hz: 100e6,
            power: &power,
        };
        let shown = table(&[modelled], 10, &BTreeMap::from([("esp8266", chip)])).to_markdown();
        // 300.1e6 cycles take 3.001 s at 10 mW.
        for words in [
            "| 300 |",
            "| 30.0 |",
            "esp8266: sheet at 100 MHz",
            "esp8266: cycle model m3: off.",
        ] {
            assert!(shown.contains(words), "no {words}:\n{shown}");
        }
    }

    #[test]
    fn a_client_that_resumes_has_made_a_full_handshake_before() {
        let counted = counted_row();
        let mut short = counted.clone();
        short.unit.handshake = Some("resumed".into());
        short.sent = 700;
        let tls = short.tls.as_mut().expect("it is one of TLS");
        tls.instructions = Some(Counted {
            handshake: 40_000_000,
            exchange: 100_000,
        });
        (tls.variables, tls.heap, tls.stack) = (Some(5_000), Some(60_000), Some(11_000));
        (tls.flash, tls.memory) = (Some(150_000), Some(86_000));
        let resumes = last(&[counted.clone(), short.clone()]);
        assert!(resumes.name.contains("resumed") && resumes.on == "esp8266");
        assert_eq!(resumes.alone.computing, Computing::Instructions(40.1e6));
        let day = (200.05e6 + 9.0 * 40.1e6) / 10.0;
        assert_eq!(resumes.of_a_day.computing, Computing::Instructions(day));
        // Its own variables and flash, plus the heap of the earlier full handshake; without that
        // heap it would fit.
        assert_eq!(resumes.memory.flash, Some(150_000.0));
        assert_eq!(resumes.memory.ram, Some(75_000.0));
        assert_eq!(resumes.memory.stack, Some(11_000.0));
        assert_eq!(resumes.memory.exceeded, None);
        let tls = short.tls.as_mut().expect("it is one of TLS");
        tls.memory = Some(85_999);
        let full_does_not_fit = last(&[counted, short.clone()]);
        assert_eq!(full_does_not_fit.memory.exceeded, Some(85_999.0));
        let alone = last(&[short]);
        assert_eq!(alone.memory.exceeded, None);
        assert_eq!(alone.memory.ram, Some(65_000.0));
        assert!(alone.note.contains("No row of the day's full handshake"));
    }
}
