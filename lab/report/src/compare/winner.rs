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
        // More packets a second are better; for all other metrics less is better.
        let most = term.metric == Metric::Rate;
        let better = |a: f64, b: f64| {
            if most {
                b.total_cmp(&a)
            } else {
                a.total_cmp(&b)
            }
        };
        values.sort_by(|a, b| better(a.1.number, b.1.number));
        let Some(least) = values.first().map(|(_, value)| value.number) else {
            return Err(gap.unwrap_or_else(|| self.missing(place.board, "any candidate", None)));
        };
        let winners: Vec<&str> = values
            .iter()
            .take_while(|(_, value)| same(term.metric, value.number, least))
            .map(|(name, _)| *name)
            .collect();
        let mut source = format!(
            "{} {} of {}, {} of {} candidates measured: {}",
            if most { "most" } else { "least" },
            term.metric.name(),
            term.operation,
            values.len(),
            candidates.len(),
            format::quantity(term.metric, least)
        );
        let published = match published {
            Published::Words(words) => alternatives(words),
            _ => Vec::new(),
        };
        let rows =
            |values: &[(&str, Value)]| values.iter().flat_map(|(_, v)| v.rows.clone()).collect();
        if winners.len() == values.len() && winners.len() > 1 {
            return Ok(Found {
                figure: Figure::Words(TIE.into()),
                rows: rows(&values),
                source,
            });
        }
        // The measured winner proves nothing if the published winner has no row.
        if !published.is_empty()
            && published != [TIE]
            && !values
                .iter()
                .any(|(name, _)| published.iter().any(|p| p == name))
        {
            return Err(Gap {
                status: CellStatus::NotMeasured,
                reason: format!(
                    "the published winner has no row yet; run: selo lab run --board {}",
                    place.board
                ),
            });
        }
        if published
            .iter()
            .any(|name| winners.contains(&name.as_str()))
        {
            source.push_str("; the published winner");
        } else if let Some((rank, (name, value))) = values
            .iter()
            .enumerate()
            .find(|(_, (name, _))| published.iter().any(|p| p == name))
        {
            source.push_str(&format!(
                "; the published winner, {name}, is number {} with {}",
                rank + 1,
                format::quantity(term.metric, value.number)
            ));
        }
        Ok(Found {
            figure: Figure::Words(winners.join(" = ")),
            rows: rows(&values),
            source,
        })
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
