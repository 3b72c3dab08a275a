//! What the trials of one algorithm have shown so far.

use super::doubt::Doubt;
use super::learned::Learned;
use super::stuck::Stuck;
use super::suspects::Suspects;
use crate::algorithm::Algorithm;
use crate::bind::bound::Outcome;
use crate::bind::recipe::Recipe;

/// How the trials of an algorithm ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Bound,
    /// None passes, and it is not worth trying more.
    Tried,
    /// The time for all trials of the library is over.
    OutOfTime,
}

pub(super) struct Shown<'l> {
    pub learned: Learned,
    pub stuck: Stuck,
    pub doubt: Doubt<'l>,
    pub suspects: Suspects<'l>,
}

impl<'l> Shown<'l> {
    /// Nothing yet. `most`: how many of the candidates without flags are tried.
    pub(super) fn of(algorithm: &'l Algorithm, candidates: &[Recipe<'_>], most: usize) -> Self {
        Shown {
            learned: Learned::new(candidates, most),
            stuck: Stuck::default(),
            doubt: Doubt::of(algorithm, candidates),
            suspects: Suspects::of(candidates),
        }
    }

    pub(super) fn note(&mut self, recipe: &Recipe<'_>, outcome: &Outcome) {
        self.learned.note(recipe, outcome);
        self.stuck.note(outcome);
        self.doubt.note(outcome);
    }
}
