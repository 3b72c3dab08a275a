//! Tests of pairs: how sides are read, and which figures have a ratio.

use super::*;
use crate::sample;

fn side(text: &str) -> Side {
    Side::parse(text).unwrap_or_else(|error| panic!("{error}"))
}

fn row(board: &str, metric: Metric, value: f64, fidelity: Fidelity) -> Row {
    let mut row = sample::row("aes-128", "fast", "encrypt", metric, value);
    row.board = board.to_owned();
    row.mcu = board.to_owned();
    row.fidelity = fidelity;
    row
}

fn line(rows: &[Row], metric: Metric) -> PairLine {
    let (left, right) = (side("a:selo:aes-128"), side("b:selo:aes-128:fast"));
    let pair = compare(&left, &right, rows, &Context::default()).expect("rows of both");
    let found = pair.lines.iter().find(|line| line.metric == metric);
    found.expect("the metric").clone()
}

#[test]
fn sides_are_read_both_ways() {
    assert_eq!(
        side("uno:selo:speck128/128:tiny"),
        side("library=selo,board=uno,variant=tiny,algorithm=speck128/128")
    );
    for bad in [
        "uno",
        "uno:selo",
        "a:b:c:d:e",
        "board=uno",
        "bored=uno,library=a",
    ] {
        assert!(Side::parse(bad).is_err(), "{bad}");
    }
}

#[test]
fn exact_figures_have_an_exact_ratio_and_fidelities_are_told() {
    let rows = [
        row("a", Metric::Cycles, 2228.0, Fidelity::CycleExact),
        row("b", Metric::Cycles, 1114.0, Fidelity::CycleModel),
        row("a", Metric::Flash, 300.0, Fidelity::CycleExact),
        row("b", Metric::Flash, 100.0, Fidelity::WallClock),
    ];
    let cycles = line(&rows, Metric::Cycles);
    let ratio = cycles.ratio.expect("a ratio");
    assert_eq!((ratio.value, ratio.low, ratio.high), (2.0, 2.0, 2.0));
    assert_eq!(cycles.note.as_deref(), Some("cycle-exact over cycle-model"));
    let flash = line(&rows, Metric::Flash);
    assert_eq!(flash.ratio.map(|ratio| ratio.value), Some(3.0));
    assert_eq!(flash.note, None);
}

#[test]
fn instructions_and_cycles_make_no_ratio() {
    let rows = [
        row("a", Metric::Cycles, 2228.0, Fidelity::CycleExact),
        row("b", Metric::Instructions, 900.0, Fidelity::Instructions),
    ];
    for metric in [Metric::Cycles, Metric::Instructions] {
        let line = line(&rows, metric);
        assert_eq!(line.ratio, None);
        assert!(line.note.expect("a note").contains("give no ratio"));
    }
}

#[test]
fn what_varies_has_an_interval() {
    let timed = |board: &str, value: f64| Row {
        sd: Some(0.1),
        ci95: Some(0.02),
        samples: 100,
        ..row(board, Metric::Time, value, Fidelity::WallClock)
    };
    let found = line(&[timed("a", 2.0), timed("b", 1.0)], Metric::Time);
    let ratio = found.ratio.expect("a ratio");
    assert!(ratio.low < 2.0 && 2.0 < ratio.high && ratio.high < 2.1);
}

#[test]
fn a_side_without_rows_is_named() {
    let rows = [row("a", Metric::Cycles, 1.0, Fidelity::CycleExact)];
    let (left, right) = (side("a:selo:aes-128"), side("b:selo:aes-128:tiny"));
    let missing = compare(&left, &right, &rows, &Context::default()).expect_err("refused");
    assert_eq!(missing, ["b:selo:aes-128:tiny"]);
}
