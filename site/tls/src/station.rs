//! Posts of a station to a web server: its position and speed, and measured times, as in
//! [ferreira2021]. Every server parses and checks them here.

use serde::Deserialize;

use crate::suite::{Group, Suite};

/// Base path of the routes in [`Post::ROUTES`].
pub const BASE: &str = "/api/v1/exchange/";
/// Maximum body size, bytes. A station's body needs a tenth of it.
pub const BODY_MAX: usize = 2048;

/// Above any plausible speed, in any common unit.
const SPEED_MAX: f64 = 10_000.0;
/// Above any plausible duration of a handshake or an exchange, seconds.
const SECONDS_MAX: f64 = 3600.0;

/// Position of a station in degrees north and east, and its speed.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reading {
    pub latitude: f64,
    pub longitude: f64,
    pub speed: f64,
}

impl Reading {
    /// Parses and checks the body of a post. The error describes the first fault.
    pub fn parse(body: &[u8]) -> Result<Reading, String> {
        let reading: Reading = json(body)?;
        reading.check()?;
        Ok(reading)
    }

    /// Checks that the values are plausible. The error names the value and its range.
    pub fn check(&self) -> Result<(), String> {
        within("latitude", self.latitude, -90.0, 90.0)?;
        within("longitude", self.longitude, -180.0, 180.0)?;
        within("speed", self.speed, 0.0, SPEED_MAX)
    }

    /// The body of the post. Its size depends only on the digits before the decimal points.
    pub fn body(&self) -> String {
        format!(
            "{{\"latitude\":{:.6},\"longitude\":{:.6},\"speed\":{:.2}}}",
            self.latitude, self.longitude, self.speed
        )
    }
}

/// The interval that a station measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// From the first handshake message until the station may send data.
    Handshake,
    /// From sending the request until the end of the answer.
    Exchange,
}

impl Phase {
    pub const ALL: [Phase; 2] = [Phase::Handshake, Phase::Exchange];

    /// The name, which is also its route.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Handshake => "handshake",
            Phase::Exchange => "exchange",
        }
    }
}

/// A measured time, with the suite and the key exchange used.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Time {
    pub suite: Suite,
    pub group: Group,
    pub resumed: bool,
    pub seconds: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TimeBody<'a> {
    #[serde(borrow)]
    suite: std::borrow::Cow<'a, str>,
    #[serde(borrow)]
    group: std::borrow::Cow<'a, str>,
    resumed: bool,
    seconds: f64,
}

impl Time {
    /// Parses and checks the body of a post. The error describes the first fault.
    pub fn parse(body: &[u8]) -> Result<Time, String> {
        let body: TimeBody<'_> = json(body)?;
        within("seconds", body.seconds, 0.0, SECONDS_MAX)?;
        Ok(Time {
            suite: Suite::parse(&body.suite).map_err(|why| format!("suite: {why}"))?,
            group: Group::parse(&body.group).map_err(|why| format!("group: {why}"))?,
            resumed: body.resumed,
            seconds: body.seconds,
        })
    }

    /// The body of the post.
    pub fn body(&self) -> String {
        format!(
            "{{\"suite\":\"{}\",\"group\":\"{}\",\"resumed\":{},\"seconds\":{:.9}}}",
            self.suite.name(),
            self.group.name(),
            self.resumed,
            self.seconds
        )
    }
}

/// A parsed post.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Post {
    Reading(Reading),
    Time(Phase, Time),
}

impl Post {
    /// The routes below [`BASE`].
    pub const ROUTES: [&str; 3] = ["reading", "handshake", "exchange"];

    /// Parses the body of a post to a route. Returns `None` for an unknown route.
    pub fn parse(route: &str, body: &[u8]) -> Option<Result<Post, String>> {
        if route == Post::ROUTES[0] {
            return Some(Reading::parse(body).map(Post::Reading));
        }
        let phase = Phase::ALL.into_iter().find(|phase| phase.name() == route)?;
        Some(Time::parse(body).map(|time| Post::Time(phase, time)))
    }
}

fn json<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Result<T, String> {
    if body.len() > BODY_MAX {
        return Err(format!("the body exceeds the maximum of {BODY_MAX} bytes"));
    }
    serde_json::from_slice(body).map_err(|error| format!("invalid body: {error}"))
}

fn within(what: &str, value: f64, least: f64, most: f64) -> Result<(), String> {
    // NaN is outside of every range.
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(format!("{what} must be {least} to {most}"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const READING: Reading = Reading {
        latitude: -23.1851,
        longitude: -50.6497,
        speed: 12.5,
    };

    #[test]
    fn a_reading_has_a_fixed_size() {
        let of = |latitude| Reading {
            latitude,
            ..READING
        };
        assert_eq!(of(-23.1).body().len(), of(-23.185_104).body().len());
        assert_eq!(
            READING.body(),
            "{\"latitude\":-23.185100,\"longitude\":-50.649700,\"speed\":12.50}"
        );
    }

    #[test]
    fn what_is_no_reading_is_said() {
        assert_eq!(Reading::parse(READING.body().as_bytes()), Ok(READING));
        for (body, said) in [
            ("", "invalid body"),
            ("{", "invalid body"),
            ("[]", "invalid body"),
            (r#"{"latitude":1,"longitude":2}"#, "missing field `speed`"),
            (
                r#"{"latitude":NaN,"longitude":2,"speed":0}"#,
                "invalid body",
            ),
            (
                r#"{"latitude":1e999,"longitude":2,"speed":0}"#,
                "out of range",
            ),
            (
                r#"{"latitude":"1","longitude":2,"speed":0}"#,
                "invalid type",
            ),
            (
                r#"{"latitude":91,"longitude":2,"speed":0}"#,
                "latitude must be -90 to 90",
            ),
            (
                r#"{"latitude":1,"longitude":-180.1,"speed":0}"#,
                "longitude must be -180 to 180",
            ),
            (
                r#"{"latitude":1,"longitude":2,"speed":-1}"#,
                "speed must be 0 to 10000",
            ),
            (
                r#"{"latitude":1,"longitude":2,"speed":0,"x":1}"#,
                "unknown field",
            ),
            (&" ".repeat(BODY_MAX + 1), "maximum of 2048 bytes"),
        ] {
            let why = Reading::parse(body.as_bytes()).expect_err(body);
            assert!(why.contains(said), "{body}: {why}");
        }
        for nan in [f64::NAN, f64::INFINITY] {
            assert!(
                Reading {
                    speed: nan,
                    ..READING
                }
                .check()
                .is_err()
            );
        }
    }

    #[test]
    fn what_is_no_time_is_said() {
        let good = Time {
            suite: Suite::ChaCha20Poly1305,
            group: Group::X25519MlKem768,
            resumed: true,
            seconds: 0.012_345_678,
        };
        assert_eq!(Time::parse(good.body().as_bytes()), Ok(good));
        let with = |from: &str, to: &str| good.body().replace(from, to);
        for (body, said) in [
            (
                with("TLS_CHACHA20_POLY1305_SHA256", "TLS_RSA"),
                "'TLS_RSA' is not one of: TLS_AES",
            ),
            (
                with("x25519mlkem768", "p-256"),
                "'p-256' is not one of: x25519",
            ),
            (with("true", "1"), "invalid type"),
            (with("0.012345678", "-0.1"), "seconds must be 0 to 3600"),
            (with("0.012345678", "3601"), "seconds must be 0 to 3600"),
            (with("seconds", "minutes"), "unknown field"),
        ] {
            let why = Time::parse(body.as_bytes()).expect_err(&body);
            assert!(why.contains(said), "{body}: {why}");
        }
    }

    #[test]
    fn every_route_has_its_body_and_no_other_is_one() {
        for route in Post::ROUTES {
            assert!(Post::parse(route, b"{}").is_some_and(|post| post.is_err()));
        }
        assert!(Post::parse("", b"{}").is_none());
        assert!(Post::parse("readings", b"{}").is_none());
    }

    proptest! {
        #[test]
        fn whatever_comes_nothing_panics(bytes in prop::collection::vec(any::<u8>(), 0..200), text in "\\{(\"(latitude|suite|seconds)\":(-?[0-9e.]{1,9}|\"[A-Za-z_0-9]{0,9}\"),?){0,4}\\}") {
            for route in Post::ROUTES {
                let _ = Post::parse(route, &bytes);
                let _ = Post::parse(route, text.as_bytes());
            }
        }
    }
}
