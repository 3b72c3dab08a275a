//! What the pages of one view show.

use std::collections::{BTreeMap, BTreeSet};

use selo_engine::row::{Metric, Row};

use super::address::{Unit, anchor};
use super::changes::Changes;
use super::frame::Place;
use super::given::Given;
use super::history::History;
use super::run::Run;
use crate::gate::Key;
use crate::pivot::distinct;

/// The most bytes of a page.
pub const LARGEST: usize = 300_000;

/// What the pages of one view show: the rows of a run, at the run's own addresses or at those of
/// the newest.
pub struct View<'a> {
    pub place: Place,
    pub given: Given<'a>,
    pub units: BTreeMap<Unit, Vec<&'a Row>>,
    pub changes: Changes,
    /// The runs to compare, on the newest pages. Those of a run stay as they are, so they cannot
    /// show later runs.
    pub history: Option<History<'a>>,
    /// The figures of each page in any of these runs.
    pub keys: BTreeMap<Unit, BTreeSet<&'a Key>>,
}

impl<'a> View<'a> {
    pub fn new(place: Place, given: Given<'a>, runs: &'a [Run], history: bool) -> View<'a> {
        let history = history.then(|| History::new(runs));
        let mut keys: BTreeMap<Unit, BTreeSet<&Key>> = BTreeMap::new();
        for run in history.iter().flat_map(|history| history.runs) {
            for key in run.figures.figures.keys() {
                keys.entry(Unit::of(key)).or_default().insert(key);
            }
        }
        View {
            place,
            given,
            units: units(given.rows),
            changes: Changes::between(runs.get(1), &runs[0]),
            history,
            keys,
        }
    }

    /// The distinct names of the rows, sorted.
    pub fn names(&self, name: impl Fn(&'a Row) -> &'a String) -> Vec<&'a str> {
        let names: BTreeSet<&str> = self
            .given
            .rows
            .iter()
            .map(|row| name(row).as_str())
            .collect();
        names.into_iter().collect()
    }

    /// The figures of a page in any run: first those of its rows, in their order.
    pub fn keys(&self, unit: &Unit) -> Vec<Key> {
        let rows = self.units.get(unit).into_iter().flatten();
        let mut keys: Vec<Key> = rows.map(|row| Key::of(row)).collect();
        let gone = self.keys.get(unit).into_iter().flatten();
        let here: BTreeSet<String> = keys.iter().map(anchor).collect();
        let gone = gone.filter(|key| !here.contains(&anchor(key)));
        keys.extend(gone.map(|key| (*key).clone()));
        keys
    }
}

/// The rows of each page, in the order of its table: operations as they were measured, then
/// sizes, then metrics. Of two rows with the same address the later one counts.
fn units(rows: &[Row]) -> BTreeMap<Unit, Vec<&Row>> {
    let mut units: BTreeMap<Unit, Vec<(String, &Row)>> = BTreeMap::new();
    for row in rows {
        let key = Key::of(row);
        let (page, anchor) = (units.entry(Unit::of(&key)).or_default(), anchor(&key));
        match page.iter_mut().find(|(other, _)| *other == anchor) {
            Some(place) => place.1 = row,
            None => page.push((anchor, row)),
        }
    }
    units
        .into_iter()
        .map(|(unit, rows)| (unit, sorted(rows)))
        .collect()
}

fn sorted(rows: Vec<(String, &Row)>) -> Vec<&Row> {
    let mut rows: Vec<&Row> = rows.into_iter().map(|(_, row)| row).collect();
    let operations = distinct(rows.iter().map(|row| row.operation.as_str()));
    let place = |metric| Metric::ALL.iter().position(|other| *other == metric);
    rows.sort_by_cached_key(|row| {
        let operation = operations.iter().position(|name| *name == row.operation);
        (operation, row.bytes, place(row.metric))
    });
    rows
}
