//! Clocks that jump.

use std::path::{Path, PathBuf};

use super::Chain;
use crate::postgres::Cluster;

/// A clock for the commands of a test, which the test can set.
pub(super) struct SetClock {
    file: PathBuf,
}

impl SetClock {
    /// `None` if libfaketime is not installed. CI must have it.
    pub(super) fn of(chain: &mut Chain) -> Option<SetClock> {
        let architecture = std::env::consts::ARCH;
        let library = format!("/usr/lib/{architecture}-linux-gnu/faketime/libfaketimeMT.so.1");
        if !Path::new(&library).exists() {
            assert!(std::env::var_os("CI").is_none(), "apt-get install faketime");
            eprintln!("skipped: libfaketime is not installed (apt-get install faketime)");
            return None;
        }
        let file = chain.farm.site.path().join("clock");
        let clock = SetClock { file };
        clock.set("+0");
        let path = clock.file.display().to_string();
        chain.farm.site.environment(&[
            ("LD_PRELOAD", &library),
            ("FAKETIME_TIMESTAMP_FILE", &path),
            ("FAKETIME_NO_CACHE", "1"),
            ("DONT_FAKE_MONOTONIC", "1"),
        ]);
        Some(clock)
    }

    /// Sets the clock, in the notation of libfaketime, such as `+3d`.
    pub(super) fn set(&self, offset: &str) {
        let new = self.file.with_extension("new");
        std::fs::write(&new, format!("{offset}\n")).expect("writes");
        std::fs::rename(new, &self.file).expect("renames");
    }
}

/// The clock jumps while everything runs. Some jumps are so far that no certificate is valid: the
/// readings then wait in the journal. A collector that starts meanwhile looks for old rows, and
/// deletes none.
fn jumps(cluster: Option<Cluster>) {
    let mut chain = Chain::new(cluster);
    let Some(clock) = SetClock::of(&mut chain) else {
        return;
    };
    chain.start_broker();
    chain.start_collector();
    chain.start_gateway();
    chain.join();
    for jump in ["+0", "+3d", "-2d", "+1h"] {
        clock.set(jump);
        chain.deliver(10);
    }
    chain.wait_stored();
    for (jump, words) in [
        ("+800d", "days ahead of the trusted time"),
        ("-2190d", "old rows are not being deleted"),
        ("+800d", "days ahead of the trusted time"),
        ("+0", "connected to the broker"),
    ] {
        clock.set(jump);
        chain.deliver(5);
        chain.collector = None;
        chain.start_collector();
        let collector = chain.collector.as_ref().expect("runs");
        collector.err.said(words);
        chain.deliver(5);
    }
    chain.is_complete();
}

#[test]
fn clocks_that_jump_lose_nothing_and_double_nothing_in_sqlite() {
    jumps(None);
}

#[test]
fn clocks_that_jump_lose_nothing_and_double_nothing_in_postgresql() {
    if let Some(cluster) = Cluster::start() {
        jumps(Some(cluster));
    }
}
