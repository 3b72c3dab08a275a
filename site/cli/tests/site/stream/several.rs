//! Two collectors that share the partitions of a stream and a database.

use std::time::{Duration, Instant};

use rustix::process::Signal;

use super::Net;
use super::server::STREAM;
use crate::gateway_support::PATIENCE;
use crate::gateway_support::copies::{Manner, copy_of, put_back};
use crate::postgres::Cluster;
use crate::status::{of, wait_for};

impl Net {
    /// Sends readings until PostgreSQL commits some, and waits for a standby that there is not before
    /// it says so.
    fn deliver_without_standby(&mut self, readings: u32) {
        self.psql("ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
        self.psql("SELECT pg_reload_conf()");
        self.deliver(readings);
        let waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
        let since = Instant::now();
        while self.psql(waiting) == "0" {
            assert!(
                since.elapsed() < PATIENCE,
                "nobody commits:\n{}",
                self.logs()
            );
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Two collectors that each own half of the partitions.
    fn two() -> Option<Net> {
        let net = Net::started(Some(Cluster::start()?), 2)?;
        net.wait_owned("8,8");
        Some(net)
    }

    fn psql(&self, sql: &str) -> String {
        self.cluster.as_ref().expect("runs").psql(sql)
    }

    /// Waits until the living collectors own these numbers of partitions.
    fn wait_owned(&self, wanted: &str) {
        let since = Instant::now();
        loop {
            let owned = self.psql(
                "SELECT string_agg(n::text, ',') FROM (SELECT count(*) AS n FROM stream_part
                 WHERE site = 'farm' AND owner IN (SELECT name FROM stream_collector)
                 GROUP BY owner) AS owners",
            );
            if owned == wanted {
                return;
            }
            assert!(
                since.elapsed() < PATIENCE,
                "{owned}, not {wanted}:\n{}",
                self.logs()
            );
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// All readings are stored, and the collectors have counted each once, in one row that each reads
    /// again after the other wrote.
    fn counted_once(&self) {
        self.is_settled();
        let counted = self.psql("SELECT readings FROM station");
        assert_eq!(counted, self.told.to_string());
    }
}

#[test]
fn the_partitions_of_a_killed_collector_get_another_owner() {
    let Some(mut net) = Net::two() else {
        return;
    };
    for number in [0, 1] {
        net.deliver(10);
        net.kill_collector(number);
        net.deliver(10);
        net.is_complete();
        net.start_collector(number);
        net.wait_owned("8,8");
    }
    net.deliver(5);
    net.counted_once();
}

#[test]
fn a_collector_that_stops_leaves_its_partitions() {
    let Some(mut net) = Net::two() else {
        return;
    };
    let stopping = net.collectors[0].take().expect("runs");
    stopping.interrupt();
    let (code, _, log) = stopping.wait();
    assert_eq!(code, Some(0), "{log}");
    assert_eq!(net.psql("SELECT count(*) FROM stream_collector"), "1");
    net.wait_owned("16");
    net.deliver(5);
    net.is_complete();

    let url = net.cluster.as_ref().expect("runs").url();
    let words = ["--database", &url, "--stale", "1ms"];
    let found = wait_for(&net.site, &words, |found| of(found, "collector").len() == 1);
    assert_eq!(of(&found, "collector")[0]["figures"]["partitions"], 16);
    let readings = of(&found, "readings")[0];
    assert_eq!(readings["state"], "warning", "{readings}");
    let problem = readings["problem"].as_str().expect("one");
    assert!(problem.contains("the newest reading is"), "{problem}");
    assert!(!problem.contains("partitions"), "{problem}");
    // A site that has gone on without a stream is not blamed.
    let stopping = net.collectors[1].take().expect("runs");
    stopping.interrupt();
    assert_eq!(stopping.wait().0, Some(0));
    let words = ["--database", &url];
    let found = wait_for(&net.site, &words, |found| of(found, "collector").is_empty());
    let readings = of(&found, "readings")[0];
    assert_eq!(readings["state"], "warning", "{readings}");
    let problem = readings["problem"].as_str().expect("one");
    assert!(problem.contains("16 partitions"), "{problem}");
}

#[test]
fn a_collector_that_is_paused_past_its_lease_stores_nothing_twice() {
    let Some(mut net) = Net::two() else {
        return;
    };
    for number in [0, 1] {
        net.deliver(5);
        net.signal_collector(number, Signal::STOP);
        net.deliver(20);
        net.is_complete();
        net.signal_collector(number, Signal::CONT);
        net.deliver(5);
        net.is_complete();
        net.wait_owned("8,8");
    }
    net.deliver(5);
    net.counted_once();
}

#[test]
fn a_collector_killed_between_commit_and_acknowledgement_leaves_no_double() {
    let Some(mut net) = Net::two() else {
        return;
    };
    net.deliver_without_standby(10);
    net.kill_collector(0);
    net.kill_collector(1);
    net.psql("ALTER SYSTEM RESET synchronous_standby_names");
    net.psql("SELECT pg_reload_conf()");
    net.start_collector(0);
    net.counted_once();
    assert_ne!(
        net.psql("SELECT duplicates FROM station"),
        "0",
        "nothing came again"
    );
}

/// The turn to write lasts longer than the lease. Both collectors wait for it, and keep what they own.
#[test]
fn a_turn_that_lasts_longer_than_the_lease_moves_no_partition() {
    let Some(mut net) = Net::two() else {
        return;
    };
    let parts = "SELECT string_agg(part || owner || epoch, ',' ORDER BY part) FROM stream_part";
    let before = net.psql(parts);
    let url = net.cluster.as_ref().expect("runs").url();
    let turn =
        "BEGIN; UPDATE stream_turn SET number = number WHERE id = 1; SELECT pg_sleep(14); COMMIT";
    let mut holder = std::process::Command::new("psql")
        .args(["-XAtq", "-c", turn, &url])
        .stdout(std::process::Stdio::null())
        .spawn()
        .expect("psql runs");
    std::thread::sleep(Duration::from_millis(500));
    net.deliver(10);
    std::thread::sleep(Duration::from_secs(12));
    assert_eq!(
        net.psql("SELECT count(*) FROM reading"),
        "0",
        "no turn was held"
    );
    assert!(holder.wait().expect("ends").success());
    net.counted_once();
    assert_eq!(net.psql(parts), before, "{}", net.logs());
}

/// A commit waits for the standby, which is away. A collector that is asked to stop does not wait for
/// ever: what is not confirmed stays in the stream.
#[test]
fn a_collector_stops_and_loses_nothing_while_the_standby_is_away() {
    let Some(mut net) = Net::two() else {
        return;
    };
    net.deliver_without_standby(10);
    let since = Instant::now();
    let stopping = net.collectors.iter_mut().map(|it| it.take().expect("runs"));
    let stopping: Vec<_> = stopping.collect();
    stopping.iter().for_each(|it| it.interrupt());
    for one in stopping {
        let (code, _, log) = one.wait();
        assert_eq!(code, Some(0), "{log}");
    }
    let spent = since.elapsed();
    assert!(spent < Duration::from_secs(45), "{spent:?}");
    net.psql("ALTER SYSTEM RESET synchronous_standby_names");
    net.psql("SELECT pg_reload_conf()");
    net.start_collector(0);
    net.counted_once();
}

/// A server that was killed may remember acknowledgements of readings that it has again. Its
/// consumers then take them for delivered, and its publishers find them in the stream.
#[test]
fn readings_that_come_back_with_a_killed_server_do_not_stay_in_the_stream() {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    let Some(mut net) = Net::started(Some(cluster), 1) else {
        return;
    };
    net.deliver(3);
    net.is_settled();
    net.signal_collector(0, Signal::STOP);
    net.deliver(10);
    net.restart_gateway();
    net.nats.wait_messages(10);
    net.nats.kill();
    let messages = net
        .nats
        .path("jetstream/$G/streams")
        .join(STREAM)
        .join("msgs");
    let before = net.nats.path("before");
    copy_of(&messages, &before);
    net.nats.up();
    net.signal_collector(0, Signal::CONT);
    net.counted_once();
    net.nats.kill();
    put_back(Manner::Moved, &before, &messages);
    net.nats.up();
    net.counted_once();
    net.deliver(3);
    net.counted_once();
}
