//! Disks that are full.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::gateway_support::PATIENCE;
use selo_sys::node::Event;

use super::{Chain, of_sqlite};

/// Runs a command with a disk of 4 MB at `disk` that only the command sees.
const SMALL_DISK: [&str; 6] = [
    "unshare",
    "-rm",
    "sh",
    "-c",
    "mkdir -p disk && mount -t tmpfs -o size=4m none disk && exec \"$@\"",
    "sh",
];

/// Returns true if this user may mount such a disk. In CI it must be possible.
fn small_disks() -> bool {
    let [program, arguments @ ..] = SMALL_DISK;
    let folder = tempfile::tempdir().expect("a folder");
    let works = Command::new(program)
        .args(arguments)
        .arg("true")
        .current_dir(folder.path())
        .status()
        .is_ok_and(|status| status.success());
    assert!(
        works || std::env::var_os("CI").is_none(),
        "unshare -rm fails"
    );
    if !works {
        eprintln!("skipped: this user may not mount a file system (unshare -rm)");
    }
    works
}

/// Fills the disk that the process sees at `disk`. Returns the file to remove.
fn fill(pid: u32, folder: &Path) -> PathBuf {
    let disk = PathBuf::from(format!("/proc/{pid}/root{}/disk", folder.display()));
    let filler = disk.join("filler");
    let mut file = std::fs::File::create(&filler).expect("there is room yet");
    let block = [0; 4096];
    while std::io::Write::write_all(&mut file, &block).is_ok() {}
    // Also fill the last bytes.
    while std::io::Write::write_all(&mut file, &[0]).is_ok() {}
    filler
}

#[test]
fn a_gateway_with_a_full_disk_acknowledges_nothing_and_goes_on_when_there_is_room() {
    if !small_disks() {
        return;
    }
    let mut chain = Chain::new(None);
    chain.start_broker();
    chain.start_collector();
    // The registry with the device is copied to the small disk.
    let copies = "cp -a state disk/state && exec \"$@\"";
    let script = SMALL_DISK[4].replace("exec \"$@\"", copies);
    let mut under = SMALL_DISK;
    under[4] = &script;
    chain.farm.site.run_under(&under);
    let gateway = chain
        .farm
        .gateway(&["--until", "stored", "--state", "disk/state"]);
    chain.farm.site.run_under(&[]);
    let pid = gateway.child.id();
    chain.gateway = Some(gateway);
    chain.join();
    chain.deliver(5);
    let filler = fill(pid, chain.farm.site.path());
    // The last page of the journal has room for a few readings. Later ones are not acknowledged.
    let full = "cannot write the journal";
    let says = |chain: &Chain| {
        chain
            .gateway
            .as_ref()
            .expect("runs")
            .log
            .all()
            .contains(full)
    };
    let since = Instant::now();
    let payload = loop {
        let payload = chain.next_payload();
        chain.node().node.send(&payload, true).expect("joined");
        let outcome = loop {
            let outcome = chain.node().event_within(Duration::from_millis(20));
            if outcome.is_some() || says(&chain) {
                break outcome;
            }
            assert!(since.elapsed() < PATIENCE, "the disk never gets full");
        };
        if outcome != Some(Event::Delivered) {
            break payload;
        }
        chain.told.push(payload);
    };
    chain.gateway_says(full);
    let mut outcome = chain.node().event_within(Duration::from_millis(500));
    assert_ne!(outcome, Some(Event::Delivered));
    std::fs::remove_file(filler).expect("removes");
    chain.gateway_says("the journal can be written again");
    // If the node has given up, it sends the same reading with a new counter.
    while outcome != Some(Event::Delivered) {
        if outcome == Some(Event::Undelivered) {
            chain.node().node.send(&payload, true).expect("joined");
        }
        outcome = Some(chain.node().wait("an outcome", |_| true));
    }
    chain.told.push(payload);
    chain.deliver(5);
    chain.wait_stored();
}

#[test]
fn a_collector_with_a_full_disk_confirms_nothing_and_stores_all_when_there_is_room() {
    if !small_disks() {
        return;
    }
    let mut chain = Chain::new(None);
    chain.start_broker();
    chain.start_gateway();
    chain.join();
    chain.farm.site.run_under(&SMALL_DISK);
    chain.start_collector();
    chain.farm.site.run_under(&[]);
    let pid = chain.collector.as_ref().expect("runs").child.id();
    chain.deliver(5);
    let filler = fill(pid, chain.farm.site.path());
    chain.deliver(20);
    let said = chain.collector_says("readings are not being stored");
    assert!(said.contains("full") && said.contains("hint"), "{said}");
    std::fs::remove_file(filler).expect("removes");
    chain.collector_says("the database accepts readings again");
    chain.deliver(5);
    // The database is on a disk that only the collector sees. SQLite would resolve the link in
    // /proc to the test's own files, so open a copy.
    let inside = format!("/proc/{pid}/root{}", chain.database().display());
    let copy = chain.farm.site.path().join("copy.db");
    let since = Instant::now();
    loop {
        for suffix in ["", "-wal"] {
            let to = format!("{}{suffix}", copy.display());
            let _ = std::fs::copy(format!("{inside}{suffix}"), to);
        }
        let mut stored: Vec<String> = of_sqlite(&copy).lines().map(str::to_owned).collect();
        stored.sort();
        if stored == chain.told.iter().map(hex::encode).collect::<Vec<_>>() {
            return;
        }
        let log = chain.collector.as_ref().expect("runs").err.all();
        assert!(since.elapsed() < 3 * PATIENCE, "{stored:?}\n{log}");
        std::thread::sleep(Duration::from_millis(100));
    }
}
