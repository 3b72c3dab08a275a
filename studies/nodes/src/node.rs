//! One virtual node: the C library's node on a device in memory. It does no I/O and has no clock.
//! Its driver passes in frames and the time, and takes out frames and the record.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use selo_sys::node::{Event, FRAME_MAX, Hal, Node, Pairing, Suite};

use crate::records::{RECORD_BYTES, Record};

/// Source of a node's entropy.
pub type Entropy = Box<dyn FnMut(&mut [u8]) -> Result<(), selo_sys::Error> + Send>;

/// The operating system's random generator.
pub fn system_entropy() -> Entropy {
    Box::new(|out| getrandom::fill(out).map_err(|_| selo_sys::Error::Random))
}

/// A node and its device.
pub struct VirtualNode {
    node: Node,
    port: Arc<Mutex<Port>>,
}

/// The node's view of the world: its HAL.
#[derive(Default)]
struct Port {
    milliseconds: u32,
    inbox: VecDeque<Vec<u8>>,
    outbox: Vec<Vec<u8>>,
    record: Option<Record>,
    /// The node has stored a record since it was last taken.
    stored: bool,
}

struct Device {
    port: Arc<Mutex<Port>>,
    entropy: Entropy,
}

/// No code that holds the lock can panic, so a poisoned lock is still consistent.
fn lock(port: &Mutex<Port>) -> MutexGuard<'_, Port> {
    port.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Hal for Device {
    fn send(&mut self, frame: &[u8]) -> Result<(), selo_sys::Error> {
        lock(&self.port).outbox.push(frame.to_vec());
        Ok(())
    }

    fn receive(&mut self, frame: &mut [u8; FRAME_MAX]) -> usize {
        match lock(&self.port).inbox.pop_front() {
            Some(bytes) => {
                frame[..bytes.len()].copy_from_slice(&bytes);
                bytes.len()
            }
            None => 0,
        }
    }

    fn milliseconds(&mut self) -> u32 {
        lock(&self.port).milliseconds
    }

    fn entropy(&mut self, out: &mut [u8]) -> Result<(), selo_sys::Error> {
        (self.entropy)(out)
    }

    fn load(&mut self) -> Result<Option<Record>, selo_sys::Error> {
        Ok(lock(&self.port).record)
    }

    fn store(&mut self, record: &Record) -> Result<(), selo_sys::Error> {
        let mut port = lock(&self.port);
        port.record = Some(*record);
        port.stored = true;
        Ok(())
    }
}

impl VirtualNode {
    /// Switches a node on, with its stored record if it has one. Its clock starts at 0.
    pub fn start(
        suite: Suite,
        record: Option<Record>,
        entropy: Entropy,
    ) -> Result<VirtualNode, selo_sys::Error> {
        Self::start_pairing(suite, Pairing::X25519, record, entropy)
    }

    /// The same, for a node that is compiled for this way of pairing.
    pub fn start_pairing(
        suite: Suite,
        pairing: Pairing,
        record: Option<Record>,
        entropy: Entropy,
    ) -> Result<VirtualNode, selo_sys::Error> {
        let port = Arc::new(Mutex::new(Port {
            record,
            ..Port::default()
        }));
        let device = Device {
            port: Arc::clone(&port),
            entropy,
        };
        let mut node = Node::with_pairing(suite, pairing, Box::new(device));
        node.begin()?;
        Ok(VirtualNode { node, port })
    }

    /// Cycles the power. Only the record survives.
    pub fn restart(&mut self) -> Result<(), selo_sys::Error> {
        let mut port = lock(&self.port);
        port.inbox.clear();
        port.outbox.clear();
        drop(port);
        self.node.begin()
    }

    /// Delivers a frame. One that is longer than any frame is dropped, as the carrier must do.
    pub fn receive(&mut self, frame: &[u8]) {
        if frame.len() <= FRAME_MAX {
            lock(&self.port).inbox.push_back(frame.to_vec());
        }
    }

    /// Runs the node at `milliseconds` since its start: it handles received frames and repeats
    /// what is due. `event` is called with the node for each event.
    pub fn turn(&mut self, milliseconds: u32, mut event: impl FnMut(&mut Node, Event)) {
        lock(&self.port).milliseconds = milliseconds;
        loop {
            let waiting = lock(&self.port).inbox.len();
            match self.node.poll() {
                Some(happened) => event(&mut self.node, happened),
                // The node may have dropped a frame without an event while another one waits.
                None if lock(&self.port).inbox.len() == waiting => break,
                None => {}
            }
        }
    }

    /// The frames sent since the last call.
    pub fn take_sent(&mut self) -> Vec<Vec<u8>> {
        std::mem::take(&mut lock(&self.port).outbox)
    }

    /// The record, if the node has stored one since the last call. It must be committed before
    /// frames that were sent later leave.
    pub fn take_stored(&mut self) -> Option<Record> {
        let mut port = lock(&self.port);
        std::mem::take(&mut port.stored)
            .then_some(port.record)
            .flatten()
    }

    /// The node, for the rest of the API of selo.h.
    pub fn node(&mut self) -> &mut Node {
        &mut self.node
    }
}

impl fmt::Debug for VirtualNode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.node.fmt(f)
    }
}

/// The public part of a record; `None` if it is not a record of this version.
pub fn describe(record: &Record) -> Option<RecordInfo> {
    (record[VERSION] == RECORD_VERSION).then_some(())?;
    let id = record[ID..].first_chunk()?;
    Some(RecordInfo {
        suite: Suite::from_code(record[SUITE])?,
        paired: record[PAIRED] == 1,
        id: u32::from_le_bytes(*id),
    })
}

/// The first record of a node with a given id and key, as `selo_node_provision` would create it.
/// `seed` must be random. `join_counter` is the first that its gateway will accept.
pub fn provisioned(
    suite: Suite,
    id: u32,
    key: &[u8; 32],
    seed: &[u8; 32],
    join_counter: u32,
) -> Record {
    let mut record = [0; RECORD_BYTES];
    record[VERSION] = RECORD_VERSION;
    record[SUITE] = suite.code();
    record[PAIRED] = 1;
    record[ID..ID + 4].copy_from_slice(&id.to_le_bytes());
    record[KEY..KEY + 32].copy_from_slice(key);
    record[SEED..SEED + 32].copy_from_slice(seed);
    record[JOIN_COUNTER..].copy_from_slice(&join_counter.to_le_bytes());
    record
}

/// Returns true if a record holds this device key.
pub fn has_key(record: &Record, key: &[u8; 32]) -> bool {
    record[PAIRED] == 1 && selo_sys::equal(&record[KEY..KEY + 32], key)
}

/// Offsets in a record, from `src/selo/link/node_record.c`. Tests compare them with the C code.
const VERSION: usize = 0;
const SUITE: usize = 1;
const PAIRED: usize = 2;
const ID: usize = 4;
const KEY: usize = 8;
const SEED: usize = 40;
const JOIN_COUNTER: usize = 72;
const RECORD_VERSION: u8 = 1;

/// The public part of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordInfo {
    /// The suite that it was created for.
    pub suite: Suite,
    /// True if it holds a device key.
    pub paired: bool,
    /// The device id.
    pub id: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fixed_entropy() -> Entropy {
        Box::new(|out| {
            out.fill(7);
            Ok(())
        })
    }

    #[test]
    fn a_node_stores_before_it_sends_and_comes_back_as_itself() {
        for suite in Suite::ALL {
            let mut node = VirtualNode::start(suite, None, fixed_entropy()).expect("starts");
            let record = node.take_stored().expect("stored at the start");
            let info = describe(&record).expect("a record");
            assert_eq!(
                (info.suite, info.paired, info.id),
                (suite, false, node.node().id())
            );
            assert!(node.take_stored().is_none() && node.take_sent().is_empty());

            node.node()
                .provision(0x0102_0304, &[9; 32])
                .expect("takes a key");
            let record = node.take_stored().expect("stored again");
            let info = describe(&record).expect("a record");
            assert_eq!((info.paired, info.id), (true, 0x0102_0304));
            node.node().join().expect("begins a join");
            let sent = node.take_sent();
            assert_eq!((sent.len(), sent[0].len(), sent[0][0]), (1, 58, 0x50));

            // Another process with the same record sends another request.
            let mut again =
                VirtualNode::start(suite, Some(record), fixed_entropy()).expect("starts");
            assert!(again.node().is_paired());
            again.node().join().expect("begins a join");
            assert_ne!(again.take_sent(), sent);
        }
    }

    #[test]
    fn a_record_made_here_is_one_for_the_c_code() {
        for suite in Suite::ALL {
            let record = provisioned(suite, 0xa1b2_c3d4, &[9; 32], &[3; 32], 1000);
            let mut node =
                VirtualNode::start(suite, Some(record), fixed_entropy()).expect("starts");
            assert!(node.node().is_paired());
            assert_eq!(node.node().id(), 0xa1b2_c3d4);
            // The record that the C code then stores differs in the seed and in the reserved
            // counters.
            let stored = node.take_stored().expect("stored at the start");
            assert_eq!(stored[..SEED], record[..SEED]);
            assert_ne!(stored[SEED..JOIN_COUNTER], record[SEED..JOIN_COUNTER]);
            assert_eq!(stored[JOIN_COUNTER..], 1016_u32.to_le_bytes());
            assert!(has_key(&stored, &[9; 32]) && !has_key(&stored, &[8; 32]));
            node.node().forget().expect("forgets");
            let stored = node.take_stored().expect("stored");
            assert!(!has_key(&stored, &[9; 32]) && !has_key(&stored, &[0; 32]));
        }
    }

    #[test]
    fn requests_are_repeated_by_the_time_that_is_handed_in() {
        let mut node = VirtualNode::start(Suite::Ascon, None, fixed_entropy()).expect("starts");
        node.node().provision(1, &[9; 32]).expect("takes a key");
        node.node().join().expect("begins a join");
        let sent = node.take_sent();
        // The wait is encoded in the frame's last byte [docs/protocol.md, state machines].
        let wait = 2_000 + 4 * u32::from(*sent[0].last().expect("a frame"));
        node.turn(wait - 1, |_, event| panic!("{event:?}"));
        assert!(node.take_sent().is_empty());
        node.turn(wait, |_, event| panic!("{event:?}"));
        assert_eq!(node.take_sent(), sent);
    }

    #[test]
    fn frames_that_are_none_do_no_harm() {
        let mut node = VirtualNode::start(Suite::Ascon, None, fixed_entropy()).expect("starts");
        for size in [0, 1, 5, 57, 58, 59, 2000] {
            node.receive(&vec![0x60; size]);
        }
        node.turn(1, |_, event| panic!("{event:?}"));
        assert!(node.take_sent().is_empty());
    }
}
