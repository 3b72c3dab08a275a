//! Selects cases if there is no time for all.

use crate::Case;

/// A sample of cases with a total cost of about `budget` at most (see [`Case::weight`]), spread
/// over the classes and over the whole length of each class. Every class gives at least one
/// case, even if that case alone exceeds the budget. Deterministic: the same cases and budget
/// give the same sample, in the order of `cases`.
pub fn stratified(cases: &[Case], budget: u64) -> Vec<&Case> {
    let mut classes: Vec<Vec<usize>> = Vec::new();
    let mut names: Vec<&str> = Vec::new();
    for (index, case) in cases.iter().enumerate() {
        match names.iter().position(|name| *name == case.class) {
            Some(class) => classes[class].push(index),
            None => {
                names.push(&case.class);
                classes.push(vec![index]);
            }
        }
    }

    let mut chosen = Vec::new();
    let mut spent = 0u64;
    let rounds = classes.iter().map(Vec::len).max().unwrap_or(0);
    for round in 0..rounds {
        for class in &classes {
            let Some(&index) = spread(class, round) else {
                continue;
            };
            let weight = u64::from(cases[index].weight);
            if round == 0 || spent.saturating_add(weight) <= budget {
                spent = spent.saturating_add(weight);
                chosen.push(index);
            }
        }
    }
    chosen.sort_unstable();
    chosen.into_iter().map(|index| &cases[index]).collect()
}

/// The `round`-th pick of a class: the first, the last, the middle, the quarters, ...
/// (bit-reversed order), each element once.
fn spread(class: &[usize], round: usize) -> Option<&usize> {
    match (round, class.len()) {
        (0, _) => class.first(),
        (_, 0 | 1) => None,
        (1, _) => class.last(),
        (_, count) => {
            let inner = count - 2;
            let bits = inner.next_power_of_two().trailing_zeros();
            let reversed = |n: usize| {
                if bits == 0 {
                    0
                } else {
                    n.reverse_bits() >> (usize::BITS - bits)
                }
            };
            (0..1usize << bits)
                .map(reversed)
                .filter(|n| *n < inner)
                .nth(round - 2)
                .map(|n| &class[1 + n])
        }
    }
}
