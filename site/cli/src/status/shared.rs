//! What is in PostgreSQL: the server with its standbys, and the registry with its engines.

use selo_gateway::Error;
use selo_postgres::client::Client;
use selo_postgres::connection::Connection;
use selo_postgres::problem::Problem;
use selo_postgres::status::{Engine, Registry, Server, Standby};
use selo_postgres::without_password;

use super::part::{Level, Part};

/// Bytes of the log above which a standby is said to be behind: one segment.
const BEHIND: i64 = 16 << 20;

/// Asks a server. What it does not answer is a part of that kind at fault.
pub fn ask<T>(
    kind: &'static str,
    url: &str,
    work: impl FnOnce(&mut Client) -> Result<T, Problem>,
) -> Result<T, Part> {
    Connection::new(url)
        .and_then(|mut connection| connection.run(work))
        .map_err(|error| {
            let why = match error {
                Error::RegistryAway { reason, .. } => format!("it does not answer: {reason}"),
                Error::RegistryReadOnly { reason, .. } | Error::RegistryRefused { reason, .. } => {
                    format!("it refuses: {reason}")
                }
                other => other.to_string(),
            };
            Part::away(kind, without_password(url), why)
        })
}

/// The server and the registry of this connection string.
pub fn registry(url: &str) -> Vec<Part> {
    let asked = ask("registry", url, |client| {
        let server = selo_postgres::status::server(client)?;
        Ok((server, selo_postgres::status::registry(client)?))
    });
    let (found, registry) = match asked {
        Ok(found) => found,
        Err(part) => return vec![part],
    };
    let mut parts = server(url, &found);
    match registry {
        None => parts.push(Part::away(
            "registry",
            without_password(url),
            "this database has none yet: the first gateway with this --registry makes it",
        )),
        Some(registry) => {
            parts.push(devices(url, &registry));
            parts.extend(registry.engines.iter().map(engine));
        }
    }
    parts
}

/// A server and its standbys.
pub fn server(url: &str, server: &Server) -> Vec<Part> {
    let part = Part::new("postgresql", without_password(url))
        .figure("version", server.version.clone())
        .figure("standbys", server.standbys.len())
        .with_if(server.read_only, Level::Fault, || {
            "it is a standby, or read-only: gateways and collectors need the server that writes"
                .into()
        })
        .with_if(server.waits_in_vain(), Level::Fault, || {
            format!(
                "no standby is connected that commits wait for (synchronous_standby_names = '{}'): \
                 nothing can be written",
                server.waits_for
            )
        })
        .with_if(
            !server.sees_standbys && !server.standbys.is_empty(),
            Level::Warning,
            || "this user may not see the standbys: GRANT pg_monitor to it".into(),
        );
    let shown = server.sees_standbys;
    let standbys = server.standbys.iter().filter(|_| shown).map(standby);
    std::iter::once(part).chain(standbys).collect()
}

fn standby(standby: &Standby) -> Part {
    let state = standby.state.clone().unwrap_or_else(|| "unknown".into());
    let behind = standby.behind_bytes.unwrap_or(0);
    Part::new("standby", standby.name.clone())
        .figure("commits", standby.kind.clone())
        .measured("behind", "bytes", standby.behind_bytes)
        .measured("replayed after", "s", standby.behind_seconds)
        .with_if(state != "streaming", Level::Warning, || {
            format!("its state is '{state}', not 'streaming'")
        })
        .with_if(behind > BEHIND, Level::Warning, || {
            format!("it is {} MB of the log behind", behind >> 20)
        })
}

fn devices(url: &str, registry: &Registry) -> Part {
    let part = Part::new("registry", without_password(url))
        .figure("devices", registry.devices)
        .figure("revoked", registry.revoked)
        .figure("heard in 1 h", registry.heard)
        .figure("pairing windows", registry.windows);
    if !registry.has_had_engines {
        return part;
    }
    let part = part
        .figure("shards", registry.shards)
        .figure("without owner", registry.unowned);
    if registry.engines.is_empty() {
        // All were stopped. Their site may have gone on without engines.
        return part.with(
            Level::Warning,
            "there were engines once, and there are none now: if gateways here run with --engine, \
             start them",
        );
    }
    part.with_if(registry.unowned > 0, Level::Fault, || {
        format!(
            "{} of {} shards have no engine: the nodes of these get no answer. Start an engine \
             (selo gateway --engine); another one takes them after the lease of one that is gone",
            registry.unowned, registry.shards
        )
    })
}

fn engine(engine: &Engine) -> Part {
    Part::new("engine", engine.name.clone())
        .figure("shards", engine.shards)
        .with_lease(engine.lease_seconds, "registry")
}
