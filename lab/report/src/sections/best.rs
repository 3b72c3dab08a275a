//! What is best on a board: one table in the form of Table 1 of ramalho2024, and one picture,
//! for the operations that matter most. Every other operation follows, folded.

use selo_engine::row::Metric;

use super::fastest::Choice;
use super::{energy, fastest};
use crate::context::interface_title;
use crate::document::{Section, slug};
use crate::findings::{importance, minimum};
use crate::format;
use crate::pivot::{Line, Lines, distinct};
use crate::table::{Cell, Column, Table, Tone};

/// Metrics where less is better, in the order of the columns.
const METRICS: [Metric; 5] = [
    Metric::Time,
    Metric::Energy,
    Metric::Flash,
    Metric::Ram,
    Metric::Stack,
];

/// Operations in the first table: with the picture, they fill one screen.
const FIRST: usize = 5;

pub fn section(lines: &Lines<'_>) -> Section {
    let mut section = Section::new("best", "What is best");
    for board in lines.boards() {
        let all = choices(lines, board);
        if all.is_empty() {
            continue;
        }
        let title = lines.context.board_title(board);
        let mut part = Section::new(format!("best-{}", slug(board)), title);
        part.board = Some(board.to_owned());
        part.folded = !section.subsections.is_empty();
        let first = &all[..FIRST.min(all.len())];
        part.table("table", table(lines, board, first));
        part.figures(fastest::figure(lines, board, first).into_iter().collect());
        if all.len() > FIRST {
            let mut rest = Section::new(format!("{}-all", part.id), "Every operation");
            rest.folded = true;
            rest.table("table", table(lines, board, &all));
            part.subsections.push(rest);
        }
        section.subsections.push(part);
    }
    if !section.is_empty() {
        section.text("The implementation that needs least, for operations with more than one.");
    }
    section
}

/// The operations with more than one implementation. Every interface has its first operation
/// before any interface has its second; among those, the interfaces that matter most come first.
fn choices<'l>(lines: &'l Lines<'_>, board: &'l str) -> Vec<Choice<'l>> {
    let mut found: Vec<(usize, u8, Choice<'l>)> = Vec::new();
    for interface in lines.interfaces(board) {
        let operations = lines
            .of(board, interface)
            .map(|line| line.operation.as_str());
        // The key set-up happens once per key, and its memory is part of the encryption's.
        let mut operations = distinct(operations.filter(|operation| *operation != "key-setup"));
        // A key is made more rarely than it is used.
        operations.sort_by_key(|operation| *operation == "keygen");
        let of_interface = operations.into_iter().filter_map(|operation| {
            let candidates: Vec<&Line> = lines
                .of(board, interface)
                .filter(|line| line.operation == operation && lines.is_headline(line))
                .filter(|line| {
                    let mut rows = line.rows.values();
                    rows.any(|index| lines.rows[*index].value.is_some())
                })
                .collect();
            (candidates.len() > 1).then_some(Choice {
                interface,
                operation,
                candidates,
            })
        });
        let ranked = of_interface.enumerate();
        found.extend(ranked.map(|(nth, choice)| (nth, importance(interface), choice)));
    }
    found.sort_by_key(|(nth, importance, _)| (*nth, *importance));
    found.into_iter().map(|(_, _, choice)| choice).collect()
}

fn table(lines: &Lines<'_>, board: &str, choices: &[Choice<'_>]) -> Table {
    let candidates: Vec<&Line> = choices
        .iter()
        .flat_map(|choice| choice.candidates.iter().copied())
        .collect();
    let watts = energy::watts(lines, &candidates);
    // Energy that is time times a constant has the winners of time.
    let metrics: Vec<Metric> = METRICS
        .into_iter()
        .filter(|metric| *metric != Metric::Energy || watts.is_none())
        .collect();
    let mut columns = vec![Column::text("Operation"), Column::number("Choices", "")];
    columns.extend(
        metrics
            .iter()
            .map(|metric| Column::text(format!("Least {}", format::metric_phrase(*metric)))),
    );
    // A fidelity that all lines share is said once.
    let fidelities = distinct(choices.iter().map(|choice| fidelity(lines, choice)));
    if fidelities.len() > 1 {
        columns.push(Column::text("Fidelity"));
    }
    let mut table = Table::new("", columns);
    table.remarks.extend(remark(watts, &fidelities));
    let rows = lines.rows.iter().filter(|row| row.board == board);
    let cautions = format::model_cautions(rows).into_iter();
    table
        .remarks
        .extend(cautions.map(|caution| format!("{caution}.")));
    for choice in choices {
        let mut line = cells(lines, choice, &metrics);
        if fidelities.len() > 1 {
            line.push(Cell::label(fidelity(lines, choice), Tone::Plain));
        }
        table.push(line);
    }
    table.without_empty_columns()
}

/// What holds for the whole table.
fn remark(watts: Option<f64>, fidelities: &[String]) -> Option<String> {
    let energy = watts.map(|watts| {
        format!(
            "Energy is time × {} mW on this board: the least time is the least energy.",
            format::significant(1e3 * watts, 3)
        )
    });
    let fidelity = match fidelities {
        [one] => Some(format!("Fidelity: {one}.")),
        _ => None,
    };
    let said: Vec<String> = energy.into_iter().chain(fidelity).collect();
    (!said.is_empty()).then(|| said.join(" "))
}

/// The fidelities of an operation's figures.
fn fidelity(lines: &Lines<'_>, choice: &Choice<'_>) -> String {
    let all = choice
        .candidates
        .iter()
        .flat_map(|line| line.fidelities(lines.rows));
    let names: Vec<&str> = distinct(all)
        .iter()
        .map(|fidelity| fidelity.name())
        .collect();
    names.join(", ")
}

fn cells(lines: &Lines<'_>, choice: &Choice<'_>, metrics: &[Metric]) -> Vec<Cell> {
    let count = choice.candidates.len() as f64;
    let mut cells = vec![
        Cell::text(choice.operation).with_detail(interface_title(choice.interface)),
        Cell::number(format::count(count), count),
    ];
    let winners = metrics
        .iter()
        .map(|metric| winner(lines, &choice.candidates, *metric));
    cells.extend(winners);
    cells
}

/// The winner of a metric and its figure; `draw` if all are equal.
fn winner(lines: &Lines<'_>, candidates: &[&Line], metric: Metric) -> Cell {
    let Some(least) = minimum(lines, candidates, metric) else {
        return Cell::none();
    };
    let equal: Vec<&&Line> = candidates
        .iter()
        .filter(|line| {
            lines
                .value(line, metric)
                .is_some_and(|value| value <= least.value)
        })
        .collect();
    let figure = format::quantity(metric, least.value);
    let rows = equal
        .iter()
        .filter_map(|line| line.rows.get(&metric).copied())
        .collect();
    let text = match equal.len() {
        1 => lines.name(least.line),
        n if n == candidates.len() => "draw".to_owned(),
        2 => format!("{}, {}", lines.name(equal[0]), lines.name(equal[1])),
        n => format!("{} and {} more", lines.name(equal[0]), n - 1),
    };
    let names: Vec<String> = equal.iter().map(|line| lines.name(line)).collect();
    Cell::text(text)
        .with_detail(figure)
        .with_source(names.join(", "), rows)
}
