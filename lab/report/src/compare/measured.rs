//! The measured figure of one cell, in the unit of the paper, or the reason why it is missing.

use selo_base::units;
use selo_engine::row::Metric;

use super::cell::{Beside, CellStatus, Figure};
use super::lookup::{Configuration, Found, Gap, Ours, Value};
use crate::format;
use crate::paper::{Candidate, Expression, MeasuredBy, Paper, PaperCell};

impl Ours<'_> {
    pub(super) fn measure(&self, cell: &PaperCell, candidates: &[Candidate]) -> Result<Found, Gap> {
        let in_unit = |value: Value, base: &str| in_unit(cell, value, base);
        match &cell.measured_by {
            MeasuredBy::Exchange(_) => Err(Gap {
                status: CellStatus::NotMeasured,
                reason: "compare rows of exchanges with: selo exchange compare".into(),
            }),
            MeasuredBy::Survey {
                board,
                library,
                question,
            } => self.surveyed(board, library, *question),
            MeasuredBy::Nothing { reason } => Err(Gap {
                status: CellStatus::PublishedOnly,
                reason: reason.clone(),
            }),
            MeasuredBy::Value(expression) => {
                in_unit(self.value(expression)?, base_unit(expression))
            }
            MeasuredBy::Difference(a, b) => {
                let (first, second) = (self.value(a)?, self.value(b)?);
                let number = first.number - second.number;
                in_unit(joined(number, first, "less", second), base_unit(a))
            }
            MeasuredBy::Quotient(a, b) => {
                let (first, second) = (self.value(a)?, self.value(b)?);
                let (base, whole) = match cell.unit.as_deref() {
                    Some("%") => ("%", 100.0),
                    _ => ("x", 1.0),
                };
                let number = whole * first.number / second.number;
                in_unit(joined(number, first, "over", second), base)
            }
            MeasuredBy::Winner {
                board,
                library,
                term,
                bytes,
            } => {
                let place = Configuration {
                    board,
                    library: library.as_deref().unwrap_or(self.library),
                    algorithm: "",
                    variant: None,
                    bytes: *bytes,
                    power: None,
                };
                self.winner(place, term, candidates, &cell.published)
            }
            MeasuredBy::Clock { board } => in_unit(self.clock(board)?, "Hz"),
        }
    }

    /// The clock of a board in rows.
    fn clock(&self, board: &str) -> Result<Value, Gap> {
        let found = self.rows.iter().position(|row| row.board == board);
        let index = found.ok_or_else(|| self.missing(board, "any row", None))?;
        let clock = self.rows[index].clock_hz.ok_or_else(|| Gap {
            status: CellStatus::PublishedOnly,
            reason: format!("the clock of {board} varies"),
        })?;
        Ok(Value {
            number: clock as f64,
            rows: vec![index],
            source: format!("the clock of {board} in rows"),
        })
    }

    /// The second measured figure of a cell, and the indices of the rows behind it.
    pub(super) fn beside(&self, cell: &PaperCell) -> Option<(Beside, Vec<usize>)> {
        let expression = cell.beside.as_ref()?;
        let library = expression.library.as_deref().unwrap_or(self.library);
        let variant = expression.variant.iter().map(|name| format!(" {name}"));
        let implementation = format!(
            "{library} {}{}",
            self.algorithm(expression),
            variant.collect::<String>()
        );
        let found = self
            .value(expression)
            .and_then(|value| in_unit(cell, value, base_unit(expression)));
        let (measured, status, reason, rows) = match found {
            Ok(found) => (Some(found.figure), CellStatus::Ok, found.source, found.rows),
            Err(gap) => (None, gap.status, gap.reason, Vec::new()),
        };
        let beside = Beside {
            implementation,
            measured,
            status,
            reason,
        };
        Some((beside, rows))
    }

    /// Turns a gap into `NeedsHardware` if only a device can fill it. This is so if the board has
    /// no file, or if the cell needs a time and the board's simulator only counts instructions.
    pub(super) fn of_hardware(&self, paper: &Paper, cell: &PaperCell, gap: Gap) -> Gap {
        let open = [CellStatus::NotMeasured, CellStatus::NeedsBoard];
        let board = board_of(&cell.measured_by).unwrap_or_default();
        let device = paper.hardware.iter().find(|device| device.board == board);
        let Some(device) = device.filter(|_| open.contains(&gap.status)) else {
            return gap;
        };
        let expression = match &cell.measured_by {
            MeasuredBy::Value(value) => Some(value),
            _ => None,
        };
        let terms = || expression.iter().flat_map(|e| e.sum.iter().chain(&e.max));
        let timed = terms().any(|term| {
            matches!(
                term.metric,
                Metric::Cycles | Metric::Time | Metric::Energy | Metric::CpuShare
            )
        });
        let known = self.boards.iter().any(|known| known.name == board);
        if known && !timed {
            return gap;
        }
        let mut reason = format!("needs {}: {}", device.needs, device.fill);
        let counted = expression.and_then(|value| {
            let mut counted = value.clone();
            counted.life = None;
            counted.power = None;
            for term in counted.sum.iter_mut().chain(&mut counted.max) {
                term.metric = Metric::Instructions;
            }
            self.value(&counted).ok()
        });
        if let Some(found) = counted.filter(|found| found.number > 0.0) {
            reason = format!(
                "{} counted, which do not give an exact time; {reason}",
                format::quantity(Metric::Instructions, found.number)
            );
        }
        Gap {
            status: CellStatus::NeedsHardware,
            reason,
        }
    }
}

/// A number that two values give together.
fn joined(number: f64, first: Value, word: &str, second: Value) -> Value {
    Value {
        number,
        rows: [first.rows, second.rows].concat(),
        source: format!("{} {word} {}", first.source, second.source),
    }
}

/// A value in the unit of the paper.
fn in_unit(cell: &PaperCell, value: Value, base: &str) -> Result<Found, Gap> {
    let unit = cell.unit.as_deref().unwrap_or(base);
    let number = units::convert(value.number, base, unit).map_err(|error| Gap {
        status: CellStatus::NotMeasured,
        reason: error.to_string(),
    })?;
    Ok(Found {
        figure: Figure::Number(number),
        rows: value.rows,
        source: value.source,
    })
}

pub(super) fn operation_of(measured_by: &MeasuredBy) -> Option<&str> {
    match measured_by {
        MeasuredBy::Value(value)
        | MeasuredBy::Difference(value, _)
        | MeasuredBy::Quotient(value, _) => {
            let first = value.sum.first().or(value.max.first());
            first.map(|term| term.operation.as_str())
        }
        MeasuredBy::Winner { term, .. } => Some(&term.operation),
        MeasuredBy::Clock { .. }
        | MeasuredBy::Exchange(_)
        | MeasuredBy::Survey { .. }
        | MeasuredBy::Nothing { .. } => None,
    }
}

pub(super) fn board_of(measured_by: &MeasuredBy) -> Option<&str> {
    match measured_by {
        MeasuredBy::Value(value)
        | MeasuredBy::Difference(value, _)
        | MeasuredBy::Quotient(value, _) => Some(&value.board),
        MeasuredBy::Winner { board, .. }
        | MeasuredBy::Survey { board, .. }
        | MeasuredBy::Clock { board } => Some(board),
        MeasuredBy::Exchange(_) | MeasuredBy::Nothing { .. } => None,
    }
}

fn base_unit(expression: &Expression) -> &'static str {
    if expression.life.is_some() {
        return "s";
    }
    let first = expression.sum.first().or(expression.max.first());
    first.map_or("x", |term| term.metric.unit())
}
