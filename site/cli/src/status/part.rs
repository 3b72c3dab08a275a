//! A part of a site as it was found, and how it is shown.

use selo_base::table::{Cell, Column, Table, TerminalStyle, Tone};
use serde_json::{Value, json};

/// How a part is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Ok,
    /// Nothing is lost, but somebody should look.
    Warning,
    /// The part does not do its work.
    Fault,
}

impl Level {
    fn name(self) -> &'static str {
        match self {
            Level::Ok => "ok",
            Level::Warning => "warning",
            Level::Fault => "fault",
        }
    }

    fn tone(self) -> Tone {
        match self {
            Level::Ok => Tone::Good,
            Level::Warning => Tone::Warn,
            Level::Fault => Tone::Bad,
        }
    }
}

/// What is counted or measured, its unit or nothing, and its value.
type Figure = (&'static str, &'static str, Value);

/// A part: a gateway, a head, an engine, a server.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// What it is, in one word.
    pub kind: &'static str,
    pub name: String,
    pub level: Level,
    /// What is wrong with it, and what to do, one sentence each.
    pub problems: Vec<String>,
    figures: Vec<Figure>,
}

impl Part {
    pub fn new(kind: &'static str, name: impl Into<String>) -> Part {
        Part {
            kind,
            name: name.into(),
            level: Level::Ok,
            problems: Vec::new(),
            figures: Vec::new(),
        }
    }

    /// A part that could not be asked.
    pub fn away(kind: &'static str, name: impl Into<String>, why: impl Into<String>) -> Part {
        Part::new(kind, name).with(Level::Fault, why)
    }

    pub fn with(mut self, level: Level, problem: impl Into<String>) -> Part {
        self.level = self.level.max(level);
        self.problems.push(problem.into());
        self
    }

    /// Adds the problem if it is one.
    pub fn with_if(self, is: bool, level: Level, problem: impl FnOnce() -> String) -> Part {
        match is {
            true => self.with(level, problem()),
            false => self,
        }
    }

    /// Adds the seconds to the end of its lease, which less than zero has ended. `at` is where it
    /// renews it.
    pub fn with_lease(self, seconds: f64, at: &str) -> Part {
        let shown = (seconds * 10.0).round() / 10.0;
        self.measured("lease", "s", shown)
            .with_if(seconds < 0.0, Level::Fault, || {
                format!(
                    "its lease ended {} s ago: it is gone, or does not reach the {at}",
                    -shown
                )
            })
    }

    pub fn figure(self, what: &'static str, value: impl Into<Value>) -> Part {
        self.measured(what, "", value)
    }

    pub fn measured(
        mut self,
        what: &'static str,
        unit: &'static str,
        value: impl Into<Value>,
    ) -> Part {
        self.figures.push((what, unit, value.into()));
        self
    }

    /// One line, schema `selo.status/1`.
    pub fn to_json(&self) -> Value {
        let key = |what: &str, unit: &str| {
            let unit = if unit == "%" { "percent" } else { unit };
            format!("{what} {unit}").trim_end().replace(' ', "_")
        };
        let figures: serde_json::Map<String, Value> = self
            .figures
            .iter()
            .map(|(what, unit, value)| (key(what, unit), value.clone()))
            .collect();
        json!({
            "schema": "selo.status/1",
            "part": self.kind,
            "name": self.name,
            "state": self.level.name(),
            "problem": (!self.problems.is_empty()).then(|| self.problems.join("; ")),
            "figures": figures,
        })
    }

    fn figures(&self) -> String {
        let shown: Vec<String> = self
            .figures
            .iter()
            .filter(|(.., value)| !value.is_null())
            .map(|(what, unit, value)| match value {
                Value::String(text) => format!("{what} {text}"),
                other => format!("{what} {other} {unit}").trim_end().to_owned(),
            })
            .collect();
        shown.join(", ")
    }
}

/// Prints a table, then what is wrong.
pub fn print(parts: &[Part]) {
    let columns = ["part", "name", "state", "figures"].map(Column::text);
    let mut table = Table::new("", columns.to_vec());
    for part in parts {
        table.push(vec![
            Cell::text(part.kind),
            Cell::text(part.name.clone()),
            Cell::label(part.level.name(), part.level.tone()),
            Cell::text(part.figures()),
        ]);
    }
    println!("{}", table.to_terminal(TerminalStyle::detect()));
    for part in parts {
        for problem in &part.problems {
            println!(
                "{}: {} {}: {problem}",
                part.level.name(),
                part.kind,
                part.name
            );
        }
    }
}
