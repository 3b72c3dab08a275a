//! A node's firmware on a simulated chip (studies/firmware/node/README.md): its clock, its EEPROM and
//! its serial line. The caller controls the simulated time: it advances only in [`Node::advance`].

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use selo_engine::board::Board;
use selo_engine::build::Image;
use selo_engine::error::{Error, Result};
use selo_engine::frame;
use selo_engine::runner::{Paced, Span, Surroundings};

/// Channels of the serial line.
const LINK: u8 = 0;
const CONSOLE: u8 = 1;
const PAYLOAD: u8 = 2;
const CONFIRMED: u8 = 3;

/// Cycles between two polls of the line: 2 ms.
const STEP: u64 = 32_000;

/// The size of the EEPROM, where the firmware keeps its record (station/src/selo_station/record.c).
const EEPROM_BYTES: usize = 1024;
const SLOT: usize = 16;

/// A running node.
#[derive(Debug)]
pub struct Node {
    chip: Paced,
    eeprom: PathBuf,
    clock_hz: u64,
    /// The first bytes of an incomplete frame.
    partial: Vec<u8>,
    /// Link frames that the node sent.
    pub link: VecDeque<Vec<u8>>,
    /// Lines of its console.
    pub console: VecDeque<String>,
    /// Payloads that it received over the link.
    pub payloads: VecDeque<Vec<u8>>,
    /// Finished calls of the library.
    pub spans: Vec<Span>,
    /// The deepest stack since the start or the last [`Node::cut_power`].
    pub stack: u64,
    /// The chip's cycle counter.
    pub cycle: u64,
}

/// The content of a node's EEPROM when it leaves the workshop: an id and a seed, but no key. A
/// simulated chip has no entropy of its own, so it does not start without a seed.
pub fn factory_record(suite: u8, id: u32, seed: &[u8; 32]) -> [u8; 76] {
    let mut record = [0; 76];
    record[0] = 1; // version
    record[1] = suite;
    record[4..8].copy_from_slice(&id.to_le_bytes());
    record[40..72].copy_from_slice(seed);
    record[72] = 1; // the first join counter
    record
}

/// An EEPROM with this record in its first slot.
pub fn eeprom_with(record: &[u8; 76]) -> Vec<u8> {
    let mut content = vec![0]; // the marker
    content.extend(record);
    content.extend(frame::crc16(&content).to_le_bytes());
    let mut eeprom = vec![0xFF; EEPROM_BYTES];
    eeprom[SLOT..SLOT + content.len()].copy_from_slice(&content);
    eeprom
}

impl Node {
    /// Puts the firmware on a chip whose EEPROM is the given file, and switches it on. The chip has
    /// not run yet.
    pub fn start(root: &Path, board: &Board, image: &Image, eeprom: &Path) -> Result<Node> {
        Ok(Node {
            chip: Paced::start(
                root,
                board,
                &image.path,
                &image.weight,
                eeprom,
                &Surroundings::default(),
            )?,
            eeprom: eeprom.to_owned(),
            clock_hz: board.clock_hz.unwrap_or(1),
            partial: Vec::new(),
            link: VecDeque::new(),
            console: VecDeque::new(),
            payloads: VecDeque::new(),
            spans: Vec::new(),
            stack: 0,
            cycle: 0,
        })
    }

    /// Advances by `cycles`, and collects the node's output.
    pub fn advance(&mut self, cycles: u64) -> Result<()> {
        let done = self.chip.advance(cycles)?;
        self.cycle = done.cycle;
        self.stack = done.stack;
        self.spans.extend(done.spans);
        for byte in done.bytes {
            if byte != 0 {
                self.partial.push(byte);
            } else if !self.partial.is_empty() {
                let frame = std::mem::take(&mut self.partial);
                self.take(&frame)?;
            }
        }
        Ok(())
    }

    fn take(&mut self, frame: &[u8]) -> Result<()> {
        match frame::decode(frame).as_deref() {
            Some([LINK, bytes @ ..]) => self.link.push_back(bytes.to_vec()),
            Some([CONSOLE, text @ ..]) => self
                .console
                .push_back(String::from_utf8_lossy(text).into_owned()),
            Some([PAYLOAD, bytes @ ..]) => self.payloads.push_back(bytes.to_vec()),
            _ => {
                let bytes = hex::encode(frame);
                return Err(Error::Node(format!("sent an invalid frame: {bytes}")));
            }
        }
        Ok(())
    }

    /// Advances until `happened`, at most for this many seconds of the chip. Returns whether it
    /// happened.
    pub fn run_until(
        &mut self,
        seconds: u64,
        mut happened: impl FnMut(&mut Node) -> bool,
    ) -> Result<bool> {
        let end = self.cycle + seconds * self.clock_hz;
        loop {
            if happened(self) {
                return Ok(true);
            }
            if self.cycle >= end {
                return Ok(false);
            }
            selo_engine::schedule::check_interrupt()?;
            self.advance(STEP)?;
        }
    }

    /// The next link frame, within this many seconds.
    pub fn next_frame(&mut self, seconds: u64) -> Result<Vec<u8>> {
        self.run_until(seconds, |node| !node.link.is_empty())?;
        self.link
            .pop_front()
            .ok_or_else(|| self.silent("sent no frame", seconds))
    }

    /// Waits this many seconds for the next line that begins with `start`, and discards earlier
    /// lines. Returns the rest of the line.
    pub fn next_line(&mut self, start: &str, seconds: u64) -> Result<String> {
        let mut rest = None;
        let mut said = Vec::new();
        self.run_until(seconds, |node| {
            while rest.is_none()
                && let Some(line) = node.console.pop_front()
            {
                rest = line.strip_prefix(start).map(str::to_owned);
                said.push(line);
            }
            rest.is_some()
        })?;
        let what = format!("printed {said:?} instead of '{start}'");
        rest.ok_or_else(|| self.silent(&what, seconds))
    }

    /// The next payload, within this many seconds.
    pub fn next_payload(&mut self, seconds: u64) -> Result<Vec<u8>> {
        self.run_until(seconds, |node| !node.payloads.is_empty())?;
        self.payloads
            .pop_front()
            .ok_or_else(|| self.silent("received no payload", seconds))
    }

    fn silent(&self, what: &str, seconds: u64) -> Error {
        Error::Node(format!("{what} within {seconds} s"))
    }

    /// Sends a link frame to the node.
    pub fn send_frame(&mut self, frame: &[u8]) -> Result<()> {
        self.say(LINK, frame)
    }

    /// Sends a command to the node's console.
    pub fn command(&mut self, line: &str) -> Result<()> {
        self.say(CONSOLE, line.as_bytes())
    }

    /// Gives the node a reading to send. A `confirmed` reading is repeated until it is
    /// acknowledged.
    pub fn reading(&mut self, bytes: &[u8], confirmed: bool) -> Result<()> {
        self.say(if confirmed { CONFIRMED } else { PAYLOAD }, bytes)
    }

    fn say(&mut self, channel: u8, bytes: &[u8]) -> Result<()> {
        self.chip
            .send(&frame::encode_body(&[&[channel], bytes].concat()))
    }

    /// Holds the button for this many milliseconds.
    pub fn press(&mut self, milliseconds: u64) -> Result<()> {
        self.chip.pin('D', 2, false)?;
        self.advance(self.clock_hz / 1000 * milliseconds)?;
        self.chip.pin('D', 2, true)
    }

    /// Cuts the power at the current cycle, and restores it. An EEPROM byte that is being
    /// programmed is corrupted, and bytes on the line are lost.
    pub fn cut_power(&mut self) -> Result<()> {
        self.partial.clear();
        self.chip.reset()
    }

    /// The content of the EEPROM.
    pub fn eeprom(&mut self) -> Result<Vec<u8>> {
        self.chip.save()?;
        std::fs::read(&self.eeprom).map_err(|source| Error::Read {
            path: self.eeprom.clone(),
            source,
        })
    }
}
