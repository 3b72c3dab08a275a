//! Attacks on `selo collect`: connections, requests and work.

mod readings;
mod requests;
mod rig;

use super::broker::crowd;
use super::case::{Case, Service};

use readings::{
    absent_download, absent_listener, empty_lines, hostile_mqtt, late_readings, many_logins,
};
use requests::{bad_chunks, long_body, long_head, slow_body, slowloris};
use rig::under;

pub use rig::Rig;

/// The attacks.
pub const CASES: [Case; 14] = [
    Case::new(
        Service::Collector,
        "idle",
        "60 idle TCP connections",
        |selo| {
            under(selo, false, |rig| {
                let _: () = rig.hold(crowd(&rig.door, 60));
                Ok(())
            })
        },
    ),
    Case::new(
        Service::Collector,
        "idle-tls",
        "60 TCP connections without a TLS handshake",
        |selo| {
            under(selo, true, |rig| {
                let _: () = rig.hold(crowd(&rig.door, 60));
                Ok(())
            })
        },
    ),
    Case::new(
        Service::Collector,
        "crowd",
        "600 connections from 5 addresses",
        |selo| {
            under(selo, false, |rig| {
                let _: () = rig.hold(crowd(&rig.door, 600));
                Ok(())
            })
        },
    ),
    Case::new(
        Service::Collector,
        "slowloris",
        "60 request heads, byte by byte",
        slowloris,
    ),
    Case::new(
        Service::Collector,
        "slow-body",
        "60 request bodies, byte by byte, without a login",
        slow_body,
    ),
    Case::new(
        Service::Collector,
        "long-head",
        "request heads of 33 KB, 40 KB and 1 MB",
        long_head,
    ),
    Case::new(
        Service::Collector,
        "long-body",
        "bodies of 64 MB, with a length and in chunks",
        long_body,
    ),
    Case::new(
        Service::Collector,
        "bad-chunks",
        "invalid chunks, two lengths, a request inside a request",
        bad_chunks,
    ),
    Case::new(
        Service::Collector,
        "absent-download",
        "20 unread exports of 20,000 readings",
        absent_download,
    )
    .long(),
    Case::new(
        Service::Collector,
        "absent-listener",
        "20 live listeners that do not read",
        absent_listener,
    ),
    Case::new(
        Service::Collector,
        "many-logins",
        "250 logins at once",
        many_logins,
    ),
    Case::new(
        Service::Collector,
        "empty-lines",
        "4 MB of `{}` lines as readings",
        empty_lines,
    ),
    Case::new(
        Service::Collector,
        "late-readings",
        "25,000 late readings of one station in one body",
        late_readings,
    )
    .long(),
    Case::new(
        Service::Collector,
        "hostile-mqtt",
        "200 invalid readings published by a gateway",
        hostile_mqtt,
    ),
];
