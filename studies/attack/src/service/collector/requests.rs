//! Requests that are slow, long or malformed.

use std::io::Write;
use std::net::TcpStream;
use std::path::Path;
use std::time::Duration;

use super::super::Result;
use super::super::broker::crowd;
use super::super::case::Findings;
use super::super::http::{Request, answer};
use super::super::wire::{HONEST, stranger};
use super::rig::{Rig, under};

/// Writes bytes one at a time on many connections, until the case ends.
fn drip(rig: &mut Rig, count: usize, bytes: Vec<u8>) -> Result<()> {
    let mut streams = crowd(&rig.door, count);
    let copies: Vec<TcpStream> = streams
        .iter()
        .filter_map(|tcp| tcp.try_clone().ok())
        .collect();
    rig.hold(copies);
    std::thread::spawn(move || {
        for byte in bytes.iter().cycle().take(600) {
            for tcp in &mut streams {
                let _ = tcp.write_all(&[*byte]);
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    });
    Ok(())
}

pub(super) fn slowloris(selo: &Path) -> Result<Findings> {
    under(selo, false, |rig| {
        let host = rig.door.to.to_string();
        drip(rig, 60, Request::get("/api/v1/stations").bytes(&host))
    })
}

pub(super) fn slow_body(selo: &Path) -> Result<Findings> {
    under(selo, false, |rig| {
        let host = rig.door.to.to_string();
        let head = format!(
            "POST /api/v1/login HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n\
             Content-Length: 4000000\r\n\r\n"
        );
        let mut streams = crowd(&rig.door, 60);
        for tcp in &mut streams {
            let _ = tcp.write_all(head.as_bytes());
        }
        rig.hold(streams);
        drip(rig, 1, b"{".to_vec())
    })
}

pub(super) fn long_head(selo: &Path) -> Result<Findings> {
    under(selo, false, |rig| {
        for (kilobytes, refused) in [(16, false), (33, true), (40, true), (1024, true)] {
            let line = format!("X-Long: {}", "a".repeat(kilobytes << 10));
            let asked = Request::get("/healthz").with(&line).ask(&rig.door, HONEST);
            let taken = asked.is_ok_and(|answer| answer.status == 200);
            rig.findings.expect(
                taken != refused,
                format!(
                    "a head of {kilobytes} KB is {}",
                    if taken { "accepted" } else { "refused" }
                ),
            );
        }
        Ok(())
    })
}

pub(super) fn long_body(selo: &Path) -> Result<Findings> {
    under(selo, false, |rig| {
        let megabyte = vec![b' '; 1 << 20];
        let (_, token) = rig.site.token(&rig.admin, "long", "device", "00000002")?;
        for (line, chunked) in [
            ("Content-Length: 67108864", false),
            ("Transfer-Encoding: chunked", true),
        ] {
            for route in ["login", "readings", "exchange/reading"] {
                let mut stream = rig.door.open(stranger(0))?;
                let head = format!(
                    "POST /api/v1/{route} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
                     Connection: close\r\n{token}\r\n{line}\r\n\r\n",
                    rig.door.to
                );
                let mut open = stream.write_all(head.as_bytes()).is_ok();
                for _ in 0..64 {
                    if chunked {
                        open = open && stream.write_all(b"100000\r\n").is_ok();
                    }
                    open = open && stream.write_all(&megabyte).is_ok();
                    if chunked {
                        open = open && stream.write_all(b"\r\n").is_ok();
                    }
                }
                let status = answer(&mut stream).map_or(0, |answer| answer.status);
                rig.findings.expect(
                    status == 0 || (400..500).contains(&status),
                    format!("64 MB to {route}: status {status}"),
                );
            }
        }
        Ok(())
    })
}

pub(super) fn bad_chunks(selo: &Path) -> Result<Findings> {
    under(selo, false, |rig| {
        let host = rig.door.to.to_string();
        for (tail, head) in [
            ("zz\r\nab\r\n0\r\n\r\n", "Transfer-Encoding: chunked"),
            ("ffffffffffffffff\r\n{}", "Transfer-Encoding: chunked"),
            ("5;x=\u{1}\r\n{}\r\n", "Transfer-Encoding: chunked"),
            (
                "0\r\n\r\nGET /api/v1/tokens HTTP/1.1\r\n\r\n",
                "Transfer-Encoding: chunked\r\nContent-Length: 4",
            ),
            ("{}", "Content-Length: 2\r\nContent-Length: 40"),
            ("{}", "Content-Length: -1"),
        ] {
            let mut stream = rig.door.open(stranger(0))?;
            stream
                .tcp()
                .set_read_timeout(Some(Duration::from_secs(2)))?;
            let text = format!(
                "POST /api/v1/login HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{head}\r\n\r\n{tail}"
            );
            let _ = stream.write_all(text.as_bytes());
            let status = answer(&mut stream).map_or(0, |answer| answer.status);
            let held = status == 0 || (400..500).contains(&status);
            rig.findings
                .expect(held, format!("'{head}': status {status}"));
        }
        Ok(())
    })
}
