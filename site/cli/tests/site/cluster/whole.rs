//! The whole site: servers, engines, heads and collectors, each a process on this machine.

use std::fmt::Write as _;
use std::iter;
use std::net::SocketAddr;
use std::path::Path;

use selo_link::random_bytes;

use super::part::{Part, free_address};
use crate::gateway_support::Site;
use crate::postgres::Cluster;
use crate::shared::{engines::wait_for_shares, give_key};
use crate::stream::server::Nats;

/// Number of each part.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    pub nats: usize,
    pub engines: usize,
    pub heads: usize,
    pub collectors: usize,
    pub nodes: usize,
    /// PostgreSQL has a standby that has each transaction before it is committed.
    pub standby: bool,
    /// Lease of the engines in seconds.
    pub lease: u32,
}

pub struct Whole {
    pub plan: Plan,
    pub heads: Vec<Part>,
    pub engines: Vec<Part>,
    pub collectors: Vec<Part>,
    pub nats: Vec<Nats>,
    pub database: Cluster,
    pub standby: Option<Cluster>,
    /// The URL of the database. With a standby it names both servers, in the same order for ever.
    url: String,
    /// Where nodes reach each head.
    pub air: Vec<SocketAddr>,
    pub devices: Vec<(u32, [u8; 32])>,
}

impl Whole {
    /// Starts all parts, each with a log in this folder. `None` if a server is not installed.
    pub fn start(plan: Plan, logs: &Path) -> Option<Whole> {
        let database = Cluster::start()?;
        let standby = plan.standby.then(|| database.standby());
        let nats = match plan.nats {
            1 => vec![Nats::start()?],
            several => Nats::several(several)?,
        };
        let others: Vec<&Cluster> = standby.iter().collect();
        let mut whole = Whole {
            plan,
            url: database.url_with(&others),
            heads: Vec::new(),
            engines: Vec::new(),
            collectors: Vec::new(),
            nats,
            database,
            standby,
            air: Vec::new(),
            devices: devices(plan.nodes),
        };
        whole.start_collectors(logs);
        let taking = whole.start_engines(logs);
        whole.start_heads(logs, &taking);
        wait_for_shares(&whole.database, plan.engines);
        Some(whole)
    }

    /// The standby becomes the server. Nobody waits for a standby from now on.
    pub fn fail_over(&mut self) {
        let standby = self.standby.as_mut().expect("there is one");
        standby.promote();
        std::mem::swap(&mut self.database, standby);
        self.database
            .psql("ALTER SYSTEM RESET synchronous_standby_names");
        self.database.psql("SELECT pg_reload_conf()");
    }

    /// What `selo status` says, once all parts are there and none has a fault.
    pub fn status(&self) -> String {
        let (database, stream) = (self.url.clone(), self.nats_of(0));
        let words = [
            "--database",
            &database,
            "--stream",
            &stream,
            "--site",
            "farm",
        ];
        let home = &self.engines[0].home;
        crate::status::wait_for(home, &words, |found| {
            let is_well = found.iter().all(|part| part["state"] != "fault");
            is_well && self.are_all(found)
        });
        home.ok(&[&["status"], &words[..]].concat())
    }

    /// The number of each part is that of the plan. A server that is back may still count the
    /// connection of its standby that ended.
    fn are_all(&self, found: &[serde_json::Value]) -> bool {
        let wanted = [
            ("engine", self.plan.engines),
            ("head", self.plan.heads),
            ("collector", self.plan.collectors),
            ("replica", self.plan.nats - 1),
            ("standby", usize::from(self.standby.is_some())),
        ];
        let count = |kind| crate::status::of(found, kind).len();
        wanted.iter().all(|(kind, number)| count(kind) == *number)
    }

    /// Keeps what the servers said, and the state of the stream, beside the logs of the parts.
    pub fn keep_logs(&self, logs: &Path) {
        for (number, server) in iter::once(&self.database).chain(&self.standby).enumerate() {
            let name = format!("postgresql-{}.log", number + 1);
            std::fs::copy(server.log(), logs.join(name)).expect("copies");
        }
        for (number, server) in self.nats.iter().enumerate() {
            let name = format!("nats-{}.log", number + 1);
            std::fs::copy(server.path("log"), logs.join(name)).expect("copies");
            let name = format!("nats-{}.json", number + 1);
            std::fs::write(logs.join(name), server.describe()).expect("writes");
        }
    }

    /// All NATS servers, beginning with another one for each part.
    fn nats_of(&self, number: usize) -> String {
        let mut urls: Vec<String> = self.nats.iter().map(Nats::url).collect();
        let first = number % urls.len();
        urls.rotate_left(first);
        urls.join(",")
    }

    fn start_collectors(&mut self, logs: &Path) {
        for number in 0..self.plan.collectors {
            let name = format!("collector-{}", number + 1);
            let (database, stream) = (self.url.clone(), self.nats_of(number));
            let http = free_address().to_string();
            let words = [
                "collect",
                "--site",
                "farm",
                "--database",
                &database,
                "--stream",
                &stream,
                "--http",
                &http,
            ];
            let log = logs.join(format!("{name}.log"));
            let mut part = Part::new(name, Site::new(), &words, log);
            part.start();
            part.wait("listening on");
            self.collectors.push(part);
        }
    }

    /// Returns the addresses at which the engines take heads.
    fn start_engines(&mut self, logs: &Path) -> Vec<String> {
        let mut taking = Vec::new();
        for number in 0..self.plan.engines {
            let mut home = Site::new();
            home.environment(&[("SELO_REGISTRY", &self.url)]);
            match self.engines.first() {
                None => import(&home, &self.devices),
                Some(first) => {
                    let key = first.home.state().join("site-key");
                    give_key(&home, &std::fs::read(key).expect("a site key"));
                }
            }
            let name = format!("engine-{}", number + 1);
            let (stream, lease) = (self.nats_of(number), format!("{}s", self.plan.lease));
            let [listen, heads] = [(); 2].map(|()| free_address().to_string());
            let words = [
                "gateway",
                "--engine",
                "--lease",
                &lease,
                "--listen",
                &listen,
                "--heads",
                &heads,
                "--site",
                "farm",
                "--gateway-name",
                &name,
                "--stream",
                &stream,
            ];
            let log = logs.join(format!("{name}.log"));
            let mut part = Part::new(name.clone(), home, &words, log);
            part.start();
            part.wait("the gateway listens");
            self.engines.push(part);
            taking.push(heads);
        }
        taking
    }

    fn start_heads(&mut self, logs: &Path, taking: &[String]) {
        for number in 0..self.plan.heads {
            let (name, home) = (format!("head-{}", number + 1), Site::new());
            let file = home.path().join("key.head");
            let file = file.to_str().expect("text");
            for (engine, to) in self.engines.iter().zip(taking) {
                let add = ["head", "add", &name, "--to", to, "--output", file];
                engine.home.ok(&add);
            }
            let listen = free_address();
            let address = listen.to_string();
            let words = ["head", "run", file, "--listen", &address];
            let log = logs.join(format!("{name}.log"));
            let mut part = Part::new(name, home, &words, log);
            part.start();
            part.wait("nodes ");
            self.heads.push(part);
            self.air.push(listen);
        }
    }
}

/// Ids and keys of new devices.
fn devices(count: usize) -> Vec<(u32, [u8; 32])> {
    let mut devices = Vec::new();
    while devices.len() < count {
        let id = u32::from_le_bytes(random_bytes().expect("random numbers"));
        if devices.iter().all(|(other, _)| *other != id) {
            devices.push((id, random_bytes().expect("random numbers")));
        }
    }
    devices
}

/// Adds devices to the registry. The first command makes the registry and the site key.
fn import(home: &Site, devices: &[(u32, [u8; 32])]) {
    let mut rows = String::from("id,name,suite,key\n");
    for (number, (id, key)) in devices.iter().enumerate() {
        let key = hex::encode(key);
        let row = writeln!(rows, "{id:08x},node {number},chachapoly-blake2s,{key}");
        row.expect("written to memory");
    }
    home.file("devices.csv", rows.as_bytes());
    home.ok(&["device", "import", "devices.csv"]);
}
