//! Tests the handshake framework with published vectors: `lab/vectors/noise/cacophony-nn.json`.

use selo_link::noise::{NNPSK0, Pattern, SymmetricState};
use selo_link::{EphemeralSecret, Suite};
use serde::Deserialize;

use crate::format::Hex;

#[derive(Deserialize)]
struct File {
    vectors: Vec<Vector>,
}

#[derive(Deserialize)]
struct Vector {
    protocol_name: String,
    init_prologue: Hex,
    resp_prologue: Hex,
    #[serde(default)]
    init_psks: Vec<Hex>,
    init_ephemeral: Hex,
    resp_ephemeral: Hex,
    handshake_hash: Hex,
    messages: Vec<Message>,
}

#[derive(Deserialize)]
struct Message {
    payload: Hex,
    ciphertext: Hex,
}

#[derive(Clone, Copy, PartialEq)]
enum Token {
    E,
    Ee,
    Psk,
}

/// The patterns of the vectors [NOISE, 7.5, 9.4]: the messages of initiator and responder.
const PATTERNS: [(Pattern, [&[Token]; 2]); 3] = {
    use Token::*;
    [
        (
            Pattern {
                name: "NN",
                psk: false,
            },
            [&[E], &[E, Ee]],
        ),
        (NNPSK0, [&[Psk, E], &[E, Ee]]),
        (
            Pattern {
                name: "NNpsk2",
                psk: true,
            },
            [&[E], &[E, Ee, Psk]],
        ),
    ]
};

#[test]
fn published_vectors() {
    let text = include_str!("../../../../lab/vectors/noise/cacophony-nn.json");
    let file: File = serde_json::from_str(text).expect("it is such a file");
    assert_eq!(file.vectors.len(), 6);
    for vector in &file.vectors {
        let (suite, (pattern, messages)) = Suite::ALL
            .into_iter()
            .flat_map(|suite| PATTERNS.map(|pattern| (suite, pattern)))
            .find(|(suite, (pattern, _))| pattern.protocol_name(*suite) == vector.protocol_name)
            .unwrap_or_else(|| panic!("{} is not spoken", vector.protocol_name));
        run(suite, pattern, messages, vector);
    }
}

fn run(suite: Suite, pattern: Pattern, messages: [&[Token]; 2], vector: &Vector) {
    let secrets = [&vector.init_ephemeral, &vector.resp_ephemeral]
        .map(|secret| EphemeralSecret::new(array(secret)));
    let public = [secrets[0].public_key(), secrets[1].public_key()];
    let mut sides = [&vector.init_prologue, &vector.resp_prologue]
        .map(|prologue| SymmetricState::new(suite, pattern, &prologue.0));

    for (turn, (tokens, message)) in messages.iter().zip(&vector.messages).enumerate() {
        let (writer, reader) = (turn, 1 - turn);
        let mut e: &[u8] = &[];
        for token in *tokens {
            if *token == Token::E {
                e = &public[writer];
            }
            for (side, state) in sides.iter_mut().enumerate() {
                match token {
                    Token::Psk => state.token_psk(&array(&vector.init_psks[0])),
                    Token::E => state.token_e(&public[writer]),
                    Token::Ee => state.token_ee(&ee(&secrets[side], &public[1 - side])),
                }
            }
        }
        let mut text = message.payload.0.clone();
        let tag = sides[writer].encrypt_and_hash(&mut text);
        let tag: &[u8] = tag.as_ref().map_or(&[], |tag| tag);
        assert_eq!(
            [e, &text, tag].concat(),
            message.ciphertext.0,
            "{}",
            vector.protocol_name
        );
        sides[reader]
            .decrypt_and_hash(&mut text, tag)
            .expect("it is genuine");
        assert_eq!(text, message.payload.0);
    }
    assert_eq!(sides[0].hash()[..], vector.handshake_hash.0);
    assert_eq!(sides[1].hash()[..], vector.handshake_hash.0);

    let [mut sending, mut opening] = sides.map(|state| state.split());
    for (turn, message) in vector.messages[2..].iter().enumerate() {
        let mut text = message.payload.0.clone();
        let tag = sending[turn % 2].seal(&[], &mut text);
        assert_eq!(
            [&text[..], &tag].concat(),
            message.ciphertext.0,
            "{}",
            vector.protocol_name
        );
        opening[turn % 2]
            .open(&[], &mut text, &tag)
            .expect("it is genuine");
        assert_eq!(text, message.payload.0);
    }
}

fn ee(secret: &EphemeralSecret, public: &[u8; 32]) -> [u8; 32] {
    *secret.shared_secret(public).expect("a good key")
}

fn array<const N: usize>(hex: &Hex) -> [u8; N] {
    hex.0[..].try_into().expect("of that size")
}
