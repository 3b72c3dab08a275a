//! Converts rows of schema `selo.measurement/1` into current rows. The fields `contender`,
//! `contender_version`, `strategy` and `variant` become `library`, `library_version`, `variant` and
//! `sweep`. The sentence in `reason` becomes [`Row::cause`] and [`Row::notes`].

use serde::Deserialize;

use super::cause::{Caution, Counted, Excess, Memory, ModelError, Note, Part, Step, Taken};
use super::{Cause, Row, SCHEMA, Status};
use crate::error::Stop;

/// The schema of these rows.
pub const OLD: &str = "selo.measurement/1";

/// The fields whose name or type has changed.
#[derive(Deserialize)]
struct Old {
    contender: Option<String>,
    contender_version: Option<String>,
    strategy: Option<String>,
    #[serde(default)]
    reason: Option<String>,
}

/// Reads a row of either schema from a line of JSON.
pub fn read(line: &str) -> Result<Row, serde_json::Error> {
    let mut value: serde_json::Value = serde_json::from_str(line)?;
    if value.get("schema").and_then(|schema| schema.as_str()) != Some(OLD) {
        return serde_json::from_value(value);
    }
    let old = Old::deserialize(&value)?;
    if let Some(fields) = value.as_object_mut() {
        fields.remove("reason");
        fields.insert("schema".into(), SCHEMA.into());
        fields.insert("notes".into(), serde_json::Value::Array(Vec::new()));
        // The last rows of schema 1 already have the current names.
        if let Some(strategy) = old.strategy {
            if let Some(sweep) = fields.remove("variant") {
                fields.insert("sweep".into(), sweep);
            }
            fields.insert("variant".into(), strategy.into());
        }
        for (name, value) in [
            ("library", old.contender),
            ("library_version", old.contender_version),
        ] {
            if let Some(value) = value {
                fields.insert(name.into(), value.into());
            }
        }
    }
    let mut row: Row = serde_json::from_value(value)?;
    if let Some(reason) = old.reason {
        convert(&mut row, &reason);
    }
    Ok(row)
}

/// Sets the cause and notes of a row from its old sentence.
fn convert(row: &mut Row, reason: &str) {
    if row.value.is_none() {
        row.cause = Some(cause(row, reason));
        return;
    }
    // A row with a value has notes, and perhaps two inputs with different times after them.
    let (notes, spread) = match (row.status, depends_at(reason)) {
        (Status::VariableTime, Some(at)) => (&reason[..at], Some(&reason[at..])),
        _ => (reason, None),
    };
    for part in notes.split("; ").filter(|part| !part.is_empty()) {
        row.notes.push(note(part));
    }
    if let Some(spread) = spread {
        row.cause = Some(depends(spread).unwrap_or_else(|| said(row, spread)));
    }
}

fn said(row: &Row, text: &str) -> Cause {
    Cause::Said {
        text: text.to_owned(),
        status: row.status,
    }
}

const DEPENDS: [(&str, Counted); 2] = [
    ("time depends on the inputs: ", Counted::Cycles),
    ("the path depends on the inputs: ", Counted::Instructions),
];

fn depends_at(reason: &str) -> Option<usize> {
    DEPENDS.iter().find_map(|(begins, _)| reason.find(begins))
}

fn depends(text: &str) -> Option<Cause> {
    let found = DEPENDS.iter().find_map(|(begins, counted)| {
        let (least, most) = text.strip_prefix(begins)?.split_once(", ")?;
        Some((least, most, *counted))
    });
    let (least, most, counted) = found?;
    let taken = |text: &str| {
        let (count, rest) = text.split_once(' ')?;
        let (_, inputs) = rest.split_once(" for ")?;
        Some(Taken {
            count: count.parse().ok()?,
            inputs: inputs.split(' ').map(str::to_owned).collect(),
        })
    };
    Some(Cause::DependsOnInputs {
        counted,
        least: taken(least)?,
        most: taken(most)?,
    })
}

fn note(text: &str) -> Note {
    let typed = || {
        if let Some(name) = text.strip_prefix("power profile ") {
            let name = name.to_owned();
            return Some(Note::PowerProfile { name });
        }
        if let Some(rest) = text.strip_prefix(super::say::MODEL) {
            return caution(rest).map(Note::Model);
        }
        if let Some(count) = text.strip_suffix(" seeds, each as long as its search takes") {
            let count = count.parse().ok()?;
            return Some(Note::Seeds { count });
        }
        let steps = text.strip_prefix("counted in steps of ")?;
        let cycles = steps.strip_suffix(" cycles")?.parse().ok()?;
        Some(Note::Steps { cycles })
    };
    typed().unwrap_or_else(|| Note::Said {
        text: text.to_owned(),
    })
}

/// Parses a caution without its first words.
fn caution(text: &str) -> Option<Caution> {
    let (model, rest) = text.split_once(" (")?;
    let (memory, rest) = rest.split_once("): ")?;
    let (lowest, rest) = rest.split_once(" to ")?;
    let (highest, rest) = rest.split_once(" % off ")?;
    let (figures, rest) = rest.split_once(" public figures, half of them by less than ")?;
    Some(Caution {
        model: model.to_owned(),
        memory: memory.to_owned(),
        error: ModelError {
            figures: figures.parse().ok()?,
            lowest: lowest.parse().ok()?,
            highest: highest.parse().ok()?,
            half_within: rest.strip_suffix(" %")?.parse().ok()?,
        },
    })
}

/// The cause of a row without a value.
fn cause(row: &Row, text: &str) -> Cause {
    let typed = || match row.status {
        Status::Failed => failed(text),
        Status::DoesNotFit => does_not_fit(text),
        Status::OverLimit => over_limit(text),
        Status::Crashed => Some(Cause::Stopped { stop: stop(text)? }),
        Status::NotSupported => not_supported(row, text),
        Status::Ok | Status::VariableTime => None,
    };
    typed().unwrap_or_else(|| said(row, text))
}

/// The text after the step's name, if the text starts with it.
fn in_step<'t>(text: &'t str, step: &Step) -> Option<&'t str> {
    text.strip_prefix(&format!("{step}: "))
}

fn failed(text: &str) -> Option<Cause> {
    if let Some(message) = text.strip_prefix("does not build: ") {
        let message = message.to_owned();
        return Some(Cause::DoesNotBuild { message });
    }
    if let Some(rest) = in_step(text, &Step::AfterTiming) {
        return Some(failed(rest)?.at(Step::AfterTiming));
    }
    if text == "decrypting what was encrypted does not give the message back" {
        return Some(Cause::NotGivenBack);
    }
    let mut parts = text.splitn(3, ": ");
    let (set, case, message) = (parts.next()?, parts.next()?, parts.next()?);
    (!set.contains(' ')).then(|| Cause::FailedVector {
        set: set.to_owned(),
        case: case.to_owned(),
        message: message.to_owned(),
    })
}

fn does_not_fit(text: &str) -> Option<Cause> {
    if let Some(rest) = in_step(text, &Step::WithAgent) {
        return Some(does_not_fit(rest)?.at(Step::WithAgent));
    }
    if let Some(rest) = text.strip_prefix("the stack runs into the variables: ") {
        return Some(Cause::StackCollision {
            stop: stop(rest)?,
            below: None,
        });
    }
    if let Some(rest) = text.strip_suffix(": less RAM is left than the operation asks for") {
        return Some(Cause::HeapExhausted { stop: stop(rest)? });
    }
    // "; " separates two memories, and also the figures of a memory from its largest symbols.
    let mut excess = Vec::new();
    let mut parts = text.split("; ");
    while let (Some(figures), Some(largest)) = (parts.next(), parts.next()) {
        excess.push(one_excess(figures, largest)?);
    }
    (!excess.is_empty()).then_some(Cause::OverBudget { excess })
}

fn one_excess(figures: &str, largest: &str) -> Option<Excess> {
    let (memory, rest) = figures.split_once(": ")?;
    let (used, rest) = rest.split_once(" bytes of ")?;
    let (size, _) = rest.split_once(", ")?;
    let parts = largest.strip_prefix("largest: ")?.split(", ");
    let parts = parts.filter_map(|part| {
        let (name, bytes) = part.rsplit_once(' ')?;
        Some(Part {
            name: name.to_owned(),
            bytes: bytes.parse().ok()?,
        })
    });
    Some(Excess {
        memory: match memory {
            "flash" => Memory::Flash,
            "RAM" => Memory::Ram,
            _ => return None,
        },
        used: used.parse().ok()?,
        size: size.parse().ok()?,
        largest: parts.collect(),
    })
}

fn over_limit(text: &str) -> Option<Cause> {
    let begins = "over the limit of ";
    let (before, rest) = text.split_once(begins)?;
    let (millions, rest) = rest.split_once(" million ")?;
    let (counted, rest) = rest.split_once(": raise --limit, unless it hangs (")?;
    let cause = Cause::OverLimit {
        limit: millions.parse::<u64>().ok()?.checked_mul(1_000_000)?,
        counted: match counted {
            "cycles" => Counted::Cycles,
            _ => Counted::Instructions,
        },
        stop: stop(rest.strip_suffix(')')?)?,
    };
    let (after, place) = match in_step(before, &Step::AfterTiming) {
        Some(rest) => (true, rest),
        None => (false, before),
    };
    let mut parts = place.split(": ");
    let cause = match (parts.next()?, parts.next()) {
        ("", _) => cause,
        (place, Some("")) if place == Step::RoundTrip.to_string() => cause.at(Step::RoundTrip),
        (set, Some(case)) => cause.at(Step::Vector {
            set: set.to_owned(),
            case: case.to_owned(),
        }),
        _ => return None,
    };
    Some(match after {
        true => cause.at(Step::AfterTiming),
        false => cause,
    })
}

/// Parses the text that [`Stop`] displays.
fn stop(text: &str) -> Option<Stop> {
    if let Some((reason, pc)) = text.split_once(" at pc ") {
        return Some(Stop {
            reason: reason.to_owned(),
            fault: None,
            pc: Some(pc.to_owned()),
        });
    }
    let fault = text.split_once(" (");
    let (reason, fault) = match fault {
        Some((reason, fault)) => (reason, Some(fault.strip_suffix(')')?.to_owned())),
        None => (text, None),
    };
    (!reason.contains(' ')).then(|| Stop {
        reason: reason.to_owned(),
        fault,
        pc: None,
    })
}

fn not_supported(row: &Row, text: &str) -> Option<Cause> {
    if let Some(operation) = text.strip_prefix(&format!("{} has no ", row.label())) {
        let operation = operation.to_owned();
        return Some(Cause::Lacks { operation });
    }
    if let Some(rest) = text.strip_prefix("the cycle model ") {
        let (model, rest) = rest.split_once(" has ")?;
        let (figures, rest) = rest.split_once(" of the ")?;
        let (needed, _) = rest.split_once(" figures")?;
        return Some(Cause::NotCalibrated {
            model: model.to_owned(),
            figures: figures.parse().ok()?,
            needed: needed.parse().ok()?,
        });
    }
    if let Some(rest) = text.strip_prefix("the power profile ") {
        let profile = rest.strip_suffix(" says nothing of a radio")?.to_owned();
        return Some(Cause::NoRadioFigures { profile });
    }
    if let Some(rest) = text.strip_prefix("the counter wrapped during '") {
        let operation = rest.strip_suffix('\'')?.to_owned();
        return Some(Cause::CounterWraps { operation });
    }
    if let Some(rest) = text.strip_prefix("a whole firmware runs on ") {
        let (runner, _) = rest.split_once(',')?;
        let runner = runner.to_owned();
        return Some(Cause::NeedsRunner { runner });
    }
    let plain = PLAIN.iter().find(|(sentence, _)| *sentence == text);
    plain.map(|(_, cause)| cause.clone())
}

/// The sentences of schema 1 that contain no number.
const PLAIN: [(&str, Cause); 7] = [
    (
        "there are no power figures in the board file",
        Cause::NoPowerFigures,
    ),
    (
        "the board's counter wraps however slowly it runs",
        Cause::CounterTooNarrow,
    ),
    ("this runner has no clock", Cause::NotCounted),
    (
        "neither runner nor machine counts instructions here",
        Cause::NotCounted,
    ),
    ("this runner sees no stack", Cause::NotCounted),
    ("this runner sees no CPU time", Cause::NotCounted),
    ("this runner counts no cycles", Cause::NotCounted),
];

#[cfg(test)]
mod tests;
