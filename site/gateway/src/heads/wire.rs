//! The messages between a radio head and a gateway [docs/operator/heads.md, Messages]. They travel inside
//! TLS 1.3, and both ends treat the other's bytes as those of a stranger.
//!
//! A message is the length of the rest (2 bytes), its kind (1) and a body. Numbers are big-endian.
//!
//! | kind | from | body |
//! |---|---|---|
//! | 0 HELLO | both, first | version (1), number of the head (2; 0 from the head) |
//! | 1 HEARD | head | way (1 + n), RSSI in dBm (2), SNR in quarters of a decibel (1), age in ms (2), frame |
//! | 2 SEND | gateway | way (1 + n), frame |
//! | 3 ALIVE | both | nothing |
//!
//! Messages of an unknown kind are ignored, so that a later version can add some.

use thiserror::Error;

use super::way::{WAY_MAX, Way};

/// The version of these messages. Each end speaks the lower one of both.
pub const VERSION: u8 = 1;

/// Maximum bytes of a frame. The link's frames are shorter; the engine refuses what is none.
pub const FRAME_MAX: usize = 255;

/// Maximum bytes after the length: kind, way, signal and age, frame.
const REST_MAX: usize = 1 + (1 + WAY_MAX) + 5 + FRAME_MAX;

const HELLO: u8 = 0;
const HEARD: u8 = 1;
const SEND: u8 = 2;
const ALIVE: u8 = 3;

/// The value of an RSSI and an SNR that the carrier does not report.
const NO_RSSI: i16 = i16::MIN;
const NO_SNR: i8 = i8::MIN;

/// How well a frame was heard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Signal {
    /// dBm.
    pub rssi: Option<i16>,
    /// Quarters of a decibel.
    pub snr: Option<i8>,
}

impl Signal {
    /// Strength of the packet in quarters of a dBm, to compare heads by. Below the noise, the RSSI is
    /// that of the noise, and the SNR says how far below it the packet was. A head that knows no RSSI
    /// is the weakest.
    pub fn strength(self) -> i32 {
        match self.rssi {
            None => i32::MIN,
            Some(rssi) => 4 * i32::from(rssi) + i32::from(self.snr.unwrap_or(0).min(0)),
        }
    }
}

/// A message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Message {
    Hello {
        version: u8,
        head: u16,
    },
    /// A frame that the head heard.
    Heard {
        /// Where an answer goes; the head's own words.
        way: Way,
        signal: Signal,
        /// Time that the frame waited at the head, milliseconds.
        age_ms: u16,
        frame: Vec<u8>,
    },
    /// A frame to send.
    Send {
        way: Way,
        frame: Vec<u8>,
    },
    Alive,
}

/// The other end does not follow the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the other end sent a message that is none")]
pub struct Malformed;

impl Message {
    /// Appends the message. A frame longer than [`FRAME_MAX`] is cut: nobody would accept it.
    pub fn write(&self, out: &mut Vec<u8>) {
        let begin = out.len();
        out.extend_from_slice(&[0, 0]);
        match self {
            Message::Hello { version, head } => {
                out.extend_from_slice(&[HELLO, *version]);
                out.extend_from_slice(&head.to_be_bytes());
            }
            Message::Heard {
                way,
                signal,
                age_ms,
                frame,
            } => {
                out.push(HEARD);
                way.write(out);
                out.extend_from_slice(&signal.rssi.unwrap_or(NO_RSSI).to_be_bytes());
                out.extend_from_slice(&signal.snr.unwrap_or(NO_SNR).to_be_bytes());
                out.extend_from_slice(&age_ms.to_be_bytes());
                out.extend_from_slice(&frame[..frame.len().min(FRAME_MAX)]);
            }
            Message::Send { way, frame } => {
                out.push(SEND);
                way.write(out);
                out.extend_from_slice(&frame[..frame.len().min(FRAME_MAX)]);
            }
            Message::Alive => out.push(ALIVE),
        }
        let rest = (out.len() - begin - 2) as u16;
        out[begin..begin + 2].copy_from_slice(&rest.to_be_bytes());
    }

    /// Reads what follows the length. `None`: a kind of a later version.
    fn read(rest: &[u8]) -> Result<Option<Message>, Malformed> {
        let (kind, body) = rest.split_first().ok_or(Malformed)?;
        Ok(Some(match *kind {
            HELLO => match *body {
                // A later version may say more.
                [version, high, low, ..] if version > 0 => Message::Hello {
                    version,
                    head: u16::from_be_bytes([high, low]),
                },
                _ => return Err(Malformed),
            },
            HEARD => {
                let (way, body) = Way::read(body).ok_or(Malformed)?;
                let [r1, r2, snr, a1, a2, frame @ ..] = body else {
                    return Err(Malformed);
                };
                let rssi = i16::from_be_bytes([*r1, *r2]);
                let snr = i8::from_be_bytes([*snr]);
                Message::Heard {
                    way,
                    signal: Signal {
                        rssi: (rssi != NO_RSSI).then_some(rssi),
                        snr: (snr != NO_SNR).then_some(snr),
                    },
                    age_ms: u16::from_be_bytes([*a1, *a2]),
                    frame: short(frame)?,
                }
            }
            SEND => {
                let (way, frame) = Way::read(body).ok_or(Malformed)?;
                Message::Send {
                    way,
                    frame: short(frame)?,
                }
            }
            ALIVE => Message::Alive,
            _ => return Ok(None),
        }))
    }
}

fn short(frame: &[u8]) -> Result<Vec<u8>, Malformed> {
    match frame.len() {
        0..=FRAME_MAX => Ok(frame.to_vec()),
        _ => Err(Malformed),
    }
}

/// Messages out of a stream of bytes.
#[derive(Debug, Default)]
pub struct Decoder {
    bytes: Vec<u8>,
    /// Bytes that were read already.
    done: usize,
}

impl Decoder {
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.drain(..self.done);
        self.done = 0;
        self.bytes.extend_from_slice(bytes);
    }

    /// The next whole message.
    ///
    /// # Errors
    /// [`Malformed`] if the bytes are no messages. Nothing after them can be read.
    pub fn message(&mut self) -> Result<Option<Message>, Malformed> {
        loop {
            let [high, low, rest @ ..] = &self.bytes[self.done..] else {
                return Ok(None);
            };
            let size = usize::from(u16::from_be_bytes([*high, *low]));
            if size > REST_MAX {
                return Err(Malformed);
            }
            let Some(rest) = rest.get(..size) else {
                return Ok(None);
            };
            let message = Message::read(rest)?;
            self.done += 2 + size;
            if message.is_some() {
                return Ok(message);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_message() -> impl Strategy<Value = Message> {
        let way = || {
            proptest::collection::vec(any::<u8>(), 0..=WAY_MAX)
                .prop_map(|bytes| Way::new(&bytes).expect("short"))
        };
        let frame = || proptest::collection::vec(any::<u8>(), 0..=FRAME_MAX);
        let signal = (any::<Option<i16>>(), any::<Option<i8>>()).prop_map(|(rssi, snr)| Signal {
            rssi: rssi.filter(|rssi| *rssi != NO_RSSI),
            snr: snr.filter(|snr| *snr != NO_SNR),
        });
        prop_oneof![
            (1u8.., any::<u16>()).prop_map(|(version, head)| Message::Hello { version, head }),
            (way(), signal, any::<u16>(), frame()).prop_map(|(way, signal, age_ms, frame)| {
                Message::Heard {
                    way,
                    signal,
                    age_ms,
                    frame,
                }
            }),
            (way(), frame()).prop_map(|(way, frame)| Message::Send { way, frame }),
            Just(Message::Alive),
        ]
    }

    proptest! {
        #[test]
        fn messages_come_out_as_they_went_in(
            messages in proptest::collection::vec(any_message(), 0..5),
            part in 1usize..40,
        ) {
            let mut bytes = Vec::new();
            for message in &messages {
                message.write(&mut bytes);
            }
            let (mut decoder, mut read) = (Decoder::default(), Vec::new());
            for part in bytes.chunks(part) {
                decoder.push(part);
                while let Some(message) = decoder.message().expect("well formed") {
                    read.push(message);
                }
            }
            prop_assert_eq!(read, messages);
        }

        #[test]
        fn any_bytes_end_in_messages_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
            let mut decoder = Decoder::default();
            decoder.push(&bytes);
            while let Ok(Some(_)) = decoder.message() {}
        }
    }

    #[test]
    fn a_message_is_pinned_byte_by_byte() {
        let mut bytes = Vec::new();
        Message::Heard {
            way: Way::new(&[3, 7]).expect("short"),
            signal: Signal {
                rssi: Some(-120),
                snr: Some(-30),
            },
            age_ms: 258,
            frame: vec![0xAB],
        }
        .write(&mut bytes);
        assert_eq!(bytes, [0, 10, 1, 2, 3, 7, 0xFF, 0x88, 0xE2, 1, 2, 0xAB]);
    }

    #[test]
    fn what_is_no_message_ends_the_connection() {
        for bytes in [
            &[0, 0][..],         // no kind
            &[1, 200, 1],        // too long
            &[0, 4, 0, 0, 0, 1], // version 0
            &[0, 3, 0, 1, 0],    // HELLO without a whole number
            &[0, 3, 1, 40, 1],   // a way longer than the message
            &[
                0, 22, 2, 20, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20,
            ],
            &[0, 6, 1, 0, 0, 0, 0, 0], // HEARD without a whole age
        ] {
            let mut decoder = Decoder::default();
            decoder.push(bytes);
            assert_eq!(decoder.message(), Err(Malformed), "{bytes:?}");
        }
    }

    #[test]
    fn a_later_version_may_say_more() {
        let mut decoder = Decoder::default();
        // An unknown kind, then a HELLO with one more byte.
        decoder.push(&[0, 3, 9, 1, 2, 0, 5, 0, 2, 0, 7, 99]);
        assert_eq!(
            decoder.message(),
            Ok(Some(Message::Hello {
                version: 2,
                head: 7
            }))
        );
        assert_eq!(decoder.message(), Ok(None));
    }

    #[test]
    fn a_packet_below_the_noise_is_weaker_than_its_rssi() {
        let of = |rssi, snr| Signal { rssi, snr }.strength();
        assert!(of(Some(-110), Some(20)) > of(Some(-110), Some(-20)));
        assert!(of(Some(-110), Some(-20)) > of(Some(-120), Some(40)));
        assert_eq!(of(Some(-110), None), of(Some(-110), Some(0)));
        assert!(of(None, Some(40)) < of(Some(-200), Some(-100)));
    }
}
