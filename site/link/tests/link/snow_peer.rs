//! Joins with `snow` as the peer. It supports two of the suites; the tests supply hash and
//! cipher for the others.

use selo_link::join::{JoinAttempt, JoinOpened, SessionKeys};
use selo_link::session::SessionId;
use selo_link::{Suite, for_vectors};
use sha2::Digest;
use snow::params::{CipherChoice, DHChoice, HashChoice, NoiseParams};
use snow::resolvers::{BoxedCryptoResolver, CryptoResolver, DefaultResolver};
use snow::types::{Cipher, Dh, Hash, Random};
use snow::{Builder, TransportState};

use crate::play::{self, DEVICE, GATEWAY_SECRET, NODE_SECRET};

/// Size of the frame header before the Noise message, bytes.
const HEADER: usize = 5;
const SESSION: u32 = 0x0102_0304;

#[test]
fn snow_answers_a_node() {
    for suite in Suite::ALL {
        let (key, prologue) = (play::device_key(), prologue());
        let (mut attempt, request) = JoinAttempt::start(suite, DEVICE, &key, 7, true, &NODE_SECRET);
        let mut snow = builder(suite)
            .psk(0, key.expose())
            .and_then(|builder| builder.prologue(&prologue))
            .and_then(Builder::build_responder)
            .expect("snow knows the pattern");
        let mut payload = [0; 5];
        snow.read_message(&request[HEADER..], &mut payload)
            .expect("it is genuine");
        assert_eq!(payload, [7, 0, 0, 0, 1]);

        let hash = snow.get_handshake_hash().to_vec();
        let mut message = [0; 53];
        let answer = [&SESSION.to_le_bytes()[..], &[0]].concat();
        snow.write_message(&answer, &mut message).expect("it fits");
        let check = &for_vectors::hash(suite, &[&hash, &message[..32]])[..4];
        let accept = [&[0x60], check, &message].concat();
        let keys = attempt
            .finish(&play::join_accept(&accept))
            .expect("it is genuine");
        assert_eq!((keys.session, keys.long_tags), (SessionId(SESSION), false));
        let mut snow = snow.into_transport_mode().expect("the handshake is over");
        hears(&mut snow, suite, &keys.up);
        says(&mut snow, suite, &keys.down);
    }
}

#[test]
fn snow_joins_a_gateway() {
    for suite in Suite::ALL {
        let (key, prologue) = (play::device_key(), prologue());
        let mut snow = builder(suite)
            .psk(0, key.expose())
            .and_then(|builder| builder.prologue(&prologue))
            .and_then(Builder::build_initiator)
            .expect("snow knows the pattern");
        let mut message = [0; 53];
        snow.write_message(&[9, 0, 0, 0, 0], &mut message)
            .expect("it fits");
        let request = [&[0x50], &DEVICE.to_bytes()[..], &message].concat();
        let opened =
            JoinOpened::open(suite, &key, &play::join_request(&request)).expect("it is genuine");
        assert_eq!((opened.counter(), opened.wishes_long_tags()), (9, false));
        let (accept, keys): (_, SessionKeys) = opened
            .accept(&GATEWAY_SECRET, SessionId(SESSION), true)
            .expect("a good key");

        let mut payload = [0; 5];
        snow.read_message(&accept[HEADER..], &mut payload)
            .expect("it is genuine");
        assert_eq!(payload[..], [&SESSION.to_le_bytes()[..], &[1]].concat());
        let mut snow = snow.into_transport_mode().expect("the handshake is over");
        says(&mut snow, suite, &keys.up);
        hears(&mut snow, suite, &keys.down);
    }
}

fn prologue() -> Vec<u8> {
    [b"Selo link 1\x50", &DEVICE.to_bytes()[..]].concat()
}

/// Checks that the session key seals snow's next message.
fn says(snow: &mut TransportState, suite: Suite, key: &[u8; 32]) {
    let mut message = [0; 21];
    snow.write_message(b"hello", &mut message).expect("it fits");
    let mut text = *b"hello";
    let tag = for_vectors::seal(suite, key, 0, &[], &mut text);
    assert_eq!(message[..], [&text[..], &tag].concat(), "{suite}");
}

fn hears(snow: &mut TransportState, suite: Suite, key: &[u8; 32]) {
    let mut text = *b"hello";
    let tag = for_vectors::seal(suite, key, 0, &[], &mut text);
    let mut payload = [0; 5];
    snow.read_message(&[&text[..], &tag].concat(), &mut payload)
        .expect("it is genuine");
    assert_eq!(&payload, b"hello", "{suite}");
}

fn builder(suite: Suite) -> Builder<'static> {
    let published = match suite {
        Suite::ChaChaPolyBlake2s => "Noise_NNpsk0_25519_ChaChaPoly_BLAKE2s",
        _ => "Noise_NNpsk0_25519_AESGCM_SHA256",
    };
    let mut parameters: NoiseParams = published.parse().expect("snow knows these");
    parameters.name = suite.noise_name();
    Builder::with_resolver(parameters, Lender(suite).into_boxed())
}

/// Uses snow's own functions, except where the suite needs others.
struct Lender(Suite);

impl Lender {
    fn into_boxed(self) -> BoxedCryptoResolver {
        Box::new(self)
    }
}

impl CryptoResolver for Lender {
    fn resolve_rng(&self) -> Option<Box<dyn Random>> {
        DefaultResolver.resolve_rng()
    }

    fn resolve_dh(&self, choice: &DHChoice) -> Option<Box<dyn Dh>> {
        DefaultResolver.resolve_dh(choice)
    }

    fn resolve_hash(&self, choice: &HashChoice) -> Option<Box<dyn Hash>> {
        match self.0 {
            Suite::AesGcmSha3 => Some(Box::new(Lent::<sha3::Sha3_256, 136>::default())),
            Suite::Ascon => Some(Box::new(Lent::<ascon_hash256::AsconHash256, 32>::default())),
            _ => DefaultResolver.resolve_hash(choice),
        }
    }

    fn resolve_cipher(&self, choice: &CipherChoice) -> Option<Box<dyn Cipher>> {
        match self.0 {
            Suite::Ascon => Some(Box::new(LentAscon::default())),
            _ => DefaultResolver.resolve_cipher(choice),
        }
    }
}

/// A hash function with a block of `BLOCK` bytes, too long for snow's own HMAC.
#[derive(Default)]
struct Lent<H, const BLOCK: usize>(H);

impl<H: Digest + Default + Send + Sync, const BLOCK: usize> Hash for Lent<H, BLOCK> {
    fn name(&self) -> &'static str {
        "lent"
    }

    fn block_len(&self) -> usize {
        BLOCK
    }

    fn hash_len(&self) -> usize {
        32
    }

    fn reset(&mut self) {
        self.0 = H::default();
    }

    fn input(&mut self, data: &[u8]) {
        self.0.update(data);
    }

    fn result(&mut self, out: &mut [u8]) {
        out[..32].copy_from_slice(&std::mem::take(&mut self.0).finalize());
    }

    fn hmac(&mut self, key: &[u8], data: &[u8], out: &mut [u8]) {
        let pad = |with: u8| {
            let mut block = [with; BLOCK];
            block
                .iter_mut()
                .zip(key)
                .for_each(|(block, key)| *block ^= key);
            block
        };
        let inner = H::new()
            .chain_update(pad(0x36))
            .chain_update(data)
            .finalize();
        let outer = H::new()
            .chain_update(pad(0x5c))
            .chain_update(inner)
            .finalize();
        out[..32].copy_from_slice(&outer);
    }
}

/// Ascon-AEAD128 with nonce masking and a 32-byte key [docs/protocol.md, Suites].
#[derive(Default)]
struct LentAscon {
    key: [u8; 16],
    mask: [u8; 16],
}

impl LentAscon {
    fn cipher(&self) -> ascon_aead::AsconAead128 {
        use ascon_aead::aead::KeyInit;
        ascon_aead::AsconAead128::new(&self.key.into())
    }

    fn nonce(&self, n: u64) -> [u8; 16] {
        (u128::from_le_bytes(self.mask) ^ u128::from(n)).to_le_bytes()
    }
}

impl Cipher for LentAscon {
    fn name(&self) -> &'static str {
        "lent"
    }

    fn set(&mut self, key: &[u8; 32]) {
        self.key.copy_from_slice(&key[..16]);
        self.mask.copy_from_slice(&key[16..]);
    }

    fn encrypt(&self, n: u64, ad: &[u8], plaintext: &[u8], out: &mut [u8]) -> usize {
        use ascon_aead::aead::{Aead, Payload};
        let payload = Payload {
            msg: plaintext,
            aad: ad,
        };
        let sealed = self
            .cipher()
            .encrypt(&self.nonce(n).into(), payload)
            .expect("it is short");
        out[..sealed.len()].copy_from_slice(&sealed);
        sealed.len()
    }

    fn decrypt(
        &self,
        n: u64,
        ad: &[u8],
        ciphertext: &[u8],
        out: &mut [u8],
    ) -> Result<usize, snow::Error> {
        use ascon_aead::aead::{Aead, Payload};
        let payload = Payload {
            msg: ciphertext,
            aad: ad,
        };
        let opened = self
            .cipher()
            .decrypt(&self.nonce(n).into(), payload)
            .map_err(|_| snow::Error::Decrypt)?;
        out[..opened.len()].copy_from_slice(&opened);
        Ok(opened.len())
    }
}
