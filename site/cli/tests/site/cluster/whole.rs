//! The whole site: servers, engines, heads and collectors, each a process on this machine.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::iter;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::time::Instant;

use selo_link::random_bytes;

use super::faults::Kind;
use super::pages::Viewer;
use super::part::{Part, free_address};
use super::usage::Of;
use crate::gateway_support::{PATIENCE, Site};
use crate::network::{Host, Network};
use crate::postgres::{Cluster, Machine};
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

/// The machines of the parts, or this one.
struct Machines {
    network: Option<Network>,
    hosts: Vec<Host>,
}

impl Machines {
    /// A new machine, if the parts have machines of their own.
    fn add(&mut self) -> Option<Machine> {
        let host = self.network.as_mut()?.host();
        let machine = host.machine();
        self.hosts.push(host);
        Some(machine)
    }

    /// The home of a part, whose commands run on a new machine.
    fn home(&mut self) -> (Site, Option<Ipv4Addr>) {
        let mut home = Site::new();
        let machine = self.add();
        if let Some(machine) = &machine {
            let under: Vec<&str> = machine.under.iter().map(String::as_str).collect();
            home.run_under(&under);
        }
        (home, machine.map(|machine| machine.address))
    }
}

/// An address for a service, on its machine or on this one.
fn address(machine: Option<Ipv4Addr>, port: u16) -> SocketAddr {
    machine.map_or_else(free_address, |ip| SocketAddr::from((ip, port)))
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
    /// The address of each collector's pages.
    pages: Vec<SocketAddr>,
    /// Where nodes reach each head.
    pub air: Vec<SocketAddr>,
    pub devices: Vec<(u32, [u8; 32])>,
    /// A certificate of the NATS servers, if parts reach them over a network: the folder, and the
    /// authority's file.
    keys: Option<(Site, String)>,
    machines: Machines,
}

impl Whole {
    /// Starts all parts, each with a log in this folder, and each on a machine of its own if there is a
    /// network. `None` if a server is not installed.
    pub fn start(plan: Plan, logs: &Path, network: Option<Network>) -> Option<Whole> {
        let mut machines = Machines {
            network,
            hosts: Vec::new(),
        };
        let database = Cluster::start_on(machines.add())?;
        let standby = plan.standby.then(|| database.standby_on(machines.add()));
        let of_nats: Option<Vec<Machine>> = (0..plan.nats).map(|_| machines.add()).collect();
        let keys = of_nats.as_deref().map(keys);
        let nats = match (of_nats, &keys) {
            (Some(machines), Some((keys, _))) => {
                Nats::several_on(&machines, &keys.path().join("keys"))?
            }
            _ if plan.nats == 1 => vec![Nats::start()?],
            _ => Nats::several(plan.nats)?,
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
            pages: Vec::new(),
            air: Vec::new(),
            devices: devices(plan.nodes),
            keys,
            machines,
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

    /// Somebody who looks at each collector.
    pub fn viewers(&self) -> Vec<Viewer> {
        let homes = self.collectors.iter().map(|part| part.home.state());
        let homes: Vec<_> = homes.collect();
        let viewer = |address: &SocketAddr| Viewer::new(*address, &homes);
        self.pages.iter().map(viewer).collect()
    }

    /// True if parts can be cut from each other.
    pub fn has_network(&self) -> bool {
        self.machines.network.is_some()
    }

    /// The machine of a part, and those of all that it talks to.
    pub fn way(&self, kind: Kind, number: usize) -> (Ipv4Addr, Vec<Ipv4Addr>) {
        let parts = |parts: &[Part]| parts.iter().filter_map(|it| it.machine).collect();
        let of = |cluster: &Cluster| cluster.machine.as_ref().map(|it| it.address);
        let heads: Vec<Ipv4Addr> = parts(&self.heads);
        let engines: Vec<Ipv4Addr> = parts(&self.engines);
        let collectors: Vec<Ipv4Addr> = parts(&self.collectors);
        let nats: Vec<Ipv4Addr> = self.nats.iter().map(Nats::ip).collect();
        let database = Vec::from_iter(of(&self.database));
        let standby = Vec::from_iter(self.standby.as_ref().and_then(of));
        let (own, others) = match kind {
            Kind::Head => (heads[number], vec![engines]),
            Kind::Engine => (engines[number], vec![heads, nats, database, standby]),
            Kind::Nats => (nats[number], vec![nats.clone(), engines, collectors]),
            Kind::Collector => (collectors[number], vec![nats, database, standby]),
            Kind::Database => (database[0], vec![standby, engines, collectors]),
            Kind::Standby => (standby[0], vec![database, engines, collectors]),
        };
        let others = others.into_iter().flatten().filter(|other| *other != own);
        (own, others.collect())
    }

    /// The processes of each kind of part, and this one.
    pub fn processes(&self) -> Vec<(Of, u32)> {
        let of = |kind, parts: &[Part]| -> Vec<(Of, Option<u32>)> {
            parts.iter().map(|it| (Some(kind), it.process())).collect()
        };
        let mut all = vec![(None, Some(std::process::id()))];
        all.extend(of(Kind::Head, &self.heads));
        all.extend(of(Kind::Engine, &self.engines));
        all.extend(of(Kind::Collector, &self.collectors));
        all.extend(self.nats.iter().map(|it| (Some(Kind::Nats), it.process())));
        all.push((Some(Kind::Database), self.database.process()));
        let standby = self.standby.as_ref().and_then(Cluster::process);
        all.push((Some(Kind::Standby), standby));
        let live = all.into_iter();
        live.filter_map(|(of, process)| Some((of, process?)))
            .collect()
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
        let words: Vec<&str> = words.into_iter().chain(self.trust()).collect();
        let home = &self.engines[0].home;
        let since = Instant::now();
        loop {
            crate::status::wait_for(home, &words, |found| {
                let is_well = found.iter().all(|part| part["state"] != "fault");
                is_well && self.are_all(found)
            });
            // Shards and partitions move between owners at first: this answer can have a fault again.
            let answer = home.selo(&[&["status"], &words[..]].concat());
            if answer.code == Some(0) {
                return answer.stdout;
            }
            assert!(since.elapsed() < PATIENCE, "{answer:?}");
        }
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

    /// The options that name the authority of the NATS servers, if they have one.
    fn trust(&self) -> impl Iterator<Item = &str> {
        let ca = self.keys.as_ref().map(|(_, ca)| ca.as_str());
        ca.into_iter().flat_map(|ca| ["--stream-ca", ca])
    }

    fn start_collectors(&mut self, logs: &Path) {
        for number in 0..self.plan.collectors {
            let name = format!("collector-{}", number + 1);
            let (database, stream) = (self.url.clone(), self.nats_of(number));
            let (home, machine) = self.machines.home();
            let page = address(machine, 7380);
            self.pages.push(page);
            let http = page.to_string();
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
                // Nobody but the trial reads its pages.
                "--behind-proxy",
            ];
            let words: Vec<&str> = words.into_iter().chain(self.trust()).collect();
            let log = logs.join(format!("{name}.log"));
            let mut part = Part::new(name, home, &words, log);
            part.machine = machine;
            part.start();
            part.wait("listening on");
            self.collectors.push(part);
        }
    }

    /// Returns the addresses at which the engines take heads.
    fn start_engines(&mut self, logs: &Path) -> Vec<String> {
        let mut taking = Vec::new();
        for number in 0..self.plan.engines {
            let (mut home, machine) = self.machines.home();
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
            let [listen, heads] = [7000, 7001].map(|port| address(machine, port).to_string());
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
            let words: Vec<&str> = words.into_iter().chain(self.trust()).collect();
            let log = logs.join(format!("{name}.log"));
            let mut part = Part::new(name.clone(), home, &words, log);
            part.machine = machine;
            part.start();
            part.wait("the gateway listens");
            self.engines.push(part);
            taking.push(heads);
        }
        taking
    }

    fn start_heads(&mut self, logs: &Path, taking: &[String]) {
        for number in 0..self.plan.heads {
            let name = format!("head-{}", number + 1);
            let (home, machine) = self.machines.home();
            let file = home.path().join("key.head");
            let file = file.to_str().expect("text");
            for (engine, to) in self.engines.iter().zip(taking) {
                let add = ["head", "add", &name, "--to", to, "--output", file];
                engine.home.ok(&add);
            }
            let listen = address(machine, 7002);
            let shown = listen.to_string();
            let words = ["head", "run", file, "--listen", &shown];
            let log = logs.join(format!("{name}.log"));
            let mut part = Part::new(name, home, &words, log);
            part.machine = machine;
            part.start();
            part.wait("nodes ");
            self.heads.push(part);
            self.air.push(listen);
        }
    }
}

/// A certificate for servers on these machines. Returns its folder, and the authority's file.
fn keys(machines: &[Machine]) -> (Site, String) {
    let site = Site::new();
    let names: Vec<String> = machines.iter().map(|it| it.address.to_string()).collect();
    let names = names.iter().flat_map(|name| ["--name", name]);
    let words: Vec<&str> = ["setup", "keys"].into_iter().chain(names).collect();
    site.ok(&words);
    let ca = site.path().join("keys/ca.pem");
    (site, ca.display().to_string())
}

/// Ids and keys of new devices.
fn devices(count: usize) -> Vec<(u32, [u8; 32])> {
    let mut devices = HashMap::new();
    while devices.len() < count {
        let id = u32::from_le_bytes(random_bytes().expect("random numbers"));
        devices.insert(id, random_bytes().expect("random numbers"));
    }
    devices.into_iter().collect()
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
