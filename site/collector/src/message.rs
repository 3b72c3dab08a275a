//! A message: a reading as a gateway publishes it (`selo.reading/1`), with the values that the
//! gateway's codec decoded. Messages are parsed only here.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

/// The schema that a message names.
pub const SCHEMA: &str = "selo.reading/1";
/// Maximum length of a message. Gateways send shorter ones; a longer one is refused unparsed.
pub const MESSAGE_MAX: usize = 16 << 10;
const VALUES_MAX: usize = 32;
const PAYLOAD_MAX: usize = 1024;
/// Device name of readings without a device (classic).
pub const NOBODY: &str = "unknown";

/// Builds a station id from a site and a device. Two sites may have devices with the same id, and
/// neither can send readings of the other's.
pub fn station_id(site: &str, device: &str) -> String {
    format!("{site}:{device}")
}

/// Splits a [`station_id`] into its site and device.
pub fn parts_of(station: &str) -> (&str, &str) {
    // Names contain no colon.
    station.split_once(':').unwrap_or(("", station))
}

/// Returns true if the text is a valid station id or device id.
pub fn is_station_or_device(text: &str) -> bool {
    text.splitn(2, ':').all(|part| is_name(part, 32))
}

/// The permanent identity of a reading. Session numbers of a device increase with its joins, so
/// (session, counter) sorts readings in the order in which the device sent them.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Identity {
    /// See [`station_id`].
    pub station: Arc<str>,
    pub session: i64,
    pub counter: i64,
}

impl Identity {
    /// The site of the station.
    pub fn site(&self) -> &str {
        parts_of(&self.station).0
    }

    /// The device of the station.
    pub fn device(&self) -> &str {
        parts_of(&self.station).1
    }
}

/// A value with its UCUM unit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Quantity {
    pub value: f64,
    #[serde(default)]
    pub unit: String,
}

/// Values by quantity name.
pub type Values = BTreeMap<String, Quantity>;

/// A parsed message.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    pub identity: Identity,
    pub name: Option<String>,
    /// True if the source may name the station and its gateway.
    pub names: bool,
    pub gateway: Option<String>,
    pub codec: Option<String>,
    /// Time of reception at the gateway, Unix milliseconds.
    pub received: i64,
    pub payload: Vec<u8>,
    pub rssi: Option<i64>,
    pub authenticated: bool,
    pub values: Values,
    /// The message as one line of JSON, as live listeners receive it.
    pub line: Arc<str>,
}

#[derive(Deserialize)]
struct Wire {
    schema: String,
    device: Option<String>,
    #[serde(default)]
    name: Option<String>,
    session: String,
    counter: u32,
    #[serde(default)]
    received: Option<String>,
    payload: String,
    #[serde(default)]
    rssi: Option<i64>,
    #[serde(default)]
    authenticated: bool,
    #[serde(default)]
    gateway: Option<String>,
    #[serde(default)]
    codec: Option<String>,
    #[serde(default)]
    values: BTreeMap<String, Option<Quantity>>,
}

/// Parses a message. `now` is used if it has no time of reception.
pub fn parse(bytes: &[u8], site: &str, now: i64) -> Result<Message, String> {
    if bytes.len() > MESSAGE_MAX {
        return Err(format!("longer than {MESSAGE_MAX} bytes"));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| format!("not UTF-8: {error}"))?;
    // serde would also accept a JSON list of the members, but listeners need an object with
    // names.
    if !text.trim_start().starts_with('{') {
        return Err("not a JSON object".into());
    }
    let wire: Wire = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let device = wire.device.as_deref().unwrap_or(NOBODY);
    check_names(&wire, device, site)?;
    let session = session_of(&wire.session)?;
    let received = match &wire.received {
        Some(text) => time_of(text)?,
        None => now,
    };
    let payload = hex::decode(&wire.payload).map_err(|_| "payload is not hexadecimal")?;
    if payload.len() > PAYLOAD_MAX {
        return Err(format!("payload is longer than {PAYLOAD_MAX} bytes"));
    }
    let values = checked(wire.values)?;
    let station = station_id(site, device);
    let line = event_line(text, &station);
    Ok(Message {
        identity: Identity {
            station: station.into(),
            session: session as i64,
            counter: wire.counter.into(),
        },
        name: wire.name,
        names: true,
        gateway: wire.gateway,
        codec: wire.codec,
        received,
        payload,
        rssi: wire.rssi,
        authenticated: wire.authenticated,
        values,
        line: line.into(),
    })
}

/// Checks the schema, and the names and texts of a message.
fn check_names(wire: &Wire, device: &str, site: &str) -> Result<(), String> {
    if wire.schema != SCHEMA {
        return Err(format!("the schema is not {SCHEMA}"));
    }
    if !is_name(device, 32) {
        return Err("device does not match [A-Za-z0-9._-]{1,32}".into());
    }
    if !is_name(site, 32) {
        return Err("site does not match [A-Za-z0-9._-]{1,32}".into());
    }
    for (what, text) in [
        ("name", &wire.name),
        ("gateway", &wire.gateway),
        ("codec", &wire.codec),
    ] {
        if let Some(text) = text {
            short_text(what, text)?;
        }
    }
    Ok(())
}

fn session_of(text: &str) -> Result<u64, String> {
    let parsed = u64::from_str_radix(text, 16).ok();
    parsed
        .filter(|_| text.len() == 16)
        .ok_or_else(|| "session is not 16 hexadecimal digits".to_owned())
}

fn time_of(text: &str) -> Result<i64, String> {
    humantime::parse_rfc3339(text)
        .ok()
        .and_then(|time| time.duration_since(UNIX_EPOCH).ok())
        .and_then(|since| i64::try_from(since.as_millis()).ok())
        .ok_or_else(|| "received is not an RFC 3339 time since 1970".into())
}

/// The values whose names and units are valid. A null value counts as absent.
fn checked(wire: BTreeMap<String, Option<Quantity>>) -> Result<Values, String> {
    if wire.len() > VALUES_MAX {
        return Err(format!("more than {VALUES_MAX} values"));
    }
    let mut values = Values::new();
    for (name, quantity) in wire {
        let Some(quantity) = quantity else { continue };
        if !is_name(&name, 64) {
            return Err("a value name does not match [A-Za-z0-9._-]{1,64}".into());
        }
        short_text("unit", &quantity.unit)?;
        values.insert(name, quantity);
    }
    Ok(values)
}

/// Converts a message, a JSON object, to the line for listeners, with its station.
fn event_line(text: &str, station: &str) -> String {
    // JSON strings cannot contain a raw line feed, so every line feed is between tokens.
    let line = text.trim().replace(['\n', '\r'], " ");
    // The last of several members with one name counts, so a message cannot override its station.
    let members = line.strip_suffix('}').unwrap_or(&line);
    format!(r#"{members},"station":"{station}"}}"#)
}

/// Returns true for 1 to `longest` letters, digits, dots, underscores and hyphens: safe in a
/// topic, a path and a file name.
pub fn is_name(text: &str, longest: usize) -> bool {
    (1..=longest).contains(&text.len())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
}

fn short_text(what: &str, text: &str) -> Result<(), String> {
    if text.len() > 128 {
        return Err(format!("{what} is longer than 128 bytes"));
    }
    // PostgreSQL's text type cannot hold NUL, and no name needs control characters.
    if text.chars().any(char::is_control) {
        return Err(format!("{what} contains control characters"));
    }
    Ok(())
}

/// Formats a session id as it is written everywhere outside the database.
pub fn session_text(session: i64) -> String {
    format!("{:016x}", session as u64)
}

/// Formats a database time as in messages.
pub fn time_text(unix_ms: i64) -> String {
    // The last representable time also stands for all later ones.
    const LAST_MS: u64 = 253_402_300_799_999;
    let ms = u64::try_from(unix_ms).unwrap_or(0).min(LAST_MS);
    let time = UNIX_EPOCH + std::time::Duration::from_millis(ms);
    humantime::format_rfc3339_millis(time).to_string()
}

/// Names to numbers; the units are kept once for each station.
pub fn data_text(values: &Values) -> String {
    let numbers: BTreeMap<&str, f64> = values
        .iter()
        .map(|(name, quantity)| (name.as_str(), quantity.value))
        .collect();
    // Strings to finite numbers: that cannot fail.
    serde_json::to_string(&numbers).unwrap_or_else(|_| "{}".into())
}

/// Reads the text of [`data_text`].
pub fn data_of(text: &str) -> BTreeMap<String, f64> {
    serde_json::from_str(text).unwrap_or_default()
}
