//! The database of readings, and the collectors that share it.

use std::path::Path;
use std::time::Duration;

use selo_collector::status::{self, Collector, Readings};
use selo_gateway::clock::unix_ms;
use selo_gateway::reading::rfc3339;
use selo_postgres::without_password;

use super::part::{Level, Part};
use super::shared;

/// A SQLite file.
pub fn in_file(path: &Path, stale: Duration) -> Part {
    let name = path.display().to_string();
    match status::in_file(path) {
        Ok(found) => readings(&name, &found, stale),
        Err(error) => Part::away("readings", name, error.to_string()),
    }
}

/// A database in PostgreSQL, with its server if wanted.
pub fn in_postgres(url: &str, stale: Duration, with_server: bool) -> Vec<Part> {
    let asked = shared::ask("readings", url, |client| {
        let server = selo_postgres::status::server(client)?;
        Ok((server, status::in_postgres(client)?))
    });
    let (server, found) = match asked {
        Ok(found) => found,
        Err(part) => return vec![part],
    };
    let mut parts = match with_server {
        true => shared::server(url, &server),
        false => Vec::new(),
    };
    let name = without_password(url);
    let Some(found) = found else {
        let why = "this database has none yet: the first collector with this --database makes them";
        parts.push(Part::away("readings", name, why));
        return parts;
    };
    parts.push(readings(&name, &found, stale));
    parts.extend(found.collectors.iter().map(collector));
    parts
}

fn readings(name: &str, found: &Readings, stale: Duration) -> Part {
    let newest = found.newest_ms.and_then(|ms| u64::try_from(ms).ok());
    let age = newest.map(|ms| Duration::from_millis(unix_ms().saturating_sub(ms)));
    // If all collectors were stopped, the site may have gone on without a stream.
    let alone = match found.collectors.is_empty() {
        true => Level::Warning,
        false => Level::Fault,
    };
    let orphans: i64 = found.orphans.iter().map(|(_, parts)| parts).sum();
    Part::new("readings", name)
        .figure("stations", found.stations)
        .figure("newest", newest.map(|ms| rfc3339(ms).to_string()))
        .with_if(age.is_some_and(|age| age > stale), Level::Warning, || {
            // Fractions of a second are of no interest.
            let age = Duration::from_secs(age.unwrap_or_default().as_secs());
            format!(
                "the newest reading is {} old",
                humantime::format_duration(age)
            )
        })
        .with_if(orphans > 0, alone, || {
            format!(
                "{orphans} partitions of the stream have no collector: their readings wait in it. \
                 Start one with `selo collect --stream`"
            )
        })
}

fn collector(collector: &Collector) -> Part {
    Part::new("collector", collector.name.clone())
        .figure("site", collector.site.clone())
        .figure("partitions", collector.partitions)
        .with_lease(collector.lease_seconds, "database")
}
