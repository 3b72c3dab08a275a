//! The topics. Every other place asks here.

use selo_link::DeviceId;

use crate::error::{Error, Result};

/// The site of a gateway that was not told one.
pub const DEFAULT_SITE: &str = "site";

/// The name of a gateway that was not told one.
pub const DEFAULT_GATEWAY: &str = "gateway";

/// What collectors subscribe to: they share the readings of every site, each message goes to
/// one of them. The group's name comes from their password: Mosquitto lets everyone who may
/// read the topics join any group whose name is known, and take messages away from it.
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

/// The device's level in the topic of readings without a device, which gateways of earlier
/// releases sent.
pub const NO_DEVICE: &str = "classic";

/// Sites and gateways are levels of topics.
pub fn check_name(name: &str) -> Result<()> {
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if (1..=32).contains(&name.len()) && name.bytes().all(fits) {
        return Ok(());
    }
    Err(Error::Invalid(
        format!(
            "'{}' is not a valid name of a site or a gateway",
            name.escape_debug()
        ),
        "lower-case letters, digits and -, at most 32",
    ))
}

/// The topics of a gateway at a site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Topics {
    site: String,
    gateway: String,
}

impl Topics {
    pub fn new(site: &str, gateway: &str) -> Result<Topics> {
        check_name(site)?;
        check_name(gateway)?;
        Ok(Topics {
            site: site.into(),
            gateway: gateway.into(),
        })
    }

    pub fn site(&self) -> &str {
        &self.site
    }

    pub fn gateway(&self) -> &str {
        &self.gateway
    }

    /// A device's readings, not retained.
    pub fn reading(&self, device: DeviceId) -> String {
        format!("selo/{}/reading/{device}", self.site)
    }

    /// A device's last reading, retained.
    pub fn state(&self, device: DeviceId) -> String {
        format!("selo/{}/state/{device}", self.site)
    }

    /// Whether the gateway is there, retained.
    pub fn status(&self) -> String {
        format!("selo/{}/status/{}", self.site, self.gateway)
    }

    /// What a collector has stored.
    pub fn stored(&self) -> String {
        stored(&self.site, &self.gateway)
    }
}

/// What a collector has stored of a gateway's readings.
pub fn stored(site: &str, gateway: &str) -> String {
    format!("selo/{site}/stored/{gateway}")
}

/// An alarm of a device, retained.
pub fn alarm(site: &str, alarm: &str, device: &str) -> String {
    format!("selo/{site}/alarm/{alarm}/{device}")
}

/// Where Home Assistant looks for a device, retained.
pub fn home_assistant(device: DeviceId) -> String {
    format!("homeassistant/device/selo-{device}/config")
}

/// The site of a topic of ours.
pub fn site(topic: &str) -> Option<&str> {
    let mut levels = topic.split('/');
    (levels.next() == Some("selo")).then(|| levels.next())?
}

/// The device of a reading's topic, or [`NO_DEVICE`].
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
        assert_eq!(site("selo/farm-2/reading/x"), Some("farm-2"));
        assert_eq!(site("other/farm-2"), None);
    }

    #[test]
    fn a_name_cannot_leave_its_level() {
        for name in ["", "a/b", "+", "#", "A", "a b", &"a".repeat(33), "\u{e9}"] {
            assert!(Topics::new(name, "g").is_err(), "{name:?}");
            assert!(Topics::new("s", name).is_err(), "{name:?}");
        }
    }
}
