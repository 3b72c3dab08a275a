//! Finds the best of several candidates and compares it with the paper's winner.

use selo_engine::row::Metric;

use super::cell::{CellStatus, Figure};
use super::lookup::{Configuration, Found, Gap, Ours, Value};
use crate::format;
use crate::paper::{Candidate, Published, Term};

/// The word of a table of winners if all candidates are equal.
const TIE: &str = "tie";

impl Ours<'_> {
    pub(super) fn winner(
        &self,
        place: Configuration<'_>,
        term: &Term,
        candidates: &[Candidate],
        published: &Published,
    ) -> Result<Found, Gap> {
        let values = self.ranked(place, term, candidates)?;
        let best = values[0].1.number;
        let winners: Vec<&str> = values
            .iter()
            .take_while(|(_, value)| same(term.metric, value.number, best))
            .map(|(name, _)| *name)
            .collect();
        let mut source = format!(
            "{} {} of {}, {} of {} candidates measured: {}",
            if is_better_high(term.metric) {
                "most"
            } else {
                "least"
            },
            term.metric.name(),
            term.operation,
            values.len(),
            candidates.len(),
            format::quantity(term.metric, best)
        );
        let is_tie = winners.len() == values.len() && winners.len() > 1;
        if !is_tie {
            let published = match published {
                Published::Words(words) => alternatives(words),
                _ => Vec::new(),
            };
            source.push_str(&place_of_published(
                place, term, &values, &winners, &published,
            )?);
        }
        let figure = match is_tie {
            true => TIE.to_owned(),
            false => winners.join(" = "),
        };
        Ok(Found {
            figure: Figure::Words(figure),
            rows: values.iter().flat_map(|(_, v)| v.rows.clone()).collect(),
            source,
        })
    }

    /// The candidates that have a value, the best first. If none has one, the gap of the first.
    fn ranked<'c>(
        &self,
        place: Configuration<'_>,
        term: &Term,
        candidates: &'c [Candidate],
    ) -> Result<Vec<(&'c str, Value)>, Gap> {
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
        if values.is_empty() {
            return Err(gap.unwrap_or_else(|| self.missing(place.board, "any candidate", None)));
        }
        values.sort_by(|a, b| {
            let rising = a.1.number.total_cmp(&b.1.number);
            match is_better_high(term.metric) {
                true => rising.reverse(),
                false => rising,
            }
        });
        Ok(values)
    }
}

/// More packets a second are better. For all other metrics less is better.
fn is_better_high(metric: Metric) -> bool {
    metric == Metric::Rate
}

/// What is added to the source about the published winner. The measured winner proves nothing if
/// the published one has no row.
fn place_of_published(
    place: Configuration<'_>,
    term: &Term,
    values: &[(&str, Value)],
    winners: &[&str],
    published: &[String],
) -> Result<String, Gap> {
    let is_published = |name: &str| published.iter().any(|p| p == name);
    let measured = values
        .iter()
        .enumerate()
        .find(|(_, (name, _))| is_published(name));
    if winners.iter().any(|name| is_published(name)) {
        return Ok("; the published winner".to_owned());
    }
    match measured {
        Some((rank, (name, value))) => Ok(format!(
            "; the published winner, {name}, is number {} with {}",
            rank + 1,
            format::quantity(term.metric, value.number)
        )),
        None if published.is_empty() || published == [TIE] => Ok(String::new()),
        None => Err(Gap {
            status: CellStatus::NotMeasured,
            reason: format!(
                "the published winner has no row yet; run: selo lab run --board {}",
                place.board
            ),
        }),
    }
}

/// True for equal figures: within 1e-9, which covers rounding, or within 1e-3 for packets a
/// second, which covers the steps of a simulation (docs/researcher/experiment.md).
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
