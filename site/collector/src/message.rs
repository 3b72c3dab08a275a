//! A message: a reading as a gateway publishes it, `selo.reading/1` with the values that
//! the gateway's codec found in it. This is the one place that reads one.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

/// The schema that a message names.
pub const SCHEMA: &str = "selo.reading/1";
/// What no message of a gateway exceeds; a longer one is refused unread.
pub const MESSAGE_MAX: usize = 16 << 10;
const VALUES_MAX: usize = 32;
const PAYLOAD_MAX: usize = 1024;
/// The device of readings that do not say whose they are (classic).
pub const NOBODY: &str = "unknown";

/// The id of a station: its site and its device. Two sites may each have a device of one id,
/// and neither can send for the other's.
pub fn station_id(site: &str, device: &str) -> String {
    format!("{site}:{device}")
}

/// The site and the device of [`station_id`].
pub fn parts_of(station: &str) -> (&str, &str) {
    // No name has a colon.
    station.split_once(':').unwrap_or(("", station))
}

/// True if the text is the id of a station, or of a device.
pub fn is_station_or_device(text: &str) -> bool {
    text.splitn(2, ':').all(|part| is_name(part, 32))
}

/// Names a reading for ever. Sessions of a device ascend with its joins, so the order of
/// (session, counter) is the order in which a device sent.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Identity {
    /// See [`station_id`].
    pub station: Arc<str>,
    pub session: i64,
    pub counter: i64,
}

impl Identity {
    pub fn site(&self) -> &str {
        parts_of(&self.station).0
    }

    pub fn device(&self) -> &str {
        parts_of(&self.station).1
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Quantity {
    pub value: f64,
    #[serde(default)]
    pub unit: String,
}

/// Names of quantities to their values.
pub type Values = BTreeMap<String, Quantity>;

#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    pub identity: Identity,
    pub name: Option<String>,
    /// Its source may name the station and its gateway.
    pub names: bool,
    pub gateway: Option<String>,
    pub codec: Option<String>,
    /// The gateway's time, Unix milliseconds.
    pub received: i64,
    pub payload: Vec<u8>,
    pub rssi: Option<i64>,
    pub authenticated: bool,
    pub values: Values,
    /// The message as one line of JSON, as live listeners get it.
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

/// Reads a message. `now` stands for the time of reception if it has none.
pub fn parse(bytes: &[u8], site: &str, now: i64) -> Result<Message, String> {
    if bytes.len() > MESSAGE_MAX {
        return Err(format!("longer than {MESSAGE_MAX} bytes"));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| format!("not UTF-8: {error}"))?;
    // The parser would take the members as a list, too; a listener's event has names.
    if !text.trim_start().starts_with('{') {
        return Err("not a JSON object".into());
    }
    let wire: Wire = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if wire.schema != SCHEMA {
        return Err(format!("schema is not {SCHEMA}"));
    }
    let device = wire.device.as_deref().unwrap_or(NOBODY);
    if !is_name(device, 32) {
        return Err("device is not [A-Za-z0-9._-]{1,32}".into());
    }
    if !is_name(site, 32) {
        return Err("site is not [A-Za-z0-9._-]{1,32}".into());
    }
    if wire.session.len() != 16 {
        return Err("session is not 16 hexadecimal digits".into());
    }
    let session = u64::from_str_radix(&wire.session, 16)
        .map_err(|_| "session is not 16 hexadecimal digits")?;
    let received = match &wire.received {
        Some(text) => humantime::parse_rfc3339(text)
            .ok()
            .and_then(|time| time.duration_since(UNIX_EPOCH).ok())
            .and_then(|since| i64::try_from(since.as_millis()).ok())
            .ok_or("received is not a time of RFC 3339 since 1970")?,
        None => now,
    };
    let payload = hex::decode(&wire.payload).map_err(|_| "payload is not hexadecimal")?;
    if payload.len() > PAYLOAD_MAX {
        return Err(format!("payload is longer than {PAYLOAD_MAX} bytes"));
    }
    if wire.values.len() > VALUES_MAX {
        return Err(format!("more than {VALUES_MAX} values"));
    }
    let mut values = Values::new();
    for (name, quantity) in wire.values {
        // A value that is null is absent.
        let Some(quantity) = quantity else { continue };
        if !is_name(&name, 64) {
            return Err("the name of a value is not [A-Za-z0-9._-]{1,64}".into());
        }
        short_text("unit", &quantity.unit)?;
        values.insert(name, quantity);
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

/// A message, which is an object, as listeners get it: one line, with its station.
fn event_line(text: &str, station: &str) -> String {
    // Strings of JSON hold no line feed as such, so what there is stands between tokens.
    let line = text.trim().replace(['\n', '\r'], " ");
    // The last member of a name counts, so no message names another station here.
    let members = line.strip_suffix('}').unwrap_or(&line);
    format!(r#"{members},"station":"{station}"}}"#)
}

/// Letters, digits, dot, underscore, hyphen: what may stand in a topic, a path, a file.
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
    // PostgreSQL's text cannot hold NUL; no name needs a control character.
    if text.chars().any(char::is_control) {
        return Err(format!("{what} has control characters"));
    }
    Ok(())
}

/// A session as it is written everywhere outside the database.
pub fn session_text(session: i64) -> String {
    format!("{:016x}", session as u64)
}

/// A time of the database as in messages.
pub fn time_text(unix_ms: i64) -> String {
    // The last moment that the format can say stands for all later ones.
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
