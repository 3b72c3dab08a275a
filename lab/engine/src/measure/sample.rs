//! A sample of a timed operation.

use std::collections::BTreeMap;

use crate::row::cause::Counted;

/// One sample of a timed operation, with the cost of the marks subtracted.
#[derive(Clone, Default)]
pub(super) struct Sample {
    pub cycles: Option<f64>,
    pub seconds: Option<f64>,
    pub stack: Option<f64>,
    pub cpu_share: Option<f64>,
    pub instructions: Option<f64>,
    /// The most of the heap in use at once, and the part in use after the operation, in an image
    /// that counts them.
    pub heap: Option<f64>,
    pub heap_left: Option<u64>,
    /// The same instructions by class, for the cycle model.
    pub classes: Option<BTreeMap<String, i64>>,
    /// Those of the functions of hashes alone.
    pub hashing: Option<BTreeMap<String, i64>>,
    /// The inputs, to report which ones change the cost.
    pub inputs: Vec<Vec<u8>>,
    /// The number of the public inputs, on which the time may depend (a public key).
    pub public: u64,
    /// The public inputs are those of another sample. Only the spread uses this one.
    pub repeats_public: bool,
}

impl Sample {
    /// The count of a deterministic runner, and its unit.
    pub fn took(&self) -> Option<(f64, Counted)> {
        let counted = self.cycles.map(|count| (count, Counted::Cycles));
        counted.or_else(|| Some((self.instructions?, Counted::Instructions)))
    }

    /// Two calls of one operation: the sums, and the most of what is in use at a time.
    pub fn plus(self, other: Sample) -> Sample {
        let sum = |a: Option<f64>, b: Option<f64>| Some(a? + b?);
        let most = |a: Option<f64>, b: Option<f64>| Some(a?.max(b?));
        let add = |sums: Option<BTreeMap<String, i64>>, more: Option<BTreeMap<String, i64>>| {
            let (mut sums, more) = (sums?, more?);
            for (class, count) in more {
                *sums.entry(class).or_default() += count;
            }
            Some(sums)
        };
        let classes = add(self.classes, other.classes);
        let hashing = add(self.hashing, other.hashing);
        Sample {
            cycles: sum(self.cycles, other.cycles),
            seconds: sum(self.seconds, other.seconds),
            stack: most(self.stack, other.stack),
            cpu_share: most(self.cpu_share, other.cpu_share),
            instructions: sum(self.instructions, other.instructions),
            heap: most(self.heap, other.heap),
            heap_left: other.heap_left,
            classes,
            hashing,
            ..self
        }
    }
}
