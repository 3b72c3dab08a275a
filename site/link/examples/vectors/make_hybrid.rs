//! Runs hybrid pairings with fixed secrets, and records everything. The gateway is this crate. The
//! node is played here, step by step as in [docs/protocol.md, Hybrid pairing]; it knows the
//! gateway's key beforehand, because the vectors' secrets are known.

use ml_kem::array::Array;
use ml_kem::{EncapsulateDeterministic, EncodedSizeUser, KemCore, MlKem512, MlKem768};
use selo_link::for_vectors::{hash, hkdf, seal, shared_secret};
use selo_link::frame::{Frame, PairKey, PairReveal};
use selo_link::hybrid::{GatewayOpening, Stepped};
use selo_link::pair::Compared;
use selo_link::{DeviceId, EphemeralSecret, Kem, Suite};

use crate::format::*;
use crate::make::{Generator, HEADER, secret};

pub fn hybrid_file(suite: Suite) -> String {
    let file = HybridFile {
        suite: suite.name().to_owned(),
        code: suite.code(),
        pairing: Kem::ALL.map(|kem| pairing(suite, kem)).into(),
    };
    format!(
        "{HEADER}\n{}",
        toml::to_string(&file).expect("the file is made of strings")
    )
}

/// Key, ciphertext and secret of ML-KEM.
struct Encapsulated {
    key: Vec<u8>,
    ciphertext: Vec<u8>,
    secret: [u8; 32],
}

fn encapsulate<K: KemCore>(seed: &[u8; 64], m: &[u8; 32]) -> Encapsulated
where
    K::EncapsulationKey:
        EncapsulateDeterministic<Array<u8, K::CiphertextSize>, Array<u8, K::SharedKeySize>>,
{
    let part = |bytes: &[u8]| bytes.try_into().expect("32 bytes");
    let (_, key) = K::generate_deterministic(&part(&seed[..32]), &part(&seed[32..]));
    let made = key.encapsulate_deterministic(&part(m));
    let Ok((ciphertext, secret)) = made else {
        panic!("encapsulation never fails")
    };
    Encapsulated {
        key: key.as_bytes().to_vec(),
        ciphertext: ciphertext.to_vec(),
        secret: secret.as_slice().try_into().expect("32 bytes"),
    }
}

/// The node's piece of each step, empty where the gateway has one.
fn node_pieces(kem: Kem, ciphertext: &[u8]) -> Vec<&[u8]> {
    let ranks = usize::from(kem.code()) + 1;
    let (u, v) = ciphertext.split_at(320 * ranks);
    let empty: &[u8] = &[];
    let key_pieces = (384 * ranks).div_ceil(52);
    std::iter::once(empty)
        .chain(u.chunks(52))
        .chain(std::iter::repeat_n(empty, key_pieces))
        .chain(v.chunks(52))
        .collect()
}

fn pairing(suite: Suite, kem: Kem) -> HybridPairing {
    let entropy = secret(suite, &format!("entropy of {kem}"));
    let mut generator = Generator::seed(suite, &entropy);
    generator.draw("the seed that the first start stores");
    let [a, b, c, d, ..] = generator.draw("device id");
    let id = [a, b, c, d];
    let [a, b, c, d, ..] = generator.draw("mark of the pairing");
    let mark = [a, b, c, d];
    let m = generator.draw("m of the pairing");
    let mut seed = [0; 64];
    seed[..32].copy_from_slice(&secret(suite, &format!("d of {kem}")));
    seed[32..].copy_from_slice(&secret(suite, &format!("z of {kem}")));
    let encapsulated = match kem {
        Kem::MlKem512 => encapsulate::<MlKem512>(&seed, &m),
        Kem::MlKem768 => encapsulate::<MlKem768>(&seed, &m),
    };

    let open = [&[0xe0], &mark[..], &id, &[suite.code(), kem.code()]].concat();
    let Ok(Frame::PairOpen(parsed)) = Frame::parse(&open) else {
        panic!("a PAIR-OPEN")
    };
    let mut gateway = GatewayOpening::start(&parsed, &seed);
    let mut h = hash(suite, &[&[0; 32], &open]);
    h = hash(suite, &[&h, gateway.answer()]);
    let mut step = vec![HybridStep {
        pair_step: None,
        pair_piece: gateway.answer().into(),
        h: h.into(),
    }];
    for (n, piece) in (1..).zip(node_pieces(kem, &encapsulated.ciphertext)) {
        let frame = [&[0xe1], &mark[..], &[n], piece].concat();
        let Ok(Frame::PairStep(parsed)) = Frame::parse(&frame) else {
            panic!("a PAIR-STEP")
        };
        assert_eq!(gateway.step(&parsed), Ok(Stepped::On));
        if !piece.is_empty() {
            h = hash(suite, &[&h, &frame]);
        }
        step.push(HybridStep {
            pair_step: Some(frame.into()),
            pair_piece: gateway.answer().into(),
            h: h.into(),
        });
    }
    assert!(gateway.is_complete());
    let pair = second_part(
        suite,
        kem,
        &gateway,
        &mut generator,
        id,
        &h,
        &encapsulated.secret,
    );
    generator.draw("the seed that is stored with the device key");
    HybridPairing {
        kem: kem.name().to_owned(),
        randomness: Randomness {
            entropy: entropy.into(),
            draw: generator.drawn,
        },
        seed: seed.into(),
        encapsulation_key: encapsulated.key.into(),
        m: m.into(),
        ciphertext: encapsulated.ciphertext.into(),
        secret: encapsulated.secret.into(),
        pair_open: open.into(),
        step,
        pair,
    }
}

/// From PAIR-COMMIT on.
fn second_part(
    suite: Suite,
    kem: Kem,
    opening: &GatewayOpening,
    generator: &mut Generator,
    id: [u8; 4],
    h: &[u8; 32],
    ml_kem_secret: &[u8; 32],
) -> Pair {
    let node_secret = generator.draw("ephemeral secret of the pairing");
    let r = generator.draw("r of the pairing")[..16].to_vec();
    let gateway_secret = secret(suite, &format!("gateway pairs with {kem}"));
    let node_public = EphemeralSecret::new(node_secret).public_key();
    let gateway = EphemeralSecret::new(gateway_secret);
    let first = 0x10 | kem.code();
    let head = [&[first], &id[..], &[suite.code()]].concat();
    let commitment = hash(suite, &[b"Selo pair 1", &head, &node_public, &r, h]);
    let commit = [&head[..], &commitment, &h[..20]].concat();
    let key = [&[0x20], &id[..], &gateway.public_key()].concat();
    let reveal = [&[0x30], &id[..], &node_public, &r].concat();
    let transcript = hash(suite, &[&commit, &key, &reveal]);
    let shared = shared_secret(&gateway_secret, &node_public).expect("a good key");
    let secrets = [&shared[..], ml_kem_secret].concat();
    let [device_key, result_key, digest] = *hkdf(suite, &transcript, &secrets);
    let number = u32::from_le_bytes([digest[0], digest[1], digest[2], digest[3]]);
    let digits = format!("{:06}", number % 1_000_000);
    let result = |x: u8| {
        let header = [&[0x40 | x], &id[..]].concat();
        let tag = seal(suite, &result_key, x.into(), &header, &mut []);
        [&header[..], &tag].concat()
    };

    let compared = at_gateway(opening, gateway.clone(), (&commit, &key, &reveal));
    assert_eq!(compared.device_key().expose(), &device_key);
    assert_eq!(compared.digits().to_string(), digits);
    assert_eq!(compared.kem(), Some(kem));
    assert_eq!(compared.result(true)[..], result(0));
    assert_eq!(compared.result(false)[..], result(1));
    Pair {
        device: DeviceId::from_bytes(id).to_string(),
        node_secret: node_secret.into(),
        node_public: node_public.into(),
        r: r.into(),
        gateway_secret: gateway_secret.into(),
        gateway_public: gateway.public_key().into(),
        commitment: commitment.into(),
        pair_commit: commit.into(),
        pair_key: key.into(),
        pair_reveal: reveal.into(),
        transcript: transcript.into(),
        shared: (*shared).into(),
        device_key: device_key.into(),
        result_key: result_key.into(),
        digest: digest.into(),
        digits,
        pair_result_confirmed: result(0).into(),
        pair_result_rejected: result(1).into(),
    }
}

/// What this crate's gateway makes of the frames. It must answer with `key`.
fn at_gateway(
    opening: &GatewayOpening,
    secret: EphemeralSecret,
    (commit, key, reveal): (&[u8], &[u8], &[u8]),
) -> Compared {
    let Ok(Frame::HybridCommit(commit)) = Frame::parse(commit) else {
        panic!("a PAIR-COMMIT")
    };
    let (pairing, pair_key): (_, [u8; PairKey::BYTES]) =
        opening.commit(&commit, secret).expect("the check is right");
    assert_eq!(pair_key[..], *key);
    let reveal: &[u8; PairReveal::BYTES] = reveal.try_into().expect("its size");
    let Ok(Frame::PairReveal(reveal)) = Frame::parse(reveal) else {
        panic!("a PAIR-REVEAL")
    };
    pairing.reveal(&reveal).expect("it opens the commitment")
}
