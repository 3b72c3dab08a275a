//! Finds the row behind one metric of one operation, or the reason why there is none.

use std::collections::BTreeSet;

use selo_engine::energy::PowerProfile;
use selo_engine::row::{Row, Status};
use selo_engine::survey::SurveyLine;

use super::cell::{CellStatus, Figure, NO_ROW};
use crate::format;
use crate::paper::{Expression, MeasuredBy, PaperCell, Term};

/// A board that has a board file, with its power figures.
#[derive(Clone, Debug)]
pub struct KnownBoard {
    pub name: String,
    pub power: Vec<PowerProfile>,
}

/// Our rows and boards, which papers are compared with.
#[derive(Clone, Copy, Debug)]
pub struct Ours<'a> {
    /// The latest row of each measurement.
    pub rows: &'a [Row],
    pub boards: &'a [KnownBoard],
    /// The library to use if the paper's file names none.
    pub library: &'a str,
    /// Libraries that are bound by trial. Others need not be listed.
    pub libraries: &'a [KnownLibrary],
    /// Lines of surveys, the latest of each unit.
    pub surveys: &'a [SurveyLine],
}

/// A library that is bound by trial, and what is known of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownLibrary {
    pub name: String,
    pub state: LibraryState,
    /// The algorithms for which official vectors confirm how to call it.
    pub algorithms: Vec<String>,
}

/// How far the lab has come with a library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LibraryState {
    /// Its sources are not on this machine.
    NotFetched,
    /// Its sources are here, and nobody has tried how to call it.
    NotTried,
    /// The lab has tried how to call it.
    Tried,
}

/// A measured figure, the rows behind it, and how it follows from them.
pub(super) struct Found {
    pub(super) figure: Figure,
    pub(super) rows: Vec<usize>,
    pub(super) source: String,
}

/// A number in base units, and the rows behind it.
pub(super) struct Value {
    pub(super) number: f64,
    pub(super) rows: Vec<usize>,
    pub(super) source: String,
}

/// Why there is no figure.
#[derive(Clone)]
pub(super) struct Gap {
    pub(super) status: CellStatus,
    pub(super) reason: String,
}

/// An implementation on a board.
#[derive(Clone, Copy)]
pub(super) struct Configuration<'a> {
    pub(super) board: &'a str,
    pub(super) library: &'a str,
    pub(super) algorithm: &'a str,
    pub(super) variant: Option<&'a str>,
    pub(super) bytes: Option<u32>,
    pub(super) power: Option<&'a str>,
}

impl Ours<'_> {
    pub(super) fn row(&self, place: Configuration<'_>, term: &Term) -> Result<Value, Gap> {
        let Some(index) = self.find(place, term) else {
            return Err(self.not_found(place, term));
        };
        let row = &self.rows[index];
        let why = || row.reason().unwrap_or_else(|| row.status.name().to_owned());
        let gap = |status: CellStatus, reason: String| Err(Gap { status, reason });
        let value = |number: f64, source: String| {
            Ok(Value {
                number,
                rows: vec![index],
                source,
            })
        };
        match (row.status, row.value) {
            (Status::Ok, Some(number)) => value(number, size_note(row, place)),
            (Status::VariableTime, Some(number)) => value(
                number,
                "the mean of a time that varies with its inputs".into(),
            ),
            (Status::DoesNotFit, _) => gap(CellStatus::DoesNotFit, why()),
            (Status::OverLimit, _) => gap(CellStatus::OverLimit, why()),
            (Status::NotSupported, _) => gap(CellStatus::NotSupported, why()),
            (status, _) => gap(
                CellStatus::NotMeasured,
                format!(
                    "{} {}: {}",
                    place.name(),
                    format::status_words(status),
                    why()
                ),
            ),
        }
    }

    /// The index of the row of a term. It prefers the requested size, then a row without a size.
    /// Without a requested size, it takes the smallest.
    fn find(&self, place: Configuration<'_>, term: &Term) -> Option<usize> {
        let pick = |test: &dyn Fn(&Row) -> bool| {
            let rows = self.rows.iter().enumerate();
            rows.filter(|(_, row)| place.has(row, term) && test(row))
                .min_by_key(|(_, row)| row.bytes)
                .map(|(index, _)| index)
        };
        match place.bytes {
            Some(bytes) => {
                pick(&|row| row.bytes == Some(bytes)).or_else(|| pick(&|row| row.bytes.is_none()))
            }
            None => pick(&|_| true),
        }
    }

    /// The reason why no row has a term: another size, another operation, or no run.
    fn not_found(&self, place: Configuration<'_>, term: &Term) -> Gap {
        let what = format!("{} of {}", term.metric.name(), term.operation);
        let rows = self.rows.iter().filter(|row| place.has(row, term));
        let sizes: BTreeSet<u32> = rows.filter_map(|row| row.bytes).collect();
        if !sizes.is_empty() {
            let sizes: Vec<String> = sizes.iter().map(u32::to_string).collect();
            return Gap {
                status: CellStatus::NotMeasured,
                reason: format!(
                    "{}: {what} was measured with {} bytes, not {}",
                    place.name(),
                    sizes.join(", "),
                    place.bytes.unwrap_or(0)
                ),
            };
        }
        let mut rows = self.rows.iter();
        if rows.any(|row| place.is_unit_of(row) && row.metric == term.metric) {
            return Gap {
                status: CellStatus::NotSupported,
                reason: format!(
                    "{} does not offer {}, or the run left it out",
                    place.name(),
                    term.operation
                ),
            };
        }
        let what = format!("{what} of {}", place.name());
        self.missing(place.board, &what, Some(place))
    }

    /// The reason why there is no figure of a library that is bound by trial.
    pub(super) fn absent(&self, cell: &PaperCell, paper: &str) -> Option<Gap> {
        let name = cell.library()?;
        let known = self.libraries.iter().find(|known| known.name == name)?;
        let fetch = format!("run: selo lab compare {paper} --fetch");
        match known.state {
            LibraryState::NotFetched => Some(Gap {
                status: CellStatus::NotFetched,
                reason: format!("the sources of {name} are not here; {fetch}"),
            }),
            LibraryState::NotTried => Some(Gap {
                status: CellStatus::NotMeasured,
                reason: format!("{name} is fetched, but not yet called; {fetch}"),
            }),
            LibraryState::Tried => self.not_called(cell, known),
        }
    }

    /// The reason if a figure needs an algorithm that the lab cannot call.
    fn not_called(&self, cell: &PaperCell, known: &KnownLibrary) -> Option<Gap> {
        let MeasuredBy::Value(value) = &cell.measured_by else {
            return None;
        };
        let mut wanted = std::iter::once(&value.algorithm).chain(&value.otherwise);
        if wanted.any(|algorithm| known.algorithms.contains(algorithm)) {
            return None;
        }
        let names: Vec<&str> = std::iter::once(&value.algorithm)
            .chain(&value.otherwise)
            .map(String::as_str)
            .collect();
        Some(Gap {
            status: CellStatus::PublishedOnly,
            reason: format!(
                "the lab found no way to call {} of {} that official vectors confirm",
                names.join(", "),
                known.name
            ),
        })
    }

    /// The algorithm of an expression: the first of its alternatives of which the library has rows
    /// on the board, else the first.
    pub(super) fn algorithm<'p>(&self, expression: &'p Expression) -> &'p str {
        let library = expression.library.as_deref().unwrap_or(self.library);
        let has_rows = |algorithm: &&String| {
            self.rows.iter().any(|row| {
                row.board == expression.board
                    && row.library == library
                    && row.algorithm == **algorithm
            })
        };
        std::iter::once(&expression.algorithm)
            .chain(&expression.otherwise)
            .find(has_rows)
            .unwrap_or(&expression.algorithm)
    }

    /// The variant of a place, or the default variant if it names none.
    pub(super) fn variant<'p>(&'p self, place: Configuration<'p>) -> Option<&'p str> {
        place.variant.or_else(|| {
            let known: BTreeSet<&str> = self
                .rows
                .iter()
                .filter(|row| {
                    row.board == place.board
                        && row.library == place.library
                        && row.algorithm == place.algorithm
                })
                .map(|row| row.variant.as_str())
                .collect();
            known.get("fast").or_else(|| known.first()).copied()
        })
    }

    pub(super) fn profile(&self, board: &str, name: &str) -> Result<&PowerProfile, Gap> {
        let known = self.boards.iter().find(|known| known.name == board);
        known
            .and_then(|known| known.power.iter().find(|profile| profile.name == name))
            .ok_or_else(|| match known {
                Some(_) => Gap {
                    status: CellStatus::NotMeasured,
                    reason: format!("lab/boards/{board}.toml has no power profile '{name}'"),
                },
                None => self.missing(board, "energy", None),
            })
    }

    /// The reason for a missing row, with the command that makes it.
    pub(super) fn missing(&self, board: &str, what: &str, place: Option<Configuration<'_>>) -> Gap {
        let has_rows = self.rows.iter().any(|row| row.board == board);
        if !has_rows && !self.boards.iter().any(|known| known.name == board) {
            return Gap {
                status: CellStatus::NeedsBoard,
                reason: format!("needs the board '{board}', which cannot be run yet"),
            };
        }
        let selection = place.map_or_else(String::new, |place| {
            format!(
                " --library {} --algorithm {}",
                place.library, place.algorithm
            )
        });
        Gap {
            status: CellStatus::NotMeasured,
            reason: format!("{NO_ROW} {what}; run: selo lab run --board {board}{selection}"),
        }
    }
}

impl Configuration<'_> {
    /// True if the row is of this implementation on this board.
    fn is_unit_of(&self, row: &Row) -> bool {
        row.board == self.board
            && row.library == self.library
            && row.algorithm == self.algorithm
            && self.variant.is_none_or(|variant| row.variant == variant)
    }

    /// True if the row is of this implementation, and of the term's operation and metric.
    fn has(&self, row: &Row, term: &Term) -> bool {
        self.is_unit_of(row) && row.operation == term.operation && row.metric == term.metric
    }

    pub(super) fn name(&self) -> String {
        let variant = self
            .variant
            .map_or_else(String::new, |variant| format!(" {variant}"));
        format!("{} {}{variant}", self.library, self.algorithm)
    }
}

fn size_note(row: &Row, place: Configuration<'_>) -> String {
    match row.bytes {
        Some(bytes) if place.bytes != Some(bytes) => format!("{bytes} bytes"),
        _ => String::new(),
    }
}
