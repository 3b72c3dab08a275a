//! Modules in one place of virtual time: an event-driven simulation of their UARTs, the
//! modules themselves and the medium between them. Nothing happens but in
//! [`Ether::advance`], and what happens depends only on what was called when, and on the seed.

use std::collections::{BTreeMap, VecDeque};

use crate::Time;
use crate::duty::{Account, Limit};
use crate::e32::{Counts, Mode, Module, Output, Packet};
use crate::medium::{Medium, Position, Propagation, Reception, Signal};
use crate::nanos;
use selo_e32::airtime::AirRate;
use selo_e32::parameters::{Parameters, Uart};

/// What an ether is like.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Settings {
    /// How waves fade.
    pub propagation: Propagation,
    /// Of the shadowing.
    pub seed: u64,
    /// What share of an hour each module may be on the air.
    pub duty: Option<Limit>,
}

/// A module of an [`Ether`], by its number in the order of [`Ether::add`].
pub type Station = usize;

/// Something worth telling of the air.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// When.
    pub at: Time,
    /// The module.
    pub station: Station,
    /// What.
    pub what: What,
}

/// See [`Event`].
#[derive(Debug, Clone, PartialEq)]
pub enum What {
    /// It began to send.
    Sends {
        /// User's bytes.
        bytes: usize,
        /// When it will have ended.
        until: Time,
    },
    /// It would have sent, but its share of the hour is used up.
    Refused,
    /// It understood a packet.
    Heard {
        /// Of this module.
        from: Station,
        /// Signal strength.
        rssi_dbm: f64,
    },
    /// It did not get a packet that was meant for it.
    Missed {
        /// Of this module.
        from: Station,
        /// User's bytes.
        bytes: usize,
        /// Why: never [`Reception::Received`].
        why: Reception,
    },
}

/// What the air has done to one module's bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// What the module counts itself.
    pub module: Counts,
    /// Packets for it that it did not get because it slept, or sent something itself.
    pub deaf: u64,
    /// ... because they were too weak.
    pub weak: u64,
    /// ... because of a collision.
    pub collided: u64,
    /// Bytes between host and module that were garbled, because their UARTs are set
    /// differently.
    pub garbled: u64,
    /// Time on the air.
    pub on_air: Time,
    /// Transmissions beyond the share of the hour.
    pub over_duty: u64,
}

#[derive(Debug, Clone)]
struct Attached {
    module: Module,
    /// Bytes from the host that the UART has not yet brought to the module, and when the
    /// next of them is complete.
    line: VecDeque<u8>,
    next_in: Option<Time>,
    /// Bytes that the module has said and the host has not yet taken.
    said: VecDeque<u8>,
    /// The host's UART, if it may differ from the module's.
    host: Option<Uart>,
    account: Account,
    tally: Tally,
    /// What the receiver was tuned to.
    tuned: (u8, AirRate, bool, u16, Mode),
}

impl Attached {
    fn tuning(module: &Module) -> (u8, AirRate, bool, u16, Mode) {
        let now = module.parameters();
        (
            now.channel(),
            now.air_rate(),
            now.fec(),
            now.address(),
            module.mode(),
        )
    }

    fn deadline(&self) -> Option<Time> {
        [self.module.deadline(), self.next_in]
            .into_iter()
            .flatten()
            .min()
    }

    /// The pace of the line from the host.
    fn byte_time(&self) -> Time {
        nanos(self.host.unwrap_or(self.module.uart()).byte())
    }

    fn agrees(&self) -> bool {
        self.host.is_none_or(|host| host == self.module.uart())
    }
}

/// See the module's documentation.
#[derive(Debug, Clone)]
pub struct Ether {
    now: Time,
    medium: Medium,
    duty: Option<Limit>,
    places: Vec<Attached>,
    flights: BTreeMap<u64, (Station, Packet)>,
    events: Option<Vec<Event>>,
    outputs: Vec<(Time, Output)>,
}

impl Ether {
    /// An ether without modules, at time 0.
    pub fn new(settings: Settings) -> Ether {
        Ether {
            now: 0,
            medium: Medium::new(settings.propagation, settings.seed),
            duty: settings.duty,
            places: Vec::new(),
            flights: BTreeMap::new(),
            events: None,
            outputs: Vec::new(),
        }
    }

    /// Switches a module on now. M1 and M0 are low, so that after its reset it is in normal
    /// mode.
    pub fn add(&mut self, position: Position, parameters: Parameters) -> Station {
        let station = self.medium.add(position);
        let module = Module::new(parameters, self.now);
        let tuned = Attached::tuning(&module);
        self.places.push(Attached {
            module,
            line: VecDeque::new(),
            next_in: None,
            said: VecDeque::new(),
            host: None,
            account: Account::default(),
            tally: Tally::default(),
            tuned,
        });
        station
    }

    /// How many modules there are.
    pub fn stations(&self) -> usize {
        self.places.len()
    }

    /// The time.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Bytes from the host to RXD. They take their time on the line, after those that still
    /// are on it.
    pub fn write(&mut self, station: Station, bytes: &[u8]) {
        let now = self.now;
        let place = &mut self.places[station];
        place.line.extend(bytes);
        if place.next_in.is_none() && !place.line.is_empty() {
            place.next_in = Some(now + place.byte_time());
        }
    }

    /// Bytes of the host that are still on the line.
    pub fn unwritten(&self, station: Station) -> usize {
        self.places[station].line.len()
    }

    /// Takes the bytes that have come out of TXD.
    pub fn read(&mut self, station: Station) -> Vec<u8> {
        self.places[station].said.drain(..).collect()
    }

    /// Whether more bytes are about to come out of TXD without a pause.
    pub fn is_saying(&self, station: Station) -> bool {
        self.places[station].module.is_saying()
    }

    /// Sets the levels of M1 and M0.
    pub fn set_pins(&mut self, station: Station, m1: bool, m0: bool) {
        let now = self.now;
        self.places[station].module.set_pins(now, m1, m0);
    }

    /// The level of AUX.
    pub fn aux(&self, station: Station) -> bool {
        self.places[station].module.aux()
    }

    /// Sets the host's UART: bytes are garbled, and lost, while the module's is another.
    /// Without one the host's always is as the module's.
    pub fn set_host_uart(&mut self, station: Station, uart: Option<Uart>) {
        self.places[station].host = uart;
    }

    /// Takes a module's power away and gives it back.
    pub fn power_cycle(&mut self, station: Station) {
        let now = self.now;
        self.places[station].module.power_cycle(now);
        self.follow(station);
    }

    /// The module itself.
    pub fn module(&self, station: Station) -> &Module {
        &self.places[station].module
    }

    /// What has happened to one module's bytes.
    pub fn tally(&self, station: Station) -> Tally {
        let place = &self.places[station];
        Tally {
            module: place.module.counts(),
            on_air: place.account.total(),
            over_duty: place.account.exceeded(),
            ..place.tally
        }
    }

    /// Keeps a record of events from now on, for [`Ether::take_events`].
    pub fn record(&mut self) {
        self.events.get_or_insert_default();
    }

    /// The events since they were last taken.
    pub fn take_events(&mut self) -> Vec<Event> {
        self.events.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// When something happens by itself next.
    pub fn deadline(&self) -> Option<Time> {
        let places = self.places.iter().filter_map(Attached::deadline);
        let air = self.medium.next_end().map(|(ends, _)| ends);
        places.chain(air).min()
    }

    /// Lets the time pass until `to`. A time that has passed is now.
    pub fn advance(&mut self, to: Time) {
        while let Some(at) = self.deadline().filter(|at| *at <= to) {
            self.now = self.now.max(at);
            self.happen();
        }
        self.now = self.now.max(to);
    }

    /// What is due now: packets end before modules act, and modules act before bytes come.
    fn happen(&mut self) {
        while let Some((_, id)) = self.medium.next_end().filter(|end| end.0 <= self.now) {
            self.land(id);
        }
        for station in 0..self.places.len() {
            let due = self.places[station].module.deadline();
            if due.is_some_and(|at| at <= self.now) {
                self.run(station);
            }
            let due = |place: &Attached| place.next_in.filter(|at| *at <= self.now);
            if let Some(at) = due(&self.places[station]) {
                let place = &mut self.places[station];
                let pace = place.byte_time();
                if let Some(byte) = place.line.pop_front() {
                    if place.agrees() {
                        place.module.receive_byte(at, byte);
                    } else {
                        place.tally.garbled += 1;
                    }
                }
                place.next_in = (!place.line.is_empty()).then_some(at + pace);
                self.run(station);
            }
        }
    }

    /// Lets a module do what is due, and brings what it does to the host and the medium.
    fn run(&mut self, station: Station) {
        let mut outputs = std::mem::take(&mut self.outputs);
        self.places[station].module.advance(self.now, &mut outputs);
        self.follow(station);
        for (at, output) in outputs.drain(..) {
            match output {
                Output::Byte(byte) => {
                    let place = &mut self.places[station];
                    if place.agrees() {
                        place.said.push_back(byte);
                    } else {
                        place.tally.garbled += 1;
                    }
                }
                Output::Transmit(packet) => self.launch(at, station, packet),
            }
        }
        self.outputs = outputs;
    }

    /// Tells the medium whether a module listens, and whether it was tuned anew.
    fn follow(&mut self, station: Station) {
        let place = &mut self.places[station];
        let tuned = Attached::tuning(&place.module);
        if tuned != place.tuned {
            place.tuned = tuned;
            self.medium.retune(station);
        }
        self.medium.listen(station, place.module.listening());
    }

    /// A packet begins to be on the air.
    fn launch(&mut self, at: Time, station: Station, packet: Packet) {
        let airtime = nanos(packet.airtime());
        let account = &mut self.places[station].account;
        if !account.ask(at, airtime, self.duty) {
            self.tell(station, What::Refused);
            return;
        }
        let until = at + airtime;
        let bytes = packet.payload.len();
        let signal = Signal {
            channel: packet.channel,
            rate: packet.rate,
            power_dbm: f64::from(packet.power_dbm),
        };
        let tuned = |place: &Attached| {
            let theirs = place.module.parameters();
            theirs.channel() == packet.channel
                && theirs.air_rate() == packet.rate
                && place.module.mode() != Mode::Sleep
        };
        let ears: Vec<Station> = (0..self.places.len())
            .filter(|other| *other != station && tuned(&self.places[*other]))
            .collect();
        let id = self.medium.begin(station, signal, until, ears);
        self.flights.insert(id, (station, packet));
        self.tell(station, What::Sends { bytes, until });
    }

    /// A packet has ended.
    fn land(&mut self, id: u64) {
        let outcomes = self.medium.end(id);
        let Some((from, packet)) = self.flights.remove(&id) else {
            return;
        };
        for (station, outcome) in outcomes {
            // Its own transmission may end at this very moment.
            self.run(station);
            let place = &mut self.places[station];
            match outcome {
                Reception::Received { rssi_dbm, .. } => {
                    if place.module.accepts(&packet) {
                        place.module.receive_packet(self.now, &packet);
                        self.tell(station, What::Heard { from, rssi_dbm });
                    }
                    continue;
                }
                Reception::Deaf => place.tally.deaf += 1,
                Reception::Weak => place.tally.weak += 1,
                Reception::Collided => place.tally.collided += 1,
            }
            let missed = What::Missed {
                from,
                bytes: packet.payload.len(),
                why: outcome,
            };
            self.tell(station, missed);
        }
    }

    fn tell(&mut self, station: Station, what: What) {
        let at = self.now;
        if let Some(events) = &mut self.events {
            events.push(Event { at, station, what });
        }
    }
}
