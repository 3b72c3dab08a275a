//! A running collector with honest users, and an attack on it.

use std::net::TcpStream;
use std::path::Path;

use super::super::Result;
use super::super::case::{Findings, Service};
use super::super::honest::{self, User};
use super::super::site::Site;
use super::super::wire::Door;

/// Rounds that each honest user must complete during an attack.
const ROUNDS: u64 = 15;

/// A collector under attack.
#[derive(Debug)]
pub struct Rig {
    /// The site with the collector.
    pub site: Site,
    /// Its listener.
    pub door: Door,
    /// The header line with the admin's cookie.
    pub admin: String,
    users: Vec<User>,
    held: Vec<TcpStream>,
    /// The verdict so far.
    pub findings: Findings,
}

impl Rig {
    /// Starts a collector with an operator and a station. With `tls`, also a broker.
    pub fn start(selo: &Path, tls: bool) -> Result<Rig> {
        let services = [Service::Broker, Service::Collector];
        let site = Site::with(selo, if tls { &services } else { &services[1..] })?;
        let mut users = vec![honest::operator(&site)?, honest::station(&site)?];
        if tls {
            users.push(honest::publisher(&site)?);
        }
        users.iter().for_each(|user| user.serve(1));
        Ok(Rig {
            door: site.http()?,
            admin: site.admin()?,
            site,
            users,
            held: Vec::new(),
            findings: Findings::default(),
        })
    }

    /// Keeps connections open until the honest users have been served.
    pub(super) fn hold(&mut self, streams: Vec<TcpStream>) {
        self.findings
            .figure("hostile connections", streams.len() as f64);
        self.held.extend(streams);
    }

    /// Serves the honest users once more, then stops everything. Every reading that was
    /// acknowledged to an honest user must be stored.
    pub fn finish(mut self) -> Result<Findings> {
        self.users.iter().for_each(|user| user.serve(ROUNDS));
        self.held.clear();
        Ok(honest::finish(self.site, self.users, self.findings))
    }
}

pub(super) fn under(
    selo: &Path,
    tls: bool,
    attack: impl FnOnce(&mut Rig) -> Result<()>,
) -> Result<Findings> {
    let mut rig = Rig::start(selo, tls)?;
    attack(&mut rig)?;
    rig.finish()
}
