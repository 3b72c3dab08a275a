//! The parser accepts exactly the frames of [docs/protocol.md, Words and bytes].

use proptest::collection::vec;
use proptest::prelude::*;
use selo_link::frame::{
    Cookie, CookieEcho, Direction, Flags, Frame, HybridCommit, JoinAccept, JoinRequest, Malformed,
    PairCommit, PairKey, PairOpen, PairPiece, PairResult, PairReveal, PairStep, encode_hint,
};
use selo_link::session::SessionId;
use selo_link::{DeviceId, FRAME_MAX, Kem, Suite};

/// The protocol's table, repeated: true if a frame can begin with this byte and have this size.
fn is_of_the_page(first: u8, bytes: usize) -> bool {
    let wide = usize::from(first & 1);
    let (long_tag, ack) = (usize::from(first >> 1 & 1), usize::from(first >> 3 & 1));
    match first {
        0x10 => bytes == 38,
        0x11 | 0x12 => bytes == 58,
        0xe0 => bytes == 11,
        0xe1 | 0xe2 => (6..=58).contains(&bytes),
        0x20 => bytes == 37,
        0x30 => bytes == 53,
        0x40 | 0x41 => bytes == 21,
        0x50 | 0x60 => bytes == 58,
        0x70..=0x8f => (13 + 2 * wide + 8 * long_tag + 2 * ack..=58).contains(&bytes),
        0xd0..=0xdf => (17 + 2 * wide + 8 * long_tag + 2 * ack..=58).contains(&bytes),
        0x90 => bytes == 3,
        0x91 => bytes == 5,
        0xa0 | 0xb0 => bytes == 13,
        0xc0 => bytes == 1,
        0xc1 | 0xc2 => bytes == 33,
        0xc3 => matches!(bytes, 17 | 33 | 49),
        _ => false,
    }
}

#[test]
fn every_first_byte_and_size() {
    for first in 0..=255 {
        for bytes in 1..=70 {
            let mut packet = vec![1; bytes]; // suite 1, session 0x01010101
            packet[0] = first;
            let parsed = Frame::parse(&packet);
            assert_eq!(
                parsed.is_ok(),
                is_of_the_page(first, bytes),
                "{first:02x}, {bytes} bytes"
            );
        }
    }
    assert_eq!(Frame::parse(&[]), Err(Malformed::Empty));
}

#[test]
fn wide_ids_that_are_not_wide_and_unknown_suites() {
    let mut packet = [0; 30];
    for first in [0x71, 0x81, 0xd1] {
        packet[..5].copy_from_slice(&[first, 0xff, 0xff, 0, 0]);
        let session = SessionId(0xffff);
        assert_eq!(Frame::parse(&packet), Err(Malformed::NotWide { session }));
        packet[..5].copy_from_slice(&[first, 0, 0, 1, 0]);
        assert!(Frame::parse(&packet).is_ok());
    }
    let hint = [0x91, 0xff, 0xff, 0, 0];
    assert_eq!(
        Frame::parse(&hint),
        Err(Malformed::NotWide {
            session: SessionId(0xffff)
        })
    );

    for code in 0..=255 {
        let mut commit = PairCommit::encode(DeviceId(7), Suite::Ascon, &[9; 32]);
        commit[5] = code;
        assert_eq!(Frame::parse(&commit).is_ok(), (1..=4).contains(&code));
        let mut open = PairOpen::encode([1; 4], DeviceId(7), Suite::Ascon, Kem::MlKem512);
        open[10] = code;
        assert_eq!(Frame::parse(&open).is_ok(), (1..=2).contains(&code));
    }
}

#[test]
fn the_longest_payloads() {
    let flags = |bits| Flags::from_bits(bits).payload_max();
    assert_eq!([flags(0), flags(8), flags(3), flags(11)], [45, 43, 35, 33]);
}

/// Encodes the parsed frame again.
fn encode(frame: &Frame<'_>) -> Vec<u8> {
    match *frame {
        Frame::PairCommit(PairCommit {
            device,
            suite,
            commitment,
            ..
        }) => PairCommit::encode(device, suite, commitment).to_vec(),
        Frame::HybridCommit(HybridCommit {
            kem,
            device,
            suite,
            commitment,
            check,
            ..
        }) => HybridCommit::encode(kem, device, suite, commitment, check).to_vec(),
        Frame::PairOpen(PairOpen {
            mark,
            device,
            suite,
            kem,
            ..
        }) => PairOpen::encode(mark, device, suite, kem).to_vec(),
        Frame::PairStep(PairStep(it)) => PairStep::encode(it.mark, it.step, it.piece),
        Frame::PairPiece(PairPiece(it)) => PairPiece::encode(it.mark, it.step, it.piece),
        Frame::PairKey(PairKey {
            device, ephemeral, ..
        }) => PairKey::encode(device, ephemeral).to_vec(),
        Frame::PairReveal(PairReveal {
            device,
            ephemeral,
            r,
            ..
        }) => PairReveal::encode(device, ephemeral, r).to_vec(),
        Frame::PairResult(PairResult {
            device,
            confirmed,
            tag,
            ..
        }) => PairResult::encode(device, confirmed, tag).to_vec(),
        Frame::JoinRequest(JoinRequest {
            device,
            ephemeral,
            sealed,
            ..
        }) => JoinRequest::encode(device, ephemeral, sealed).to_vec(),
        Frame::JoinAccept(JoinAccept {
            check,
            ephemeral,
            sealed,
        }) => JoinAccept::encode(check, ephemeral, sealed).to_vec(),
        Frame::Up(data) | Frame::Down(data) => {
            let first = match (data.direction, data.start) {
                (Direction::Up, _) => 0x70,
                (Direction::Down, None) => 0x80,
                (Direction::Down, Some(_)) => 0xd0,
            };
            let id = data.session.0.to_le_bytes();
            let header = [
                &[first | data.flags.bits()][..],
                &id[..if data.flags.wide { 4 } else { 2 }],
                data.start.map_or(&[][..], |start| &start[..]),
                &data.counter.to_le_bytes(),
            ]
            .concat();
            assert_eq!(header, data.header);
            [data.header, data.ciphertext, data.tag].concat()
        }
        Frame::Hint(session) => encode_hint(session, &mut [0; 5]).to_vec(),
        Frame::Cookie(Cookie { mark, cookie }) => Cookie::encode(mark, cookie).to_vec(),
        Frame::CookieEcho(CookieEcho { device, cookie }) => {
            CookieEcho::encode(device, cookie).to_vec()
        }
        Frame::Classic(bytes) => bytes.to_vec(),
    }
}

fn packets() -> impl Strategy<Value = Vec<u8>> {
    let firsts = [
        0x10, 0x20, 0x30, 0x40, 0x50, 0x60, 0x70, 0x80, 0x90, 0xa0, 0xb0, 0xc0, 0xd0, 0xe0,
    ];
    let sizes = [1, 3, 5, 6, 11, 13, 17, 21, 33, 37, 38, 49, 53, 58];
    let likely = (
        proptest::sample::select(firsts.to_vec()),
        0..16u8,
        prop_oneof![proptest::sample::select(sizes.to_vec()), 0..64usize],
        vec(any::<u8>(), 64),
    )
        .prop_map(|(first, flags, bytes, mut packet)| {
            packet[0] = first | flags;
            packet[5] %= 6;
            packet.truncate(bytes);
            packet
        });
    prop_oneof![likely, vec(any::<u8>(), 0..80)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn what_is_parsed_is_what_was_sent(packet in packets()) {
        if let Ok(frame) = Frame::parse(&packet) {
            prop_assert!(packet.len() <= FRAME_MAX);
            prop_assert_eq!(encode(&frame), packet);
        }
    }
}
