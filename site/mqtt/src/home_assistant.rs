//! Home Assistant discovery: one retained message that describes a device with all its values
//! [HADISCOVERY].

use selo_codec::{Codec, Kind, Language, Value};
use selo_link::DeviceId;
use serde_json::{Map, json};

use crate::topic::Topics;

/// An entity is unavailable after this many seconds without a reading, until a collector says
/// after how many it calls the station silent.
pub const EXPIRE_S: u64 = 3_600;

/// A value as Home Assistant shows it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Component {
    name: String,
    title: String,
    unit: String,
    counter: bool,
    flag: bool,
    class: Option<String>,
}

impl Component {
    fn new(
        name: &str,
        title: String,
        unit: &str,
        kind: Kind,
        flag: bool,
        class: Option<&str>,
    ) -> Component {
        Component {
            name: name.into(),
            title,
            unit: unit.into(),
            counter: kind == Kind::Counter,
            flag,
            class: class.map(Into::into),
        }
    }
}

/// The components of a device, from the fields of its codec.
pub fn of_codec(codec: &Codec, language: Language) -> Vec<Component> {
    let component = |field: &selo_codec::Field| {
        Component::new(
            &field.name,
            field.title.in_language(language).into(),
            &field.unit,
            field.kind,
            field.is_flag(),
            field.class.as_deref(),
        )
    };
    codec.fields().into_iter().map(component).collect()
}

/// The components of a device whose codec has channels, from the values of a payload.
pub fn of_values(values: &[Value<'_>], language: Language) -> Vec<Component> {
    let component = |value: &Value<'_>| {
        let title = value.title.in_language(language);
        let title = match value.name.rsplit_once('_') {
            Some((_, channel)) => format!("{title} {channel}"),
            None => title.into(),
        };
        Component::new(
            &value.name,
            title,
            value.unit,
            value.kind,
            value.flag,
            value.class,
        )
    };
    values.iter().map(component).collect()
}

/// A device, as its description says.
#[derive(Debug, Clone, Copy)]
pub struct About<'a> {
    pub device: DeviceId,
    pub name: Option<&'a str>,
    pub codec: &'a Codec,
    pub language: Language,
    /// The device is silent after this many seconds without a reading.
    pub expire_s: u64,
    /// Version of the program.
    pub version: &'a str,
}

/// Builds the discovery message.
pub fn discovery(topics: &Topics, about: About<'_>, components: &[Component]) -> Vec<u8> {
    let (device, expire_s) = (about.device, about.expire_s);
    let mut parts: Map<String, serde_json::Value> = components
        .iter()
        .map(|component| (component.name.clone(), part(device, component, expire_s)))
        .collect();
    // No field of a codec has a hyphen in its name.
    parts.insert("link-rssi".into(), signal(about));
    let message = json!({
        "device": {
            "identifiers": [format!("selo-{device}")],
            "name": about.name.map_or_else(|| format!("Selo {device}"), Into::into),
            "manufacturer": "Selo",
            "model": about.codec.title.in_language(about.language),
            "serial_number": device.to_string(),
        },
        "origin": { "name": "Selo", "sw_version": about.version },
        "components": parts,
        "state_topic": topics.state(device),
        "availability_topic": topics.status(),
        "availability_template": "{{ 'online' if value_json.online else 'offline' }}",
        "qos": 1,
    });
    // Strings and numbers always serialise.
    serde_json::to_vec(&message).unwrap_or_default()
}

/// The signal strength of a radio. Without a radio its state is unknown.
fn signal(about: About<'_>) -> serde_json::Value {
    let name = match about.language {
        Language::English => "Signal",
        Language::Portuguese => "Sinal",
    };
    json!({
        "platform": "sensor",
        "unique_id": format!("selo_{}_link-rssi", about.device),
        "name": name,
        "value_template": "{{ value_json['rssi'] }}",
        "device_class": "signal_strength",
        "state_class": "measurement",
        "unit_of_measurement": "dBm",
        "entity_category": "diagnostic",
        "expire_after": about.expire_s,
    })
}

fn part(device: DeviceId, component: &Component, expire_s: u64) -> serde_json::Value {
    let name = &component.name;
    // Do not write value_json.values: in the template language that is a dictionary's method.
    let value = format!("value_json['values']['{name}']['value']");
    let guarded =
        |value: &str| format!("{{{{ {value} if '{name}' in value_json['values'] else None }}}}");
    let mut part = json!({
        "platform": "sensor",
        "unique_id": format!("selo_{device}_{name}"),
        "name": component.title,
        "value_template": guarded(&value),
        "expire_after": expire_s,
    });
    let is_time = component.class.as_deref() == Some("timestamp");
    if component.flag {
        part["platform"] = "binary_sensor".into();
        part["payload_on"] = "1".into();
        part["payload_off"] = "0".into();
    } else if is_time {
        part["value_template"] = guarded(&format!("({value} | as_datetime).isoformat()")).into();
    } else {
        let class = if component.counter {
            "total_increasing"
        } else {
            "measurement"
        };
        part["state_class"] = class.into();
        // Home Assistant spells units as people do.
        let unit = selo_codec::shown_unit(&component.unit);
        if !unit.is_empty() {
            part["unit_of_measurement"] = unit.into();
        }
    }
    if let Some(class) = &component.class {
        part["device_class"] = class.as_str().into();
    }
    part
}
