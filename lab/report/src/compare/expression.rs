//! Evaluates an expression: sums and maxima of terms, energies under a power profile, and
//! battery life.

use std::collections::BTreeSet;

use selo_engine::battery::{self, DutyCycle};
use selo_engine::energy::PowerProfile;
use selo_engine::interface::{AIR, RECEIVE, TRANSMIT};
use selo_engine::row::Metric;

use super::cell::CellStatus;
use super::lookup::{Configuration, Gap, Ours, Value};
use crate::format;
use crate::paper::{BatteryLife, Expression, Term};

impl Ours<'_> {
    pub(super) fn value(&self, expression: &Expression) -> Result<Value, Gap> {
        let place = Configuration {
            board: &expression.board,
            library: expression.library.as_deref().unwrap_or(self.library),
            algorithm: self.algorithm(expression),
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
        let mut source = format!("{}: {}", place.name(), terms_of(expression));
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

    /// Battery life in seconds. The node draws its power at rest, and `joules` in addition once
    /// per period.
    fn life(&self, place: Configuration<'_>, life: &BatteryLife, joules: f64) -> Result<f64, Gap> {
        let gap = |reason: String| Gap {
            status: CellStatus::NotMeasured,
            reason,
        };
        let name = place.power.unwrap_or_default();
        let resting = self
            .profile(place.board, name)?
            .resting_watts()
            .ok_or_else(|| gap(format!("the power profile {name} has no radio figures")))?;
        let duty = DutyCycle {
            sleep_watts: resting,
            active_watts: resting + joules / life.period_seconds,
            active_seconds: life.period_seconds,
            period_seconds: life.period_seconds,
        };
        let lasts = battery::life(&life.battery, &duty).map_err(gap)?;
        lasts
            .seconds
            .ok_or_else(|| gap("no current is drawn".into()))
    }

    /// Energy of one packet above the node's power at rest, under a power profile: the core
    /// awake and the radio on the air.
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
            reason: format!("the power profile {} has no radio figures", profile.name),
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

    /// True if the operation is a packet of a node with a radio. The rows of such a node have a
    /// time on the air.
    fn is_packet(&self, place: Configuration<'_>, term: &Term) -> bool {
        matches!(term.operation.as_str(), TRANSMIT | RECEIVE)
            && self
                .rows
                .iter()
                .any(|row| row.algorithm == place.algorithm && row.operation == AIR)
    }

    /// The configuration whose rows a term uses: its own algorithm in the default variant, or
    /// the expression's.
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

    /// One metric of one operation in base units. Times may come from cycles and the clock;
    /// energies under a named profile come from times. `source` of the result only holds
    /// facts that the name does not show.
    pub(super) fn term(&self, place: Configuration<'_>, term: &Term) -> Result<Value, Gap> {
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
}

fn watts(watts: f64) -> String {
    format!("{} mW", format::significant(watts * 1e3, 3))
}

/// The terms of an expression in words.
fn terms_of(expression: &Expression) -> String {
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
    parts.join(" + ")
}
