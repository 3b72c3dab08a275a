//! Faults without an attacker: wrong clocks, and a full disk.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use super::Result;
use super::case::{Case, Findings, Service};
use super::honest::{self, Nodes, User, reading};
use super::http::Request;
use super::mqtt::Client;
use super::program::Program;
use super::site::{SITE, Site};
use super::wire::{HONEST, PATIENCE};

/// The faults.
pub const CASES: [Case; 5] = [
    Case::new(
        Service::Collector,
        "clock-ahead",
        "a clock 800 days ahead, and back",
        |selo| clock(selo, "+800d"),
    ),
    Case::new(
        Service::Collector,
        "clock-unset",
        "readings stored while the clock is six years behind",
        |selo| clock(selo, "-2190d"),
    ),
    Case::new(
        Service::Site,
        "clock-set-late",
        "certificates created with a clock six years behind, then the clock is set",
        clock_set_late,
    )
    .long(),
    Case::new(
        Service::Site,
        "full-disk",
        "a full disk of 8 MB, and 10 readers of the device list",
        full_disk,
    ),
    Case::new(
        Service::Site,
        "device-labels",
        "an admin's token requests a device's key",
        device_labels,
    ),
];

/// Time within which a collector would delete rows that it considers old. It checks at its start,
/// and every few seconds while it deletes.
const DELETING: Duration = Duration::from_secs(6);

/// Readings stored before, and again during, the wrong clock.
const READINGS: u64 = 100;

/// The library that gives a program another time.
fn faketime() -> Option<PathBuf> {
    let places = [
        "/usr/lib",
        "/usr/lib/x86_64-linux-gnu",
        "/usr/lib/aarch64-linux-gnu",
        "/usr/lib64",
        "/usr/local/lib",
    ];
    let places = places
        .iter()
        .map(|place| Path::new(place).join("faketime/libfaketimeMT.so.1"));
    places.into_iter().find(|file| file.exists())
}

/// Stores readings in two batches as the station `device`, over HTTP.
fn store(site: &Site, device: &str) -> Result<()> {
    let admin = site.admin()?;
    let (_, token) = site.token(&admin, device, "device", device)?;
    let lines: Vec<String> = (0..READINGS).map(|n| reading(device, 1, n, "00")).collect();
    let body = lines.join("\n");
    let path = format!("/api/v1/readings?site={SITE}");
    let request = Request::post(&path, body.as_bytes()).with(&token);
    Ok(honest::expect_status(
        request.ask(&site.http()?, HONEST)?.status,
        200,
    )?)
}

fn clock(selo: &Path, jump: &str) -> Result<Findings> {
    let Some(library) = faketime() else {
        return Ok(Findings::lacks(
            "needs libfaketime (apt-get install faketime)",
        ));
    };
    let mut findings = Findings::default();
    let mut site = Site::with(selo, &[Service::Collector])?;
    store(&site, "00000001")?;
    let stop = |program: &mut Program| {
        program.stop();
    };
    site.stop(Service::Collector, stop)?;
    let library = library.display().to_string();
    site.environment(&[
        ("LD_PRELOAD", &library),
        ("FAKETIME", jump),
        ("FAKETIME_DONT_FAKE_MONOTONIC", "1"),
    ]);
    site.start(Service::Collector)?;
    store(&site, "00000002")?;
    std::thread::sleep(DELETING);
    site.stop(Service::Collector, stop)?;
    site.environment(&[]);
    site.start(Service::Collector)?;
    std::thread::sleep(DELETING);
    let stored = site.wait_stored(&site.admin()?, 2 * READINGS)?;
    findings.note(format!("{stored} of {} readings are stored", 2 * READINGS));
    findings.figure("readings stored", stored as f64);
    findings.expect(
        stored == 2 * READINGS,
        format!(
            "{} readings were deleted",
            2 * READINGS - stored.min(2 * READINGS)
        ),
    );
    Ok(honest::finish(site, Vec::new(), findings))
}

fn clock_set_late(selo: &Path) -> Result<Findings> {
    let Some(library) = faketime() else {
        return Ok(Findings::lacks(
            "needs libfaketime (apt-get install faketime)",
        ));
    };
    let mut findings = Findings::default();
    let mut site = Site::new(selo)?;
    let (library, clock) = (library.display().to_string(), site.path().join("clock"));
    std::fs::write(&clock, "-2190d\n")?;
    let file = clock.display().to_string();
    site.environment(&[
        ("LD_PRELOAD", &library),
        ("FAKETIME_TIMESTAMP_FILE", &file),
        ("FAKETIME_NO_CACHE", "1"),
        ("FAKETIME_DONT_FAKE_MONOTONIC", "1"),
    ]);
    site.start(Service::Site)?;
    std::fs::write(&clock, "+0d\n")?;
    let since = Instant::now();
    let served = loop {
        let login = site.login("viewer", "newcomer")?;
        match site
            .mqtt()
            .and_then(|door| Ok(Client::open(&door, HONEST, &login)?))
        {
            Ok(_) => break true,
            Err(_) if since.elapsed() > 4 * PATIENCE => break false,
            Err(_) => std::thread::sleep(Duration::from_millis(500)),
        }
    };
    findings.note(format!(
        "a newcomer {} after {:.0} s",
        if served { "is served" } else { "is not served" },
        since.elapsed().as_secs_f64()
    ));
    findings.expect(
        served,
        "the certificate was not renewed after the clock was set",
    );
    Ok(honest::finish(site, Vec::new(), findings))
}

/// An 8 MB disk for the state, visible only to the command.
const SMALL_DISK: [&str; 6] = [
    "unshare",
    "-rm",
    "sh",
    "-c",
    "mkdir -p state && mount -t tmpfs -o size=8m,mode=0700 none state && exec \"$@\"",
    "sh",
];

fn has_small_disks(site: &Site) -> bool {
    let [program, arguments @ ..] = SMALL_DISK;
    let tried = Command::new(program)
        .args(arguments)
        .arg("true")
        .current_dir(site.path())
        .stderr(std::process::Stdio::null())
        .status();
    tried.is_ok_and(|status| status.success())
}

fn full_disk(selo: &Path) -> Result<Findings> {
    let mut site = Site::new(selo)?;
    if !has_small_disks(&site) {
        return Ok(Findings::lacks("needs a private mount (unshare -rm)"));
    }
    let mut findings = Findings::default();
    site.run_under(&SMALL_DISK);
    site.start(Service::Site)?;
    site.run_under(&[]);
    let process = site.program(Service::Site)?.id();
    let state = site.state();
    site.look_at(Path::new(&format!(
        "/proc/{process}/root{}",
        state.display()
    )));
    let station = honest::station(&site)?;
    station.serve(3);
    station.stop(3, &mut findings);
    // Nodes keep the gateway waiting for its disk.
    Nodes::register(&site)?;
    let nodes = Nodes::start(&site, site.udp_port(), 10_000)?;
    let operator = honest::operator(&site)?;
    operator.serve(10);
    let (door, admin) = (site.http()?, site.admin()?);
    let filler = fill(&site.state_as_seen())?;
    // Ten readers request the list at once, repeatedly. They can share one cookie.
    let readers: Vec<User> = (0..10)
        .map(|_| {
            let (door, admin) = (door.clone(), admin.clone());
            User::start("reader", move || {
                let answer = Request::get("/api/v1/devices")
                    .with(&admin)
                    .ask(&door, HONEST)?;
                honest::expect_status(u16::from(answer.status > 0), 1)
            })
        })
        .collect();
    operator.serve(30);
    readers.iter().for_each(|reader| reader.serve(3));
    let answered: u64 = readers.iter().map(User::rounds).sum();
    let mut aside = Findings::default();
    for reader in readers {
        reader.stop(1, &mut aside);
    }
    findings.note(format!("{answered} answers from the devices page"));
    findings.expect(aside.is_whole(), "the devices page did not answer");
    drop(nodes);
    std::fs::remove_file(filler)?;
    let station = honest::station(&site)?;
    station.serve(3);
    Ok(honest::finish(site, vec![operator, station], findings))
}

/// Fills a disk to its last byte. Returns the file to remove.
fn fill(disk: &Path) -> Result<PathBuf> {
    let filler = disk.join("filler");
    let mut file = std::fs::File::create(&filler)?;
    while file.write_all(&[0; 4096]).is_ok() {}
    while file.write_all(&[0]).is_ok() {}
    Ok(filler)
}

fn device_labels(selo: &Path) -> Result<Findings> {
    let site = Site::with(selo, &[Service::Site])?;
    let mut findings = Findings::default();
    let id = site.ok(&["device", "add", "--generate", "--name", "roof"])?;
    let path = format!("/api/v1/devices/{}/qr.svg", id.trim());
    let admin = site.admin()?;
    let (_, token) = site.token(&admin, "program", "admin", "")?;
    let status = Request::get(&path)
        .with(&token)
        .ask(&site.http()?, HONEST)?
        .status;
    findings.note(format!("the label request got status {status}"));
    findings.expect(status >= 400, "a token can read a device's key");
    let operator = honest::operator(&site)?;
    operator.serve(3);
    Ok(honest::finish(site, vec![operator], findings))
}
