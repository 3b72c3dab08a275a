//! Reads traces: the exports of meters and oscilloscopes.

use std::ops::Range;

use thiserror::Error;

use selo_base::units::{Dimension, Unit};

use super::TraceSample;

/// Data that the trace file itself lacks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TraceSetup {
    /// The supply voltage, if no column has it.
    pub supply_volts: Option<f64>,
    /// Resistance of the shunt in ohms, if the column `shunt` or `ch1` has the voltage across a
    /// shunt.
    pub shunt_ohms: Option<f64>,
    /// The column of a pin that is high while the operation runs.
    pub trigger: Option<String>,
}

/// The samples of a trace, and the stretches during which its trigger was high.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    pub samples: Vec<TraceSample>,
    /// Each from the first high sample to the first low sample after it, in seconds. Empty without
    /// a trigger. Excludes stretches that the start or end of the trace cuts off.
    pub high: Vec<Range<f64>>,
}

/// The reason why a trace was refused. Lines count from 1, the header included.
#[derive(Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum TraceError {
    #[error("the trace is empty")]
    Empty,
    #[error("line {line}: no {column} column in the header; give one such as {example}")]
    MissingColumn {
        line: usize,
        column: &'static str,
        example: &'static str,
    },
    #[error("line {line}: no column '{column}' for the trigger; the columns are {known}")]
    NoTrigger {
        line: usize,
        column: String,
        known: String,
    },
    #[error("the trigger '{column}' never goes from low to high and back")]
    NeverHigh { column: String },
    #[error("line {line}: column '{column}': unknown unit '{unit}'")]
    BadUnit {
        line: usize,
        column: String,
        unit: String,
    },
    #[error("line {line}: '{text}' is not a number")]
    NotANumber { line: usize, text: String },
    #[error("line {line}: {found} fields, but the header has {expected}")]
    WrongFieldCount {
        line: usize,
        found: usize,
        expected: usize,
    },
    #[error("line {line}: time goes backwards from {before} s to {after} s")]
    TimeGoesBack {
        line: usize,
        before: f64,
        after: f64,
    },
    #[error("at least two samples are needed, but the trace has {0}")]
    TooFewSamples(usize),
    #[error("the trace runs from {first} s to {last} s; {from} s to {to} s is not within it")]
    OutsideTrace {
        first: f64,
        last: f64,
        from: f64,
        to: f64,
    },
    #[error("the interval from {from} s to {to} s is empty")]
    EmptyStretch { from: f64, to: f64 },
}

/// Reads the export of a meter or oscilloscope: a header, then one line for each sample, with
/// columns for time, voltage and current in any order.
///
/// The separator is the one in the header: semicolon, tab or comma. Units are in the header
/// (`i [mA]`, `current_mA`, `time (ms)`). Columns without units are in seconds, volts and amperes.
/// With semicolons or tabs, a comma in a number is a decimal comma. Empty lines and lines that
/// start with `#` are skipped.
pub fn parse_trace(text: &str) -> Result<Vec<TraceSample>, TraceError> {
    Ok(parse_trace_with(text, &TraceSetup::default())?.samples)
}

/// Does the same as [`parse_trace`], but `setup` may replace missing columns: a current without a
/// voltage, or the voltage of a shunt. Skips up to 30 lines before the header.
pub fn parse_trace_with(text: &str, setup: &TraceSetup) -> Result<Trace, TraceError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text
        .lines()
        .enumerate()
        .map(|(index, line)| (index + 1, line.trim_end()))
        .filter(|(_, line)| !line.trim().is_empty() && !line.trim_start().starts_with('#'));
    let preamble = lines.clone().take(PREAMBLE);
    let skipped = preamble.take_while(|(_, line)| !is_header(line)).count();
    let found = lines
        .clone()
        .nth(skipped)
        .is_some_and(|(_, line)| is_header(line));
    let (line, header) = lines
        .nth(if found { skipped } else { 0 })
        .ok_or(TraceError::Empty)?;
    let columns = Columns::find(line, header, setup)?;
    let mut samples: Vec<TraceSample> = Vec::new();
    let mut levels = Vec::new();
    for (line, text) in lines {
        let sample = columns.read(line, text, setup, &mut levels)?;
        if let Some(last) = samples.last()
            && sample.seconds <= last.seconds
        {
            return Err(TraceError::TimeGoesBack {
                line,
                before: last.seconds,
                after: sample.seconds,
            });
        }
        samples.push(sample);
    }
    if samples.len() < 2 {
        return Err(TraceError::TooFewSamples(samples.len()));
    }
    let high = high_stretches(&samples, &levels);
    match &setup.trigger {
        Some(column) if high.is_empty() => Err(TraceError::NeverHigh {
            column: column.clone(),
        }),
        _ => Ok(Trace { samples, high }),
    }
}

/// The separator of a header's line, and of the lines below it.
fn separator_of(header: &str) -> char {
    let other = [';', '\t'].into_iter().find(|s| header.contains(*s));
    other.unwrap_or(',')
}

fn heads_of(header: &str) -> Vec<String> {
    let heads = header.split(separator_of(header));
    heads.map(|head| unquote(head).to_owned()).collect()
}

fn is_header(line: &str) -> bool {
    let heads = heads_of(line);
    Column::find(&heads, &TIME, 0).is_ok() && heads.len() > 1
}

/// The columns of a trace.
struct Columns {
    separator: char,
    /// The number of columns.
    count: usize,
    time: Column,
    voltage: Option<Column>,
    current: Option<Column>,
    shunt: Option<Column>,
    trigger: Option<Column>,
}

impl Columns {
    /// The columns that `setup` needs, in the header at line `line`.
    fn find(line: usize, header: &str, setup: &TraceSetup) -> Result<Columns, TraceError> {
        let mut heads = heads_of(header);
        let trigger = match &setup.trigger {
            Some(name) => Some(trigger(&heads, name, line)?),
            None => None,
        };
        // The trigger's column must not also count as voltage or shunt.
        if let Some(column) = &trigger {
            heads[column.index].clear();
        }
        let shunt = match setup.shunt_ohms {
            Some(_) => Some(Column::find(&heads, &SHUNT, line)?),
            None => None,
        };
        Ok(Columns {
            separator: separator_of(header),
            count: heads.len(),
            time: Column::find(&heads, &TIME, line)?,
            voltage: match Column::find(&heads, &VOLTAGE, line) {
                Err(TraceError::MissingColumn { .. }) if setup.supply_volts.is_some() => None,
                found => Some(found?),
            },
            current: match shunt {
                Some(_) => None,
                None => Some(Column::find(&heads, &CURRENT, line)?),
            },
            shunt,
            trigger,
        })
    }

    /// The sample of a line. Adds the trigger's level to `levels`, if there is a trigger.
    fn read(
        &self,
        line: usize,
        text: &str,
        setup: &TraceSetup,
        levels: &mut Vec<f64>,
    ) -> Result<TraceSample, TraceError> {
        let fields: Vec<&str> = text.split(self.separator).map(unquote).collect();
        // Many exports end every line with a separator. Ignore it.
        let more = fields.len() > self.count && fields.ends_with(&[""]);
        let found = fields.len() - usize::from(more);
        if found != self.count {
            return Err(TraceError::WrongFieldCount {
                line,
                found,
                expected: self.count,
            });
        }
        let read = |column: &Column| column.read(&fields, self.separator != ',', line);
        let across = match &self.shunt {
            Some(column) => read(column)?,
            None => 0.0,
        };
        let sample = TraceSample {
            seconds: read(&self.time)?,
            // The supply is measured before the shunt, so subtract the shunt's voltage.
            volts: match (&self.voltage, setup.supply_volts) {
                (Some(column), _) => read(column)?,
                (None, supply) => supply.unwrap_or(0.0) - across,
            },
            amperes: match (&self.current, setup.shunt_ohms) {
                (Some(column), _) => read(column)?,
                (None, ohms) => across / ohms.unwrap_or(1.0),
            },
        };
        if let Some(column) = &self.trigger {
            levels.push(read(column)?);
        }
        Ok(sample)
    }
}

/// The column of the trigger: its head is the name, with a unit or without.
fn trigger(heads: &[String], name: &str, line: usize) -> Result<Column, TraceError> {
    let wanted = name.to_lowercase();
    let is_it = |head: &String| {
        let head = head.to_lowercase();
        let rest = head.strip_prefix(&wanted);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['(', '[', ' ']))
    };
    match heads.iter().position(is_it) {
        Some(index) => Ok(Column { index, factor: 1.0 }),
        None => Err(TraceError::NoTrigger {
            line,
            column: name.to_owned(),
            known: heads.join(", "),
        }),
    }
}

/// The stretches during which the level is above the middle of its range.
fn high_stretches(samples: &[TraceSample], levels: &[f64]) -> Vec<Range<f64>> {
    let bounds = levels
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &level| {
            (low.min(level), high.max(level))
        });
    let middle = (bounds.0 + bounds.1) / 2.0;
    let (mut high, mut since) = (Vec::new(), None);
    let mut before = true;
    for (sample, &level) in samples.iter().zip(levels) {
        let now = level > middle;
        match (before, now) {
            (false, true) => since = Some(sample.seconds),
            (true, false) => high.extend(since.take().map(|since| since..sample.seconds)),
            _ => {}
        }
        before = now;
    }
    high
}

/// The accepted header words of a quantity.
struct Quantity {
    name: &'static str,
    words: &'static [&'static str],
    example: &'static str,
    dimension: Dimension,
}

const TIME: Quantity = Quantity {
    name: "time",
    words: &["t", "time", "timestamp", "tempo", "second", "seconds"],
    example: "'t' or 'time_ms'",
    dimension: Dimension::Time,
};

const VOLTAGE: Quantity = Quantity {
    name: "voltage",
    words: &[
        "v", "u", "voltage", "volts", "vbus", "bus", "supply", "ch2", "tensão", "tensao",
    ],
    example: "'v' or 'voltage [mV]'",
    dimension: Dimension::Voltage,
};

const CURRENT: Quantity = Quantity {
    name: "current",
    words: &["i", "a", "current", "amps", "amperes", "corrente"],
    example: "'i' or 'current (mA)'",
    dimension: Dimension::Current,
};

const SHUNT: Quantity = Quantity {
    name: "shunt voltage",
    words: &["shunt", "vshunt", "ch1"],
    example: "'shunt [mV]' or 'ch1 (V)'",
    dimension: Dimension::Voltage,
};

/// Words of a header that repeat the unit's meaning and are ignored.
const FILLERS: [&str; 3] = ["voltage", "current", "time"];

/// Most lines that may precede the header of an oscilloscope's export.
const PREAMBLE: usize = 30;

struct Column {
    index: usize,
    factor: f64,
}

impl Column {
    fn find(heads: &[String], quantity: &Quantity, line: usize) -> Result<Column, TraceError> {
        for (index, head) in heads.iter().enumerate() {
            let mut parts = head
                .split(|c: char| c.is_whitespace() || "_[]()/".contains(c))
                .filter(|part| !part.is_empty());
            let Some(word) = parts.next() else { continue };
            if !quantity.words.contains(&word.to_lowercase().as_str()) {
                continue;
            }
            let filler = |part: &&str| FILLERS.contains(&part.to_lowercase().as_str());
            let Some(name) = parts.find(|part| !filler(part)) else {
                return Ok(Column { index, factor: 1.0 });
            };
            return match Unit::find(name) {
                Ok(unit) if unit.dimension == quantity.dimension => Ok(Column {
                    index,
                    factor: unit.factor,
                }),
                _ => Err(TraceError::BadUnit {
                    line,
                    column: head.clone(),
                    unit: name.to_owned(),
                }),
            };
        }
        Err(TraceError::MissingColumn {
            line,
            column: quantity.name,
            example: quantity.example,
        })
    }

    fn read(&self, fields: &[&str], decimal_comma: bool, line: usize) -> Result<f64, TraceError> {
        let text = fields[self.index];
        let number = if decimal_comma {
            text.replace(',', ".")
        } else {
            text.to_owned()
        };
        match number.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(value * self.factor),
            _ => Err(TraceError::NotANumber {
                line,
                text: text.to_owned(),
            }),
        }
    }
}

fn unquote(field: &str) -> &str {
    let field = field.trim();
    field
        .strip_prefix('"')
        .and_then(|f| f.strip_suffix('"'))
        .unwrap_or(field)
        .trim()
}
