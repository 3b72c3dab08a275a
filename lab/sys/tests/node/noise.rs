//! Joins with a gateway that uses the crate snow for Noise. snow supports suites 2 and 3.

use aes_gcm::Aes256Gcm;
use aes_gcm::aead::{Aead, KeyInit, Payload};
use blake2::Digest;
use chacha20poly1305::ChaCha20Poly1305;
use selo_sys::node::{Event, Suite};

use crate::device::{Device, events};

const KEY: [u8; 32] = *b"a device key that both have.....";
const ID: u32 = 0x5e10_a7c3;
const SESSION: u32 = 0x0001_2345;

/// SEAL with 16-byte tags.
fn seal(suite: Suite, key: &[u8; 32], n: u64, ad: &[u8], plaintext: &[u8]) -> Vec<u8> {
    let payload = Payload {
        msg: plaintext,
        aad: ad,
    };
    let mut nonce = [0; 12];
    match suite {
        Suite::ChaChaPolyBlake2s => {
            nonce[4..].copy_from_slice(&n.to_le_bytes());
            ChaCha20Poly1305::new(key.into()).encrypt(&nonce.into(), payload)
        }
        _ => {
            nonce[4..].copy_from_slice(&n.to_be_bytes());
            Aes256Gcm::new(key.into()).encrypt(&nonce.into(), payload)
        }
    }
    .expect("short messages can be sealed")
}

fn join<D: Digest>(suite: Suite, name: &str) {
    let device = Device::new([7; 32]);
    let mut node = device.node(suite);
    node.begin().expect("the device works");
    node.provision(ID, &KEY).expect("the device works");

    for counter in 1..=3_u32 {
        node.join().expect("there is a key");
        let request = device.last();
        let prologue = [b"Selo link 1".as_slice(), &[0x50], &ID.to_le_bytes()].concat();
        assert_eq!(request[..5], prologue[11..]);
        let mut gateway = snow::Builder::new(name.parse().expect("a name that snow knows"))
            .prologue(&prologue)
            .and_then(|builder| builder.psk(0, &KEY))
            .and_then(snow::Builder::build_responder)
            .expect("snow takes a psk and a prologue");
        let mut buffer = [0; 64];
        let size = gateway
            .read_message(&request[5..], &mut buffer)
            .expect("the request is a first message");
        assert_eq!(buffer[..size], [&counter.to_le_bytes()[..], &[0]].concat());
        let payload = [&SESSION.to_le_bytes()[..], &[1]].concat();
        let size = gateway
            .write_message(&payload, &mut buffer)
            .expect("snow answers");
        let check = check::<D>(name, &prologue, &request, &buffer[..32]);
        let accept = [&[0x60], &check[..], &buffer[..size]].concat();
        assert_eq!(device.give(&mut node, &accept), [Event::Joined]);

        let (up, down) = gateway.dangerously_get_raw_split();
        for n in 0..3_u16 {
            node.send(b"23.5 C", false).expect("there is a session");
            let header = [&[0x73], &SESSION.to_le_bytes()[..], &n.to_le_bytes()].concat();
            let want = seal(suite, &up, n.into(), &header, b"23.5 C");
            assert_eq!(device.last(), [&header[..], &want].concat());

            let header = [&[0x83], &SESSION.to_le_bytes()[..], &n.to_le_bytes()].concat();
            let sealed = seal(suite, &down, n.into(), &header, b"on");
            assert_eq!(
                device.give(&mut node, &[&header[..], &sealed].concat()),
                [Event::Received(b"on".to_vec())]
            );
        }
    }

    // From here on, nobody answers.
    node.send(b"confirm this", true)
        .expect("there is a session");
    let mut said = Vec::new();
    // The waits are at most 3.02, 6.04, 12.08 and 24.16 s, depending on the frame's tag. Each
    // ends at a poll, so there are up to 4 + 7 + 13 + 25 polls.
    for _ in 0..49 {
        device.state().now += 1000;
        said.extend(events(&mut node));
    }
    assert_eq!(said, [Event::Undelivered]);
    while said.len() == 1 {
        node.send(b"23.5 C", false).expect("there is a session");
        said.extend(events(&mut node));
    }
    assert_eq!(said[1], Event::Lost);
    assert_eq!(device.last()[0], 0x50);
}

/// HMAC with a short key, over a hash with blocks of 64 bytes.
fn hmac<D: Digest>(key: &[u8], message: &[u8]) -> Vec<u8> {
    let pad = |with: u8| -> Vec<u8> { (0..64).map(|i| key.get(i).unwrap_or(&0) ^ with).collect() };
    let inner = D::digest([pad(0x36), message.to_vec()].concat());
    D::digest([pad(0x5c), inner.to_vec()].concat()).to_vec()
}

/// The check: the first bytes of h after the gateway's e. snow does not expose h.
fn check<D: Digest>(name: &str, prologue: &[u8], request: &[u8], e: &[u8]) -> [u8; 4] {
    let mix = |h: Vec<u8>, data: &[u8]| D::digest([&h, data].concat()).to_vec();
    let ck = if name.len() > 32 {
        D::digest(name).to_vec()
    } else {
        [name.as_bytes(), &vec![0; 32 - name.len()]].concat()
    };
    let h = mix(ck.clone(), prologue);
    let key = hmac::<D>(&ck, &KEY);
    let first = hmac::<D>(&key, &[1]);
    let h = mix(h, &hmac::<D>(&key, &[&first[..], &[2]].concat()));
    let h = mix(h, &request[5..37]);
    let h = mix(h, &request[37..]);
    let h = mix(h, e);
    [h[0], h[1], h[2], h[3]]
}

#[test]
fn the_node_is_an_initiator_of_noise() {
    join::<blake2::Blake2s256>(
        Suite::ChaChaPolyBlake2s,
        "Noise_NNpsk0_25519_ChaChaPoly_BLAKE2s",
    );
    join::<sha2::Sha256>(Suite::AesGcmSha256, "Noise_NNpsk0_25519_AESGCM_SHA256");
}
