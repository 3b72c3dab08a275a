//! Published figures beside measured ones, cell by cell.
//!
//! A cell never hides why it is empty: every one has a status, and every
//! status but `ok` has a reason.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use selo_base::units;
use selo_engine::battery::{self, DutyCycle};
use selo_engine::energy::PowerProfile;
use selo_engine::interface::{AIR, RECEIVE, TRANSMIT};
use selo_engine::row::{Fidelity, Metric, Row, Status};
use serde::Serialize;

use crate::format;
use crate::paper::{
    BatteryLife, Candidate, Expression, MeasuredBy, Paper, PaperCell, PaperTable, Published, Term,
};
use crate::table::{Cell as Shown, Column, Table, Tone};

/// How a comparison of one cell ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CellStatus {
    /// Both figures exist.
    Ok,
    /// We measured it; the paper prints a dash, or draws it without a number.
    NotPrinted,
    /// No row yet, or only failed ones; the reason says how to make one.
    NotMeasured,
    /// No simulator gives this; the reason names the device, and what to run with it.
    NeedsHardware,
    /// The board has no file in `lab/boards/` yet.
    NeedsBoard,
    /// Measured: it does not fit the board's memory.
    DoesNotFit,
    /// Measured: a call takes more than it may.
    OverLimit,
    /// The implementation does not offer the operation.
    NotSupported,
    /// Not a thing that the lab measures; the reason says what it is.
    PublishedOnly,
}

/// How the reason of a missing row begins.
const NO_ROW: &str = "no row for";

/// A figure or words.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Figure {
    Number(f64),
    Words(String),
}

/// One cell of `selo lab compare --json`: one line of JSON.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CellLine {
    /// Name of the paper.
    pub paper: String,
    /// Id of the table or figure, such as `table-2-time`.
    pub table: String,
    /// Row and column of the table, `AES128: Encrypt | Arduino`.
    pub cell: String,
    /// What the paper prints; null where it prints no figure.
    pub published: Option<Figure>,
    pub published_unit: Option<String>,
    /// What we measured; null unless the status is `ok` or `not-printed`.
    pub measured: Option<Figure>,
    /// Unit of `measured`: that of the paper.
    pub unit: Option<String>,
    /// Measured over published, where both are numbers.
    pub ratio: Option<f64>,
    pub board: Option<String>,
    /// The weakest fidelity among the rows behind `measured`.
    pub fidelity: Option<Fidelity>,
    pub status: CellStatus,
    /// Why the status is not `ok`, or what `measured` was made of.
    pub reason: Option<String>,
    /// How far the cycle model is off that gave the measured figure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caution: Option<String>,
}

/// A compared paper.
#[derive(Clone, Debug)]
pub struct Comparison {
    pub paper: String,
    pub title: String,
    pub notes: Vec<String>,
    pub tables: Vec<ComparedTable>,
}

/// A compared table, cells in the order of the paper.
#[derive(Clone, Debug)]
pub struct ComparedTable {
    pub id: String,
    pub label: String,
    pub title: String,
    pub method: String,
    pub notes: Vec<String>,
    pub columns: usize,
    pub cells: Vec<ComparedCell>,
}

/// A compared cell with what tables need beside the line.
#[derive(Clone, Debug)]
pub struct ComparedCell {
    pub row: String,
    pub column: String,
    pub note: Option<String>,
    /// The first operation behind it, where one is.
    pub operation: Option<String>,
    /// Indices of the rows behind the measured figure.
    pub rows: Vec<usize>,
    pub line: CellLine,
}

/// A board that has a file, and its power figures.
#[derive(Clone, Debug)]
pub struct KnownBoard {
    pub name: String,
    pub power: Vec<PowerProfile>,
}

/// What papers are compared with.
#[derive(Clone, Copy, Debug)]
pub struct Ours<'a> {
    /// The latest row of each measurement.
    pub rows: &'a [Row],
    pub boards: &'a [KnownBoard],
    /// Stands in where the paper's file names no library.
    pub library: &'a str,
}

/// Compares the tables for which `wanted` holds.
pub fn compare(paper: &Paper, ours: Ours<'_>, wanted: impl Fn(&PaperTable) -> bool) -> Comparison {
    let tables = paper
        .tables
        .iter()
        .filter(|table| wanted(table))
        .map(|table| ComparedTable {
            id: table.id.clone(),
            label: table.label.clone(),
            title: table.title.clone(),
            method: table.method.clone(),
            notes: table.notes.clone(),
            columns: table.columns.len(),
            cells: table
                .cells
                .iter()
                .map(|cell| compare_cell(paper, table, cell, ours))
                .collect(),
        });
    Comparison {
        paper: paper.name.clone(),
        title: paper.title.clone(),
        notes: paper.notes.clone(),
        tables: tables.collect(),
    }
}

fn compare_cell(
    paper: &Paper,
    table: &PaperTable,
    cell: &PaperCell,
    ours: Ours<'_>,
) -> ComparedCell {
    let outcome = ours.measure(cell, &paper.candidates);
    let published = match &cell.published {
        Published::Number(number) => Some(Figure::Number(*number)),
        Published::Words(words) => Some(Figure::Words(words.clone())),
        Published::Dash | Published::Plotted => None,
    };
    let (status, measured, rows, reason) = match outcome {
        Ok(found) => match cell.published {
            Published::Dash => (
                CellStatus::NotPrinted,
                Some(found.figure),
                found.rows,
                format!("the paper prints a dash; {}", found.source),
            ),
            Published::Plotted => (
                CellStatus::NotPrinted,
                Some(found.figure),
                found.rows,
                format!("the paper draws it without a number; {}", found.source),
            ),
            _ => (CellStatus::Ok, Some(found.figure), found.rows, found.source),
        },
        Err(gap) => {
            let gap = ours.of_hardware(paper, cell, gap);
            (gap.status, None, Vec::new(), gap.reason)
        }
    };
    let ratio = match (&published, &measured) {
        (Some(Figure::Number(published)), Some(Figure::Number(measured))) if *published != 0.0 => {
            Some(measured / published)
        }
        _ => None,
    };
    // How far a model is off belongs to each of its figures.
    let cautions = format::model_cautions(rows.iter().map(|&index| &ours.rows[index]));
    let caution = (!cautions.is_empty()).then(|| cautions.join("; "));
    let is_number = |figure: &Option<Figure>| matches!(figure, Some(Figure::Number(_)));
    let line = CellLine {
        paper: paper.name.clone(),
        table: table.id.clone(),
        cell: format!("{} | {}", cell.row, cell.column),
        published_unit: cell.unit.clone(),
        unit: cell.unit.clone().filter(|_| is_number(&measured)),
        published,
        measured,
        ratio,
        board: board_of(&cell.measured_by).map(str::to_owned),
        fidelity: rows
            .iter()
            .map(|&index| ours.rows[index].fidelity)
            .max_by_key(|f| weakness(*f)),
        status,
        reason: Some(reason),
        caution,
    };
    ComparedCell {
        row: cell.row.clone(),
        column: cell.column.clone(),
        note: cell.note.clone(),
        operation: operation_of(&cell.measured_by).map(str::to_owned),
        rows,
        line,
    }
}

fn operation_of(measured_by: &MeasuredBy) -> Option<&str> {
    match measured_by {
        MeasuredBy::Value(value)
        | MeasuredBy::Difference(value, _)
        | MeasuredBy::Quotient(value, _) => {
            let first = value.sum.first().or(value.max.first());
            first.map(|term| term.operation.as_str())
        }
        MeasuredBy::Winner { term, .. } => Some(&term.operation),
        MeasuredBy::Clock { .. } | MeasuredBy::Exchange(_) | MeasuredBy::Nothing { .. } => None,
    }
}

fn board_of(measured_by: &MeasuredBy) -> Option<&str> {
    match measured_by {
        MeasuredBy::Value(value)
        | MeasuredBy::Difference(value, _)
        | MeasuredBy::Quotient(value, _) => Some(&value.board),
        MeasuredBy::Winner { board, .. } | MeasuredBy::Clock { board } => Some(board),
        MeasuredBy::Exchange(_) | MeasuredBy::Nothing { .. } => None,
    }
}

/// Orders fidelities from the strongest to the weakest.
fn weakness(fidelity: Fidelity) -> u8 {
    match fidelity {
        Fidelity::CycleExact => 0,
        Fidelity::CycleSteps => 1,
        Fidelity::CycleModel => 2,
        Fidelity::RadioModel => 3,
        Fidelity::Instructions => 4,
        Fidelity::WallClock => 5,
    }
}

/// A measured figure, the rows behind it, and how it was made of them.
struct Found {
    figure: Figure,
    rows: Vec<usize>,
    source: String,
}

/// A number in base units, and the rows behind it.
struct Value {
    number: f64,
    rows: Vec<usize>,
    source: String,
}

/// Why there is no figure.
#[derive(Clone)]
struct Gap {
    status: CellStatus,
    reason: String,
}

/// An implementation on a board.
#[derive(Clone, Copy)]
struct Configuration<'a> {
    board: &'a str,
    library: &'a str,
    algorithm: &'a str,
    variant: Option<&'a str>,
    bytes: Option<u32>,
    power: Option<&'a str>,
}

impl Ours<'_> {
    fn measure(&self, cell: &PaperCell, candidates: &[Candidate]) -> Result<Found, Gap> {
        let in_unit = |value: Value, base: &str| -> Result<Found, Gap> {
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
        };
        match &cell.measured_by {
            MeasuredBy::Exchange(_) => Err(Gap {
                status: CellStatus::NotMeasured,
                reason: "rows of exchanges are compared by: selo exchange compare".into(),
            }),
            MeasuredBy::Nothing { reason } => Err(Gap {
                status: CellStatus::PublishedOnly,
                reason: reason.clone(),
            }),
            MeasuredBy::Value(expression) => {
                in_unit(self.value(expression)?, base_unit(expression))
            }
            MeasuredBy::Difference(a, b) => {
                let (first, second) = (self.value(a)?, self.value(b)?);
                let value = Value {
                    number: first.number - second.number,
                    rows: [first.rows, second.rows].concat(),
                    source: format!("{} less {}", first.source, second.source),
                };
                in_unit(value, base_unit(a))
            }
            MeasuredBy::Quotient(a, b) => {
                let (first, second) = (self.value(a)?, self.value(b)?);
                let base = match cell.unit.as_deref() {
                    Some("%") => "%",
                    _ => "x",
                };
                let whole = if base == "%" { 100.0 } else { 1.0 };
                let value = Value {
                    number: whole * first.number / second.number,
                    rows: [first.rows, second.rows].concat(),
                    source: format!("{} over {}", first.source, second.source),
                };
                in_unit(value, base)
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
            MeasuredBy::Clock { board } => {
                let found = self.rows.iter().position(|row| row.board == *board);
                let index = found.ok_or_else(|| self.missing(board, "any row", None))?;
                let number = self.rows[index].clock_hz.ok_or_else(|| Gap {
                    status: CellStatus::PublishedOnly,
                    reason: format!("the clock of {board} varies"),
                })? as f64;
                in_unit(
                    Value {
                        number,
                        rows: vec![index],
                        source: format!("the clock of {board} in rows"),
                    },
                    "Hz",
                )
            }
        }
    }

    /// What a gap is if only a device can fill it: there is no file for the board, or a
    /// simulator of it that counts instructions, and it is a time that is asked for.
    fn of_hardware(&self, paper: &Paper, cell: &PaperCell, gap: Gap) -> Gap {
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
                "{} counted, which say nothing exact about this; {reason}",
                format::quantity(Metric::Instructions, found.number)
            );
        }
        Gap {
            status: CellStatus::NeedsHardware,
            reason,
        }
    }

    fn value(&self, expression: &Expression) -> Result<Value, Gap> {
        let place = Configuration {
            board: &expression.board,
            library: expression.library.as_deref().unwrap_or(self.library),
            algorithm: &expression.algorithm,
            variant: expression.variant.as_deref(),
            bytes: expression.bytes,
            power: expression.power.as_deref(),
        };
        let place = Configuration {
            variant: self.variant(place),
            ..place
        };
        let mut number = 0.0;
        let mut rows = Vec::new();
        let mut note = BTreeSet::new();
        for term in &expression.sum {
            let value = self.term(self.place_of(place, term), term)?;
            number += value.number;
            rows.extend(value.rows);
            note.insert(value.source);
        }
        let mut largest: Option<f64> = None;
        for term in &expression.max {
            let value = self.term(self.place_of(place, term), term)?;
            largest = Some(largest.map_or(value.number, |so_far| so_far.max(value.number)));
            rows.extend(value.rows);
            note.insert(value.source);
        }
        number += largest.unwrap_or(0.0);
        let names = |terms: &[Term]| -> Vec<String> {
            terms
                .iter()
                .map(|term| {
                    let of = term.algorithm.iter().map(|name| format!(" of {name}"));
                    let of: String = of.collect();
                    format!("{} of {}{of}", term.metric.name(), term.operation)
                })
                .collect()
        };
        let mut parts = names(&expression.sum);
        if !expression.max.is_empty() {
            parts.push(format!(
                "the largest of ({})",
                names(&expression.max).join(", ")
            ));
        }
        let mut source = format!("{}: {}", place.name(), parts.join(" + "));
        for note in note.into_iter().filter(|note| !note.is_empty()) {
            source.push_str("; ");
            source.push_str(&note);
        }
        if let Some(life) = &expression.life {
            number = self.life(place, life, number)?;
            source.push_str(&format!(
                "; drawn from {} every {} s, and rest",
                life.battery.name, life.period_seconds
            ));
        }
        Ok(Value {
            number,
            rows,
            source,
        })
    }

    /// Seconds that a battery lasts of which so many joules are drawn once a period, above
    /// what the node draws at rest.
    fn life(&self, place: Configuration<'_>, life: &BatteryLife, joules: f64) -> Result<f64, Gap> {
        let gap = |reason: String| Gap {
            status: CellStatus::NotMeasured,
            reason,
        };
        let name = place.power.unwrap_or_default();
        let resting = self
            .profile(place.board, name)?
            .resting_watts()
            .ok_or_else(|| gap(format!("the power profile {name} says nothing of a radio")))?;
        let duty = DutyCycle {
            sleep_watts: resting,
            active_watts: resting + joules / life.period_seconds,
            active_seconds: life.period_seconds,
            period_seconds: life.period_seconds,
        };
        let lasts = battery::life(&life.battery, &duty).map_err(gap)?;
        lasts
            .seconds
            .ok_or_else(|| gap("nothing draws anything".into()))
    }

    /// What a packet costs a node above rest, by a profile: its core awake, its radio on
    /// the air.
    fn packet(
        &self,
        place: Configuration<'_>,
        term: &Term,
        profile: &PowerProfile,
    ) -> Result<Value, Gap> {
        let of = |operation: &str, metric: Metric| {
            let operation = operation.to_owned();
            let algorithm = None;
            self.term(
                place,
                &Term {
                    metric,
                    operation,
                    algorithm,
                },
            )
        };
        let time = of(&term.operation, Metric::Time)?;
        let share = of(&term.operation, Metric::CpuShare)?;
        let mut rows = [time.rows, share.rows].concat();
        let awake = time.number * share.number / 100.0;
        let on_air = match term.operation.as_str() {
            TRANSMIT => {
                let air = of(AIR, Metric::Time)?;
                rows.extend(air.rows);
                air.number
            }
            _ => 0.0,
        };
        let joules = profile.packet_joules(awake, on_air).ok_or_else(|| Gap {
            status: CellStatus::NotMeasured,
            reason: format!("the power profile {} says nothing of a radio", profile.name),
        })?;
        Ok(Value {
            number: joules,
            rows,
            source: format!(
                "{} ms awake, {} ms on the air, profile {}",
                format::significant(awake * 1e3, 3),
                format::significant(on_air * 1e3, 3),
                profile.name
            ),
        })
    }

    /// Whether the rows say of an operation that it is a packet of a node with its radio:
    /// such nodes have a time on the air.
    fn is_packet(&self, place: Configuration<'_>, term: &Term) -> bool {
        matches!(term.operation.as_str(), TRANSMIT | RECEIVE)
            && self
                .rows
                .iter()
                .any(|row| row.algorithm == place.algorithm && row.operation == AIR)
    }

    /// Where a term's rows are: its own algorithm's, by the variant of default, or the
    /// expression's.
    fn place_of<'p>(&'p self, place: Configuration<'p>, term: &'p Term) -> Configuration<'p> {
        let Some(algorithm) = &term.algorithm else {
            return place;
        };
        let place = Configuration {
            algorithm,
            variant: None,
            ..place
        };
        Configuration {
            variant: self.variant(place),
            ..place
        }
    }

    /// One metric of one operation in base units. Times may come from cycles
    /// and the clock; energies under a named profile come from times.
    /// `source` of the result holds only what a reader must know beside the name.
    fn term(&self, place: Configuration<'_>, term: &Term) -> Result<Value, Gap> {
        if let (Metric::Energy, Some(name)) = (term.metric, place.power) {
            let profile = self.profile(place.board, name)?;
            if self.is_packet(place, term) {
                return self.packet(place, term, profile);
            }
            let time = self.term(
                place,
                &Term {
                    metric: Metric::Time,
                    ..term.clone()
                },
            )?;
            return Ok(Value {
                number: profile.joules(time.number),
                rows: time.rows,
                source: format!(
                    "{} above idle, profile {name}",
                    watts(profile.watts_above_idle())
                ),
            });
        }
        match self.row(place, term) {
            Err(gap) if term.metric == Metric::Time => {
                let cycles = Term {
                    metric: Metric::Cycles,
                    ..term.clone()
                };
                let Ok(found) = self.row(place, &cycles) else {
                    return Err(gap);
                };
                match found
                    .rows
                    .first()
                    .and_then(|&index| self.rows[index].clock_hz)
                {
                    Some(clock) => Ok(Value {
                        number: found.number / clock as f64,
                        ..found
                    }),
                    None => Err(gap),
                }
            }
            outcome => outcome,
        }
    }

    fn row(&self, place: Configuration<'_>, term: &Term) -> Result<Value, Gap> {
        let of_unit = |row: &Row| {
            row.board == place.board
                && row.library == place.library
                && row.algorithm == place.algorithm
                && place.variant.is_none_or(|variant| row.variant == variant)
        };
        let wanted = |row: &Row| {
            of_unit(row) && row.operation == term.operation && row.metric == term.metric
        };
        // The size that is asked for; failing that a row without a size; with no
        // wish, the smallest.
        let pick = |test: &dyn Fn(&Row) -> bool| {
            let matching = self
                .rows
                .iter()
                .enumerate()
                .filter(|(_, row)| wanted(row) && test(row));
            matching
                .min_by_key(|(_, row)| row.bytes)
                .map(|(index, _)| index)
        };
        let found = match place.bytes {
            Some(bytes) => {
                pick(&|row| row.bytes == Some(bytes)).or_else(|| pick(&|row| row.bytes.is_none()))
            }
            None => pick(&|_| true),
        };
        let Some(index) = found else {
            let what = format!("{} of {}", term.metric.name(), term.operation);
            let sizes: BTreeSet<u32> = self
                .rows
                .iter()
                .filter(|row| wanted(row))
                .filter_map(|row| row.bytes)
                .collect();
            if !sizes.is_empty() {
                let sizes: Vec<String> = sizes.iter().map(u32::to_string).collect();
                return Err(Gap {
                    status: CellStatus::NotMeasured,
                    reason: format!(
                        "{}: {what} was measured with {} bytes, not with {}",
                        place.name(),
                        sizes.join(", "),
                        place.bytes.unwrap_or(0)
                    ),
                });
            }
            // Rows of the same unit with the same metric, but not this operation.
            if self
                .rows
                .iter()
                .any(|row| of_unit(row) && row.metric == term.metric)
            {
                return Err(Gap {
                    status: CellStatus::NotSupported,
                    reason: format!(
                        "{} does not offer {}, or the run left it out",
                        place.name(),
                        term.operation
                    ),
                });
            }
            return Err(self.missing(
                place.board,
                &format!("{what} of {}", place.name()),
                Some(place),
            ));
        };
        let row = &self.rows[index];
        let why = || row.reason().unwrap_or_else(|| row.status.name().to_owned());
        match (row.status, row.value) {
            (Status::Ok, Some(number)) => Ok(Value {
                number,
                rows: vec![index],
                source: size_note(row, place),
            }),
            (Status::VariableTime, Some(number)) => Ok(Value {
                number,
                rows: vec![index],
                source: "the mean of a time that varies with its inputs".into(),
            }),
            (Status::DoesNotFit, _) => Err(Gap {
                status: CellStatus::DoesNotFit,
                reason: why(),
            }),
            (Status::OverLimit, _) => Err(Gap {
                status: CellStatus::OverLimit,
                reason: why(),
            }),
            (Status::NotSupported, _) => Err(Gap {
                status: CellStatus::NotSupported,
                reason: why(),
            }),
            (status, _) => Err(Gap {
                status: CellStatus::NotMeasured,
                reason: format!(
                    "{} {}: {}",
                    place.name(),
                    format::status_words(status),
                    why()
                ),
            }),
        }
    }

    /// The variant of a place that names none.
    fn variant<'p>(&'p self, place: Configuration<'p>) -> Option<&'p str> {
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

    fn winner(
        &self,
        place: Configuration<'_>,
        term: &Term,
        candidates: &[Candidate],
        published: &Published,
    ) -> Result<Found, Gap> {
        let mut values: Vec<(&str, Value)> = Vec::new();
        let mut gap = None;
        for candidate in candidates {
            let place = Configuration {
                algorithm: &candidate.algorithm,
                variant: Some(&candidate.variant),
                ..place
            };
            match self.term(place, term) {
                Ok(value) => values.push((&candidate.name, value)),
                Err(found) => {
                    gap.get_or_insert(found);
                }
            }
        }
        // The more packets the better; of all else the less.
        let most = term.metric == Metric::Rate;
        let better = |a: f64, b: f64| {
            if most {
                b.total_cmp(&a)
            } else {
                a.total_cmp(&b)
            }
        };
        values.sort_by(|a, b| better(a.1.number, b.1.number));
        let Some(least) = values.first().map(|(_, value)| value.number) else {
            return Err(gap.unwrap_or_else(|| self.missing(place.board, "any candidate", None)));
        };
        let winners: Vec<&str> = values
            .iter()
            .take_while(|(_, value)| same(term.metric, value.number, least))
            .map(|(name, _)| *name)
            .collect();
        let mut source = format!(
            "{} {} of {}, {} of {} candidates measured: {}",
            if most { "most" } else { "least" },
            term.metric.name(),
            term.operation,
            values.len(),
            candidates.len(),
            format::quantity(term.metric, least)
        );
        let published = match published {
            Published::Words(words) => alternatives(words),
            _ => Vec::new(),
        };
        let rows =
            |values: &[(&str, Value)]| values.iter().flat_map(|(_, v)| v.rows.clone()).collect();
        if winners.len() == values.len() && winners.len() > 1 {
            return Ok(Found {
                figure: Figure::Words(TIE.into()),
                rows: rows(&values),
                source,
            });
        }
        // Who wins among some says nothing of a winner that did not take part.
        if !published.is_empty()
            && published != [TIE]
            && !values
                .iter()
                .any(|(name, _)| published.iter().any(|p| p == name))
        {
            return Err(Gap {
                status: CellStatus::NotMeasured,
                reason: format!(
                    "the published winner has no row yet; run: selo lab run --board {}",
                    place.board
                ),
            });
        }
        if published
            .iter()
            .any(|name| winners.contains(&name.as_str()))
        {
            source.push_str("; the published winner");
        } else if let Some((rank, (name, value))) = values
            .iter()
            .enumerate()
            .find(|(_, (name, _))| published.iter().any(|p| p == name))
        {
            source.push_str(&format!(
                "; the published winner, {name}, is number {} with {}",
                rank + 1,
                format::quantity(term.metric, value.number)
            ));
        }
        Ok(Found {
            figure: Figure::Words(winners.join(" = ")),
            rows: rows(&values),
            source,
        })
    }

    fn profile(&self, board: &str, name: &str) -> Result<&PowerProfile, Gap> {
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

    /// Why there is no row, and how to make one.
    fn missing(&self, board: &str, what: &str, place: Option<Configuration<'_>>) -> Gap {
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
    fn name(&self) -> String {
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

fn base_unit(expression: &Expression) -> &'static str {
    if expression.life.is_some() {
        return "s";
    }
    let first = expression.sum.first().or(expression.max.first());
    first.map_or("x", |term| term.metric.unit())
}

fn watts(watts: f64) -> String {
    format!("{} mW", format::significant(watts * 1e3, 3))
}

/// What a table of winners says when nobody is better than another.
const TIE: &str = "tie";

/// Two figures that are equal but for their last bits; packets a second but for the
/// steps of a simulation (docs/researcher/experiment.md).
fn same(metric: Metric, a: f64, b: f64) -> bool {
    let within = match metric {
        Metric::Rate => 1e-3,
        _ => 1e-9,
    };
    (a - b).abs() <= within * a.abs().max(b.abs())
}

/// The names in `Speck 128/192/256`: each alternative replaces the last word.
fn alternatives(words: &str) -> Vec<String> {
    let mut parts = words.split('/');
    let first = parts.next().unwrap_or_default().trim();
    let stem = first.rsplit_once(' ').map_or("", |(stem, _)| stem);
    let others = parts.map(|part| format!("{stem} {}", part.trim()));
    std::iter::once(first.to_owned()).chain(others).collect()
}

// ---- for readers -------------------------------------------------------------

impl CellStatus {
    /// Every status, in the order of summaries.
    pub const ALL: [CellStatus; 9] = [
        CellStatus::Ok,
        CellStatus::NotPrinted,
        CellStatus::NotMeasured,
        CellStatus::NeedsHardware,
        CellStatus::NeedsBoard,
        CellStatus::DoesNotFit,
        CellStatus::OverLimit,
        CellStatus::NotSupported,
        CellStatus::PublishedOnly,
    ];

    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            CellStatus::Ok => "ok",
            CellStatus::NotPrinted => "not-printed",
            CellStatus::NotMeasured => "not-measured",
            CellStatus::NeedsHardware => "needs-hardware",
            CellStatus::NeedsBoard => "needs-board",
            CellStatus::DoesNotFit => "does-not-fit",
            CellStatus::OverLimit => "over-limit",
            CellStatus::NotSupported => "not-supported",
            CellStatus::PublishedOnly => "published-only",
        }
    }

    fn tone(self) -> Tone {
        match self {
            CellStatus::Ok => Tone::Good,
            CellStatus::NotPrinted => Tone::Plain,
            CellStatus::NotMeasured | CellStatus::OverLimit => Tone::Warn,
            CellStatus::DoesNotFit => Tone::Bad,
            CellStatus::NeedsHardware
            | CellStatus::NeedsBoard
            | CellStatus::NotSupported
            | CellStatus::PublishedOnly => Tone::Quiet,
        }
    }
}

impl Comparison {
    /// Every cell, as lines of JSON are printed.
    pub fn lines(&self) -> impl Iterator<Item = &CellLine> {
        self.tables
            .iter()
            .flat_map(|table| table.cells.iter().map(|cell| &cell.line))
    }

    /// How many cells ended how, statuses without cells left out.
    pub fn counts(&self) -> Vec<(CellStatus, usize)> {
        CellStatus::ALL
            .into_iter()
            .map(|status| {
                (
                    status,
                    self.lines().filter(|line| line.status == status).count(),
                )
            })
            .filter(|(_, count)| *count > 0)
            .collect()
    }

    /// Whether any cell has a measured figure.
    pub fn has_measurements(&self) -> bool {
        self.lines().any(|line| line.measured.is_some())
    }

    /// Boards that have a file and that cells still lack rows for.
    pub fn boards_to_run(&self) -> BTreeSet<&str> {
        self.lines()
            .filter(|line| line.status == CellStatus::NotMeasured)
            .filter_map(|line| line.board.as_deref())
            .collect()
    }
}

impl ComparedTable {
    /// The table for readers. Cells whose board is missing become one remark
    /// unless `all`.
    pub fn to_table(&self, all: bool) -> Table {
        let unit = self.common_unit();
        let mut columns = vec![Column::text("Row")];
        if self.columns > 1 {
            columns.push(Column::text("Column"));
        }
        let head = unit.unwrap_or_default();
        columns.extend([
            Column::number("Published", head),
            Column::number("Measured", head),
            Column::number("Ratio", ""),
            Column::text("Fidelity"),
            Column::text("Status"),
        ]);
        let mut table = Table::new(format!("{}: {}", self.label, self.title), columns);
        let absent = |cell: &&ComparedCell| cell.line.status == CellStatus::NeedsBoard;
        for cell in self.cells.iter().filter(|cell| all || !absent(cell)) {
            table.push(self.table_line(cell, unit.is_none()));
        }
        let mut remarks = vec![format!("Published: {}", self.method)];
        remarks.extend(self.notes.iter().cloned());
        let missing: Vec<&ComparedCell> = self.cells.iter().filter(absent).collect();
        if !all && !missing.is_empty() {
            let boards: BTreeSet<&str> = missing
                .iter()
                .filter_map(|cell| cell.line.board.as_deref())
                .collect();
            remarks.push(format!(
                "{} not shown: no board to run yet for {}.",
                format::things(missing.len(), "cell", "cells"),
                boards.into_iter().collect::<Vec<_>>().join(", ")
            ));
        }
        table.remarks = remarks;
        table.without_empty_columns()
    }

    /// The unit of every figure of the table, if they share one.
    fn common_unit(&self) -> Option<&str> {
        let mut units = self
            .cells
            .iter()
            .filter_map(|cell| cell.line.published_unit.as_deref());
        let first = units.next()?;
        units.all(|unit| unit == first).then_some(first)
    }

    fn table_line(&self, cell: &ComparedCell, with_unit: bool) -> Vec<Shown> {
        let line = &cell.line;
        let show = |figure: &Option<Figure>, text: fn(f64) -> String| match figure {
            None => Shown::none(),
            Some(Figure::Words(words)) => Shown::text(words.clone()),
            Some(Figure::Number(number)) => {
                let unit = line.published_unit.as_deref().filter(|_| with_unit);
                let unit = unit.map_or_else(String::new, |unit| format!(" {unit}"));
                Shown::number(format!("{}{unit}", text(*number)), *number)
            }
        };
        let mut published = show(&line.published, format::exact);
        if let Some(note) = &cell.note {
            published = published.with_note(note.clone());
        }
        let mut measured = show(&line.measured, |number| format::significant(number, 4));
        if let Some(caution) = &line.caution {
            measured = measured.with_note(caution.clone());
        }
        let mut status = Shown::label(line.status.name(), line.status.tone());
        if let Some(reason) = &line.reason {
            if line.status == CellStatus::Ok || line.status == CellStatus::NotPrinted {
                measured = measured.with_source(reason.clone(), cell.rows.clone());
                // Words say little without what they rest on.
                if matches!(line.measured, Some(Figure::Words(_))) {
                    measured = measured.with_note(reason.clone());
                }
            } else {
                status = status.with_note(brief(line, reason));
            }
        }
        let mut shown = vec![Shown::text(cell.row.clone())];
        if self.columns > 1 {
            shown.push(Shown::text(cell.column.clone()));
        }
        shown.extend([
            published,
            measured,
            line.ratio.map_or_else(Shown::none, |ratio| {
                Shown::number(format::ratio(ratio), ratio)
            }),
            line.fidelity
                .map_or_else(Shown::none, |fidelity| Shown::text(fidelity.name())),
            status,
        ]);
        shown
    }
}

/// A reason as a footnote: rows that are missing on one board share a note.
fn brief(line: &CellLine, reason: &str) -> String {
    match &line.board {
        Some(board) if reason.starts_with(NO_ROW) => {
            format!("no row yet; run: selo lab run --board {board}")
        }
        _ => reason.to_owned(),
    }
}
