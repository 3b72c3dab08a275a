//! Rain gauges on simulated Unos, each with a virtual E32 module. A third module serves a gateway
//! built from `selo-link`. The tests check that a bucket's tips arrive over the air. Time is
//! simulated.

use std::path::{Path, PathBuf};
use std::time::Duration;

use selo_codec::Catalogue;
use selo_e32::parameters::Parameters;
use selo_engine::board::Board;
use selo_engine::build::Image;
use selo_firmware::field::FieldNode;
use selo_firmware::node::{eeprom_with, factory_record};
use selo_link::frame::Frame;
use selo_link::join::JoinOpened;
use selo_link::pair::GatewayPairing;
use selo_link::session::{SealOptions, Session, SessionId};
use selo_link::{DeviceKey, EphemeralSecret, FRAME_MAX, Suite};
use selo_nodes::field::{build, step};
use selo_radio::ether::{Ether, Settings};
use selo_radio::live::{Air, Handle};
use selo_radio::medium::Position;

const SUITE: Suite = Suite::ChaChaPolyBlake2s;

/// Flash budget of the station on an Uno with a boot loader: four fifths.
const FLASH: u64 = 26_214;
const RAM: u64 = 1_800;

/// Three weeks into a November.
const TIME: u32 = 1_795_343_211;

fn firmware() -> (PathBuf, Board, Image) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let root = root.canonicalize().expect("the repository");
    let built = build(&root, "uno", SUITE.name(), Duration::from_secs(5));
    let (board, image) = built.expect("the firmware");
    (root, board, image)
}

/// A station, and the gateway's side of it.
struct Station {
    node: FieldNode,
    radio: Handle,
    key: Option<DeviceKey>,
    session: Option<Session>,
    readings: Vec<Vec<u8>>,
    _eeprom: tempfile::NamedTempFile,
}

struct Bench {
    air: Air,
    gateway: Handle,
    stations: Vec<Station>,
    /// Bytes of an incomplete frame, and the milliseconds since the last byte.
    partial: Vec<u8>,
    silence: u32,
    milliseconds: u64,
}

impl Bench {
    fn new(ids: &[u32], time: u32) -> Bench {
        let (root, board, image) = firmware();
        let mut ether = Ether::new(Settings::default());
        let add = |ether: &mut Ether, x| ether.add(Position { x, y: 0.0 }, Parameters::default());
        let gateway = add(&mut ether, 0.0);
        let modules: Vec<_> = ids
            .iter()
            .enumerate()
            .map(|(index, _)| add(&mut ether, 50.0 + 10.0 * index as f64))
            .collect();
        let air = Air::stepped(ether).expect("an air");
        let stations = ids.iter().zip(modules).map(|(id, module)| {
            let file = tempfile::NamedTempFile::new().expect("a file");
            let record = factory_record(SUITE.code(), *id, &[*id as u8; 32]);
            std::fs::write(file.path(), eeprom_with(&record)).expect("written");
            Station {
                node: FieldNode::start(&root, &board, &image, file.path(), time).expect("a chip"),
                radio: air.handle(module),
                key: None,
                session: None,
                readings: Vec::new(),
                _eeprom: file,
            }
        });
        Bench {
            stations: stations.collect(),
            gateway: air.handle(gateway),
            air,
            partial: Vec::new(),
            silence: 0,
            milliseconds: 0,
        }
    }

    /// Advances by one millisecond. Returns a frame that the gateway has then received
    /// completely.
    fn step(&mut self) -> Option<Vec<u8>> {
        self.milliseconds += 1;
        for station in &mut self.stations {
            step(&mut station.node, &mut station.radio).expect("it runs");
        }
        self.air.advance(Duration::from_millis(self.milliseconds));
        let come = self.gateway.read();
        self.silence = if come.is_empty() { self.silence + 1 } else { 0 };
        self.partial.extend(come);
        (self.silence == 5 && !self.partial.is_empty()).then(|| std::mem::take(&mut self.partial))
    }

    fn next_frame(&mut self, seconds: u64) -> Vec<u8> {
        let end = self.milliseconds + 1000 * seconds;
        while self.milliseconds < end {
            if let Some(frame) = self.step() {
                return frame;
            }
        }
        let said: Vec<_> = self.stations.iter().map(|s| &s.node.console).collect();
        panic!("no frame within {seconds} s; the stations printed {said:?}");
    }

    fn next_line(&mut self, station: usize, start: &str, seconds: u64) -> String {
        let end = self.milliseconds + 1000 * seconds;
        let mut said = Vec::new();
        while self.milliseconds < end {
            while let Some(line) = self.stations[station].node.console.pop_front() {
                if let Some(rest) = line.strip_prefix(start) {
                    return rest.to_owned();
                }
                said.push(line);
            }
            self.step();
        }
        panic!("no line '{start}' within {seconds} s, only {said:?}");
    }

    fn send(&mut self, frame: &[u8]) {
        self.gateway.write(frame);
    }

    fn press(&mut self, station: usize, milliseconds: u64) {
        self.stations[station].node.button(false).expect("a line");
        for _ in 0..milliseconds {
            self.step();
        }
        self.stations[station].node.button(true).expect("a line");
    }

    /// Pairs a station by its button. The others are still off.
    fn pair(&mut self, station: usize) {
        self.next_line(station, "unpaired", 10);
        for _ in 0..500 {
            self.step();
        }
        self.press(station, 100);
        let commit = self.next_frame(10);
        let Ok(Frame::PairCommit(commit)) = Frame::parse(&commit) else {
            panic!("{}", hex::encode(commit));
        };
        let (pairing, key) = GatewayPairing::start(&commit, EphemeralSecret::new([77; 32]));
        self.send(&key);
        let reveal = self.next_frame(10);
        let Ok(Frame::PairReveal(reveal)) = Frame::parse(&reveal) else {
            panic!("{}", hex::encode(reveal));
        };
        let compared = pairing.reveal(&reveal).expect("a commitment kept");
        let digits = self.next_line(station, "digits ", 10);
        assert_eq!(digits, compared.digits().to_string());
        self.press(station, 2_200);
        self.send(&compared.result(true));
        self.next_line(station, "paired", 10);
        self.stations[station].key = Some(compared.device_key().clone());
    }

    /// Handles a frame at the gateway.
    fn take(&mut self, frame: &[u8]) {
        match Frame::parse(frame) {
            Ok(Frame::JoinRequest(request)) => {
                let opened = self
                    .stations
                    .iter()
                    .enumerate()
                    .find_map(|(index, station)| {
                        let key = station.key.as_ref()?;
                        let opened = JoinOpened::open(SUITE, key, &request).ok()?;
                        Some((index, opened))
                    });
                let (index, opened) = opened.expect("a known station");
                let secret = EphemeralSecret::new([index as u8 + 1; 32]);
                let session = SessionId(index as u32 + 1);
                let (accept, keys) = opened.accept(&secret, session, false).expect("a join");
                self.stations[index].session = Some(keys.gateway_session());
                self.send(&accept);
            }
            Ok(Frame::Up(data)) => {
                let mut out = [0; FRAME_MAX];
                let opened = self.stations.iter_mut().find_map(|station| {
                    let opened = station.session.as_mut()?.open(&data, &mut out).ok()?;
                    station.readings.push(opened.payload.to_vec());
                    Some(())
                });
                opened.expect("a packet of one of the stations");
            }
            // Frames that merged in the air, or repetitions.
            _ => {}
        }
    }

    fn run(&mut self, milliseconds: u64) {
        let end = self.milliseconds + milliseconds;
        while self.milliseconds < end {
            if let Some(frame) = self.step() {
                self.take(&frame);
            }
        }
    }

    fn value(&self, station: usize, name: &str) -> Option<f64> {
        let catalogue = Catalogue::built_in().expect("codecs");
        let codec = catalogue.get("rain-gauge").expect("the codec");
        let last = self.stations[station].readings.last().expect("a reading");
        let values = codec.decode(last).expect("a reading of a rain gauge");
        let found = values.into_iter().find(|value| value.name == name);
        found.map(|value| value.value)
    }
}

#[test]
fn tips_of_two_gauges_arrive_as_millimetres() {
    let mut bench = Bench::new(&[0x11], TIME);
    bench.pair(0);
    bench.stations[0].node.temperature(-475).expect("a line");
    bench.stations[0].node.supply(3700).expect("a line");
    bench.run(20_000);
    let first = &bench.stations[0].readings[0];
    assert_eq!(
        first[14] & 2,
        2,
        "the first reading has the flag of a restart"
    );
    // Between two readings the core is awake for 1 % of the time, and the module listens for two
    // seconds after each reading.
    let before = &bench.stations[0].node;
    let (cycle, light, deep) = (before.cycle, before.light, before.deep);
    let asleep = before.radio_asleep;
    bench.run(20_000);
    let node = &bench.stations[0].node;
    let share = |cycles: u64| cycles as f64 / (node.cycle - cycle) as f64;
    let awake = 1.0 - share(node.light - light) - share(node.deep - deep);
    println!(
        "awake {awake:.4}, idle {:.3}, module asleep {:.3}",
        share(node.light - light),
        share(node.radio_asleep - asleep)
    );
    assert!(awake < 0.05, "awake {awake}");
    assert!(share(node.deep - deep) > 0.8);
    assert!((0.4..0.7).contains(&share(node.radio_asleep - asleep)));
    for _ in 0..31 {
        bench.stations[0].node.tip().expect("a line");
        bench.run(400);
    }
    bench.run(11_000);
    assert_eq!(bench.value(0, "rain_total"), Some(6.2));
    assert_eq!(bench.value(0, "temperature"), Some(-4.75));
    assert_eq!(bench.value(0, "clock_lost"), Some(0.0));
    assert_eq!(bench.value(0, "restarted"), Some(0.0));
    assert_eq!(bench.value(0, "radio_lost"), Some(0.0));
    let battery = bench.value(0, "battery").expect("a battery");
    assert!((3.6..3.8).contains(&battery), "{battery} V");
    let time = bench.value(0, "time").expect("a time") as u64;
    let now = u64::from(TIME) + bench.milliseconds / 1000;
    assert!((now - 7..=now).contains(&time), "{time} is not {now}");
    // The contact bounces.
    for (level, wait) in [
        (false, 2),
        (true, 1),
        (false, 90),
        (true, 2),
        (false, 1),
        (true, 300),
    ] {
        bench.stations[0].node.contact(level).expect("a line");
        bench.run(wait);
    }
    bench.run(6_000);
    assert_eq!(bench.value(0, "rain_total"), Some(6.4));
    // Flash and memory use during all of this.
    let (.., image) = firmware();
    let ram = image.weight.ram + bench.stations[0].node.stack;
    let flash = image.weight.flash;
    println!(
        "flash {flash}, RAM {}, with the deepest stack {ram}",
        image.weight.ram
    );
    assert!(
        flash <= FLASH && ram <= RAM,
        "flash {flash}, RAM and stack {ram}"
    );
}

/// The module's AUX stays low, as if it were always busy. No frame leaves, but tips are stored,
/// and survive power cuts. tests/c/test_node_gauge.c tests cuts within a store for every byte.
#[test]
fn tips_survive_power_cuts_and_a_radio_that_is_stuck() {
    let mut bench = Bench::new(&[0x12], TIME);
    bench.pair(0);
    bench.run(8_000);
    let mut least = 0_u32;
    for cut in 0..24_u64 {
        let node = &mut bench.stations[0].node;
        node.tip().expect("a line");
        node.advance(1 + cut * 20_011).expect("it runs");
        node.cut_power().expect("a line");
        // The station starts, gathers randomness and computes for a join. Whenever the bucket
        // tips, the tip is stored 25 ms later.
        node.advance(2_000_000 + cut * 5_000_011).expect("it runs");
        node.tip().expect("a line");
        node.advance(400_000).expect("it runs");
        let eeprom = node.eeprom().expect("the EEPROM");
        let total = newest_total(&eeprom);
        assert!(
            (least + 1..=least + 2).contains(&total),
            "{total} after {least}"
        );
        least = total;
        // The contact opens.
        node.advance(4_000_000).expect("it runs");
    }
}

/// The highest total with a valid CRC in its place (station/src/selo_station/gauge.c).
fn newest_total(eeprom: &[u8]) -> u32 {
    let entries = eeprom[208..208 + 64 * 6].chunks_exact(6).enumerate();
    let total = entries.filter_map(|(place, entry)| {
        let total = u32::from_le_bytes([entry[0], entry[1], entry[2], entry[3]]);
        let crc = selo_engine::frame::crc16(&entry[..4]).to_le_bytes();
        (entry[4..] == crc && total as usize % 64 == place).then_some(total)
    });
    total.max().unwrap_or(0)
}

#[test]
fn a_lost_clock_is_said_and_set_by_the_gateway() {
    let mut bench = Bench::new(&[0x13], 0);
    bench.pair(0);
    bench.run(20_000);
    assert_eq!(bench.value(0, "clock_lost"), Some(1.0));
    assert_eq!(bench.value(0, "time"), None);
    // The module sleeps from two seconds after a reading until the next one.
    let readings = bench.stations[0].readings.len();
    while bench.stations[0].readings.len() == readings {
        bench.run(10);
    }
    let mut frame = [0; FRAME_MAX];
    let mut order = vec![b'T'];
    order.extend(TIME.to_le_bytes());
    let session = bench.stations[0].session.as_mut().expect("a session");
    let sealed = session.seal(&order, SealOptions::default(), &mut frame);
    let sealed = sealed.expect("sealed").frame.to_vec();
    bench.send(&sealed);
    bench.next_line(0, "clock set", 5);
    let set = bench.milliseconds;
    bench.run(8_000);
    assert_eq!(bench.value(0, "clock_lost"), Some(0.0));
    let time = bench.value(0, "time").expect("a time") as u64;
    let now = u64::from(TIME) + (bench.milliseconds - set) / 1000;
    assert!((now - 8..=now + 1).contains(&time), "{time} is not {now}");
}
