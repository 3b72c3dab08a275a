//! The packets of Semtech's UDP protocol, versions 1 and 2 [SEMTECHUDP]: parsed and written.
//!
//! A packet is version (1), token (2), kind (1); from a forwarder its EUI (8); then JSON.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::{Value, json};

use super::place::Channel;
use crate::heads::wire::{FRAME_MAX, Signal};

const PUSH_DATA: u8 = 0;
const PULL_DATA: u8 = 2;
const PULL_RESP: u8 = 3;
const TX_ACK: u8 = 5;

/// Maximum receptions in one packet. A concentrator demodulates 8 or 16 at a time.
const RECEPTIONS_MAX: usize = 64;

/// A packet of a forwarder.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Packet<'a> {
    /// What the concentrator heard.
    Push { eui: [u8; 8], json: &'a [u8] },
    /// The forwarder takes transmissions at the address of this packet.
    Pull { eui: [u8; 8] },
    /// What became of a transmission.
    Sent { json: &'a [u8] },
}

/// Reads a packet: its version, token and contents.
pub(super) fn read(bytes: &[u8]) -> Option<(u8, u16, Packet<'_>)> {
    let (&[version, high, low, kind], rest) = bytes.split_first_chunk()?;
    if !matches!(version, 1 | 2) {
        return None;
    }
    let (eui, json) = rest.split_first_chunk()?;
    let packet = match kind {
        PUSH_DATA => Packet::Push { eui: *eui, json },
        PULL_DATA => Packet::Pull { eui: *eui },
        TX_ACK => Packet::Sent { json },
        _ => return None,
    };
    Some((version, u16::from_be_bytes([high, low]), packet))
}

/// A frame that a concentrator heard.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Reception {
    frequency: u32,
    spreading: u8,
    bandwidth: u16,
    pub(super) signal: Signal,
    pub(super) frame: Vec<u8>,
}

impl Reception {
    pub(super) fn channel(&self, concentrator: [u8; 8]) -> Channel {
        Channel {
            concentrator,
            frequency: self.frequency,
            spreading: self.spreading,
            bandwidth: self.bandwidth,
        }
    }
}

#[derive(Deserialize)]
struct Push {
    #[serde(default)]
    rxpk: Vec<Value>,
}

/// An object of `rxpk`. Forwarders differ in what else they say.
#[derive(Deserialize)]
struct Rx {
    /// MHz.
    freq: f64,
    /// -1: the checksum was wrong.
    #[serde(default)]
    stat: i64,
    modu: String,
    datr: String,
    rssi: Option<f64>,
    lsnr: Option<f64>,
    data: String,
}

/// Reads the JSON of a PUSH_DATA. Objects that are no LoRa frame with a right checksum are left out.
///
/// # Errors
/// If it is no JSON object with a list `rxpk`.
pub(super) fn receptions(json: &[u8]) -> serde_json::Result<Vec<Reception>> {
    let push: Push = serde_json::from_slice(json)?;
    let receptions = push.rxpk.into_iter().take(RECEPTIONS_MAX);
    Ok(receptions.filter_map(reception).collect())
}

fn reception(value: Value) -> Option<Reception> {
    let rx: Rx = serde_json::from_value(value).ok()?;
    if rx.stat < 0 || rx.modu != "LORA" {
        return None;
    }
    let frame = STANDARD.decode(rx.data.trim()).ok()?;
    let (spreading, bandwidth) = rx.datr.strip_prefix("SF")?.split_once("BW")?;
    let hertz = (rx.freq * 1e6).round();
    let frequency = (1e6..4e9).contains(&hertz).then_some(hertz as u32)?;
    Some(Reception {
        frequency,
        spreading: spreading
            .parse()
            .ok()
            .filter(|factor| (5..=12).contains(factor))?,
        bandwidth: bandwidth.parse().ok()?,
        signal: Signal {
            rssi: rx.rssi.map(|dbm| dbm.round().clamp(-300.0, 100.0) as i16),
            snr: rx
                .lsnr
                .map(|db| (4.0 * db).round().clamp(-127.0, 127.0) as i8),
        },
        frame: (frame.len() <= FRAME_MAX).then_some(frame)?,
    })
}

/// A PULL_RESP that sends a frame at once. As nodes send, a node listens: on the channel, the
/// spreading factor and the polarity of its own frames.
pub(super) fn transmission(
    version: u8,
    token: u16,
    channel: Channel,
    power: i8,
    frame: &[u8],
) -> Vec<u8> {
    let [high, low] = token.to_be_bytes();
    let mut packet = vec![version, high, low, PULL_RESP];
    let json = json!({ "txpk": {
        "imme": true,
        "freq": f64::from(channel.frequency) / 1e6,
        "rfch": 0,
        "powe": power,
        "modu": "LORA",
        "datr": format!("SF{}BW{}", channel.spreading, channel.bandwidth),
        "codr": "4/5",
        "ipol": false,
        "prea": 8,
        "size": frame.len(),
        "data": STANDARD.encode(frame),
    }});
    packet.extend_from_slice(json.to_string().as_bytes());
    packet
}

/// The reason why a forwarder did not send a frame. `None` if it did.
pub(super) fn rejection(json: &[u8]) -> Option<String> {
    // Version 2 says nothing at all about a success.
    let value: Value = serde_json::from_slice(json).ok()?;
    let error = value.get("txpk_ack")?.get("error")?.as_str()?;
    let plain = error
        .chars()
        .filter(|c| !c.is_control())
        .take(40)
        .collect::<String>();
    (plain != "NONE").then_some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const EUI: [u8; 8] = [1, 2, 3, 4, 5, 6, 7, 8];

    fn packet(kind: u8, json: &str) -> Vec<u8> {
        let mut bytes = vec![2, 0xAB, 0xCD, kind];
        bytes.extend_from_slice(&EUI);
        bytes.extend_from_slice(json.as_bytes());
        bytes
    }

    #[test]
    fn a_reception_is_read_and_answered_on_its_channel() {
        let text = r#"{"rxpk":[{"tmst":3512348611,"chan":2,"rfch":0,"freq":868.1,"stat":1,
            "modu":"LORA","datr":"SF7BW125","codr":"4/6","rssi":-35,"lsnr":-5.1,"size":3,
            "data":"AQID"}]}"#;
        let bytes = packet(PUSH_DATA, text);
        let (version, token, read) = read(&bytes).expect("a packet");
        assert_eq!((version, token), (2, 0xABCD));
        let Packet::Push { eui, json } = read else {
            panic!("{read:?}");
        };
        let heard = receptions(json).expect("JSON");
        assert_eq!(
            heard,
            [Reception {
                frequency: 868_100_000,
                spreading: 7,
                bandwidth: 125,
                signal: Signal {
                    rssi: Some(-35),
                    snr: Some(-20)
                },
                frame: vec![1, 2, 3],
            }]
        );
        let answer = transmission(2, 0x1234, heard[0].channel(eui), 14, &[9, 8]);
        assert_eq!(answer[..4], [2, 0x12, 0x34, 3]);
        let json: Value = serde_json::from_slice(&answer[4..]).expect("JSON");
        let txpk = &json["txpk"];
        assert_eq!(
            (
                &txpk["freq"],
                &txpk["datr"],
                &txpk["powe"],
                &txpk["size"],
                &txpk["data"]
            ),
            (
                &json!(868.1),
                &json!("SF7BW125"),
                &json!(14),
                &json!(2),
                &json!("CQg=")
            )
        );
    }

    #[test]
    fn what_is_no_lora_frame_is_left_out_and_the_rest_is_read() {
        let good = r#"{"freq":915.2,"modu":"LORA","datr":"SF12BW500","data":"AA=="}"#;
        let long = STANDARD.encode([0; FRAME_MAX + 1]);
        let bad = [
            good.replace("}", r#","stat":-1}"#),
            good.replace("LORA", "FSK")
                .replace("\"SF12BW500\"", "50000"),
            good.replace("AA==", "A"),
            good.replace("SF12", "SF13"),
            good.replace("BW500", "BW99999"),
            good.replace("915.2", "1e300"),
            good.replace("915.2", "-1"),
            good.replace("AA==", &long),
            "7".into(),
            "null".into(),
        ];
        let text = format!("{{\"stat\":{{}},\"rxpk\":[{},{good}]}}", bad.join(","));
        let heard = receptions(text.as_bytes()).expect("JSON");
        assert_eq!(heard.len(), 1, "{heard:?}");
        assert_eq!(
            (heard[0].frequency, heard[0].signal),
            (915_200_000, Signal::default())
        );
        assert!(receptions(b"{\"rxpk\":7}").is_err());
        assert_eq!(receptions(b"{\"stat\":{}}").expect("JSON").len(), 0);
        let many = format!("{{\"rxpk\":[{}]}}", vec![good; 1000].join(","));
        assert_eq!(
            receptions(many.as_bytes()).expect("JSON").len(),
            RECEPTIONS_MAX
        );
    }

    #[test]
    fn only_a_forwarders_packets_are_read() {
        assert_eq!(
            read(&packet(PULL_DATA, "")).map(|(.., packet)| packet),
            Some(Packet::Pull { eui: EUI })
        );
        // Another version, an answer of a server, too short.
        let mut other = packet(PUSH_DATA, "{}");
        other[0] = 3;
        assert_eq!(read(&other), None);
        assert_eq!(read(&packet(4, "")), None);
        assert_eq!(read(&packet(PULL_DATA, "")[..11]), None);
    }

    #[test]
    fn a_refused_transmission_is_named() {
        assert_eq!(rejection(b""), None);
        assert_eq!(rejection(br#"{"txpk_ack":{"error":"NONE"}}"#), None);
        assert_eq!(
            rejection(b"{\"txpk_ack\":{\"error\":\"TOO_LATE\\u001b[31m\"}}").as_deref(),
            Some("TOO_LATE[31m")
        );
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_harm(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            if let Some((_, _, Packet::Push { json, .. } | Packet::Sent { json })) = read(&bytes) {
                let _ = receptions(json);
                let _ = rejection(json);
            }
        }
    }
}
