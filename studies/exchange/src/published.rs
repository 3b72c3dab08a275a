//! Compares a paper's figures with ours: the cells of `lab/papers/*.toml` whose `measured_by` names
//! an exchange.

use std::path::Path;

use selo_base::stats;
use selo_report::format::{count, exact, significant};
use selo_report::paper::{self, ExchangeLink, MeasuredBy, Paper, PaperCell, Published};
use selo_report::table::{Cell, Column, Table, Tone};

use crate::error::{Error, Result};
use crate::figures::groups;
use crate::row::{Experiment, Fidelity, Figure, Row, Unit};

/// Reads a paper of the folder `papers`.
pub fn read(folder: &Path, name: &str) -> Result<Paper> {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
    if !name.chars().all(plain) {
        return Err(Error::usage(
            format!("'{name}' is not a valid name of a paper"),
            "use a name such as ferreira2020",
        ));
    }
    Ok(paper::read(&folder.join(format!("{name}.toml")))?)
}

/// The fidelity of a value from rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Worth {
    WallClock,
    /// A count, which is as valid from an emulator as from a machine.
    Instructions,
    /// A time that an emulator measured.
    Emulated,
}

impl Worth {
    fn name(self) -> &'static str {
        match self {
            Worth::WallClock => "wall-clock",
            Worth::Instructions => "instructions",
            Worth::Emulated => "emulated",
        }
    }
}

/// Our value for one link of a paper.
#[derive(Clone, Debug, PartialEq)]
pub enum Ours {
    Value { value: f64, fidelity: Worth },
    Missing(String),
}

/// Returns true if a unit matches the implementation of a link: with its version, or any version.
fn implements(unit: &Unit, wanted: Option<&str>) -> bool {
    let have = &unit.implementation;
    wanted.is_none_or(|wanted| have == wanted || have.split(' ').next() == Some(wanted))
}

/// All samples of a link's figure.
fn samples(link: &ExchangeLink, rows: &[Row]) -> Result<(Vec<f64>, Worth), String> {
    let name = link.figure.as_deref().unwrap_or_default();
    let figure = Figure::by_name(name).ok_or_else(|| format!("unknown figure '{name}'"))?;
    let experiment = if figure.is_of_tls() {
        Experiment::Tls
    } else {
        Experiment::Symmetric
    };
    let is = |wanted: &Option<String>, have: Option<&str>| {
        wanted.as_deref().is_none_or(|wanted| have == Some(wanted))
    };
    let mut found = Vec::new();
    let mut worth = if figure.is_counted() {
        Worth::Instructions
    } else {
        Worth::WallClock
    };
    for group in groups(rows, experiment) {
        let unit = group.unit;
        if is(&link.scenario, Some(&unit.scenario))
            && is(&link.cipher, Some(&unit.cipher))
            && is(&link.payload, Some(&unit.payload))
            && implements(unit, link.implementation.as_deref())
            && is(&link.device, unit.device.as_deref())
            && is(&link.group, unit.group.as_deref())
            && is(&link.handshake, unit.handshake.as_deref())
        {
            if group.fidelity == Fidelity::Emulated && !figure.is_counted() {
                worth = Worth::Emulated;
            }
            found.extend(group.samples(figure));
        }
    }
    if found.is_empty() {
        let words = [&link.scenario, &link.device, &link.cipher, &link.payload];
        let words: Vec<&str> = words.into_iter().flatten().map(String::as_str).collect();
        return Err(format!("no rows of {}", words.join(", ")));
    }
    Ok((found, worth))
}

/// The value of a cell, computed from our rows, in the cell's unit.
pub fn ours(link: &ExchangeLink, rows: &[Row]) -> Ours {
    let mean = |link: &ExchangeLink| -> Result<(f64, Worth), String> {
        let (samples, worth) = samples(link, rows)?;
        let summary = stats::summarise(&samples).ok_or("no samples")?;
        Ok((summary.mean, worth))
    };
    let second = |other: &ExchangeLink| mean(&link.with(other));
    let value = mean(link).and_then(|(first, worth)| {
        Ok(match (&link.over, &link.more, &link.less) {
            (Some(other), ..) => {
                let (second, also) = second(other)?;
                (first / second, worth.max(also))
            }
            (_, Some(other), _) => {
                let (second, also) = second(other)?;
                (100.0 * (first - second) / second, worth.max(also))
            }
            (.., Some(other)) => {
                let (second, also) = second(other)?;
                (100.0 * (second - first) / second, worth.max(also))
            }
            (None, None, None) => (first, worth),
        })
    });
    match value {
        Ok((value, fidelity)) => Ours::Value { value, fidelity },
        Err(why) => Ours::Missing(why),
    }
}

/// The paper's cells with our values beside them.
pub fn compare(paper: &Paper, rows: &[Row]) -> Vec<Table> {
    let mut tables: Vec<Table> = paper
        .tables
        .iter()
        .map(|published| {
            let mut table = Table::new(
                format!("{}: {}", published.label, published.title),
                vec![
                    Column::text("Row"),
                    Column::text("Column"),
                    Column::number("Published", ""),
                    Column::number("Ours", ""),
                    Column::text("Unit"),
                    Column::text("Fidelity"),
                ],
            );
            table.remarks.push(published.method.clone());
            table.remarks.extend(published.notes.iter().cloned());
            for cell in &published.cells {
                table.push(line(cell, rows));
            }
            table
        })
        .collect();
    if let Some(first) = tables.first_mut() {
        first.remarks.extend(paper.notes.iter().cloned());
    }
    tables
}

fn line(cell: &PaperCell, rows: &[Row]) -> Vec<Cell> {
    let published = match &cell.published {
        Published::Number(value) => Cell::number(exact(*value), *value),
        other => Cell::text(other.to_string()).with_tone(Tone::Quiet),
    };
    let (ours, fidelity) = match &cell.measured_by {
        MeasuredBy::Exchange(link) => match ours(link, rows) {
            Ours::Value { value, fidelity } => (
                // Figures are in seconds or in millions.
                match cell.unit.as_deref() {
                    Some("ms") => Cell::number(significant(value * 1e3, 3), value * 1e3),
                    Some("instructions") => Cell::number(count(value * 1e6), value * 1e6),
                    _ => Cell::number(significant(value, 3), value),
                },
                Cell::label(fidelity.name(), Tone::Quiet),
            ),
            Ours::Missing(why) => (Cell::text("not measured").with_note(why), Cell::none()),
        },
        MeasuredBy::Nothing { reason } => (Cell::text("–").with_note(reason.clone()), Cell::none()),
        _ => (
            Cell::text("see selo lab compare").with_tone(Tone::Quiet),
            Cell::none(),
        ),
    };
    let mut first = Cell::text(&cell.row);
    first.note.clone_from(&cell.note);
    vec![
        first,
        Cell::text(&cell.column),
        published,
        ours,
        Cell::text(cell.unit.clone().unwrap_or_default()),
        fidelity,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::record::tests::sample;

    #[test]
    fn links_find_their_rows() {
        let rows: Vec<Row> = (0..4)
            .flat_map(|n| [sample("aes-128-cbc", n, 100), sample("aes-256-cbc", n, 140)])
            .collect();
        let word = |text: &str| Some(text.to_owned());
        let link = ExchangeLink {
            figure: word("client-encrypt"),
            cipher: word("aes-256-cbc"),
            more: Some(Box::new(ExchangeLink {
                cipher: word("aes-128-cbc"),
                ..ExchangeLink::default()
            })),
            ..ExchangeLink::default()
        };
        let Ours::Value { value, fidelity } = ours(&link, &rows) else {
            panic!("there are rows");
        };
        assert!((value - 40.0).abs() < 1e-9 && fidelity == Worth::WallClock);
        let elsewhere = ExchangeLink {
            scenario: word("pi-pi"),
            ..link
        };
        assert!(matches!(ours(&elsewhere, &rows), Ours::Missing(why) if why.contains("pi-pi")));
    }

    /// Every cell of the two papers names an existing figure.
    #[test]
    fn the_papers_ask_for_what_exists() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lab/papers");
        for name in ["ferreira2020", "ferreira2021"] {
            let paper = read(&folder, name).expect("a good file");
            for cell in paper.tables.iter().flat_map(|table| &table.cells) {
                if let MeasuredBy::Exchange(link) = &cell.measured_by {
                    let Ours::Missing(why) = ours(link, &[]) else {
                        panic!("there are no rows");
                    };
                    assert!(why.starts_with("no rows of"), "{name}, {}: {why}", cell.row);
                }
            }
            assert!(!compare(&paper, &[]).is_empty());
        }
        assert!(read(&folder, "../lab/papers/x").is_err());
    }
}
