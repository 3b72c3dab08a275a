//! What the nodes know, compared with what is stored.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use super::nodes::{Fate, Told};
use super::whereabouts::{Place, Whereabouts};

/// Findings of a kind that a verdict names at most, so that the whole stays below thirty lines.
const NAMED: usize = 2;

pub struct Verdict {
    sent: usize,
    acknowledged: usize,
    stored: usize,
    /// Given up by their nodes with a session, and stored.
    arrived: usize,
    /// Acknowledged, not stored, and in no place from which it would be.
    lost: Vec<String>,
    /// Acknowledged and not stored yet.
    late: Vec<String>,
    /// Number of those at each place.
    places: BTreeMap<Place, usize>,
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
    pub fn of(told: &[Told], stored: &HashMap<String, u32>, unstored: &Whereabouts) -> Verdict {
        let sent: HashMap<&String, Fate> = told
            .iter()
            .flat_map(|told| told.sent.iter().map(|(name, fate)| (name, *fate)))
            .collect();
        let acknowledged = |fate: &Fate| matches!(fate, Fate::Acknowledged(_));
        let (mut lost, mut late, mut places) = (Vec::new(), Vec::new(), BTreeMap::new());
        for (name, fate) in &sent {
            let Fate::Acknowledged(at) = fate else {
                continue;
            };
            if stored.contains_key(*name) {
                continue;
            }
            let place = unstored.of(name);
            *places.entry(place).or_default() += 1;
            let (text, at) = (text(name), at.as_secs_f64());
            let text = format!("{text}, acknowledged after {at:.1} s, {place}");
            match place.is_late() {
                true => late.push(text),
                false => lost.push(text),
            }
        }
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
            lost,
            late,
            places,
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
            &self.late,
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
            self.acknowledged - self.lost.len() - self.late.len(),
            self.arrived
        )?;
        writeln!(
            f,
            "lost {}, late {}, doubled {}, never sent {}, nodes without service at the end {}",
            self.lost.len(),
            self.late.len(),
            self.doubled.len(),
            self.foreign.len(),
            self.unserved
        )?;
        for (place, number) in &self.places {
            writeln!(f, "not stored         {number} {place}")?;
        }
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
            ("late", &self.late),
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
