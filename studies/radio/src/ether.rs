//! Modules in shared virtual time: an event-driven simulation of their UARTs, the modules and the
//! medium between them. State changes only in [`Ether::advance`], and depends only on the
//! sequence of calls and the seed.

mod event;

use std::collections::{BTreeMap, VecDeque};

use crate::Time;
use crate::duty::{Account, Limit};
use crate::e32::{Mode, Module, Output, Packet};
use crate::medium::{Medium, Position, Propagation, Reception, Signal};
use crate::nanos;
use selo_e32::airtime::AirRate;
use selo_e32::parameters::{Parameters, Uart};

pub use event::{Event, Station, Tally, What};

/// Parameters of an ether.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Settings {
    /// The propagation model.
    pub propagation: Propagation,
    /// Seed of the shadowing.
    pub seed: u64,
    /// Duty-cycle limit of each module.
    pub duty: Option<Limit>,
}

#[derive(Debug, Clone)]
struct Attached {
    module: Module,
    /// Bytes from the host that are still on the UART line, and the time when the next one is
    /// complete.
    line: VecDeque<u8>,
    next_in: Option<Time>,
    /// Bytes from the module that the host has not read yet.
    said: VecDeque<u8>,
    /// The host's UART settings, if they may differ from the module's.
    host: Option<Uart>,
    account: Account,
    tally: Tally,
    /// The receiver's current tuning.
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

    /// Time per byte on the line from the host.
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
    /// Creates an ether without modules, at time 0.
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

    /// Switches on a module now. M1 and M0 are low, so after its reset it is in normal mode.
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

    /// Number of modules.
    pub fn stations(&self) -> usize {
        self.places.len()
    }

    /// The current time.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Writes bytes to RXD. They are transferred at UART speed, after any earlier ones.
    pub fn write(&mut self, station: Station, bytes: &[u8]) {
        let now = self.now;
        let place = &mut self.places[station];
        place.line.extend(bytes);
        if place.next_in.is_none() && !place.line.is_empty() {
            place.next_in = Some(now + place.byte_time());
        }
    }

    /// Bytes from the host that are still on the line.
    pub fn unwritten(&self, station: Station) -> usize {
        self.places[station].line.len()
    }

    /// Takes the bytes that have arrived on TXD.
    pub fn read(&mut self, station: Station) -> Vec<u8> {
        self.places[station].said.drain(..).collect()
    }

    /// Returns true if more bytes will follow on TXD without a pause.
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

    /// Sets the host's UART. While it differs from the module's, bytes are garbled and lost. With
    /// `None` the host always matches the module.
    pub fn set_host_uart(&mut self, station: Station, uart: Option<Uart>) {
        self.places[station].host = uart;
    }

    /// Cycles a module's power.
    pub fn power_cycle(&mut self, station: Station) {
        let now = self.now;
        self.places[station].module.power_cycle(now);
        self.follow(station);
    }

    /// The module itself.
    pub fn module(&self, station: Station) -> &Module {
        &self.places[station].module
    }

    /// Counters of one module's bytes.
    pub fn tally(&self, station: Station) -> Tally {
        let place = &self.places[station];
        Tally {
            module: place.module.counts(),
            on_air: place.account.total(),
            over_duty: place.account.exceeded(),
            ..place.tally
        }
    }

    /// Records events from now on, for [`Ether::take_events`].
    pub fn record(&mut self) {
        self.events.get_or_insert_default();
    }

    /// The events since the last call.
    pub fn take_events(&mut self) -> Vec<Event> {
        self.events.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Time of the next spontaneous event.
    pub fn deadline(&self) -> Option<Time> {
        let places = self.places.iter().filter_map(Attached::deadline);
        let air = self.medium.next_end().map(|(ends, _)| ends);
        places.chain(air).min()
    }

    /// Advances the time to `to`. A time in the past counts as now.
    pub fn advance(&mut self, to: Time) {
        while let Some(at) = self.deadline().filter(|at| *at <= to) {
            self.now = self.now.max(at);
            self.happen();
        }
        self.now = self.now.max(to);
    }

    /// Runs what is due now. Packets end before modules act, and modules act before bytes arrive.
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

    /// Advances a module, and passes its outputs to the host and the medium.
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

    /// Informs the medium whether a module listens, and when it was retuned.
    fn follow(&mut self, station: Station) {
        let place = &mut self.places[station];
        let tuned = Attached::tuning(&place.module);
        if tuned != place.tuned {
            place.tuned = tuned;
            self.medium.retune(station);
        }
        self.medium.listen(station, place.module.listening());
    }

    /// Starts a packet on the air.
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

    /// Ends a packet.
    fn land(&mut self, id: u64) {
        let outcomes = self.medium.end(id);
        let Some((from, packet)) = self.flights.remove(&id) else {
            return;
        };
        for (station, outcome) in outcomes {
            // The module's own transmission may end at this moment.
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
