//! Seeded numbers, for statistics that draw.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A function that gives a random number below its argument. A seed always gives the same numbers.
pub(crate) fn draws(seed: u64) -> impl FnMut(usize) -> usize {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    move |below| rng.random_range(0..below)
}
