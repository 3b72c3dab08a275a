//! Ranks the implementations that a device can afford, with reasons from rows.
//!
//! Only an implementation that was checked and measured (`status` ok) is recommended. The
//! others are listed with the reason: the bytes over budget, or the missing operation.

mod cautions;
mod model;
mod rank;
mod table;
mod unit;

use std::collections::BTreeMap;

use selo_engine::algorithm::Algorithm;
use selo_engine::row::Row;

pub use model::{Advice, Answer, Condition, Evidence, Job, Need, Prefer, Request};
use rank::{mark_together, rank};
use unit::Unit;

/// Ranks the implementations in `rows` for the request. `algorithms` define the operations
/// of each.
pub fn recommend(
    request: &Request,
    rows: &[Row],
    algorithms: &[Algorithm],
    evidence: Evidence<'_>,
) -> Answer {
    let mut jobs: Vec<Job> = request.needs.iter().map(|need| need.job()).collect();
    jobs.sort();
    jobs.dedup();
    let mut answer = Answer {
        advice: Vec::new(),
        together: None,
        jobs: jobs.clone(),
    };
    for &job in &jobs {
        let mut all: Vec<Advice> = Vec::new();
        let mut units = units(request, rows);
        for (library, algorithm, variant) in evidence.offered {
            units.entry((library, algorithm, variant)).or_default();
        }
        for ((library, algorithm, variant), rows) in units {
            let Some(algorithm) = algorithms.iter().find(|known| known.name == algorithm) else {
                continue;
            };
            if job.is_done_by(algorithm.interface) {
                let unit = Unit {
                    request,
                    job,
                    algorithm,
                    evidence,
                    rows,
                };
                all.push(if unit.rows.is_empty() {
                    unit.unmeasured(library, variant)
                } else {
                    unit.advise(library, variant)
                });
            }
        }
        rank(request, &mut all);
        answer.advice.extend(all);
    }
    if jobs.len() > 1 {
        mark_together(request, &mut answer);
    }
    answer
}

type Units<'a> = BTreeMap<(&'a str, &'a str, &'a str), Vec<&'a Row>>;

fn units<'a>(request: &Request, rows: &'a [Row]) -> Units<'a> {
    let mut units = Units::new();
    for row in rows.iter().filter(|row| row.board == request.board) {
        units
            .entry((&row.library, &row.algorithm, &row.variant))
            .or_default()
            .push(row);
    }
    units
}
