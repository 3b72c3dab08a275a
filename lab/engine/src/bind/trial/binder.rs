//! The state of the trials of one library.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::{Duration, Instant};

use super::doubt::Doubt;
use super::elsewhere::Elsewhere;
use super::sizes::Absent;
use crate::bind::bound::{Binding, Trial};
use crate::bind::call::Call;
use crate::bind::link::Known;
use crate::bind::remedy::{Looked, Remedies};
use crate::measure::Lab;
use crate::scan::Scanned;

/// What is known of a library, and of its calls so far.
pub(super) struct Binder<'b, 'l> {
    pub lab: &'b Lab<'b>,
    pub scanned: &'l Scanned,
    pub folder: &'b Path,
    pub calls: &'b [Call<'l>],
    pub elsewhere: &'b Elsewhere<'l>,
    pub binding: Binding<'l>,
    /// What the sources need, as far as trials have shown.
    pub remedies: Remedies,
    /// Headers that were looked for above the library's folder.
    pub looked: Looked,
    /// Interfaces and families of which an algorithm could not be bound.
    pub failed: BTreeSet<(String, String)>,
    /// Key sizes that the library does not have.
    pub absent: Absent,
    /// Algorithms that could not be bound, and that the library may not offer.
    pub doubts: Vec<Doubt<'l>>,
    /// What is known of the sources, by the flags and remedies that they are compiled with.
    pub known: BTreeMap<(Vec<String>, Remedies), Known>,
    /// Time of the trials of algorithms that could not be bound.
    pub spent: Duration,
    /// When trials end, whatever is left.
    pub until: Instant,
    /// The symbols of the board's C library.
    pub runtime: BTreeSet<String>,
    pub found: &'b mut dyn FnMut(&Trial),
}

impl Binder<'_, '_> {
    pub(super) fn is_over(&self) -> bool {
        Instant::now() >= self.until
    }
}
