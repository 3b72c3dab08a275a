//! Sources of random bytes.

/// Source of random bytes. `fill` returns an error if the system cannot supply them.
pub trait Random: Send {
    fn fill(&mut self, out: &mut [u8]) -> Result<(), String>;
}

/// The random number generator of the operating system.
#[derive(Debug, Default, Clone, Copy)]
pub struct SystemRandom;

impl Random for SystemRandom {
    fn fill(&mut self, out: &mut [u8]) -> Result<(), String> {
        for chunk in out.chunks_mut(32) {
            let bytes = selo_link::random_bytes::<32>().map_err(|error| error.to_string())?;
            chunk.copy_from_slice(&bytes[..chunk.len()]);
        }
        Ok(())
    }
}
