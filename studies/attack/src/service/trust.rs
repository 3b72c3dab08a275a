//! Attacks on `selo collect` by people with some rights who try to exceed them.

use std::io::{Read, Write};
use std::net::Ipv4Addr;
use std::path::Path;
use std::time::{Duration, Instant};

use super::Result;
use super::broker::{FORGED, check_log};
use super::case::{Case, Findings, Service, setup};
use super::collector::Rig;
use super::honest::reading;
use super::http::Request;
use super::mqtt::Client;
use super::site::SITE;
use super::wire::{HONEST, PATIENCE, Stream, stranger};

/// The attacks.
pub const CASES: [Case; 9] = [
    Case::new(
        Service::Collector,
        "locked-out",
        "60 wrong passwords for the operator, from 20 addresses",
        locked_out,
    ),
    Case::new(
        Service::Collector,
        "locked-out-here",
        "20 wrong passwords for another user, from the operator's address",
        locked_out_here,
    ),
    Case::new(
        Service::Collector,
        "forged-station",
        "a station's token posts another station's readings",
        forged_station,
    ),
    Case::new(
        Service::Collector,
        "renamed-station",
        "a station's token renames the station",
        renamed_station,
    ),
    Case::new(
        Service::Collector,
        "after-logout",
        "a live listener whose user has logged out",
        after_logout,
    ),
    Case::new(
        Service::Collector,
        "after-password",
        "a live listener whose user changed the password",
        after_password,
    ),
    Case::new(
        Service::Collector,
        "after-token",
        "a live listener whose token is deleted",
        after_token,
    ),
    Case::new(
        Service::Collector,
        "foreign-host",
        "requests with the host name of another site (DNS rebinding)",
        foreign_host,
    ),
    Case::new(
        Service::Collector,
        "log-lines",
        "line feeds and escapes in names, paths and topics",
        log_lines,
    ),
];

/// The operator's name. The honest users' cookie belongs to `admin`.
const OPERATOR: &str = "maria";
const PASSWORD: &str = "correct horse battery staple";
const NEW_PASSWORD: &str = "staple battery horse correct";

/// A collector with a second admin.
fn with_operator(selo: &Path) -> Result<Rig> {
    let rig = Rig::start(selo, false)?;
    set_password(&rig, PASSWORD)?;
    Ok(rig)
}

/// Adds the second admin, or changes their password.
fn set_password(rig: &Rig, password: &str) -> Result<()> {
    let words = ["collect", "user", "add", OPERATOR, "--role", "admin"];
    let output = rig.site.run(&words, &format!("{password}\n"))?;
    if !output.status.success() {
        return setup(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    Ok(())
}

/// Tries wrong passwords of a user from addresses, then the operator's login.
fn lock_out(selo: &Path, user: &str, from: impl Iterator<Item = Ipv4Addr>) -> Result<Findings> {
    let mut rig = with_operator(selo)?;
    for address in from {
        let asked = rig.site.try_login(address, user, "wrong")?;
        rig.findings
            .expect(asked.status != 200, "a wrong password was accepted");
    }
    let status = rig.site.try_login(HONEST, OPERATOR, PASSWORD)?.status;
    rig.findings.note(format!("the operator's login: {status}"));
    rig.findings
        .expect(status == 200, "the operator was locked out");
    rig.finish()
}

fn locked_out(selo: &Path) -> Result<Findings> {
    lock_out(selo, OPERATOR, (0..60).map(|number| stranger(number % 20)))
}

fn locked_out_here(selo: &Path) -> Result<Findings> {
    lock_out(selo, "guest", (0..20).map(|_| HONEST))
}

/// Posts one reading with a token. Returns true if the station then has one more stored reading.
fn posts(rig: &Rig, token: &str, station: &str, text: &str) -> Result<bool> {
    let before = rig.site.stored(&rig.admin, Some(station))?;
    let path = format!("/api/v1/readings?site={SITE}");
    let request = Request::post(&path, text.as_bytes()).with(token);
    request.ask(&rig.door, HONEST)?;
    Ok(rig.site.stored(&rig.admin, Some(station))? > before)
}

fn forged_station(selo: &Path) -> Result<Findings> {
    let mut rig = Rig::start(selo, false)?;
    let (_, roof) = rig.site.token(&rig.admin, "roof", "device", "0000000a")?;
    let (_, well) = rig.site.token(&rig.admin, "well", "device", "0000000b")?;
    let own = posts(&rig, &roof, "0000000a", &reading("0000000a", 1, 0, "00"))?
        && posts(&rig, &well, "0000000b", &reading("0000000b", 1, 0, "00"))?;
    rig.findings
        .expect(own, "a station's own reading was refused");
    let forged = posts(&rig, &roof, "0000000b", &reading("0000000b", 1, 1, "00"))?;
    rig.findings
        .expect(!forged, "a token posted another station's reading");
    // The next genuine reading must not be taken for a duplicate.
    let genuine = posts(&rig, &well, "0000000b", &reading("0000000b", 1, 1, "01"))?;
    rig.findings
        .expect(genuine, "a forged reading shadowed a genuine one");
    rig.finish()
}

fn renamed_station(selo: &Path) -> Result<Findings> {
    let mut rig = Rig::start(selo, false)?;
    let (_, token) = rig.site.token(&rig.admin, "roof", "device", "0000000a")?;
    let named = reading("0000000a", 1, 0, "00").replacen('{', r#"{"name":"forged-name","#, 1);
    posts(&rig, &token, "0000000a", &named)?;
    let listed = Request::get("/api/v1/stations")
        .with(&rig.admin)
        .ask(&rig.door, HONEST)?;
    let renamed = listed.text().contains("forged-name");
    rig.findings
        .expect(!renamed, "a station's token changed a station's name");
    rig.finish()
}

/// A live listener whose request was accepted.
fn listen(rig: &Rig, credential: &str) -> Result<Stream> {
    let mut stream = rig.door.open(HONEST)?;
    let request = Request::get("/api/v1/events").with(credential);
    stream.write_all(&request.bytes(&rig.door.to.to_string()))?;
    stream
        .tcp()
        .set_read_timeout(Some(Duration::from_millis(500)))?;
    let mut head = [0; 4096];
    let read = stream.read(&mut head)?;
    if !head[..read].starts_with(b"HTTP/1.1 200") {
        return setup("a live listener was refused".into());
    }
    Ok(stream)
}

/// Returns true if the server ends the stream while readings continue.
fn is_ended(stream: &mut Stream) -> bool {
    let since = Instant::now();
    let mut bytes = [0; 65_536];
    while since.elapsed() < PATIENCE {
        match stream.read(&mut bytes) {
            Ok(0) => return true,
            Ok(_) => {}
            Err(error)
                if matches!(
                    error.kind(),
                    std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut
                ) => {}
            Err(_) => return true,
        }
    }
    false
}

fn after_logout(selo: &Path) -> Result<Findings> {
    let mut rig = with_operator(selo)?;
    let cookie = rig.site.operator(OPERATOR, PASSWORD)?;
    let mut stream = listen(&rig, &cookie)?;
    let status = Request::post("/api/v1/logout", b"")
        .with(&cookie)
        .ask(&rig.door, HONEST)?
        .status;
    rig.findings
        .expect(status < 300, format!("the log-out got status {status}"));
    rig.findings.expect(
        is_ended(&mut stream),
        "live events continued after the log-out",
    );
    rig.finish()
}

fn after_password(selo: &Path) -> Result<Findings> {
    let mut rig = with_operator(selo)?;
    let cookie = rig.site.operator(OPERATOR, PASSWORD)?;
    let mut stream = listen(&rig, &cookie)?;
    set_password(&rig, NEW_PASSWORD)?;
    rig.findings.expect(
        is_ended(&mut stream),
        "live events continued after the password change",
    );
    let stations = Request::get("/api/v1/stations").with(&cookie);
    let status = stations.ask(&rig.door, HONEST)?.status;
    rig.findings
        .note(format!("the old cookie got status {status}"));
    rig.findings
        .expect(status == 401, "the old cookie still works");
    let old = rig.site.try_login(HONEST, OPERATOR, PASSWORD)?.status;
    rig.findings
        .expect(old != 200, "the old password still works");
    // The person who changed the password can continue.
    let cookie = rig.site.operator(OPERATOR, NEW_PASSWORD)?;
    let status = Request::get("/api/v1/stations")
        .with(&cookie)
        .ask(&rig.door, HONEST)?
        .status;
    rig.findings
        .expect(status == 200, "the new password does not work");
    rig.finish()
}

fn after_token(selo: &Path) -> Result<Findings> {
    let mut rig = Rig::start(selo, false)?;
    let (id, token) = rig.site.token(&rig.admin, "guest", "viewer", "")?;
    let mut stream = listen(&rig, &token)?;
    let path = format!("/api/v1/tokens/{id}");
    let status = Request::delete(&path)
        .with(&rig.admin)
        .ask(&rig.door, HONEST)?
        .status;
    rig.findings
        .expect(status < 300, format!("the deletion got status {status}"));
    rig.findings.expect(
        is_ended(&mut stream),
        "live events continued after the deletion",
    );
    rig.finish()
}

fn foreign_host(selo: &Path) -> Result<Findings> {
    let mut rig = Rig::start(selo, false)?;
    for path in ["/metrics", "/api/v1/stations"] {
        let request = Request::get(path).with(&rig.admin);
        let own = request.ask(&rig.door, HONEST)?.status;
        rig.findings
            .expect(own == 200, format!("{path} got status {own}"));
        let foreign = request
            .ask_as(&rig.door, HONEST, "attacker.example")?
            .status;
        rig.findings.expect(
            foreign >= 400,
            format!("{path} was served to a page with another host name"),
        );
    }
    rig.finish()
}

fn log_lines(selo: &Path) -> Result<Findings> {
    let mut rig = Rig::start(selo, true)?;
    for _ in 0..8 {
        let _ = rig.site.try_login(stranger(0), FORGED, FORGED);
    }
    let login = rig.site.login("gateway", "south")?;
    let mut client = Client::open(&rig.site.mqtt()?, stranger(0), &login)?;
    for (topic, text) in [
        (FORGED, reading("0000000a", 1, 0, "00")),
        ("0000000a", reading(FORGED, 1, 0, "00")),
        (
            "0000000a",
            reading("0000000a", 1, 0, "00").replacen(
                "north",
                &FORGED.replace('\n', "\\n").replace('\u{1b}', "\\u001b"),
                1,
            ),
        ),
        ("0000000a", format!("{{\"schema\":\"{FORGED}\"}}")),
    ] {
        let sent = client.send(&format!("selo/{SITE}/reading/{topic}"), text.as_bytes());
        // A broker may refuse such a topic by ending the connection.
        if sent.and_then(|()| client.acknowledged()).is_err() {
            client = Client::open(&rig.site.mqtt()?, stranger(0), &login)?;
        }
    }
    for service in [Service::Broker, Service::Collector] {
        let log = rig.site.program(service)?.log();
        check_log(&log, &mut rig.findings);
    }
    rig.finish()
}
