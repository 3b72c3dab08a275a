//! Random numbers for names and keys.

use selo_base::report::{Result, machine};

/// Random bytes of the system.
pub fn random_bytes<const N: usize>() -> Result<[u8; N]> {
    selo_link::random_bytes().map_err(machine)
}
