//! Shows the outcome of the gate: the changes, as a table and as Markdown.

use super::{Gate, GateLine, GateResult, Kept, Limit};
use crate::format;
use crate::table::{Cell, Column, Table, Tone};

impl Gate {
    /// A table of the changed figures. Unchanged ones are only counted, in the summary.
    pub fn table(&self) -> Table {
        let mut table = Table::new(
            "",
            vec![
                Column::text("Verdict"),
                Column::text("What"),
                Column::text("Metric"),
                Column::number("Before", ""),
                Column::number("Now", ""),
                Column::number("Change", ""),
                Column::number("Limit", ""),
                Column::text("Fidelity"),
                Column::text("Note"),
            ],
        );
        for line in self.lines.iter().filter(|l| l.verdict != GateResult::Same) {
            table.push(line.shown());
        }
        table.remarks.clone_from(&self.remarks);
        table.without_empty_columns()
    }

    /// The verdict, the summary and the table as Markdown, for a pull request or a job summary.
    pub fn to_markdown(&self) -> String {
        let verdict = if self.passes() { "passed" } else { "failed" };
        let mut text = format!("### selo lab gate: {verdict}\n\n{}.\n", self.summary());
        let table = self.table();
        if !table.body.is_empty() {
            text.push_str(&format!("\n{}", table.to_markdown()));
        } else {
            for remark in &self.remarks {
                text.push_str(&format!("\n{remark}\n"));
            }
        }
        text
    }
}

impl GateLine {
    fn shown(&self) -> Vec<Cell> {
        let metric = self.key.metric;
        let figure = |kept: &Option<Kept>| match kept {
            None => Cell::none(),
            Some(kept) => match kept.value {
                Some(value) => Cell::number(format::interval(metric, value, kept.ci95), value),
                None => Cell::text(format::status_words(kept.status)),
            },
        };
        let tone = match self.verdict {
            verdict if verdict.fails() => Tone::Bad,
            GateResult::Improved | GateResult::Recovered => Tone::Good,
            GateResult::Within | GateResult::Unclear => Tone::Warn,
            _ => Tone::Plain,
        };
        let fidelity = self.now.as_ref().or(self.before.as_ref());
        vec![
            Cell::label(self.verdict.words(), tone),
            Cell::text(self.key.name()),
            Cell::text(metric.name()),
            figure(&self.before),
            figure(&self.now),
            self.change.map_or_else(Cell::none, |change| {
                Cell::number(format::change(change), change)
            }),
            match self.limit {
                None => Cell::none(),
                Some(Limit::Percent(percent)) => {
                    Cell::text(format!("{} %", format::exact(percent)))
                }
                Some(Limit::Amount(amount)) => Cell::text(format::quantity(metric, amount)),
            },
            Cell::text(fidelity.map_or("", |kept| kept.fidelity.name())),
            Cell::text(self.note.clone().unwrap_or_default()),
        ]
    }
}
