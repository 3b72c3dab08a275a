//! Every sentence of schema 1 becomes the matching cause of a current row. Most read the same.

use super::super::{Fidelity, Metric};
use super::*;

/// A line as the first version of the instrument wrote it, with the first field names.
const LINE: &str = r#"{"schema":"selo.measurement/1","run":"2026-11-21-uno","board":"uno","mcu":"atmega328p","clock_hz":16000000,"runner":"simavr","fidelity":"cycle-exact","compiler":"avr-gcc (GCC) 5.4.0","flags":"-Os -std=c11","contender":"selo","contender_version":"0.1.0","algorithm":"aes-128","strategy":"fast","variant":"avr-gcc -O2","operation":"encrypt","bytes":16,"metric":"energy","unit":"J","value":6.96e-7,"samples":10,"min":6.96e-7,"max":6.96e-7,"mean":6.96e-7,"sd":null,"ci95":null,"status":"ok","reason":"power profile albarello2020","firmware_sha256":"ab","commit":"3c6f8c1"}"#;

fn old(status: &str, reason: &str) -> Row {
    let value = match status {
        "ok" | "variable-time" => "6.96e-7",
        _ => "null",
    };
    let reason = serde_json::to_string(reason).expect("a string");
    let line = LINE
        .replace(r#""status":"ok""#, &format!(r#""status":"{status}""#))
        .replace(r#""power profile albarello2020""#, &reason)
        .replace(r#""value":6.96e-7"#, &format!(r#""value":{value}"#));
    read(&line).expect("a row of schema 1")
}

#[test]
fn the_fields_have_todays_names() {
    let row = read(LINE).expect("a row of schema 1");
    assert_eq!(row.schema, SCHEMA);
    assert_eq!(
        (row.library.as_str(), row.library_version.as_str()),
        ("selo", "0.1.0")
    );
    assert_eq!(
        (row.variant.as_str(), row.sweep.as_deref()),
        ("fast", Some("avr-gcc -O2"))
    );
    assert_eq!(
        (row.metric, row.fidelity),
        (Metric::Energy, Fidelity::CycleExact)
    );
    assert_eq!(row.cause, None);
    let name = "albarello2020".to_owned();
    assert_eq!(row.notes, [Note::PowerProfile { name }]);
    // A row in the current schema reads the same.
    let line = crate::store::to_line(&row);
    assert_eq!(read(&line).expect("a row of today"), row);
}

#[test]
fn the_last_rows_of_schema_1_have_todays_names_already() {
    let line = LINE
        .replace(r#""variant":"avr-gcc -O2","#, "")
        .replace("contender", "library")
        .replace("strategy", "variant");
    let row = read(&line).expect("a row of schema 1");
    assert_eq!(
        (row.library.as_str(), row.variant.as_str()),
        ("selo", "fast")
    );
    assert_eq!(row.sweep, None);
}

#[test]
fn a_row_of_another_shape_is_refused() {
    assert!(read(&LINE.replace(r#""board":"uno","#, "")).is_err());
    assert!(read(&LINE.replace(r#""contender":"selo","#, "")).is_err());
    assert!(read("{}").is_err());
}

#[test]
fn every_sentence_becomes_a_typed_cause_that_reads_the_same() {
    let sentences = [
        ("failed", "does not build: x.c:3:1: error: no"),
        (
            "failed",
            "fips197: aes-128/1: wrong output: 00, expected 01",
        ),
        (
            "failed",
            "after the timing: fips197: aes-128/1: wrong output",
        ),
        (
            "failed",
            "decrypting what was encrypted does not give the message back",
        ),
        (
            "does-not-fit",
            "RAM: 3512 bytes of 2048, 1464 over; largest: m 2048, t 3",
        ),
        (
            "does-not-fit",
            "with the agent that runs it: flash: 40000 bytes of 32768, 7232 over; largest: t 9; RAM: 3512 bytes of 2048, 1464 over; largest: m 2048",
        ),
        (
            "does-not-fit",
            "the stack runs into the variables: fault (stack-collision at 0x12)",
        ),
        (
            "does-not-fit",
            "heap-exhausted: less RAM is left than the operation asks for",
        ),
        ("crashed", "crash at pc 0x1a2"),
        ("crashed", "lost"),
        (
            "over-limit",
            "over the limit of 4000 million cycles: raise --limit, unless it hangs (cycle-limit at pc 0x1a2)",
        ),
        (
            "over-limit",
            "after the timing: fips197: aes-128/1: over the limit of 10 million instructions: raise --limit, unless it hangs (instruction-limit)",
        ),
        (
            "over-limit",
            "round trip: over the limit of 10 million cycles: raise --limit, unless it hangs (cycle-limit at pc 0x2)",
        ),
        ("not-supported", "selo aes-128 fast has no decrypt"),
        (
            "not-supported",
            "the cycle model m0 has 3 of the 5 figures that it needs; see: selo lab calibration --board uno",
        ),
        (
            "not-supported",
            "there are no power figures in the board file",
        ),
        ("not-supported", "the counter wrapped during 'encrypt'"),
        (
            "variable-time",
            "power profile p; time depends on the inputs: 1 cycles for 00 ff, 2.5 cycles for 01 fe",
        ),
        (
            "variable-time",
            "cycle model core (no wait states): -10.0 to +5.0 % off 5 public figures, half of them by less than 3.0 %; the path depends on the inputs: 1 instructions for 00, 2 instructions for 01",
        ),
        (
            "ok",
            "10 seeds, each as long as its search takes; counted in steps of 8 cycles",
        ),
    ];
    for (status, sentence) in sentences {
        let row = old(status, sentence);
        assert_eq!(row.reason().as_deref(), Some(sentence));
        let said = |cause: &Cause| matches!(cause.root(), Cause::Said { .. });
        assert!(!row.cause.as_ref().is_some_and(said), "{sentence}: {row:?}");
        let said = |note: &Note| matches!(note, Note::Said { .. });
        assert!(!row.notes.iter().any(said), "{sentence}: {row:?}");
        if let Some(cause) = &row.cause {
            assert_eq!(cause.status(), row.status, "{sentence}");
        }
        let again = read(&crate::store::to_line(&row)).expect("a row of today");
        assert_eq!(again, row);
    }
}

#[test]
fn a_sentence_whose_words_have_changed_becomes_the_same_cause() {
    let sentences = [
        (
            "the power profile p says nothing of a radio",
            "the power profile p has no radio figures",
        ),
        (
            "the board's counter wraps however slowly it runs",
            "the board's counter wraps even at its slowest rate",
        ),
        (
            "a whole firmware runs on simavr, which keeps its pace",
            "a whole firmware runs only on the runner simavr",
        ),
        (
            "this runner counts no cycles",
            "this runner does not count cycles",
        ),
    ];
    for (then, now) in sentences {
        let row = old("not-supported", then);
        assert_eq!(row.reason().as_deref(), Some(now));
    }
}

#[test]
fn a_sentence_that_nothing_stands_for_is_kept() {
    for status in [
        "failed",
        "does-not-fit",
        "over-limit",
        "not-supported",
        "variable-time",
    ] {
        let row = old(status, "the moon was full");
        assert_eq!(row.reason().as_deref(), Some("the moon was full"));
    }
    assert_eq!(
        old("ok", "it rained").notes,
        [Note::Said {
            text: "it rained".into()
        }]
    );
}

#[test]
fn causes_have_their_numbers() {
    let over = "with the agent that runs it: RAM: 3512 bytes of 2048, 1464 over; largest: m 2048";
    let cause = |status, text| old(status, text).cause.expect("it has one");
    assert_eq!(cause("does-not-fit", over).bytes_over(), Some(1464));
    let limit = "over the limit of 4000 million cycles: raise --limit, unless it hangs (cycle-limit at pc 0x1)";
    assert_eq!(cause("over-limit", limit).limit(), Some(4_000_000_000));
}
