//! A device under the test's control, shared between the node and the test.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};

use selo_sys::Error;
use selo_sys::node::{Event, FRAME_MAX, Hal, Node, RECORD_BYTES, Suite};

/// State of the device: results of its calls, frames sent, frames to receive.
#[derive(Debug)]
pub struct State {
    pub now: u32,
    pub entropy: Option<[u8; 32]>,
    pub record: Option<[u8; RECORD_BYTES]>,
    /// Result of loading; the next fields are those of storing and sending.
    pub load: Result<(), Error>,
    pub store: Result<(), Error>,
    pub send: Result<(), Error>,
    pub sent: Vec<Vec<u8>>,
    pub received: VecDeque<Vec<u8>>,
}

#[derive(Clone, Debug)]
pub struct Device(Arc<Mutex<State>>);

impl Device {
    pub fn new(entropy: [u8; 32]) -> Self {
        Self(Arc::new(Mutex::new(State {
            now: 0,
            entropy: Some(entropy),
            record: None,
            load: Ok(()),
            store: Ok(()),
            send: Ok(()),
            sent: Vec::new(),
            received: VecDeque::new(),
        })))
    }

    /// A node with this device.
    pub fn node(&self, suite: Suite) -> Node {
        Node::new(suite, Box::new(self.clone()))
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().expect("no test thread panics with the lock")
    }

    /// The last frame sent.
    pub fn last(&self) -> Vec<u8> {
        self.state().sent.last().cloned().unwrap_or_default()
    }

    /// Gives the node a frame and returns all events that follow.
    pub fn give(&self, node: &mut Node, frame: &[u8]) -> Vec<Event> {
        self.state().received.push_back(frame.to_vec());
        events(node)
    }
}

/// Polls until there is no event, and returns all events.
pub fn events(node: &mut Node) -> Vec<Event> {
    std::iter::from_fn(|| node.poll()).collect()
}

impl Hal for Device {
    fn send(&mut self, frame: &[u8]) -> Result<(), Error> {
        let mut state = self.state();
        state.send?;
        state.sent.push(frame.to_vec());
        Ok(())
    }

    fn receive(&mut self, frame: &mut [u8; FRAME_MAX]) -> usize {
        let Some(next) = self.state().received.pop_front() else {
            return 0;
        };
        if next.len() <= FRAME_MAX {
            frame[..next.len()].copy_from_slice(&next);
        }
        next.len()
    }

    fn milliseconds(&mut self) -> u32 {
        self.state().now
    }

    fn entropy(&mut self, out: &mut [u8]) -> Result<(), Error> {
        out.copy_from_slice(&self.state().entropy.ok_or(Error::Random)?);
        Ok(())
    }

    fn load(&mut self) -> Result<Option<[u8; RECORD_BYTES]>, Error> {
        let state = self.state();
        state.load?;
        Ok(state.record)
    }

    fn store(&mut self, record: &[u8; RECORD_BYTES]) -> Result<(), Error> {
        let mut state = self.state();
        state.store?;
        state.record = Some(*record);
        Ok(())
    }
}
