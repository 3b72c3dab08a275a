//! The calls for a message that is sealed in steps.

use crate::bind::call::Call;
use crate::bind::slot::Slot;
use crate::scan::declarations::Parameter;

/// The calls for one message.
#[derive(Clone, Debug)]
pub struct Steps<'l> {
    pub begin: Call<'l>,
    pub add: Call<'l>,
    pub seal: Call<'l>,
    pub open: Option<Call<'l>>,
    pub tag: Call<'l>,
}

impl<'l> Steps<'l> {
    /// The calls in their order.
    pub fn calls(&self) -> impl Iterator<Item = &Call<'l>> {
        let first = [&self.begin, &self.add, &self.seal];
        first.into_iter().chain(&self.open).chain([&self.tag])
    }

    /// The parameter that takes the state of a message.
    pub fn message(&self) -> Option<&'l Parameter> {
        message(&self.begin)
    }
}

/// The parameter that takes the state of a message.
pub(super) fn message<'l>(call: &Call<'l>) -> Option<&'l Parameter> {
    let at = call.slots.iter().position(|slot| *slot == Slot::Message)?;
    call.function().parameters.get(at)
}
