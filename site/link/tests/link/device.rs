//! A device for the C node, built from queues, and a node on it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use selo_link::{Kem, Suite};
use selo_sys::Error;
use selo_sys::node::{self, Event, FRAME_MAX, Hal, Node, RECORD_BYTES};

/// Packets sent and to be received, stored record, entropy and time of the device.
#[derive(Default)]
pub struct Device {
    pub sent: VecDeque<Vec<u8>>,
    pub to_receive: VecDeque<Vec<u8>>,
    pub record: Option<[u8; RECORD_BYTES]>,
    pub entropy: [u8; 32],
    pub now: u32,
}

#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Device>>);

impl Shared {
    fn device(&self) -> MutexGuard<'_, Device> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Hal for Shared {
    fn send(&mut self, frame: &[u8]) -> Result<(), Error> {
        self.device().sent.push_back(frame.to_vec());
        Ok(())
    }

    fn receive(&mut self, frame: &mut [u8; FRAME_MAX]) -> usize {
        let Some(next) = self.device().to_receive.pop_front() else {
            return 0;
        };
        frame[..next.len()].copy_from_slice(&next);
        next.len()
    }

    fn milliseconds(&mut self) -> u32 {
        self.device().now
    }

    fn entropy(&mut self, out: &mut [u8]) -> Result<(), Error> {
        out.copy_from_slice(&self.device().entropy[..out.len()]);
        Ok(())
    }

    fn load(&mut self) -> Result<Option<[u8; RECORD_BYTES]>, Error> {
        Ok(self.device().record)
    }

    fn store(&mut self, record: &[u8; RECORD_BYTES]) -> Result<(), Error> {
        self.device().record = Some(*record);
        Ok(())
    }
}

/// A C node on such a device.
pub struct CNode {
    pub node: Node,
    shared: Shared,
}

impl CNode {
    /// Starts a node without a record.
    pub fn begin(suite: Suite, entropy: [u8; 32]) -> Self {
        Self::begin_hybrid(suite, None, entropy)
    }

    /// The same, for a node that pairs also with a key encapsulation.
    pub fn begin_hybrid(suite: Suite, kem: Option<Kem>, entropy: [u8; 32]) -> Self {
        let pairing = node::Pairing::ALL[kem.map_or(0, |kem| usize::from(kem.code()))];
        let suite = node::Suite::from_code(suite.code()).expect("C has every suite");
        let shared = Shared::default();
        shared.device().entropy = entropy;
        let mut node = Node::with_pairing(suite, pairing, Box::new(shared.clone()));
        node.begin().expect("a device with entropy and a store");
        CNode { node, shared }
    }

    /// Delivers a packet to the node and returns all resulting events.
    pub fn take(&mut self, frame: &[u8]) -> Vec<Event> {
        self.shared.device().to_receive.push_back(frame.to_vec());
        self.poll()
    }

    /// Delivers a packet and returns its first event, before the node does anything else.
    pub fn take_once(&mut self, frame: &[u8]) -> Option<Event> {
        self.shared.device().to_receive.push_back(frame.to_vec());
        self.node.poll()
    }

    /// Polls until nothing more happens.
    pub fn poll(&mut self) -> Vec<Event> {
        std::iter::from_fn(|| self.node.poll()).collect()
    }

    /// Advances the time.
    pub fn wait(&mut self, milliseconds: u32) -> Vec<Event> {
        self.shared.device().now += milliseconds;
        self.poll()
    }

    /// The next packet that the node has sent.
    pub fn sent(&mut self) -> Vec<u8> {
        self.shared
            .device()
            .sent
            .pop_front()
            .expect("the node has sent something")
    }

    /// True if the node has sent nothing more.
    pub fn is_silent(&self) -> bool {
        self.shared.device().sent.is_empty()
    }

    /// Sends a payload, and returns the packet.
    pub fn send(&mut self, payload: &[u8], confirmed: bool) -> Vec<u8> {
        assert!(
            self.is_silent(),
            "what was sent before has not been looked at"
        );
        self.node
            .send(payload, confirmed)
            .expect("there is a session");
        self.sent()
    }
}
