//! Which calls go together in one recipe.

use crate::bind::call::Call;
use crate::bind::slot::{KEY_UNITS, Purpose, Slot};

/// The type of the state that a call takes or returns, for comparison.
pub(super) fn state_type(call: &Call<'_>) -> Option<String> {
    call.state_type.clone()
}

/// True if two calls can share one state.
pub(super) fn share(a: &Call<'_>, b: &Call<'_>) -> bool {
    match (state_type(a), state_type(b)) {
        (Some(a), Some(b)) => a == b,
        _ => true,
    }
}

pub(super) fn of<'c, 'l>(calls: &[&'c Call<'l>], purpose: Purpose) -> Vec<&'c Call<'l>> {
    let mut found: Vec<&Call<'l>> = calls
        .iter()
        .filter(|call| call.purpose == purpose)
        .copied()
        .collect();
    found.sort_by_key(|call| call.cost);
    found
}

/// True unless two calls count the bytes of a key differently.
pub(super) fn same_unit(a: &Call<'_>, b: &Call<'_>) -> bool {
    let unit = |call: &Call<'_>| KEY_UNITS.into_iter().find(|slot| call.has(*slot));
    match (unit(a), unit(b)) {
        (Some(a), Some(b)) => a == b,
        _ => true,
    }
}

/// Most calls of one purpose that are combined.
pub(super) const EACH: usize = 24;

/// True for one function for both ways, which an argument tells the direction.
pub(super) fn tells_direction(call: &Call<'_>) -> bool {
    call.has(Slot::Encrypts) || call.has(Slot::Decrypts)
}
