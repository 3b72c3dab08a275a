//! Home Assistant discovery: one retained message that describes a device with all its values
//! [HADISCOVERY].

use selo_codec::{Codec, Kind, Title, Value};
use selo_link::DeviceId;
use serde_json::{Map, json};

use crate::topic::Topics;

/// An entity is unavailable after this many seconds without a reading, like a station that the
/// collector calls silent.
const EXPIRE_S: u32 = 3_600;

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
        title: &Title,
        unit: &str,
        kind: Kind,
        flag: bool,
        class: Option<&str>,
    ) -> Component {
        Component {
            name: name.into(),
            title: title.en.clone(),
            unit: unit.into(),
            counter: kind == Kind::Counter,
            flag,
            class: class.map(Into::into),
        }
    }
}

/// The components of a device, from the fields of its codec.
pub fn of_codec(codec: &Codec) -> Vec<Component> {
    let component = |field: &selo_codec::Field| {
        Component::new(
            &field.name,
            &field.title,
            &field.unit,
            field.kind,
            field.is_flag(),
            field.class.as_deref(),
        )
    };
    codec.fields().into_iter().map(component).collect()
}

/// The components of a device whose codec has channels, from the values of a payload.
pub fn of_values(values: &[Value<'_>]) -> Vec<Component> {
    let component = |value: &Value<'_>| {
        let title = Title {
            en: match value.name.rsplit_once('_') {
                Some((_, channel)) => format!("{} {channel}", value.title.en),
                None => value.title.en.clone(),
            },
            pt: String::new(),
        };
        Component::new(
            &value.name,
            &title,
            value.unit,
            value.kind,
            value.flag,
            value.class,
        )
    };
    values.iter().map(component).collect()
}

/// Builds the discovery message.
pub fn discovery(
    topics: &Topics,
    device: DeviceId,
    name: Option<&str>,
    codec: &Codec,
    components: &[Component],
    version: &str,
) -> Vec<u8> {
    let mut parts: Map<String, serde_json::Value> = components
        .iter()
        .map(|component| (component.name.clone(), part(device, component)))
        .collect();
    // No field of a codec has a hyphen in its name.
    parts.insert("link-rssi".into(), signal(device));
    let message = json!({
        "device": {
            "identifiers": [format!("selo-{device}")],
            "name": name.map_or_else(|| format!("Selo {device}"), Into::into),
            "manufacturer": "Selo",
            "model": codec.title.en,
            "serial_number": device.to_string(),
        },
        "origin": { "name": "Selo", "sw_version": version },
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
fn signal(device: DeviceId) -> serde_json::Value {
    json!({
        "platform": "sensor",
        "unique_id": format!("selo_{device}_link-rssi"),
        "name": "Signal",
        "value_template": "{{ value_json['rssi'] }}",
        "device_class": "signal_strength",
        "state_class": "measurement",
        "unit_of_measurement": "dBm",
        "entity_category": "diagnostic",
        "expire_after": EXPIRE_S,
    })
}

fn part(device: DeviceId, component: &Component) -> serde_json::Value {
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
        "expire_after": EXPIRE_S,
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
        if let Some(unit) = unit(&component.unit) {
            part["unit_of_measurement"] = unit.into();
        }
    }
    if let Some(class) = &component.class {
        part["device_class"] = class.as_str().into();
    }
    part
}

/// Converts a UCUM unit to Home Assistant's spelling.
fn unit(ucum: &str) -> Option<&str> {
    match ucum {
        "1" => None,
        "Cel" => Some("\u{b0}C"),
        "deg" => Some("\u{b0}"),
        "deg/s" => Some("\u{b0}/s"),
        "kW.h" => Some("kWh"),
        "[ppm]" => Some("ppm"),
        "[g]" => Some("g"),
        other => Some(other),
    }
}
