//! Where readings go. Standard output as JSON Lines now; whatever else takes them is a
//! [`Sink`].

use std::io::{self, Write};

use crate::reading::{Moments, Reading};

/// Takes readings, in order.
pub trait Sink: Send {
    /// Takes all of them, or none that matter: after an error the same readings come
    /// again, with `redelivered` set. What it has taken it must not lose.
    fn deliver(&mut self, readings: &[Reading]) -> Result<(), SinkError>;
}

/// Why readings were not taken.
#[derive(Debug)]
pub enum SinkError {
    /// For now: they come again.
    Later(String),
    /// It is at work on them: the same call goes on waiting. Gives the gateway a moment to
    /// look whether it is to stop.
    UnderWay(String),
    /// For ever: the gateway stops. The readings wait for its next start.
    Gone(String),
}

/// JSON Lines onto anything that takes bytes.
#[derive(Debug)]
pub struct JsonLines<W> {
    writer: W,
    buffer: Vec<u8>,
    moments: Moments,
}

impl<W: Write + Send> JsonLines<W> {
    pub fn new(writer: W) -> Self {
        JsonLines {
            writer,
            buffer: Vec::new(),
            moments: Moments::default(),
        }
    }
}

impl<W: Write + Send> Sink for JsonLines<W> {
    fn deliver(&mut self, readings: &[Reading]) -> Result<(), SinkError> {
        self.buffer.clear();
        for reading in readings {
            reading.write_line(&mut self.moments, &mut self.buffer);
        }
        let written = self
            .writer
            .write_all(&self.buffer)
            .and_then(|()| self.writer.flush());
        written.map_err(|error| match error.kind() {
            io::ErrorKind::BrokenPipe => SinkError::Gone("nobody reads the readings".into()),
            // Half a line may be out: the rest must not follow on another one.
            _ => SinkError::Gone(format!("cannot write readings: {error}")),
        })
    }
}

/// One sink, and then another: the second gets what the first has taken.
#[derive(Debug)]
pub struct Both<A, B> {
    first: A,
    second: B,
}

impl<A: Sink, B: Sink> Both<A, B> {
    pub fn new(first: A, second: B) -> Self {
        Both { first, second }
    }
}

impl<A: Sink, B: Sink> Sink for Both<A, B> {
    fn deliver(&mut self, readings: &[Reading]) -> Result<(), SinkError> {
        self.first.deliver(readings)?;
        self.second.deliver(readings)
    }
}

/// Hands readings to a function.
impl<F: FnMut(&[Reading]) + Send> Sink for F {
    fn deliver(&mut self, readings: &[Reading]) -> Result<(), SinkError> {
        self(readings);
        Ok(())
    }
}
