//! What the nodes know, compared with what is stored.

use std::collections::HashMap;
use std::fmt;

use super::nodes::{Fate, Told};

/// Findings of a kind that a verdict names at most, so that the whole stays below thirty lines.
const NAMED: usize = 2;

pub struct Verdict {
    sent: usize,
    acknowledged: usize,
    stored: usize,
    /// Given up by their nodes with a session, and stored.
    arrived: usize,
    lost: Vec<String>,
    doubled: Vec<String>,
    /// Stored, and never sent.
    foreign: Vec<String>,
    nodes: usize,
    unserved: usize,
    joins: u32,
    pairs: usize,
    resumed: usize,
    twice: Vec<String>,
    /// Joins that got two different answers.
    answered_twice: Vec<String>,
    /// What else is wrong.
    pub odd: Vec<String>,
}

impl Verdict {
    /// `stored` has the number of rows of each payload.
    pub fn of(told: &[Told], stored: &HashMap<String, u32>) -> Verdict {
        let sent: HashMap<&String, Fate> = told
            .iter()
            .flat_map(|told| told.sent.iter().map(|(name, fate)| (name, *fate)))
            .collect();
        let acknowledged = |fate: &Fate| matches!(fate, Fate::Acknowledged(_));
        let lost = sent.iter().filter_map(|(name, fate)| match fate {
            Fate::Acknowledged(at) if !stored.contains_key(*name) => Some(format!(
                "{}, acknowledged after {:.1} s",
                text(name),
                at.as_secs_f64()
            )),
            _ => None,
        });
        let doubled = stored.iter().filter(|(_, rows)| **rows != 1);
        let foreign = stored.keys().filter(|name| !sent.contains_key(name));
        let arrived = sent
            .iter()
            .filter(|(name, fate)| !acknowledged(fate) && stored.contains_key(**name));
        let answered_twice = told.iter().flat_map(|told| {
            let counters = told.answered_twice.iter();
            counters.map(|counter| format!("join {counter} of node {}", told.number))
        });
        let twice = told.iter().flat_map(|told| &told.judge.twice);
        Verdict {
            acknowledged: sent.values().filter(|fate| acknowledged(fate)).count(),
            stored: stored.values().map(|rows| *rows as usize).sum(),
            arrived: arrived.count(),
            lost: lost.collect(),
            doubled: doubled
                .map(|(name, rows)| format!("{}, {rows} rows", text(name)))
                .collect(),
            foreign: foreign.map(|name| text(name)).collect(),
            nodes: told.len(),
            unserved: told.iter().filter(|told| !told.is_served).count(),
            joins: told.iter().map(|told| told.joins).sum(),
            pairs: told.iter().map(|told| told.judge.pairs()).sum(),
            resumed: told.iter().map(|told| told.judge.resumed).sum(),
            twice: twice
                .map(|(counter, one, other)| {
                    format!(
                        "counter {counter}: {} and {}",
                        hex::encode(one),
                        hex::encode(other)
                    )
                })
                .collect(),
            answered_twice: answered_twice.collect(),
            odd: Vec::new(),
            sent: sent.len(),
        }
    }

    pub fn is_good(&self) -> bool {
        let wrong = [
            &self.lost,
            &self.doubled,
            &self.foreign,
            &self.twice,
            &self.answered_twice,
        ];
        wrong.iter().all(|names| names.is_empty())
            && self.odd.is_empty()
            && self.unserved == 0
            && self.stored == self.acknowledged + self.arrived
    }
}

/// A payload as its node wrote it: NODE.READING.
fn text(name: &str) -> String {
    let bytes = hex::decode(name).unwrap_or_default();
    format!("{} ({name})", String::from_utf8_lossy(&bytes))
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let given_up = self.sent - self.acknowledged;
        writeln!(
            f,
            "sent               {} readings of {} nodes: {} acknowledged, {given_up} given up with \
             their sessions",
            self.sent, self.nodes, self.acknowledged
        )?;
        writeln!(
            f,
            "stored             {} = {} acknowledged + {} of those given up",
            self.stored,
            self.acknowledged - self.lost.len(),
            self.arrived
        )?;
        writeln!(
            f,
            "lost {}, doubled {}, never sent {}, nodes without service at the end {}",
            self.lost.len(),
            self.doubled.len(),
            self.foreign.len(),
            self.unserved
        )?;
        write!(
            f,
            "pairs of key and counter {}, used twice {}; joins {}, answered twice {}; packets of \
             resumed sessions {}",
            self.pairs,
            self.twice.len(),
            self.joins,
            self.answered_twice.len(),
            self.resumed
        )?;
        for (what, names) in [
            ("lost", &self.lost),
            ("doubled", &self.doubled),
            ("never sent", &self.foreign),
            ("used twice", &self.twice),
            ("answered twice", &self.answered_twice),
            ("odd", &self.odd),
        ] {
            for name in names.iter().take(NAMED) {
                write!(f, "\n{what}: {name}")?;
            }
        }
        Ok(())
    }
}
