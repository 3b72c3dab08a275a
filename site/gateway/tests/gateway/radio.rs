//! The whole path by radio: the C node of the device library, a virtual E32 next to it, the
//! air, another E32 behind a pty, and a gateway that uses the pty as a serial port.

use std::io::ErrorKind;
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use selo_e32::airtime::AirRate;
use selo_e32::parameters::{Parameters, Parity, Uart};
use selo_gateway::engine::Downlink;
use selo_gateway::radio::{self, Port};
use selo_gateway::reading::{Payload, Reading};
use selo_gateway::registry::{Existing, Record, Registry};
use selo_gateway::state::StateDir;
use selo_gateway::{Config, Error, Gateway};
use selo_link::{DeviceId, DeviceKey};
use selo_nodes::node::{VirtualNode, provisioned, system_entropy};
use selo_radio::ether::{Ether, Settings};
use selo_radio::live::{Air, Driver, Handle, Pty};
use selo_radio::medium::Position;
use selo_sys::node::{Event, Suite};

const SUITE: Suite = Suite::ChaChaPolyBlake2s;
const ID: u32 = 0x3f9a_01c2;
const KEY: [u8; 32] = [7; 32];
const READINGS: u32 = 20;

/// Maximum wait for an expected event. No test passes because of a shorter wait.
const PATIENCE: Duration = Duration::from_secs(60);

/// A C node with a module. Detects frames by silence, like its firmware.
struct Node {
    node: VirtualNode,
    module: Handle,
    start: Instant,
    heard: Vec<u8>,
    last: Instant,
    events: Vec<Event>,
}

impl Node {
    fn turn(&mut self) {
        // Read the clock first, so that a delay of this thread does not look like silence.
        let now = Instant::now();
        let said = self.module.read();
        if !said.is_empty() {
            self.heard.extend(said);
            self.last = Instant::now();
        } else if !self.heard.is_empty()
            && now.saturating_duration_since(self.last) > Duration::from_millis(15)
        {
            self.node.receive(&std::mem::take(&mut self.heard));
        }
        let milliseconds = self.start.elapsed().as_millis() as u32;
        let events = &mut self.events;
        self.node.turn(milliseconds, |_, event| events.push(event));
        for frame in self.node.take_sent() {
            self.module.write(&frame);
        }
        std::thread::sleep(Duration::from_millis(1));
    }

    fn wait(&mut self, what: &str, wanted: impl Fn(&Event) -> bool) -> Event {
        let until = Instant::now() + PATIENCE;
        while Instant::now() < until {
            if let Some(index) = self.events.iter().position(&wanted) {
                return self.events.remove(index);
            }
            self.turn();
        }
        panic!("never: {what}; {:?}", self.events);
    }
}

/// A module behind a pty of this name, another one next to the node, and the air between them.
fn modules(port: &Path) -> (Driver, Handle) {
    let fast = Uart {
        baud: 115_200,
        parity: Parity::None,
    };
    let parameters = Parameters::default()
        .with_air_rate(AirRate::R19200)
        .with_uart(fast);
    let mut ether = Ether::new(Settings::default());
    let hub = ether.add(Position::default(), parameters);
    let beside = ether.add(Position { x: 50.0, y: 0.0 }, parameters);
    let air = Air::paced(ether).expect("an air");
    let pty = Pty::open(Some(port)).expect("a pty");
    let driver = Driver::start(&air, vec![(hub, pty)]).expect("a thread");
    let module = air.handle(beside);
    while !module.aux() {
        std::thread::sleep(Duration::from_millis(1));
    }
    (driver, module)
}

fn fast(path: &Path) -> Port {
    Port {
        path: path.into(),
        baud: 115_200,
        air_rate: AirRate::R19200,
    }
}

/// A gateway with the node in its registry and the module as a port, and its readings.
fn gateway(folder: &Path, port: &Path) -> (selo_gateway::gateway::Handle, Receiver<Reading>) {
    let state = folder.join("state");
    let directory = StateDir::open(&state).expect("a state");
    let mut registry = Registry::open(&directory.registry()).expect("a registry");
    let link = selo_link::Suite::from_code(SUITE.code()).expect("the same suites");
    let device = Record::new(DeviceId(ID), link, DeviceKey::new(KEY));
    registry
        .add_all(&[device], Existing::Refuse)
        .expect("added");
    drop(registry);
    let (send, readings) = channel::<Reading>();
    let sink = move |batch: &[Reading]| {
        for reading in batch {
            let _ = send.send(reading.clone());
        }
    };
    let listen = "127.0.0.1:0".parse().expect("an address");
    let mut config = Config::new(&state, listen, sink);
    config.radios = vec![fast(port)];
    (Gateway::start(config).expect("starts"), readings)
}

fn node(module: Handle) -> Node {
    let record = provisioned(SUITE, ID, &KEY, &[3; 32], 1);
    Node {
        node: VirtualNode::start(SUITE, Some(record), system_entropy()).expect("starts"),
        module,
        start: Instant::now(),
        heard: Vec::new(),
        last: Instant::now(),
        events: Vec::new(),
    }
}

#[test]
fn a_node_joins_by_radio_delivers_twenty_readings_and_gets_a_message() {
    let folder = tempfile::tempdir().expect("a folder");
    let port = folder.path().join("module");
    let (_driver, module) = modules(&port);
    let (gateway, readings) = gateway(folder.path(), &port);
    let mut node = node(module);
    node.node.node().join().expect("begins");
    node.wait("the join", |event| *event == Event::Joined);
    for number in 0..READINGS {
        let payload = number.to_le_bytes();
        node.node.node().send(&payload, true).expect("sends");
        node.wait("the acknowledgement", |event| *event == Event::Delivered);
        let reading = readings.recv_timeout(PATIENCE).expect("a reading");
        assert_eq!(reading.counter, number);
        assert_eq!(&reading.payload[..], payload);
        assert_eq!(reading.source.to_string(), "radio:0");
        assert_eq!(reading.rssi, None);
    }
    // A message to the node.
    let sent = gateway.remote().call(|engine, now, out| {
        let downlink = Downlink {
            device: DeviceId(ID),
            payload: Payload::new(b"tip the gauge").expect("short"),
            timed: false,
            confirmed: true,
            after_uplink: false,
            until_ms: u64::MAX,
        };
        engine.send(now, downlink, out).is_ok()
    });
    assert_eq!(sent, Some(true));
    let message = node.wait("the message", |event| matches!(event, Event::Received(_)));
    assert_eq!(message, Event::Received(b"tip the gauge".to_vec()));
    gateway.stop().expect("stops");
    assert_eq!(readings.try_iter().count(), 0, "none twice");
}

#[test]
fn a_port_that_was_unplugged_is_opened_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let port = folder.path().join("module");
    let (driver, module) = modules(&port);
    let (gateway, readings) = gateway(folder.path(), &port);
    let mut node = node(module);
    node.node.node().join().expect("begins");
    node.wait("the join", |event| *event == Event::Joined);

    // The port is locked meanwhile.
    let taken = radio::open(1, &fast(&port)).expect_err("taken");
    assert!(taken.hint().expect("a hint").contains("another program"));

    drop(driver);
    assert!(!port.exists(), "unplugged");
    node.node.node().send(b"nobody hears", true).expect("sends");
    node.turn();
    let (_driver, module) = modules(&port);
    node.module = module;
    node.wait("the acknowledgement", |event| *event == Event::Delivered);
    let reading = readings.recv_timeout(PATIENCE).expect("a reading");
    assert_eq!(&reading.payload[..], b"nobody hears");
    gateway.stop().expect("stops");
}

#[test]
fn a_module_that_is_not_there_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let listen = "127.0.0.1:0".parse().expect("an address");
    let mut config = Config::new(folder.path().join("state"), listen, |_: &[Reading]| ());
    let port = folder.path().join("none");
    config.radios = vec![fast(&port)];
    let error = Gateway::start(config).expect_err("no module");
    assert!(matches!(error, Error::Radio { .. }));
    assert!(error.to_string().contains("none"), "{error}");
    assert!(error.hint().expect("a hint").contains("plugged in"));

    // A regular file is not a serial port.
    std::fs::write(&port, b"").expect("a file");
    let error = radio::open(0, &fast(&port)).expect_err("no port");
    assert!(error.hint().expect("a hint").contains("serial port"));

    let error = Error::Radio {
        path: port,
        source: ErrorKind::PermissionDenied.into(),
    };
    assert!(error.hint().expect("a hint").contains("dialout"));
}
