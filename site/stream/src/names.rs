//! Names of the stream, its subjects and its messages. All code builds and parses them here.

use selo_gateway::reading::Reading;
use selo_link::DeviceId;

/// Number of partitions. Each device belongs to one; a collector owns whole partitions, so that it
/// gets the readings of a device in their order.
pub const PARTITIONS: u16 = 16;

/// Header with the name of the gateway that waits for a confirmation.
pub const GATEWAY: &str = "Selo-Gateway";

/// The partition of a device. Ids that are consecutive fall into different ones.
pub fn partition(device: DeviceId) -> u16 {
    // Fibonacci hashing: the upper 4 bits of the product.
    (device.0.wrapping_mul(0x9e37_79b1) >> 28) as u16
}

/// The stream of a site. Sites and gateways have names that [`selo_mqtt::topic::check_name`]
/// accepts, so they need no escaping here.
pub fn stream(site: &str) -> String {
    format!("selo-{site}")
}

/// The subject of all readings of a site.
pub fn all_readings(site: &str) -> String {
    format!("selo.{site}.readings.*")
}

/// The subject of a partition's readings.
pub fn readings(site: &str, partition: u16) -> String {
    format!("selo.{site}.readings.{partition}")
}

/// The subject of confirmations to a gateway.
pub fn stored(site: &str, gateway: &str) -> String {
    format!("selo.{site}.stored.{gateway}")
}

/// The consumer of a partition's owner. Each owner has another epoch, so the consumer of an
/// earlier one never takes messages from it.
pub fn consumer(partition: u16, epoch: i64) -> String {
    format!("selo-{partition}-{epoch}")
}

/// The partition and the epoch of a consumer of this name.
pub fn of_consumer(name: &str) -> Option<(u16, i64)> {
    let (partition, epoch) = name.strip_prefix("selo-")?.split_once('-')?;
    Some((partition.parse().ok()?, epoch.parse().ok()?))
}

/// The name of a reading, as a message id: site, device, session and counter.
pub fn message_id(site: &str, reading: &Reading) -> String {
    let Reading {
        device,
        session,
        counter,
        ..
    } = reading;
    format!("{site}/{device}/{session}/{counter}")
}

/// A message id, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageId {
    pub site: String,
    pub device: String,
    pub session: String,
    pub counter: u32,
}

impl MessageId {
    /// Parses a message id. A fifth part, of a reading that was published again, is ignored.
    pub fn parse(text: &str) -> Option<MessageId> {
        let mut parts = text.splitn(5, '/');
        let mut next = || parts.next().filter(|part| part.len() <= 32);
        Some(MessageId {
            site: next()?.into(),
            device: next()?.into(),
            session: next()?.into(),
            counter: next()?.parse().ok()?,
        })
    }

    /// The partition of the device, if the id has one.
    pub fn partition(&self) -> Option<u16> {
        self.device.parse().ok().map(partition)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_spread_over_all_partitions() {
        let mut counts = [0_u32; PARTITIONS as usize];
        for id in 0..1600 {
            counts[usize::from(partition(DeviceId(id)))] += 1;
        }
        assert!(counts.iter().all(|n| (90..=110).contains(n)), "{counts:?}");
    }

    #[test]
    fn an_id_is_read_and_nonsense_is_not() {
        let id = MessageId::parse("site/3f9a01c2/0000000112ab34cd/7/00ff1").expect("an id");
        assert_eq!((id.site.as_str(), id.counter), ("site", 7));
        assert_eq!(id.partition(), Some(partition(DeviceId(0x3f9a_01c2))));
        for text in ["", "a/b/c", "a/b/c/x", "a/b/c/-1", &"a".repeat(100)] {
            assert_eq!(MessageId::parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_consumer_names_its_partition() {
        assert_eq!(of_consumer(&consumer(7, 1234)), Some((7, 1234)));
        assert_eq!(of_consumer("mirror"), None);
        assert_eq!(of_consumer("selo-x-1"), None);
    }
}
