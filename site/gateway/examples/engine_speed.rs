//! Measures the engine on one core: readings and joins per second, and memory per session.
//! Excludes sockets, files, and the sealing of the packets. Uses this thread's CPU time, so
//! that other programs disturb less.
//!
//!     cargo run --release -p selo-gateway --example engine_speed [-- SESSIONS]

use selo_gateway::clock::Now;
use selo_gateway::engine::{Device, Engine, Limits, Output, Settings, SystemRandom};
use selo_gateway::peer::Peer;
use selo_link::frame::{FRAME_MAX, Frame};
use selo_link::join::JoinAttempt;
use selo_link::session::{SealOptions, Session};
use selo_link::{DeviceId, DeviceKey, EphemeralSecret, Suite};

type Failure = Box<dyn std::error::Error>;

const NOW: Now = Now {
    steady_ms: 1000,
    unix_ms: 1_800_000_000_000,
};

fn peer(number: u32) -> Peer {
    Peer::Udp((std::net::Ipv4Addr::from(0x0a00_0000 + number), 5000).into())
}

fn key(number: u32) -> DeviceKey {
    let mut bytes = [7; 32];
    bytes[..4].copy_from_slice(&number.to_le_bytes());
    DeviceKey::new(bytes)
}

fn device(number: u32, suite: Suite) -> Device {
    Device {
        row: number + 1,
        id: DeviceId(number),
        key: key(number),
        suite,
        revoked: false,
        joined: 0,
    }
}

fn engine() -> Result<Engine, Failure> {
    let settings = Settings {
        limits: Limits::NONE,
    };
    Ok(Engine::new(settings, Box::new(SystemRandom))?)
}

/// CPU time of this thread, seconds.
fn seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Resident memory of this process, bytes.
fn resident() -> Result<u64, Failure> {
    let text = std::fs::read_to_string("/proc/self/statm")?;
    let pages: u64 = text.split(' ').nth(1).ok_or("no resident pages")?.parse()?;
    Ok(pages * rustix::param::page_size() as u64)
}

/// Joins a node and uses its session once, so that it is live.
fn join(
    engine: &mut Engine,
    out: &mut Output,
    number: u32,
    suite: Suite,
) -> Result<Session, Failure> {
    let secret = EphemeralSecret::random()?;
    let (mut attempt, request) =
        JoinAttempt::start(suite, DeviceId(number), &key(number), 1, false, &secret);
    engine
        .handle(NOW, peer(number), None, &request, out)
        .map_err(|reason| format!("join: {reason}"))?;
    let answer = *out.send.last().ok_or("no answer")?;
    let Frame::JoinAccept(accept) = Frame::parse(answer.frame())? else {
        return Err("no JOIN-ACCEPT".into());
    };
    let mut session = attempt.finish(&accept)?.node_session();
    let mut buffer = [0; FRAME_MAX];
    let up = session.seal(b"first", SealOptions::default(), &mut buffer)?;
    engine
        .handle(NOW, peer(number), None, up.frame, out)
        .map_err(|reason| format!("first: {reason}"))?;
    out.clear();
    Ok(session)
}

/// Measures 16-byte readings from many sessions in turn.
fn readings(suite: Suite, sessions: u32, rounds: u32) -> Result<f64, Failure> {
    let mut engine = engine()?;
    let mut out = Output::default();
    let mut nodes = Vec::new();
    for number in 0..sessions {
        engine.set_device(device(number, suite), &mut out);
        nodes.push(join(&mut engine, &mut out, number, suite)?);
    }
    let mut packets = Vec::new();
    for _ in 0..rounds {
        for (number, session) in (0..).zip(&mut nodes) {
            let mut buffer = [0; FRAME_MAX];
            let sealed = session.seal(&[0x42; 16], SealOptions::default(), &mut buffer)?;
            packets.push((peer(number), sealed.frame.to_vec()));
        }
    }
    let start = seconds();
    for batch in packets.chunks(1024) {
        for (from, bytes) in batch {
            engine
                .handle(NOW, *from, None, bytes, &mut out)
                .map_err(|reason| format!("reading: {reason}"))?;
        }
        out.clear();
    }
    Ok(packets.len() as f64 / (seconds() - start))
}

/// Measures joins of `count` devices.
fn joins(suite: Suite, count: u32) -> Result<f64, Failure> {
    let mut engine = engine()?;
    let mut out = Output::default();
    let mut requests = Vec::new();
    for number in 0..count {
        engine.set_device(device(number, suite), &mut out);
        let secret = EphemeralSecret::random()?;
        let (_, request) =
            JoinAttempt::start(suite, DeviceId(number), &key(number), 1, false, &secret);
        requests.push(request);
    }
    let start = seconds();
    for (number, request) in (0..).zip(&requests) {
        engine
            .handle(NOW, peer(number), None, request, &mut out)
            .map_err(|reason| format!("join: {reason}"))?;
        out.clear();
    }
    Ok((seconds() - start) / f64::from(count) * 1e6)
}

fn main() -> Result<(), Failure> {
    let sessions: u32 = match std::env::args().nth(1) {
        Some(text) => text.parse()?,
        None => 1_000_000,
    };
    // Measure memory first, because freed memory would be reused.
    let suite = Suite::ChaChaPolyBlake2s;
    let mut engine = engine()?;
    let mut out = Output::default();
    let before = resident()?;
    for number in 0..sessions {
        engine.set_device(device(number, suite), &mut out);
    }
    let devices = resident()?;
    for number in 0..sessions {
        join(&mut engine, &mut out, number, suite)?;
    }
    let after = resident()?;
    let each = |bytes: u64| bytes as f64 / f64::from(sessions);
    println!(
        "{sessions} live sessions: {:.0} bytes a device, {:.0} a session, {:.0} together",
        each(devices - before),
        each(after - devices),
        each(after - before)
    );
    drop(engine);
    println!("suite                 readings/s  µs a join");
    for suite in Suite::ALL {
        let readings = readings(suite, 1000, 300)?;
        let join = joins(suite, 3000)?;
        println!("{:<20} {readings:>11.0} {join:>10.1}", suite.name());
    }
    Ok(())
}
