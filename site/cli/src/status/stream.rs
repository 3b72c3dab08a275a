//! The stream of a site, and its replicas.

use selo_stream::status::{self, Replica, Status};
use selo_stream::{Failure, StreamConfig};

use super::part::{Level, Part};

/// Part of the stream's size above which it is said to be nearly full, in percent.
const NEARLY_FULL: u64 = 80;

/// The name of this client at the servers, whose permissions name it.
pub fn client_id(site: &str) -> String {
    format!("selo-{site}-status")
}

pub fn parts(config: &StreamConfig) -> Vec<Part> {
    // The failure names the server.
    let away = |failure: &Failure| {
        let why = format!("{}; {}", failure.what, failure.hint);
        Part::away("stream", config.site.clone(), why)
    };
    let (found, failures) = match status::ask(config) {
        Ok(found) => found,
        Err(failures) => return failures.iter().map(away).collect(),
    };
    // Another server answered, so the site goes on.
    let mut parts: Vec<Part> = failures.iter().map(away).collect();
    for part in &mut parts {
        part.level = Level::Warning;
    }
    match found {
        None => parts.push(Part::away(
            "stream",
            config.site.clone(),
            "there is none of this site yet: `selo collect --stream` with the same --site makes it",
        )),
        Some(found) => {
            parts.push(stream(&found));
            parts.extend(found.replicas.iter().map(replica));
        }
    }
    parts
}

fn stream(found: &Status) -> Part {
    let full = found
        .bytes_max
        .map(|max| found.bytes.saturating_mul(100) / max);
    let copies = found.replicas.len() + 1;
    Part::new("stream", found.name.clone())
        .figure("at", found.server.clone())
        .figure("waiting", found.waiting)
        .figure("unacknowledged", found.unacknowledged)
        .measured("full", "%", full)
        .figure("partitions asked for", found.asked_for)
        .figure("copies", copies)
        .figure("leader", found.leader.clone())
        .with_if(copies > 1 && found.leader.is_none(), Level::Fault, || {
            "it has no leader: too few of its servers are there, so it takes no readings. Gateways \
             keep them"
                .into()
        })
        .with_if(copies < found.copies, Level::Warning, || {
            format!("it has {copies} of {} copies", found.copies)
        })
        .with_if(
            full.is_some_and(|full| full >= NEARLY_FULL),
            Level::Warning,
            || {
                "it is nearly full; gateways keep what it does not take. Does a collector run?"
                    .into()
            },
        )
}

fn replica(replica: &Replica) -> Part {
    Part::new("replica", replica.name.clone())
        .figure("behind", replica.behind)
        .with_if(replica.offline, Level::Warning, || {
            "this server of the stream is not there".into()
        })
        .with_if(!replica.offline && !replica.current, Level::Warning, || {
            "it does not have all readings of its leader yet".into()
        })
}
