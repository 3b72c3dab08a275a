//! Topic names. All code builds and parses topics here.

use selo_link::DeviceId;

use crate::error::{Error, Result};

/// Default site of a gateway.
pub const DEFAULT_SITE: &str = "site";

/// Default name of a gateway.
pub const DEFAULT_GATEWAY: &str = "gateway";

/// The collectors' shared subscription: they share the readings of every site, and each message
/// goes to one of them. The group name is derived from their password, because Mosquitto lets
/// every reader of the topics join a group whose name it knows, and take messages away from it.
pub fn collector_filter(password: Option<&str>) -> String {
    let group = match password {
        None => "selo-collector".to_owned(),
        Some(password) => {
            let text = format!("Selo collectors 1{password}");
            let hash = ring::digest::digest(&ring::digest::SHA256, text.as_bytes());
            format!("selo-{}", hex::encode(&hash.as_ref()[..12]))
        }
    };
    format!("$share/{group}/selo/+/reading/+")
}

/// Device level of a gateway's classic readings, which have no device.
pub const NO_DEVICE: &str = "classic";

/// Checks the name of a site or gateway, which becomes a topic level.
pub fn check_name(name: &str) -> Result<()> {
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if (1..=32).contains(&name.len()) && name.bytes().all(fits) {
        return Ok(());
    }
    Err(Error::Invalid(
        format!(
            "'{}' is not a valid name for a site or a gateway",
            name.escape_debug()
        ),
        "use lower-case letters, digits and -, at most 32 characters",
    ))
}

/// The topics of a gateway at a site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Topics {
    site: String,
    gateway: String,
}

impl Topics {
    /// Checks the names of a site and a gateway.
    pub fn new(site: &str, gateway: &str) -> Result<Topics> {
        check_name(site)?;
        check_name(gateway)?;
        Ok(Topics {
            site: site.into(),
            gateway: gateway.into(),
        })
    }

    /// The site's name.
    pub fn site(&self) -> &str {
        &self.site
    }

    /// The gateway's name.
    pub fn gateway(&self) -> &str {
        &self.gateway
    }

    /// A device's readings, not retained.
    pub fn reading(&self, device: DeviceId) -> String {
        format!("selo/{}/reading/{device}", self.site)
    }

    /// A device's last reading. Retained.
    pub fn state(&self, device: DeviceId) -> String {
        format!("selo/{}/state/{device}", self.site)
    }

    /// The gateway's presence. Retained.
    pub fn status(&self) -> String {
        format!("selo/{}/status/{}", self.site, self.gateway)
    }

    /// A collector's confirmations to this gateway.
    pub fn stored(&self) -> String {
        stored(&self.site, &self.gateway)
    }
}

/// A collector's confirmations to a gateway.
pub fn stored(site: &str, gateway: &str) -> String {
    format!("selo/{site}/stored/{gateway}")
}

/// An alarm of a device. Retained.
pub fn alarm(site: &str, alarm: &str, device: &str) -> String {
    format!("selo/{site}/alarm/{alarm}/{device}")
}

/// The alarms of a device, active or not. Retained.
pub fn alarms(site: &str, device: &str) -> String {
    format!("selo/{site}/alarms/{device}")
}

/// Home Assistant's discovery topic of an alarm of a device. Retained.
pub fn home_assistant_alarm(site: &str, device: &str, alarm: &str) -> String {
    let [site, device, alarm] = [site, device, alarm].map(object_id);
    format!("homeassistant/device/selo-{site}_-{device}_-{alarm}/config")
}

/// A name as part of Home Assistant's object id, which has only letters, digits, - and _. Any
/// other byte becomes _ and two hexadecimal digits, so different names stay different.
fn object_id(name: &str) -> String {
    let mut id = String::with_capacity(name.len());
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || byte == b'-' {
            id.push(char::from(byte));
        } else {
            id.push_str(&format!("_{byte:02x}"));
        }
    }
    id
}

/// Home Assistant's discovery topic of a device. Retained.
pub fn home_assistant(device: DeviceId) -> String {
    format!("homeassistant/device/selo-{device}/config")
}

/// The site of a Selo topic.
pub fn site(topic: &str) -> Option<&str> {
    let mut levels = topic.split('/');
    (levels.next() == Some("selo")).then(|| levels.next())?
}

/// The device of a reading's topic; [`NO_DEVICE`] for classic readings.
pub fn device_of_reading(topic: &str) -> Option<&str> {
    let levels: Vec<&str> = topic.split('/').collect();
    match levels[..] {
        ["selo", _, "reading", device] => Some(device),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn topics_are_what_the_page_says() {
        let topics = Topics::new("farm-2", "north").expect("names");
        let device = DeviceId(0x3f9a_01c2);
        assert_eq!(topics.reading(device), "selo/farm-2/reading/3f9a01c2");
        let old = "selo/farm-2/reading/classic";
        assert_eq!(device_of_reading(old), Some(NO_DEVICE));
        assert_eq!(topics.state(device), "selo/farm-2/state/3f9a01c2");
        assert_eq!(topics.status(), "selo/farm-2/status/north");
        assert_eq!(topics.stored(), "selo/farm-2/stored/north");
        assert_eq!(alarm("s", "rain", "3f9a01c2"), "selo/s/alarm/rain/3f9a01c2");
        assert_eq!(
            home_assistant(device),
            "homeassistant/device/selo-3f9a01c2/config"
        );
        assert_eq!(alarms("s", "3f9a01c2"), "selo/s/alarms/3f9a01c2");
        assert_eq!(
            home_assistant_alarm("farm-2", "3f9a01c2", "too.hot_1"),
            "homeassistant/device/selo-farm-2_-3f9a01c2_-too_2ehot_5f1/config"
        );
        assert_eq!(site("selo/farm-2/reading/x"), Some("farm-2"));
        assert_eq!(site("other/farm-2"), None);
    }

    #[test]
    fn an_alarm_has_a_topic_of_its_own_in_the_alphabet_of_home_assistant() {
        let parts = [
            "a", "a-", "-a", "a_-", "_2d", "a.b", "a_2eb", "a/b", "+", "#", "\u{e9}",
        ];
        let mut topics = std::collections::HashSet::new();
        for site in parts {
            for device in parts {
                for alarm in parts {
                    let topic = home_assistant_alarm(site, device, alarm);
                    let levels: Vec<&str> = topic.split('/').collect();
                    let ["homeassistant", "device", id, "config"] = levels[..] else {
                        panic!("{topic}");
                    };
                    let fits = |b: u8| b.is_ascii_alphanumeric() || b"_-".contains(&b);
                    assert!(id.bytes().all(fits), "{topic}");
                    assert!(topics.insert(topic.clone()), "{topic}");
                }
            }
        }
    }

    #[test]
    fn a_name_cannot_leave_its_level() {
        for name in ["", "a/b", "+", "#", "A", "a b", &"a".repeat(33), "\u{e9}"] {
            assert!(Topics::new(name, "g").is_err(), "{name:?}");
            assert!(Topics::new("s", name).is_err(), "{name:?}");
        }
    }
}
