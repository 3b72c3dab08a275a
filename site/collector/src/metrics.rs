//! What the collector counts, and the text in which it says so [OPENMETRICS].

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

#[derive(Debug, Default)]
pub struct Metrics {
    pub stored: AtomicU64,
    pub duplicates: AtomicU64,
    pub rejected: AtomicU64,
    pub implausible: AtomicU64,
    /// What stations posted of themselves.
    pub exchange_posts: AtomicU64,
    pub batches: AtomicU64,
    pub failed_batches: AtomicU64,
    pub store_nanoseconds: AtomicU64,
    pub logins: AtomicU64,
    pub failed_logins: AtomicU64,
    /// Logins for which there was no place in the queue.
    pub busy_logins: AtomicU64,
    pub requests: AtomicU64,
    /// Connections beyond the limits.
    pub refused: AtomicU64,
    pub alarms_raised: AtomicU64,
    pub notices_sent: AtomicU64,
    pub notices_failed: AtomicU64,
    pub pruned: AtomicU64,
    /// 1 while nothing is pruned, because the clock is unset or went back.
    pub prune_held: AtomicU64,
    /// Seconds by which the clock is ahead of the time by which rows are pruned.
    pub prune_behind: AtomicU64,
    /// 1 if the last batch was stored.
    pub database_up: AtomicU64,
}

pub fn add(counter: &AtomicU64, number: usize) {
    counter.fetch_add(number as u64, Relaxed);
}

impl Metrics {
    pub fn render(&self, listeners: usize) -> String {
        let mut text = String::new();
        for (name, help, counter) in [
            ("readings_stored", "Readings that were new", &self.stored),
            (
                "readings_duplicate",
                "Readings that were there already",
                &self.duplicates,
            ),
            (
                "readings_rejected",
                "Messages that are not readings",
                &self.rejected,
            ),
            (
                "readings_implausible",
                "Readings whose time of reception cannot be true",
                &self.implausible,
            ),
            (
                "exchange_posts",
                "Places and times that stations posted, stored",
                &self.exchange_posts,
            ),
            (
                "batches",
                "Transactions that stored readings",
                &self.batches,
            ),
            (
                "batches_failed",
                "Transactions that the database did not take",
                &self.failed_batches,
            ),
            ("logins", "Logins that succeeded", &self.logins),
            ("logins_failed", "Logins that failed", &self.failed_logins),
            (
                "logins_busy",
                "Logins that were too many at once",
                &self.busy_logins,
            ),
            ("requests", "HTTP requests", &self.requests),
            (
                "connections_refused",
                "Connections that were too many",
                &self.refused,
            ),
            (
                "alarms_raised",
                "Alarms that were raised",
                &self.alarms_raised,
            ),
            (
                "notices_sent",
                "Notices of alarms that were delivered",
                &self.notices_sent,
            ),
            (
                "notices_failed",
                "Attempts to deliver a notice that failed",
                &self.notices_failed,
            ),
            ("rows_pruned", "Rows whose time was over", &self.pruned),
        ] {
            family(&mut text, name, "counter", help);
            line(&mut text, &format!("{name}_total"), counter.load(Relaxed));
        }
        family(
            &mut text,
            "store_seconds",
            "counter",
            "Time spent storing batches",
        );
        let seconds = self.store_nanoseconds.load(Relaxed) as f64 / 1e9;
        line(&mut text, "store_seconds_total", format!("{seconds:?}"));
        family(
            &mut text,
            "database_up",
            "gauge",
            "1 if the database took the last batch",
        );
        line(&mut text, "database_up", self.database_up.load(Relaxed));
        for (name, help, gauge) in [
            (
                "prune_held",
                "1 while the clock is unset or went back, and nothing is deleted",
                &self.prune_held,
            ),
            (
                "prune_behind_seconds",
                "By how much the clock is ahead of the time that deletion trusts",
                &self.prune_behind,
            ),
        ] {
            family(&mut text, name, "gauge", help);
            line(&mut text, name, gauge.load(Relaxed));
        }
        family(&mut text, "listeners", "gauge", "Listeners to live events");
        line(&mut text, "listeners", listeners);
        text.push_str("# EOF\n");
        text
    }
}

const PREFIX: &str = "selo_collector_";

// A string takes every byte, so writing cannot fail.
fn family(text: &mut String, name: &str, kind: &str, help: &str) {
    let _ = writeln!(text, "# TYPE {PREFIX}{name} {kind}");
    if name.ends_with("_seconds") {
        let _ = writeln!(text, "# UNIT {PREFIX}{name} seconds");
    }
    let _ = writeln!(text, "# HELP {PREFIX}{name} {help}.");
}

fn line(text: &mut String, name: &str, value: impl std::fmt::Display) {
    let _ = writeln!(text, "{PREFIX}{name} {value}");
}
