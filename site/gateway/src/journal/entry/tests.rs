use super::write::write_peer;
use super::*;
use crate::reading::PAYLOAD_MAX;
use proptest::prelude::*;

fn peers() -> impl Strategy<Value = Peer> {
    prop_oneof![
        Just(Peer::Nowhere),
        any::<u8>().prop_map(Peer::Radio),
        any::<(std::net::Ipv4Addr, u16)>().prop_map(|a| Peer::Udp(a.into())),
        any::<(std::net::Ipv6Addr, u16)>().prop_map(|a| Peer::Udp(a.into())),
    ]
}

proptest! {
    #[test]
    fn accepted_packets_come_back(
        words: [u32; 5],
        peer in peers(),
        rssi: Option<i16>,
        payload in prop::option::of(prop::collection::vec(any::<u8>(), 0..=PAYLOAD_MAX)),
    ) {
        let [session, device, join, tag, counter] = words;
        let entry = Entry::Accepted(Accepted {
            session, device, join, tag, counter, peer, rssi, payload: payload.as_deref(),
        });
        let mut body = Vec::new();
        entry.write(&mut body);
        Entry::Closed(7).write(&mut body);
        let mut entries = Entries::new(&body);
        prop_assert_eq!(entries.next(), Some(entry));
        prop_assert_eq!(entries.next(), Some(Entry::Closed(7)));
        prop_assert_eq!(entries.next(), None);
        prop_assert!(!entries.malformed());
    }

    #[test]
    fn sessions_come_back(
        words: [u32; 7], state_byte: u8, pending: bool, peer in peers(), byte: u8,
    ) {
        let handshake = [byte; 116];
        let entry = Entry::Session(Session {
            id: words[0], row: words[1], device: words[2], join: words[3], tag: words[4],
            state: &[state_byte; STATE_BYTES], slot: words[0], below: words[5], heard: words[6],
            peer, handshake: pending.then_some(&handshake),
        });
        let mut body = Vec::new();
        entry.write(&mut body);
        Entry::Reserved { session: 1, below: 2 }.write(&mut body);
        Entry::End.write(&mut body);
        let mut entries = Entries::new(&body);
        prop_assert_eq!(entries.next(), Some(entry));
        prop_assert_eq!(entries.next(), Some(Entry::Reserved { session: 1, below: 2 }));
        prop_assert_eq!(entries.next(), Some(Entry::End));
        prop_assert_eq!(entries.next(), None);
    }

    #[test]
    fn old_keys_are_blanked_and_nothing_else(
        state: [u8; 32], peer in peers(), pending: bool, payload in prop::collection::vec(any::<u8>(), 0..20),
    ) {
        let mut old = vec![OLD_SESSION];
        old.extend([9; 20]);
        old.extend(state.iter().cycle().take(OLD_STATE_BYTES));
        old.extend([9; 8]);
        write_peer(peer, &mut old);
        old.push(if pending { PENDING } else { LIVE });
        old.extend(vec![9; if pending { size_of::<Handshake>() } else { 0 }]);
        let reading = Entry::Accepted(Accepted {
            session: 1, device: 2, join: 3, tag: 4, counter: 5, peer, rssi: None,
            payload: Some(&payload),
        });
        let mut body = Vec::new();
        reading.write(&mut body);
        let at = body.len() + OLD_STATE_AT;
        body.extend(&old);
        reading.write(&mut body);
        let before = body.clone();
        prop_assert!(blank_old_keys(&mut body));
        prop_assert!(body[at..at + OLD_STATE_BYTES].iter().all(|byte| *byte == 0));
        prop_assert_eq!(&body[..at], &before[..at]);
        prop_assert_eq!(&body[at + OLD_STATE_BYTES..], &before[at + OLD_STATE_BYTES..]);
        let told: Vec<_> = Entries::new(&body).collect();
        prop_assert_eq!(told, [reading, Entry::Old, reading]);
    }

    /// Releases up to 0.1 journaled packets of the published protocol without a session.
    #[test]
    fn unauthenticated_packets_are_read_over(peer in peers(), payload in prop::collection::vec(any::<u8>(), 0..20)) {
        let reading = Entry::Accepted(Accepted {
            session: 1, device: 2, join: 3, tag: 4, counter: 5, peer, rssi: Some(-90),
            payload: Some(&payload),
        });
        let mut body = Vec::new();
        reading.write(&mut body);
        let at = body.len();
        reading.write(&mut body);
        body[at + 1] &= !WITH_SESSION;
        reading.write(&mut body);
        let mut entries = Entries::new(&body);
        let told: Vec<_> = entries.by_ref().collect();
        prop_assert_eq!(told, [reading, Entry::Unauthenticated, reading]);
        prop_assert!(!entries.malformed());
    }

    #[test]
    fn any_bytes_end(body in prop::collection::vec(any::<u8>(), 0..300)) {
        let mut entries = Entries::new(&body);
        for _ in &mut entries {}
        prop_assert!(entries.rest.is_empty());
    }

    #[test]
    fn a_cut_entry_is_malformed(cut in 1usize..30) {
        let mut body = Vec::new();
        Entry::Accepted(Accepted {
            session: 1, device: 2, join: 3, tag: 4, counter: 5,
            peer: Peer::Radio(1), rssi: None, payload: Some(b"12345"),
        }).write(&mut body);
        body.truncate(body.len() - cut.min(body.len() - 1));
        let mut entries = Entries::new(&body);
        prop_assert_eq!(entries.next(), None);
        prop_assert!(entries.malformed());
    }
}
