//! The other sides of whole firmwares, which the caller of this crate provides.

use std::sync::OnceLock;

use selo_engine::measure::whole::Whole;

/// Peers of whole firmwares, such as a gateway or a radio.
pub type WholeFirmwares = &'static [&'static dyn Whole];

static WHOLE: OnceLock<WholeFirmwares> = OnceLock::new();

/// Registers the peers of whole firmwares before a command runs. The studies provide them,
/// because the lab knows none. Only the first call counts.
pub fn provide(whole: WholeFirmwares) {
    let _ = WHOLE.set(whole);
}

/// The registered peers. If there are none, whole firmwares are not measured.
pub(super) fn registered() -> WholeFirmwares {
    WHOLE.get().copied().unwrap_or(&[])
}
