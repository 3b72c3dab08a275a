//! Random faults of random parts. Several parts may be away at the same time, also all of a kind.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use rustix::process::Signal;

use super::part::Stopped;
use super::usage::Usage;
use super::whole::Whole;
use crate::network::{self, Pairs};
use crate::postgres::Cluster;
use crate::seeded::Seeded;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    Head,
    Engine,
    Nats,
    Collector,
    Database,
    Standby,
}

const KINDS: [Kind; 6] = [
    Kind::Head,
    Kind::Engine,
    Kind::Nats,
    Kind::Collector,
    Kind::Database,
    Kind::Standby,
];

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Manner {
    /// SIGKILL, and a start some seconds later.
    Kill,
    /// SIGSTOP, and SIGCONT after the end of its lease, if it has one.
    Pause,
    /// SIGTERM, and a start at once.
    Restart,
    /// SIGKILL, and the standby takes its place. It comes back as the standby.
    FailOver,
    /// The same, but it hangs, and goes on for a while after the standby took its place. There are
    /// then two that take writes.
    Depose,
    /// It goes on, but no packet passes between it and all that it talks to, past its lease.
    Cut,
    /// The same between it and some of them.
    CutSome,
    /// It is heard by all, and hears nobody.
    Deafen,
    /// It hears all, and nobody hears it.
    Mute,
    /// It is cut from all, and the standby takes its place. Then it is back for a while, and there
    /// are two that take writes.
    CutOver,
}

/// What may happen to PostgreSQL; the last two need a standby.
const OF_DATABASE: [Manner; 5] = [
    Manner::Kill,
    Manner::Restart,
    Manner::Pause,
    Manner::FailOver,
    Manner::Depose,
];

const MANNERS: [Manner; 3] = [Manner::Kill, Manner::Pause, Manner::Restart];

/// What may happen to the network of any part.
const CUTS: [Manner; 4] = [Manner::Cut, Manner::CutSome, Manner::Deafen, Manner::Mute];

/// One of so many cuts lasts longer than any part waits for another one.
const LONG_ONE_OF: usize = 4;
const LONG: Duration = Duration::from_secs(24);

/// Time in which a part has found out that it cannot start.
const STARTS: Duration = Duration::from_secs(20);

/// Lease of a collector in seconds.
const COLLECTORS_LEASE: usize = 10;

/// A part that is away.
struct Struck {
    kind: Kind,
    number: usize,
    manner: Manner,
    /// Pairs of which no packet passes.
    cut: Pairs,
    until: Instant,
}

pub struct Faults {
    random: Seeded,
    /// Kinds that come before any comes again.
    deck: Vec<Kind>,
    away: Vec<Struck>,
    interrupted: Arc<AtomicBool>,
    /// When a part was last started, or came back.
    started: Instant,
    pub done: BTreeMap<(Kind, Manner), u32>,
    /// How often a part was started while PostgreSQL was away, and had to be started again.
    pub started_again: u32,
    /// What is wrong although nobody struck it.
    pub odd: Vec<String>,
    pub usage: Usage,
}

impl Faults {
    pub fn new(seed: u64, interrupted: Arc<AtomicBool>) -> Faults {
        Faults {
            random: Seeded(seed),
            deck: Vec::new(),
            away: Vec::new(),
            interrupted,
            started: Instant::now(),
            done: BTreeMap::new(),
            started_again: 0,
            odd: Vec::new(),
            usage: Usage::default(),
        }
    }

    /// Strikes a part that is not away.
    pub fn strike(&mut self, whole: &mut Whole) {
        let (kind, number) = self.choose(whole);
        let is_followed = whole.standby.is_some() && !self.is_away(Kind::Standby, 0);
        let mut manners = match kind {
            Kind::Database if is_followed => OF_DATABASE.to_vec(),
            Kind::Database => OF_DATABASE[..3].to_vec(),
            Kind::Standby => vec![Manner::Kill],
            _ => MANNERS.to_vec(),
        };
        if whole.has_network() {
            manners.extend(CUTS);
            if kind == Kind::Database && is_followed {
                manners.push(Manner::CutOver);
            }
        }
        let manner = manners[self.random.below(manners.len())];
        let is_cut = CUTS.contains(&manner) || manner == Manner::CutOver;
        let is_long = is_cut && self.random.below(LONG_ONE_OF) == 0;
        let more = if is_long { LONG } else { Duration::ZERO };
        self.strike_for(whole, (kind, number, manner), more);
    }

    /// Strikes a certain part.
    pub fn strike_so(&mut self, whole: &mut Whole, fault: (Kind, usize, Manner)) {
        self.strike_for(whole, fault, Duration::ZERO);
    }

    /// The same, for longer than usual.
    fn strike_for(
        &mut self,
        whole: &mut Whole,
        (kind, number, manner): (Kind, usize, Manner),
        more: Duration,
    ) {
        self.mind(whole);
        *self.done.entry((kind, manner)).or_default() += 1;
        let cut = self.pairs(whole, kind, number, manner);
        network::cut(&cut);
        match kind {
            _ if CUTS.contains(&manner) => {}
            Kind::Database => strike_database(whole, manner),
            // While it is away, nothing is committed.
            Kind::Standby => standby(whole).kill(),
            Kind::Nats => self.strike_nats(whole, number, manner),
            _ => self.strike_part(whole, kind, number, manner),
        }
        if manner != Manner::Restart {
            let until = Instant::now() + self.absence(whole, kind, manner) + more;
            let struck = Struck {
                kind,
                number,
                manner,
                cut,
                until,
            };
            self.away.push(struck);
        }
    }

    /// A part that is not away. The kinds are dealt like cards, so that none is left out for long.
    fn choose(&mut self, whole: &Whole) -> (Kind, usize) {
        loop {
            if self.deck.is_empty() {
                self.deck = KINDS.to_vec();
            }
            let kind = self.deck.swap_remove(self.random.below(self.deck.len()));
            let count = match kind {
                Kind::Head => whole.heads.len(),
                Kind::Engine => whole.engines.len(),
                Kind::Nats => whole.nats.len(),
                Kind::Collector => whole.collectors.len(),
                Kind::Database => 1,
                Kind::Standby => usize::from(whole.standby.is_some()),
            };
            // The old server comes back as the standby.
            let is_replaced = kind == Kind::Standby && self.is_away(Kind::Database, 0);
            let there: Vec<usize> = (0..count)
                .filter(|number| !is_replaced && !self.is_away(kind, *number))
                .collect();
            if !there.is_empty() {
                return (kind, there[self.random.below(there.len())]);
            }
        }
    }

    /// The pairs whose packets do not pass.
    fn pairs(&mut self, whole: &Whole, kind: Kind, number: usize, manner: Manner) -> Pairs {
        let (sends, hears) = match manner {
            Manner::Cut | Manner::CutSome | Manner::CutOver => (false, false),
            Manner::Deafen => (true, false),
            Manner::Mute => (false, true),
            _ => return Pairs::new(),
        };
        let (own, mut others) = whole.way(kind, number);
        if manner == Manner::CutSome {
            let sure = self.random.below(others.len());
            let mut index = 0..;
            others.retain(|_| index.next() == Some(sure) || self.random.below(2) == 0);
        }
        let mut pairs = Pairs::new();
        for other in others {
            if !sends {
                pairs.push((own, other));
            }
            if !hears {
                pairs.push((other, own));
            }
        }
        pairs
    }

    fn is_away(&self, kind: Kind, number: usize) -> bool {
        let mut away = self.away.iter();
        away.any(|it| (it.kind, it.number) == (kind, number))
    }

    fn strike_nats(&self, whole: &mut Whole, number: usize, manner: Manner) {
        let server = &mut whole.nats[number];
        match manner {
            Manner::Kill => server.kill(),
            Manner::Pause => server.signal(Signal::STOP),
            Manner::Restart => {
                server.kill();
                server.up();
            }
            _ => unreachable!("not of this part"),
        }
    }

    fn strike_part(&mut self, whole: &mut Whole, kind: Kind, number: usize, manner: Manner) {
        let part = part(whole, kind, number);
        match manner {
            Manner::Kill => part.kill(),
            Manner::Pause => part.signal(Signal::STOP),
            Manner::Restart => {
                match part.stop() {
                    Stopped::Well => {}
                    how => self.odd.push(format!("{} stopped: {how:?}", part.name)),
                }
                part.start();
            }
            _ => unreachable!("not of this part"),
        }
    }

    fn absence(&mut self, whole: &Whole, kind: Kind, manner: Manner) -> Duration {
        let lease = match (kind, manner) {
            (_, Manner::Kill | Manner::FailOver | Manner::Depose) => 0,
            (Kind::Collector, _) if whole.collectors.len() > 1 => COLLECTORS_LEASE,
            (Kind::Engine, _) => whole.plan.lease as usize,
            (_, Manner::Pause) => 0,
            // Engines wait for PostgreSQL, and so on.
            _ => whole.plan.lease as usize,
        };
        let more = 200 + self.random.below(2800);
        Duration::from_millis((lease * 1000 + more) as u64)
    }

    /// Waits, and meanwhile brings back the parts whose time has come.
    pub fn wait(&mut self, whole: &mut Whole, time: Duration) {
        let until = Instant::now() + time;
        while Instant::now() < until {
            assert!(!self.interrupted.load(Relaxed), "interrupted");
            self.bring_back(whole, Instant::now());
            self.mind(whole);
            self.usage.sample(whole.processes());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Brings back all parts.
    pub fn end(&mut self, whole: &mut Whole) {
        while let Some(last) = self.away.iter().map(|it| it.until).max() {
            let left = last.saturating_duration_since(Instant::now());
            self.wait(whole, left + Duration::from_millis(50));
        }
    }

    /// Waits until all parts have run for a while: one that finds no PostgreSQL ends after some seconds.
    pub fn settle(&mut self, whole: &mut Whole) {
        loop {
            self.end(whole);
            let left = STARTS.saturating_sub(self.started.elapsed());
            // Without a network, a part that finds no server is told so at once.
            if left.is_zero() || !whole.has_network() {
                return;
            }
            self.wait(whole, left);
        }
    }

    fn bring_back(&mut self, whole: &mut Whole, now: Instant) {
        while let Some(at) = self.away.iter().position(|it| it.until <= now) {
            let back = self.away.swap_remove(at);
            self.started = now;
            let is_paused = back.manner == Manner::Pause;
            network::restore(&back.cut);
            match back.kind {
                _ if CUTS.contains(&back.manner) => {}
                Kind::Database if back.manner == Manner::CutOver => {
                    // It is there again, and goes on for a while.
                    let until = now + Duration::from_secs(3);
                    self.away.push(Struck {
                        manner: Manner::Depose,
                        cut: Pairs::new(),
                        until,
                        ..back
                    });
                }
                Kind::Database => bring_back_database(whole, back.manner),
                Kind::Standby => standby(whole).up(),
                Kind::Nats if is_paused => whole.nats[back.number].signal(Signal::CONT),
                Kind::Nats => whole.nats[back.number].up(),
                kind if is_paused => part(whole, kind, back.number).signal(Signal::CONT),
                kind => part(whole, kind, back.number).start(),
            }
        }
    }

    /// Finds parts that have ended by themselves. They start again a second later, as a service
    /// manager does it.
    pub fn mind(&mut self, whole: &mut Whole) {
        for (kind, parts) in [
            (Kind::Head, &mut whole.heads),
            (Kind::Engine, &mut whole.engines),
            (Kind::Collector, &mut whole.collectors),
        ] {
            for (number, part) in parts.iter_mut().enumerate() {
                if !part.has_ended() {
                    continue;
                }
                part.kill();
                let said = part.said();
                let last = said.lines().last().unwrap_or_default();
                // Without the registry or the database they do not start.
                let is_known = [
                    "is PostgreSQL running",
                    "check that the database is running",
                ]
                .iter()
                .any(|words| last.contains(words));
                match is_known {
                    true => self.started_again += 1,
                    false => self.odd.push(format!("{} ended: {last}", part.name)),
                }
                let is_it = |it: &Struck| (it.kind, it.number) == (kind, number);
                // What is cut stays so.
                self.away.retain(|it| !is_it(it) || !it.cut.is_empty());
                self.away.push(Struck {
                    kind,
                    number,
                    manner: Manner::Kill,
                    cut: Pairs::new(),
                    until: Instant::now() + Duration::from_secs(1),
                });
            }
        }
    }
}

fn strike_database(whole: &mut Whole, manner: Manner) {
    match manner {
        Manner::Kill => whole.database.kill(),
        Manner::Pause => whole.database.signal("STOP"),
        Manner::Restart => {
            whole.database.kill();
            whole.database.up();
        }
        Manner::FailOver => {
            whole.database.kill();
            whole.fail_over();
        }
        Manner::CutOver => whole.fail_over(),
        Manner::Depose => {
            whole.database.signal("STOP");
            whole.fail_over();
            standby(whole).signal("CONT");
        }
        _ => unreachable!("its network only"),
    }
}

fn bring_back_database(whole: &Whole, manner: Manner) {
    match manner {
        Manner::Pause => whole.database.signal("CONT"),
        Manner::FailOver => standby(whole).follow(&whole.database),
        Manner::Depose => {
            standby(whole).kill();
            standby(whole).follow(&whole.database);
        }
        Manner::Kill | Manner::Restart => whole.database.up(),
        _ => unreachable!("its network only"),
    }
}

fn standby(whole: &Whole) -> &Cluster {
    whole.standby.as_ref().expect("there is one")
}

fn part(whole: &mut Whole, kind: Kind, number: usize) -> &mut super::part::Part {
    match kind {
        Kind::Head => &mut whole.heads[number],
        Kind::Engine => &mut whole.engines[number],
        Kind::Collector => &mut whole.collectors[number],
        Kind::Nats | Kind::Database | Kind::Standby => unreachable!("they are no commands of Selo"),
    }
}
