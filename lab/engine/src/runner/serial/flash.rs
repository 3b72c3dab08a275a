//! Flashing an image, and the memory of what a board holds.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;

use super::SerialSession;
use crate::error::Result;

/// The image that this process flashed to the board on a port.
struct Flashed {
    image: PathBuf,
    /// The reply to HELLO.
    identity: Vec<u8>,
}

static FLASHED: Mutex<BTreeMap<PathBuf, Flashed>> = Mutex::new(BTreeMap::new());

impl SerialSession {
    /// The reply to HELLO from when this process flashed this image on this port.
    pub(super) fn known_identity(&self) -> Option<Vec<u8>> {
        let flashed = FLASHED.lock().ok()?;
        let flashed = flashed.get(&self.serial.port)?;
        (flashed.image == self.image).then(|| flashed.identity.clone())
    }

    /// Flashes the image and waits until its agent answers.
    pub(super) fn flash(&mut self) -> Result<()> {
        self.port = None;
        if let Ok(mut flashed) = FLASHED.lock() {
            flashed.remove(&self.serial.port);
        }
        let (objcopy, flash) = (self.serial.objcopy.clone(), self.serial.flash.clone());
        if !objcopy.is_empty() {
            self.command(&objcopy)?;
        }
        self.command(&flash)?;
        self.reopen()?;
        self.boot()?;
        let Some(identity) = self.hello()? else {
            if self.port.is_none() {
                return self.come_back();
            }
            return Err(self.error(
                format!(
                    "{} was flashed, but no agent answers at {} baud",
                    self.title, self.serial.baud
                ),
                "check `baud` and `boot_seconds` in the board's file, and that nothing else is connected to RXD and TXD",
            ));
        };
        if let Ok(mut flashed) = FLASHED.lock() {
            let image = self.image.clone();
            flashed.insert(self.serial.port.clone(), Flashed { image, identity });
        }
        Ok(())
    }
}
