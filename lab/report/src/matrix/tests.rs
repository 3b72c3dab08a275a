use selo_engine::row::cause::{Caution, Excess, Memory, ModelError, Step};
use selo_engine::row::{Cause, Note, Status};

use super::*;
use crate::sample;
use crate::table::TerminalStyle;

fn matrix(rows: &[Row], boards: &[&str]) -> Matrix {
    let boards: Vec<String> = boards.iter().map(|&b| b.to_owned()).collect();
    // No library offers the small variant on the second board.
    let offers =
        |board: &str, _: &str, _: &str, variant: &str| board == "uno" || variant != "small";
    Matrix::new(rows, &boards, &offers, &|_, _| None, &sample::context())
}

/// Cycles on one board, instructions on another, and an image that does not fit there.
fn on_two_boards() -> [Row; 3] {
    let cycles = sample::row("aes-128", "fast", "encrypt", Metric::Cycles, 2228.0);
    let mut counted = sample::row("aes-128", "fast", "encrypt", Metric::Instructions, 700.0);
    (counted.board, counted.fidelity) = ("emulated".into(), Fidelity::Instructions);
    // An image that does not fit has a row for every requested metric.
    let mut large = cycles.clone();
    (large.board, large.status) = ("emulated".into(), Status::DoesNotFit);
    (large.library, large.value) = ("large".into(), None);
    [cycles, counted, large]
}

#[test]
fn a_board_that_lacks_a_metric_has_no_column_of_it() {
    let rows = on_two_boards();
    let boards = ["uno", "emulated", "other"].map(str::to_owned);
    let lacks = |board: &str, metric: Metric| match (board, metric) {
        ("uno", Metric::Instructions) => Some("cycles are counted".to_owned()),
        ("emulated", Metric::Cycles) => Some("instructions are counted".to_owned()),
        ("other", Metric::Cycles) => Some("instructions are counted".to_owned()),
        _ => None,
    };
    let arranged = |lacks: Lacks<'_>| {
        Matrix::new(
            &rows,
            &boards,
            &|_, _, _, _| true,
            lacks,
            &sample::context(),
        )
    };
    let matrix = arranged(&lacks);
    let tables = matrix.tables();
    let heads = |table: &Table| -> Vec<String> {
        let names = table.columns.iter().map(|column| column.head.clone());
        names.filter(|name| boards.contains(name)).collect()
    };
    assert_eq!(heads(&tables[0]), ["uno"]);
    assert_eq!(
        tables[0].remarks,
        ["Without cycles: emulated, other (instructions are counted)."]
    );
    assert_eq!(heads(&tables[1]), ["emulated", "other"]);
    assert_eq!(
        tables[1].remarks,
        ["Without instructions: uno (cycles are counted)."]
    );
    // Each figure is in the column of its board.
    let figure = |table: &Table, board: &str| {
        let at = table.columns.iter().position(|column| column.head == board);
        let mine = |line: &&Vec<Cell>| line.iter().any(|cell| cell.text == "selo");
        let line = table.body.iter().find(mine).expect("a line");
        line[at.expect("a column")].value
    };
    assert_eq!(figure(&tables[0], "uno"), Some(2228.0));
    assert_eq!(figure(&tables[1], "emulated"), Some(700.0));
    assert_eq!(figure(&tables[1], "other"), None);
    // All cells still exist, and the empty ones have a reason.
    assert_eq!(matrix.cells().count(), 9);
    let silent = |cell: &&MatrixCell| cell.value.is_none() && cell.reason.is_none();
    let silent: Vec<_> = matrix.cells().filter(silent).collect();
    assert!(
        silent
            .iter()
            .all(|cell| cell.board == "other" || cell.library == "large")
    );
    // A board with a figure keeps its column, whatever `lacks` returns.
    let tables = arranged(&|_, _| Some("nothing is known".to_owned())).tables();
    assert_eq!(heads(&tables[0]), ["uno"]);
    assert_eq!(heads(&tables[1]), ["emulated"]);
    // Without such boards, every board has its column.
    assert_eq!(heads(&arranged(&|_, _| None).tables()[0]), boards);
}

#[test]
fn what_was_not_waited_for_says_so() {
    let mut row = sample::row("aes-128", "fast", "encrypt", Metric::Cycles, 1.0);
    (row.status, row.value) = (Status::OverLimit, None);
    let matrix = matrix(&[row], &["uno"]);
    assert_eq!(matrix.counts(), [(State::OverLimit, 1)]);
    let text = matrix.tables()[0].to_terminal(TerminalStyle::default());
    assert!(text.contains("over the limit"), "{text}");
}

#[test]
fn the_legend_says_how_far_a_model_is_off() {
    let mut row = sample::row("aes-128", "fast", "encrypt", Metric::Energy, 1e-6);
    row.fidelity = Fidelity::CycleModel;
    let caution = Caution {
        model: "core".into(),
        memory: "no wait states".into(),
        error: ModelError {
            figures: 5,
            lowest: -1.0,
            highest: 2.0,
            half_within: 1.0,
        },
    };
    let name = "p".to_owned();
    row.notes = vec![
        Note::PowerProfile { name },
        Note::Model(caution.clone()),
        Note::Steps { cycles: 3 },
    ];
    let caution = caution.to_string();
    let legend = matrix(&[row.clone()], &["uno"]).legend();
    assert!(legend.ends_with(&format!(". {caution}")), "{legend}");
    // A row of another fidelity, or without a figure, adds no caution.
    let mut exact = row.clone();
    exact.fidelity = Fidelity::CycleExact;
    row.value = None;
    for other in [exact, row] {
        assert!(!matrix(&[other], &["uno"]).legend().contains(&caution));
    }
}

#[test]
fn every_cell_has_a_figure_or_says_why_not() {
    let mut rows = vec![
        sample::row("aes-128", "fast", "encrypt", Metric::Cycles, 2228.0),
        sample::row("aes-128", "small", "encrypt", Metric::Cycles, 2903.0),
    ];
    let mut other = rows[0].clone();
    other.library = "other".into();
    other.status = Status::DoesNotFit;
    other.value = None;
    let excess = Excess {
        memory: Memory::Flash,
        used: 40_000,
        size: 32_768,
        largest: Vec::new(),
    };
    let over = Cause::OverBudget {
        excess: vec![excess],
    };
    other.cause = Some(over.at(Step::WithAgent));
    let mut wrong = rows[0].clone();
    (wrong.library, wrong.status, wrong.value) = ("wrong".into(), Status::Failed, None);
    let mut refused = wrong.clone();
    refused.library = "refused".into();
    refused.cause = Some(Cause::DoesNotBuild {
        message: "error: no".into(),
    });
    let mut elsewhere = rows[0].clone();
    (elsewhere.board, elsewhere.fidelity) = ("esp".into(), Fidelity::CycleModel);
    elsewhere.value = Some(700.0);
    rows.extend([other, wrong, refused, elsewhere]);
    let matrix = matrix(&rows, &["uno", "esp"]);
    let tables = matrix.tables();
    assert_eq!(tables.len(), 1);
    let text = tables[0].to_terminal(TerminalStyle::default());
    let lines: Vec<String> = text
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    let line = |with: &str| {
        let found = lines.iter().find(|line| line.contains(with));
        found
            .unwrap_or_else(|| panic!("no {with} in {text}"))
            .clone()
    };
    assert_eq!(
        line("selo fast"),
        "encrypt 16 selo fast 2,228 cycles = 700 cycles ≈"
    );
    assert!(line("small").ends_with("2,903 cycles = not offered"));
    assert!(line("other").ends_with("does not fit: 7,232 over not measured"));
    assert!(line("wrong").ends_with("wrong not measured"));
    assert!(line("refused").ends_with("does not build not measured"));
    assert!(matrix.legend().contains("≈ cycle-model"));
    assert_eq!(matrix.cells().count(), 10);
    assert!(matrix.to_csv().lines().count() == 11);
}

#[test]
fn a_picture_has_the_best_variant_of_each_library_and_says_why_there_is_no_figure() {
    let mut rows = on_two_boards().to_vec();
    let slower = sample::row("aes-128", "small", "encrypt", Metric::Cycles, 5000.0);
    let mut other = sample::row("aes-128", "fast", "encrypt", Metric::Cycles, 4456.0);
    other.library = "other".into();
    // The column of a board that counts cycles has no instructions.
    let flash = sample::row("aes-128", "fast", "encrypt", Metric::Flash, 1234.0);
    rows.extend([slower, other, flash]);
    let lacks = |board: &str, metric: Metric| {
        let is_it = board == "emulated" && metric == Metric::Instructions;
        (!is_it).then(|| "it counts instructions".to_owned())
    };
    let boards = ["uno", "emulated"].map(str::to_owned);
    let matrix = Matrix::new(
        &rows,
        &boards,
        &|_, _, _, _| true,
        &lacks,
        &sample::context(),
    );
    let picture = matrix.picture("AES").expect("there are figures");
    let drawn = picture.standalone();
    for text in [">2,228<", ">4,456<", ">700<", "cycles =", "instructions #"] {
        assert!(drawn.contains(text), "{text}: {drawn}");
    }
    for text in ["5,000", "1,234"] {
        assert!(!drawn.contains(text), "{text}: {drawn}");
    }
    // The fastest is darkest, and one that takes twice as much has the next shade but one.
    assert_eq!(drawn.matches("class=\"q0\"").count(), 2, "{drawn}");
    assert_eq!(drawn.matches("class=\"q2\"").count(), 1, "{drawn}");
    let empty = matrix_of_flash().picture("nothing");
    assert!(empty.is_none(), "{empty:?}");
}

fn matrix_of_flash() -> Matrix {
    let flash = sample::row("aes-128", "fast", "encrypt", Metric::Flash, 1234.0);
    matrix(&[flash], &["uno"])
}
