//! Counters of the collector, and their OpenMetrics text.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use selo_base::openmetrics::Text;

/// Counters and gauges of a collector.
#[derive(Debug, Default)]
pub struct Metrics {
    pub stored: AtomicU64,
    pub duplicates: AtomicU64,
    pub rejected: AtomicU64,
    pub implausible: AtomicU64,
    /// Posts that stations made about themselves.
    pub exchange_posts: AtomicU64,
    pub batches: AtomicU64,
    pub failed_batches: AtomicU64,
    pub store_nanoseconds: AtomicU64,
    pub logins: AtomicU64,
    pub failed_logins: AtomicU64,
    /// Logins refused because the queue was full.
    pub busy_logins: AtomicU64,
    pub requests: AtomicU64,
    /// Connections refused by the limits.
    pub refused: AtomicU64,
    pub alarms_raised: AtomicU64,
    pub notices_sent: AtomicU64,
    pub notices_failed: AtomicU64,
    pub pruned: AtomicU64,
    /// 1 while pruning is paused because the clock is unset or went back.
    pub prune_held: AtomicU64,
    /// Seconds by which the clock is ahead of the trusted time, which decides pruning.
    pub prune_behind: AtomicU64,
    /// Readings in the stream that no collector has stored.
    pub stream_lag: AtomicU64,
    /// Partitions of the stream that this collector owns.
    pub stream_partitions: AtomicU64,
    /// 1 while the stream is connected.
    pub stream_up: AtomicU64,
    /// 1 if the last batch was stored.
    pub database_up: AtomicU64,
}

/// Adds to a counter.
pub fn add(counter: &AtomicU64, number: usize) {
    counter.fetch_add(number as u64, Relaxed);
}

/// Name and help of each counter.
type Counter = (&'static str, &'static str, fn(&Metrics) -> &AtomicU64);

const COUNTERS: [Counter; 16] = [
    ("readings_stored", "New readings stored", |m| &m.stored),
    (
        "readings_duplicate",
        "Readings that were already stored",
        |m| &m.duplicates,
    ),
    (
        "readings_rejected",
        "Messages that are not valid readings",
        |m| &m.rejected,
    ),
    (
        "readings_implausible",
        "Readings with an implausible time of reception",
        |m| &m.implausible,
    ),
    (
        "exchange_posts",
        "Stored posts of stations about their positions and times",
        |m| &m.exchange_posts,
    ),
    ("batches", "Transactions that stored readings", |m| {
        &m.batches
    }),
    ("batches_failed", "Transactions that failed", |m| {
        &m.failed_batches
    }),
    ("logins", "Successful logins", |m| &m.logins),
    ("logins_failed", "Failed logins", |m| &m.failed_logins),
    (
        "logins_busy",
        "Logins refused because too many were waiting",
        |m| &m.busy_logins,
    ),
    ("requests", "HTTP requests", |m| &m.requests),
    (
        "connections_refused",
        "Connections refused by the limits",
        |m| &m.refused,
    ),
    ("alarms_raised", "Raised alarms", |m| &m.alarms_raised),
    ("notices_sent", "Delivered alarm notices", |m| {
        &m.notices_sent
    }),
    (
        "notices_failed",
        "Failed attempts to deliver an alarm notice",
        |m| &m.notices_failed,
    ),
    (
        "rows_pruned",
        "Rows deleted because they were too old",
        |m| &m.pruned,
    ),
];

impl Metrics {
    /// The OpenMetrics text. `listeners` is the current number of live listeners.
    pub fn render(&self, listeners: usize) -> String {
        let mut text = Text::new("selo_collector_");
        for (name, help, counter) in COUNTERS {
            text.counter(name, help, counter(self).load(Relaxed));
        }
        let seconds = self.store_nanoseconds.load(Relaxed) as f64 / 1e9;
        text.counter(
            "store_seconds",
            "Time spent storing batches",
            format_args!("{seconds:?}"),
        );
        text.gauge(
            "database_up",
            "1 if the database stored the last batch",
            self.database_up.load(Relaxed),
        );
        for (name, help, gauge) in [
            (
                "prune_held",
                "1 while the clock is unset or went back, and nothing is deleted",
                &self.prune_held,
            ),
            (
                "prune_behind_seconds",
                "Time by which the clock is ahead of the trusted time, which decides deletion",
                &self.prune_behind,
            ),
            (
                "stream_lag",
                "Readings in the stream that no collector has stored",
                &self.stream_lag,
            ),
            (
                "stream_partitions",
                "Partitions of the stream that this collector owns",
                &self.stream_partitions,
            ),
            (
                "stream_up",
                "1 while the stream delivers readings",
                &self.stream_up,
            ),
        ] {
            text.gauge(name, help, gauge.load(Relaxed));
        }
        text.gauge("listeners", "Listeners to live events", listeners);
        text.finish()
    }
}
