//! For fuzzing: reads bytes as a head and its gateway do, and checks what came out.

use super::packets::{Packet, read, receptions, rejection, transmission};
use super::place::Place;
use crate::heads::wire::{Decoder, FRAME_MAX, Message};

/// Reads the bytes as a stream of messages and as a packet of a forwarder.
///
/// # Panics
/// If a message or a way changes when it is written and read again, or if a frame is too long.
pub fn run(bytes: &[u8]) {
    let mut decoder = Decoder::default();
    decoder.push(bytes);
    while let Ok(Some(message)) = decoder.message() {
        let mut written = Vec::new();
        message.write(&mut written);
        let mut again = Decoder::default();
        again.push(&written);
        assert_eq!(again.message(), Ok(Some(message.clone())));
        if let Message::Heard { way, frame, .. } | Message::Send { way, frame } = message {
            assert!(frame.len() <= FRAME_MAX);
            if let Some(place) = Place::of(way) {
                assert!(Place::of(place.way()).is_some());
            }
        }
    }
    match read(bytes) {
        Some((version, token, Packet::Push { eui, json })) => {
            for heard in receptions(json).unwrap_or_default() {
                let channel = heard.channel(eui);
                assert!(heard.frame.len() <= FRAME_MAX);
                let place = Place::Concentrator(channel);
                assert_eq!(Place::of(place.way()), Some(place));
                let sent = transmission(version, token, channel, 14, &heard.frame);
                assert!(serde_json::from_slice::<serde_json::Value>(&sent[4..]).is_ok());
            }
        }
        Some((_, _, Packet::Sent { json })) => {
            let _ = rejection(json);
        }
        Some((_, _, Packet::Pull { .. })) | None => {}
    }
}
