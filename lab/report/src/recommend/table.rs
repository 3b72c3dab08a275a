//! Shows the answer: one table per job.

use std::collections::BTreeMap;

use selo_base::units::NANOWATT_HOUR;

use super::model::{Advice, Answer, Job};
use crate::format;
use crate::table::{Cell, Column, Table, Tone};

impl Answer {
    /// The implementations that fit a job, best first.
    pub fn ranked(&self, job: Job) -> impl Iterator<Item = &Advice> {
        self.advice
            .iter()
            .filter(move |advice| advice.job == job && advice.rank.is_some())
    }

    /// True if every job has an implementation that fits, and a set fits as a whole.
    pub fn is_complete(&self) -> bool {
        self.jobs
            .iter()
            .all(|job| self.ranked(*job).next().is_some())
            && (self.jobs.len() < 2 || self.together.is_some())
    }

    /// One table per job: the implementations that fit, then the others with the reason.
    pub fn tables(&self) -> Vec<Table> {
        self.jobs.iter().map(|job| self.table(*job)).collect()
    }

    fn table(&self, job: Job) -> Table {
        let mut table = Table::new(
            job.title(),
            vec![
                Column::text("Rank"),
                Column::text("Implementation"),
                Column::number("Time", "ms"),
                Column::number("Instructions", ""),
                Column::number("Energy", "nWh"),
                Column::number("Flash", "bytes"),
                Column::number("RAM", "bytes"),
                Column::text("Constant time"),
                Column::text("Licence"),
                Column::text("Why"),
            ],
        );
        let of_job = || self.advice.iter().filter(|advice| advice.job == job);
        for advice in of_job().filter(|advice| !advice.is_unmeasured()) {
            table.push(advice.line());
        }
        let mut unmeasured: BTreeMap<&str, usize> = BTreeMap::new();
        for advice in of_job().filter(|advice| advice.is_unmeasured()) {
            *unmeasured.entry(&advice.library).or_default() += 1;
        }
        if !unmeasured.is_empty() {
            let counts = unmeasured
                .iter()
                .map(|(name, count)| format!("{name} ({count})"));
            table.remarks.push(format!(
                "Not measured yet, so neither ranked nor excluded, by library: {}.",
                counts.collect::<Vec<_>>().join(", ")
            ));
        }
        if let Some(first) = self.ranked(job).find(|advice| advice.standard)
            && first.rank != Some(1)
        {
            table
                .remarks
                .push(format!("Best standard: {}.", first.name()));
        }
        table.remarks.push(
            "RAM: static data, deepest stack and the caller's buffers. Flash and static RAM are growth over an empty program."
                .to_owned(),
        );
        if table.body.is_empty() {
            return table;
        }
        table.without_empty_columns()
    }
}

impl Job {
    fn title(self) -> &'static str {
        match self {
            Job::Cipher => "Ciphers",
            Job::Aead => "Authenticated encryption",
            Job::Hash => "Hash functions",
            Job::KeyExchange => "Key exchange",
        }
    }
}

impl Advice {
    /// `aes-128 fast`, followed by the library unless it is Selo.
    pub fn name(&self) -> String {
        match self.library.as_str() {
            "selo" => format!("{} {}", self.algorithm, self.variant),
            other => format!("{} {} ({other})", self.algorithm, self.variant),
        }
    }

    fn line(&self) -> Vec<Cell> {
        let time =
            |seconds: f64| Cell::number(format::significant(seconds * 1e3, 3), seconds * 1e3);
        let energy = |joules: f64| {
            let value = joules / NANOWATT_HOUR;
            Cell::number(format::significant(value, 3), value)
        };
        let size = |bytes: Option<u64>| {
            bytes.map_or_else(Cell::none, |bytes| {
                Cell::number(format::count(bytes as f64), bytes as f64)
            })
        };
        let rank = match self.rank {
            Some(rank) => {
                let tone = if rank == 1 { Tone::Good } else { Tone::Plain };
                Cell::text(format!("{rank}{}", if self.together { " *" } else { "" }))
                    .with_tone(tone)
            }
            None => Cell::text("-").with_tone(Tone::Quiet),
        };
        let why = match self.rank {
            Some(_) => self.reasons.first().cloned().unwrap_or_default(),
            None => format!("excluded: {}", self.reasons.join("; ")),
        };
        let mut name = Cell::text(self.name());
        if !self.cautions.is_empty() && self.rank.is_some() {
            name = name.with_note(self.cautions.join("; "));
        }
        vec![
            rank,
            name,
            self.seconds.map_or_else(Cell::none, time),
            self.instructions
                .map_or_else(Cell::none, |n| Cell::number(format::count(n), n)),
            self.joules.map_or_else(Cell::none, energy),
            size(self.flash),
            size(self.ram),
            Cell::text(match self.constant_time {
                Some(true) => "yes",
                Some(false) => "no",
                None => "",
            }),
            Cell::text(self.licence.clone().unwrap_or_default()),
            Cell::text(why),
        ]
    }
}
