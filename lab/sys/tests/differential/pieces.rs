//! Authenticated encryption in pieces: any division gives what sealing and opening the whole message
//! gives, by typed keys and with an algorithm chosen at run time, and the published vectors hold.

use proptest::prelude::*;
use selo_sys::{
    Aead, AeadKey, AeadOpening, AeadSealing, Aes128Fast, Aes192Fast, Aes256Fast, AsconAead128Key,
    AsconAead128Opening, AsconAead128Sealing, CcmOpening, CcmSealing, ChaCha20Poly1305Key,
    ChaCha20Poly1305Opening, ChaCha20Poly1305Sealing, Encrypt, Error, GcmOpening, GcmSealing,
};
use serde::Deserialize;

use crate::harness::check;

/// The message and the places where it is cut.
#[derive(Clone, Debug)]
struct Message {
    nonce: Vec<u8>,
    ad: Vec<u8>,
    text: Vec<u8>,
    cuts: Vec<usize>,
}

impl Message {
    /// The pieces of a text of the same size, some of them empty.
    fn pieces<'t>(&self, text: &'t mut [u8]) -> Vec<&'t mut [u8]> {
        let mut cuts: Vec<usize> = self.cuts.iter().map(|cut| cut % (text.len() + 1)).collect();
        cuts.sort_unstable();
        let (mut pieces, mut rest, mut from) = (Vec::new(), text, 0);
        for cut in cuts {
            let (piece, after) = rest.split_at_mut(cut - from);
            pieces.push(piece);
            (rest, from) = (after, cut);
        }
        pieces.push(rest);
        pieces
    }
}

/// Seals in pieces. `$start` begins the message; even pieces are sealed in place, odd ones not.
macro_rules! in_pieces {
    ($start:expr, $message:expr, $text:expr, $tag:expr) => {
        (|| {
            let mut state = $start?;
            for (at, piece) in $message.pieces($text).into_iter().enumerate() {
                match at % 2 {
                    0 => state.update_in_place(piece)?,
                    _ => {
                        let source = piece.to_vec();
                        state.update(piece, &source)?;
                    }
                }
            }
            state.finish($tag)
        })()
    };
}

fn aes(raw: &[u8]) -> Box<dyn Encrypt> {
    match raw.len() {
        16 => Box::new(Aes128Fast::new(raw.try_into().expect("16 bytes"))),
        24 => Box::new(Aes192Fast::new(raw.try_into().expect("24 bytes"))),
        _ => Box::new(Aes256Fast::new(raw.try_into().expect("32 bytes"))),
    }
}

/// Seals `text` in its place by the typed key of the algorithm.
fn seal_typed(
    aead: Aead,
    raw: &[u8],
    m: &Message,
    text: &mut [u8],
    tag: &mut [u8],
) -> Result<(), Error> {
    let size = u32::try_from(text.len()).expect("a short message");
    let (nonce, ad, tag_size) = (&m.nonce, &m.ad, tag.len());
    match aead {
        Aead::ChaCha20Poly1305 => {
            let key = ChaCha20Poly1305Key::new(raw.try_into().expect("32 bytes"));
            let start = ChaCha20Poly1305Sealing::start(&key, nonce, ad, tag_size);
            in_pieces!(start, m, text, tag)
        }
        Aead::AsconAead128 => {
            let key = AsconAead128Key::new(raw.try_into().expect("16 bytes"));
            let start = AsconAead128Sealing::start(&key, nonce, ad, tag_size);
            in_pieces!(start, m, text, tag)
        }
        Aead::Aes128Gcm | Aead::Aes192Gcm | Aead::Aes256Gcm => {
            let key = aes(raw);
            in_pieces!(GcmSealing::start(&*key, nonce, ad, tag_size), m, text, tag)
        }
        _ => {
            let key = aes(raw);
            let start = CcmSealing::start(&*key, nonce, ad, tag_size, size);
            in_pieces!(start, m, text, tag)
        }
    }
}

/// Opens `text` in its place by the typed key of the algorithm.
fn open_typed(
    aead: Aead,
    raw: &[u8],
    m: &Message,
    text: &mut [u8],
    tag: &[u8],
) -> Result<(), Error> {
    let size = u32::try_from(text.len()).expect("a short message");
    let (nonce, ad, tag_size) = (&m.nonce, &m.ad, tag.len());
    match aead {
        Aead::ChaCha20Poly1305 => {
            let key = ChaCha20Poly1305Key::new(raw.try_into().expect("32 bytes"));
            let start = ChaCha20Poly1305Opening::start(&key, nonce, ad, tag_size);
            in_pieces!(start, m, text, tag)
        }
        Aead::AsconAead128 => {
            let key = AsconAead128Key::new(raw.try_into().expect("16 bytes"));
            let start = AsconAead128Opening::start(&key, nonce, ad, tag_size);
            in_pieces!(start, m, text, tag)
        }
        Aead::Aes128Gcm | Aead::Aes192Gcm | Aead::Aes256Gcm => {
            let key = aes(raw);
            in_pieces!(GcmOpening::start(&*key, nonce, ad, tag_size), m, text, tag)
        }
        _ => {
            let key = aes(raw);
            let start = CcmOpening::start(&*key, nonce, ad, tag_size, size);
            in_pieces!(start, m, text, tag)
        }
    }
}

/// Seals by the table of the algorithm.
fn seal_by_table(key: &AeadKey, m: &Message, text: &mut [u8], tag: &mut [u8]) -> Result<(), Error> {
    let size = u32::try_from(text.len()).expect("a short message");
    let start = AeadSealing::start(key, &m.nonce, &m.ad, tag.len(), size);
    in_pieces!(start, m, text, tag)
}

/// Opens by the table of the algorithm.
fn open_by_table(key: &AeadKey, m: &Message, text: &mut [u8], tag: &[u8]) -> Result<(), Error> {
    let size = u32::try_from(text.len()).expect("a short message");
    let start = AeadOpening::start(key, &m.nonce, &m.ad, tag.len(), size);
    in_pieces!(start, m, text, tag)
}

fn messages(aead: Aead) -> impl Strategy<Value = (Vec<u8>, Message, prop::sample::Index)> {
    let bytes = |size| prop::collection::vec(any::<u8>(), size);
    (
        bytes(aead.key_size()..aead.key_size() + 1),
        bytes(aead.nonce_size()..aead.nonce_size() + 1),
        bytes(0..70),
        bytes(0..200),
        prop::collection::vec(any::<usize>(), 0..6),
        any::<prop::sample::Index>(),
    )
        .prop_map(|(raw, nonce, ad, text, cuts, altered)| {
            let message = Message {
                nonce,
                ad,
                text,
                cuts,
            };
            (raw, message, altered)
        })
}

#[test]
fn any_division_gives_the_same() {
    for aead in Aead::ALL {
        check(64, messages(aead), |(raw, message, altered), tap| {
            let key = AeadKey::new(aead, &raw).expect("the size of the key");
            let size = message.text.len();
            let (mut sealed, mut tag) = (vec![0xa5; size], [0xa5; 16]);
            let result = key.seal(
                &message.nonce,
                &message.ad,
                &mut sealed,
                &message.text,
                &mut tag,
            );
            prop_assert_eq!(result, Ok(()));

            for typed in [true, false] {
                let (mut text, mut own_tag) = (message.text.clone(), [0xa5; 16]);
                let result = match typed {
                    true => seal_typed(aead, &raw, &message, &mut text, &mut own_tag),
                    false => seal_by_table(&key, &message, &mut text, &mut own_tag),
                };
                prop_assert_eq!(tap.result(result), Ok(()));
                tap.bytes(&mut text);
                tap.bytes(&mut own_tag);
                prop_assert_eq!((&text, own_tag), (&sealed, tag));

                let result = match typed {
                    true => open_typed(aead, &raw, &message, &mut text, &tag),
                    false => open_by_table(&key, &message, &mut text, &tag),
                };
                prop_assert_eq!(tap.result(result), Ok(()));
                tap.bytes(&mut text);
                prop_assert_eq!(&text, &message.text);

                let mut wrong = tag;
                wrong[altered.index(16)] ^= 1;
                let mut text = sealed.clone();
                let result = match typed {
                    true => open_typed(aead, &raw, &message, &mut text, &wrong),
                    false => open_by_table(&key, &message, &mut text, &wrong),
                };
                prop_assert_eq!(tap.result(result), Err(Error::Tag));
            }
            Ok(())
        });
    }
}

/// The size that is given at the start binds every algorithm.
#[test]
fn the_size_of_a_message_is_kept() {
    for aead in Aead::ALL {
        let key = AeadKey::new(aead, &vec![7; aead.key_size()]).expect("the size of the key");
        let nonce = vec![8; aead.nonce_size()];
        let start = || AeadSealing::start(&key, &nonce, b"", 16, 20).expect("a message");
        let (mut data, mut tag) = ([9; 21], [0xa5; 16]);

        let mut message = start();
        assert_eq!(
            message.update_in_place(&mut data),
            Err(Error::Argument),
            "{aead:?}"
        );
        assert_eq!(data, [0; 21], "{aead:?}");
        assert_eq!(message.update_in_place(&mut data), Err(Error::State));
        assert_eq!(message.finish(&mut tag), Err(Error::State));
        assert_eq!(tag, [0; 16], "{aead:?}");

        let mut message = start();
        message
            .update_in_place(&mut data[..19])
            .expect("19 of 20 bytes");
        let mut tag = [0xa5; 16];
        assert_eq!(message.finish(&mut tag), Err(Error::State), "{aead:?}");
        assert_eq!(tag, [0; 16], "{aead:?}");
    }
}

#[test]
fn wrong_sizes_are_refused() {
    for aead in Aead::ALL {
        let raw = vec![7; aead.key_size() + 1];
        assert_eq!(
            AeadKey::new(aead, &raw).err(),
            Some(Error::Argument),
            "{aead:?}"
        );
        let key = AeadKey::new(aead, &raw[1..]).expect("the size of the key");
        let start = |nonce: &[u8], tag_size| AeadOpening::start(&key, nonce, b"", tag_size, 5);
        let nonce = vec![8; aead.nonce_size()];
        assert_eq!(start(&nonce, 17).err(), Some(Error::Argument), "{aead:?}");
        assert_eq!(start(&[], 16).err(), Some(Error::Argument), "{aead:?}");
        assert!(start(&nonce, aead.tag_size()).is_ok(), "{aead:?}");
    }
}

#[derive(Deserialize)]
struct File {
    vector: Vec<Vector>,
}

#[derive(Deserialize)]
struct Vector {
    name: String,
    algorithm: String,
    key: String,
    nonce: String,
    #[serde(default)]
    ad: String,
    #[serde(default)]
    plaintext: String,
    #[serde(default)]
    ciphertext: String,
    #[serde(default)]
    tag: String,
}

/// The examples of [RFC8439] and [SP800-38C] and those with short tags, cut at every place.
#[test]
fn published_vectors_in_pieces() {
    let mut count = 0;
    for file in ["rfc8439", "sp800-38c", "short-tags"] {
        let path = format!("../vectors/{file}.toml");
        let text = std::fs::read_to_string(&path).expect(&path);
        let file: File = toml::from_str(&text).expect(&path);
        for vector in file.vector {
            let aead = match vector.algorithm.as_str() {
                "chacha20-poly1305" => Aead::ChaCha20Poly1305,
                "ascon-aead128" => Aead::AsconAead128,
                "aes-128-ccm" => Aead::Aes128Ccm,
                _ => continue,
            };
            let bytes = |text: &str| hex::decode(text).expect("hexadecimal digits");
            let (raw, tag) = (bytes(&vector.key), bytes(&vector.tag));
            let (plaintext, ciphertext) = (bytes(&vector.plaintext), bytes(&vector.ciphertext));
            let key = AeadKey::new(aead, &raw).expect("the size of the key");
            for cut in 0..=plaintext.len() {
                let message = Message {
                    nonce: bytes(&vector.nonce),
                    ad: bytes(&vector.ad),
                    text: Vec::new(),
                    cuts: vec![cut],
                };
                let what = format!("{} cut at {cut}", vector.name);
                for typed in [true, false] {
                    let (mut text, mut own_tag) = (plaintext.clone(), vec![0; tag.len()]);
                    let sealed = match typed {
                        true => seal_typed(aead, &raw, &message, &mut text, &mut own_tag),
                        false => seal_by_table(&key, &message, &mut text, &mut own_tag),
                    };
                    assert_eq!(sealed, Ok(()), "{what}");
                    assert_eq!((&text, &own_tag), (&ciphertext, &tag), "{what}");
                    let opened = match typed {
                        true => open_typed(aead, &raw, &message, &mut text, &tag),
                        false => open_by_table(&key, &message, &mut text, &tag),
                    };
                    assert_eq!((opened, &text), (Ok(()), &plaintext), "{what}");
                }
                count += 1;
            }
        }
    }
    assert!(count > 100, "{count} vectors and cuts");
}
