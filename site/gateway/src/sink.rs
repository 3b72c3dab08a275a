//! Destinations of readings. JSON Lines on standard output is one; others implement [`Sink`].

use std::io::{self, Write};

use crate::reading::{Moments, Reading};

/// Accepts readings, in order.
pub trait Sink: Send {
    /// Accepts all readings or fails. After [`SinkError::Later`] the same readings come again
    /// with `redelivered` set, so an incomplete attempt must do no harm. Accepted readings must
    /// not be lost.
    fn deliver(&mut self, readings: &[Reading]) -> Result<(), SinkError>;
}

impl Sink for Box<dyn Sink> {
    fn deliver(&mut self, readings: &[Reading]) -> Result<(), SinkError> {
        self.as_mut().deliver(readings)
    }
}

/// Reasons for not accepting readings.
#[derive(Debug)]
pub enum SinkError {
    /// Temporary failure: the caller retries later.
    Later(String),
    /// The sink still works on the readings: the caller calls again with the same readings to
    /// wait further. Returning lets the gateway check whether it should stop.
    UnderWay(String),
    /// Permanent failure: the gateway stops. The readings wait in the journal for the next
    /// start.
    Gone(String),
}

/// Writes readings as JSON Lines.
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
            io::ErrorKind::BrokenPipe => {
                SinkError::Gone("the reader of the readings has closed its end".into())
            }
            // The output may end in half a line; do not append to it.
            _ => SinkError::Gone(format!("cannot write readings: {error}")),
        })
    }
}

/// Delivers to `first`, then to `second`. `second` gets only readings that `first` accepted.
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

/// Passes readings to a function, which always accepts them.
impl<F: FnMut(&[Reading]) + Send> Sink for F {
    fn deliver(&mut self, readings: &[Reading]) -> Result<(), SinkError> {
        self(readings);
        Ok(())
    }
}
