//! A node in the attacker's hand, turned step by step.

use std::net::UdpSocket;
use std::time::{Duration, Instant};

use selo_link::DeviceKey;
use selo_nodes::node::{VirtualNode, has_key, system_entropy};
use selo_nodes::records::Record;
use selo_sys::node::Event;

use super::super::Result;
use super::super::case::setup;
use super::super::wire::{HONEST, PATIENCE};

/// A node in a person's hand: it pairs and confirms only when its buttons are pressed.
pub(super) struct HeldNode {
    pub(super) node: VirtualNode,
    socket: UdpSocket,
    start: Instant,
    events: Vec<Event>,
    record: Option<Record>,
}

impl HeldNode {
    pub(super) fn start() -> Result<HeldNode> {
        let suite = selo_sys::node::Suite::ChaChaPolyBlake2s;
        let socket = UdpSocket::bind((HONEST, 0))?;
        socket.set_read_timeout(Some(Duration::from_millis(10)))?;
        Ok(HeldNode {
            node: VirtualNode::start(suite, None, system_entropy())?,
            socket,
            start: Instant::now(),
            events: Vec::new(),
            record: None,
        })
    }

    /// One iteration of a node that sends to a port.
    pub(super) fn turn(&mut self, port: u16) -> Result<()> {
        self.keep();
        for frame in self.node.take_sent() {
            self.socket.send_to(&frame, (HONEST, port))?;
        }
        let mut packet = [0; 2048];
        if let Ok(length) = self.socket.recv(&mut packet) {
            self.node.receive(&packet[..length]);
        }
        let (now, events) = (self.start.elapsed().as_millis() as u32, &mut self.events);
        self.node.turn(now, |_, event| events.push(event));
        self.keep();
        Ok(())
    }

    /// Stores the node's state before its next packet leaves.
    fn keep(&mut self) {
        self.record = self.node.take_stored().or(self.record);
    }

    /// Iterates until a value is available.
    pub(super) fn until<T>(
        &mut self,
        port: u16,
        what: &str,
        found: impl Fn(&mut HeldNode) -> Option<T>,
    ) -> Result<T> {
        let since = Instant::now();
        while since.elapsed() < PATIENCE {
            self.turn(port)?;
            if let Some(found) = found(self) {
                return Ok(found);
            }
        }
        setup(format!("the node did not {what}"))
    }

    /// The person presses the button once. Returns the digits that the node then shows.
    pub(super) fn press(&mut self, port: u16) -> Result<String> {
        self.events.clear();
        self.node.node().pair()?;
        let digits = self.until(port, "show digits", |held| {
            held.events.iter().find_map(|event| match event {
                Event::Digits(digits) => Some(format!("{digits:06}")),
                _ => None,
            })
        })?;
        // The gateway accepts the digits once it has the node's last frame.
        self.turn(port)?;
        Ok(digits)
    }

    /// Occurrences of an event since the button was pressed.
    pub(super) fn count(&self, event: &Event) -> u64 {
        self.events.iter().filter(|other| *other == event).count() as u64
    }

    /// Returns true if it has stored one of these keys.
    pub(super) fn has_one_of(&self, keys: &[DeviceKey]) -> bool {
        let has = |record| keys.iter().any(|key| has_key(record, key.expose()));
        self.record.as_ref().is_some_and(has)
    }
}
