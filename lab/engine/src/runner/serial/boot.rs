//! The first exchange with a board after its restart.

use std::time::{Duration, Instant};

use super::super::port::Port;
use super::{GLANCE, HELLO_ANSWER, HELLO_TRIES, SerialSession, Silence};
use crate::error::Result;
use crate::frame;
use crate::schedule::check_interrupt;

impl SerialSession {
    /// Restarts the program. Flashes it again if the board holds another image.
    pub(super) fn restart(&mut self) -> Result<()> {
        if self.serial.reset.is_empty() {
            let pulsed = self.port.as_ref().map(Port::pulse_dtr);
            if !matches!(pulsed, Some(Ok(()))) {
                return self.come_back();
            }
        } else {
            let reset = self.serial.reset.clone();
            self.port = None;
            self.command(&reset)?;
            self.reopen()?;
        }
        self.boot()?;
        if self
            .hello()?
            .is_some_and(|said| Some(said) == self.known_identity())
        {
            return Ok(());
        }
        self.flash()
    }

    pub(super) fn boot(&mut self) -> Result<()> {
        let until = Instant::now() + Duration::from_secs_f64(self.serial.boot_seconds.max(0.0));
        while Instant::now() < until {
            check_interrupt()?;
            let left = until.saturating_duration_since(Instant::now());
            std::thread::sleep(left.min(GLANCE));
        }
        // After a restart, every operation gets the full timeout again.
        self.seen.clear();
        Ok(())
    }

    /// The reply to HELLO; `None` if there is no answer.
    pub(super) fn hello(&mut self) -> Result<Option<Vec<u8>>> {
        for _ in 0..HELLO_TRIES {
            self.sequence = self.sequence.wrapping_add(1);
            let mut request = vec![0];
            request.extend(frame::encode(frame::HELLO, self.sequence, &[]));
            if let Some(port) = &self.port {
                let _ = port.flush();
            }
            self.pending.clear();
            match self.ask(&request, self.sequence, HELLO_ANSWER)? {
                Ok(reply) => {
                    let said = frame::decode_reply(&reply, frame::HELLO, self.sequence)?;
                    if said.is_some() {
                        return Ok(said);
                    }
                }
                Err(Silence::Gone) => return Ok(None),
                Err(Silence::Damaged | Silence::Over) => {}
            }
        }
        Ok(None)
    }
}
