//! Dots of lines and of compared tables: selects and labels them.

use selo_engine::row::{Fidelity, Metric, Row};

use super::energy;
use crate::compare::{ComparedCell, ComparedTable, Figure as Value};
use crate::document::{Figure, slug};
use crate::format::{self, Scale};
use crate::pivot::{Line, Lines, distinct};
use crate::svg::dots::{Color, Dot, DotChart, Item, Owner, Series};

/// A chart of one metric: one item per choice, one dot per operation. `None` unless at least
/// two choices have a figure.
pub fn of_metric(
    lines: &Lines<'_>,
    chosen: &[&Line],
    metric: Metric,
    id: &str,
    title: &str,
) -> Option<Figure> {
    let drawn: Vec<&Line> = chosen
        .iter()
        .copied()
        .filter(|line| lines.value(line, metric).is_some() && lines.is_headline(line))
        .collect();
    let watts = energy::watts(lines, &drawn);
    // Energy that is time times a constant is the second scale of the picture of time.
    if metric == Metric::Energy && watts.is_some() {
        return None;
    }
    let operations = distinct(drawn.iter().map(|line| line.operation.as_str()));
    let names = distinct(drawn.iter().map(|line| lines.name(line)));
    if names.len() < 2 {
        return None;
    }
    let largest = drawn
        .iter()
        .filter_map(|line| lines.value(line, metric))
        .fold(0.0, f64::max);
    let scale = format::column_scale(metric, largest);
    let items = names
        .iter()
        .map(|name| {
            let same = |line: &&&Line| lines.name(line) == *name;
            let own: Vec<&Line> = drawn.iter().filter(same).copied().collect();
            item(lines, name, &own, metric, &operations, scale)
        })
        .collect();
    let fidelity = fidelities(
        drawn
            .iter()
            .flat_map(|line| lines.row(line, metric))
            .map(|row| row.fidelity),
    );
    let second = watts
        .filter(|_| metric == Metric::Time)
        .map(|watts| energy::beside_time(watts, largest, scale));
    let chart = DotChart {
        id: format!("{id}-{}", slug(metric.name())),
        title: format!("{title}: {}", format::metric_phrase(metric)),
        unit: unit_words(scale.symbol).to_owned(),
        fidelity: fidelity.clone(),
        series: operation_series(&operations),
        items,
        second: second.as_ref().map(|second| second.scale.clone()),
        one_line: false,
    };
    let rows = || drawn.iter().filter_map(|line| lines.row(line, metric));
    let whiskers = rows()
        .any(|row| interval(row, scale).is_some())
        .then(|| "Whiskers are the 95 % interval of the mean.".to_owned());
    let remarks = whiskers
        .into_iter()
        .chain(second.map(|second| second.remark));
    Some(Figure {
        picture: chart.draw(),
        fidelity,
        note: note(remarks, rows()),
        metrics: vec![metric],
    })
}

/// The operations, each with its colour.
fn operation_series(operations: &[&str]) -> Vec<Series> {
    operations
        .iter()
        .enumerate()
        .map(|(hue, operation)| Series {
            name: (*operation).to_owned(),
            color: Color::Hue(hue),
        })
        .collect()
}

/// One choice with a dot for each operation.
fn item(
    lines: &Lines<'_>,
    name: &str,
    own: &[&Line],
    metric: Metric,
    operations: &[&str],
    scale: Scale,
) -> Item {
    let row_of = |operation: &&str| {
        let line = own.iter().find(|line| line.operation == *operation)?;
        lines.row(line, metric)
    };
    Item {
        label: name.to_owned(),
        remark: String::new(),
        owner: Owner {
            library: one_of(own.iter().map(|line| line.library.as_str())),
            algorithm: one_of(own.iter().map(|line| line.algorithm.as_str())),
        },
        dots: operations
            .iter()
            .map(|operation| dot(row_of(operation)?, scale))
            .collect(),
    }
}

/// Remarks, and the cautions about the rows behind a figure.
fn note<'a>(
    remarks: impl IntoIterator<Item = String>,
    behind: impl Iterator<Item = &'a Row>,
) -> String {
    let mut notes: Vec<String> = remarks.into_iter().collect();
    let cautions = format::model_cautions(behind).into_iter();
    notes.extend(cautions.map(|caution| format!("{caution}.")));
    notes.join(" ")
}

/// Charts of published and measured figures, one per column and unit of the table. Cells with
/// words are left out.
pub fn of_paper(paper: &str, table: &ComparedTable, lines: &Lines<'_>) -> Vec<Figure> {
    let drawn = table.cells.iter().filter(|cell| has_figure(cell));
    let unit_of = |cell: &ComparedCell| {
        cell.line
            .unit
            .as_ref()
            .or(cell.line.published_unit.as_ref())
            .cloned()
    };
    let parts = distinct(drawn.map(|cell| (cell.column.as_str(), unit_of(cell))));
    let columns = distinct(table.cells.iter().map(|cell| cell.column.as_str()));
    parts
        .into_iter()
        .filter_map(|(column, unit)| {
            let name = if columns.len() > 1 {
                Some(column)
            } else {
                None
            };
            let cells: Vec<&ComparedCell> = table
                .cells
                .iter()
                .filter(|cell| cell.column == column && unit_of(cell) == unit)
                .filter(|cell| has_figure(cell))
                .collect();
            let unit = unit.unwrap_or_default();
            of_column(paper, table, name, &unit, &cells, lines)
        })
        .collect()
}

/// True if the cell has a measured number, its own or one beside it.
fn has_figure(cell: &ComparedCell) -> bool {
    number(&cell.line.measured).is_some() || beside(cell).is_some()
}

fn beside(cell: &ComparedCell) -> Option<f64> {
    let beside = cell.line.beside.as_ref()?;
    number(&beside.measured)
}

fn number(figure: &Option<Value>) -> Option<f64> {
    match figure {
        Some(Value::Number(number)) => Some(*number),
        _ => None,
    }
}

fn of_column(
    paper: &str,
    table: &ComparedTable,
    column: Option<&str>,
    unit: &str,
    cells: &[&ComparedCell],
    lines: &Lines<'_>,
) -> Option<Figure> {
    // A single dot compares nothing, and equal dots show nothing.
    let measured: Vec<f64> = cells
        .iter()
        .flat_map(|cell| [number(&cell.line.measured), beside(cell)])
        .flatten()
        .collect();
    if cells.len() < 2 || measured.iter().all(|value| *value == measured[0]) {
        return None;
    }
    let has_beside = cells.iter().any(|cell| beside(cell).is_some());
    let items = cells
        .iter()
        .map(|cell| compared_item(cell, lines, has_beside))
        .collect();
    let fidelity = fidelities(cells.iter().filter_map(|cell| cell.line.fidelity));
    let chart = DotChart {
        id: slug(&format!(
            "{paper} {} {} {unit}",
            table.id,
            column.unwrap_or_default()
        )),
        title: format!(
            "{paper}, {}: {}{}",
            table.label,
            table.title,
            column.map_or_else(String::new, |column| format!(", {column}"))
        ),
        unit: unit_words(unit).to_owned(),
        fidelity: String::new(),
        series: series(&fidelity, has_beside),
        items,
        second: None,
        one_line: false,
    };
    let ratios = cells.iter().any(|cell| cell.line.ratio.is_some());
    let behind = || {
        let indices = cells
            .iter()
            .flat_map(|cell| cell.rows.iter().chain(&cell.rows_beside));
        indices.filter_map(|&index| lines.rows.get(index))
    };
    Some(Figure {
        picture: chart.draw(),
        fidelity,
        note: note(
            ratios.then(|| {
                "The number at the right of a name is measured over published.".to_owned()
            }),
            behind(),
        ),
        metrics: distinct(behind().map(|row| row.metric)),
    })
}

/// The dots of an item of a paper's chart.
fn series(fidelity: &str, has_beside: bool) -> Vec<Series> {
    let mut series = vec![
        Series {
            name: if fidelity.is_empty() {
                "measured".to_owned()
            } else {
                format!("measured, {fidelity}")
            },
            color: Color::Measured,
        },
        Series {
            name: "published".to_owned(),
            color: Color::Published,
        },
    ];
    if has_beside {
        series.push(Series {
            name: "another implementation, which the table names".to_owned(),
            color: Color::Hue(2),
        });
    }
    series
}

/// A measured and a published figure beside each other, and another implementation's if the chart
/// has one.
fn compared_item(cell: &ComparedCell, lines: &Lines<'_>, has_beside: bool) -> Item {
    let measured = number(&cell.line.measured).map(|value| Dot {
        value,
        text: format::significant(value, 4),
        interval: match cell.rows[..] {
            [only] => scaled_interval(&lines.rows[only], value),
            _ => None,
        },
        ..Dot::default()
    });
    let published = number(&cell.line.published).map(|value| Dot {
        value,
        text: format::exact(value),
        interval: None,
        ..Dot::default()
    });
    let mut dots = vec![measured, published];
    if has_beside {
        dots.push(beside(cell).map(|value| Dot {
            value,
            text: format::significant(value, 4),
            interval: None,
            ..Dot::default()
        }));
    }
    let rows = || cell.rows.iter().map(|&index| &lines.rows[index]);
    Item {
        label: cell.row.clone(),
        remark: cell.line.ratio.map_or_else(String::new, format::ratio),
        owner: Owner {
            library: one_of(rows().map(|row| row.library.as_str())),
            algorithm: one_of(rows().map(|row| row.algorithm.as_str())),
        },
        dots,
    }
}

/// The interval around a value that stands for the mean of a row, in whatever unit.
fn scaled_interval(row: &Row, value: f64) -> Option<(f64, f64)> {
    let half = row.ci95? / row.value? * value;
    (half > 0.0).then_some((value - half, value + half))
}

/// The library, if all are the same.
fn one_of<'a>(libraries: impl Iterator<Item = &'a str>) -> Option<String> {
    match distinct(libraries)[..] {
        [one] => Some(one.to_owned()),
        _ => None,
    }
}

fn dot(row: &Row, scale: Scale) -> Option<Dot> {
    let value = row.value? / scale.factor;
    let text = format::row_figure(row, scale)?;
    Some(Dot {
        value,
        text,
        interval: interval(row, scale),
        ..Dot::default()
    })
}

fn interval(row: &Row, scale: Scale) -> Option<(f64, f64)> {
    let (value, half) = (row.value?, row.ci95?);
    (half > 0.0).then_some(((value - half) / scale.factor, (value + half) / scale.factor))
}

pub fn fidelities(all: impl Iterator<Item = Fidelity>) -> String {
    distinct(all.map(Fidelity::name)).join(" and ")
}

/// The name of a unit whose symbol is too short for an axis.
pub fn unit_words(symbol: &str) -> &str {
    match symbol {
        "B" => "bytes",
        "ms" => "milliseconds",
        "µs" | "us" => "microseconds",
        "%" => "percent",
        other => other,
    }
}
