//! A reference implementation of every algorithm with the operations of the device. It uses the
//! RustCrypto crates, curve25519-dalek and our own Speck.

#![allow(dead_code)] // each test program uses its part

mod aead;
mod kem;
mod large_signature;
mod parts;
mod public_key;
mod speck;

use aes::cipher::{BlockDecrypt, BlockEncrypt, KeyInit};
use hmac::Mac as _;
use selo_vectors::{
    Algorithm, CallError, CallOutput, Catalog, Hash, Implementation, Interface, status,
};
use sha2::Digest as _;
use speck::Speck;

/// The vectors of the repository.
pub fn directory() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lab/vectors")
}

pub fn catalog() -> Catalog {
    Catalog::load(&directory()).expect("the repository's index is sound")
}

/// The algorithms that a reference here has. Of Falcon, SPHINCS+, MAYO, CROSS, UOV, LMS, XMSS and
/// signatures of digests there is none: their vectors run on the libraries of the lab, in the tests
/// of `studies/cli`.
pub fn referenced() -> impl Iterator<Item = Algorithm> {
    let without = [
        "falcon", "sphincs", "mayo", "cross", "uov", "lms", "hss", "xmss", "hash",
    ];
    Algorithm::all().filter(move |algorithm| {
        let family = algorithm.name().split('-').next().unwrap_or_default();
        !without.contains(&family)
    })
}

/// Any algorithm, with buffers of a chosen size.
pub struct Reference {
    algorithm: Algorithm,
    io_bytes: usize,
    cipher: Option<BlockCipher>,
    /// The key of an authenticated cipher.
    key: Vec<u8>,
    /// The key of a MAC, and the data from `update`.
    streamed: Option<(Vec<u8>, Vec<u8>)>,
    kem: kem::State,
    large_signature: large_signature::State,
    pub calls: u64,
}

impl Reference {
    pub fn new(algorithm: Algorithm, io_bytes: usize) -> Reference {
        Reference {
            algorithm,
            io_bytes,
            cipher: None,
            key: Vec::new(),
            streamed: None,
            kem: kem::State::default(),
            large_signature: large_signature::State::default(),
            calls: 0,
        }
    }

    fn cipher(&self) -> Result<&BlockCipher, CallError> {
        self.cipher
            .as_ref()
            .ok_or_else(|| "no key was set up".into())
    }
}

impl Implementation for Reference {
    fn has(&self, operation: &str) -> bool {
        let operations: &[&str] = match self.algorithm.interface() {
            Interface::Hash(_) => &["hash", "start", "update", "finish"],
            Interface::Mac(_) => &["mac", "start", "update", "finish"],
            Interface::DiffieHellman | Interface::Agreement { .. } => &["keygen", "shared-secret"],
            Interface::Signature { .. } => &["keygen", "sign", "verify"],
            Interface::Aead(_) => &["key-setup", "seal", "open"],
            Interface::Kdf(_) => &["derive"],
            Interface::Kem(_) => kem::OPERATIONS,
            Interface::LargeSignature(_) => large_signature::OPERATIONS,
            _ => &["key-setup", "encrypt", "decrypt"],
        };
        operations.contains(&operation)
    }

    fn io_bytes(&self) -> usize {
        self.io_bytes
    }

    fn call(&mut self, operation: &str, inputs: &[&[u8]]) -> Result<CallOutput, CallError> {
        self.calls += 1;
        if inputs.iter().map(|input| input.len()).sum::<usize>() > self.io_bytes {
            return Err("the inputs do not fit".into());
        }
        let outcome = match (self.algorithm.interface(), operation, inputs) {
            (Interface::Aead(_), "key-setup", [key]) => {
                self.key = key.to_vec();
                ok(Vec::new())
            }
            (Interface::Aead(_), _, [nonce, ad, data, rest @ ..]) => {
                let tag_bytes = match rest {
                    [] => 16,
                    [[bytes]] => usize::from(*bytes),
                    _ => return Err("a tag size of other than one byte".into()),
                };
                let (name, key) = (self.algorithm.name(), &self.key);
                let answer = match operation {
                    "seal" => aead::seal(name, key, nonce, ad, data, tag_bytes).map(Ok),
                    _ => aead::open(name, key, nonce, ad, data, tag_bytes),
                };
                match answer {
                    Some(Ok(output)) => ok(output),
                    Some(Err(())) => CallOutput {
                        status: status::TAG,
                        output: vec![0; data.len().saturating_sub(tag_bytes)],
                    },
                    None => CallOutput {
                        status: status::ARGUMENT,
                        output: vec![0; data.len().saturating_sub(tag_bytes)],
                    },
                }
            }
            (Interface::Kdf(hash), "derive", [salt, ikm, info, [high, low]]) => {
                let bytes = usize::from(u16::from_be_bytes([*high, *low]));
                match derive(hash, salt, ikm, info, bytes) {
                    Some(key) => ok(key),
                    None => CallOutput {
                        status: status::ARGUMENT,
                        output: vec![0; bytes],
                    },
                }
            }
            (_, "key-setup", [key]) => {
                self.cipher = Some(BlockCipher::new(self.algorithm.name(), key));
                ok(Vec::new())
            }
            (Interface::BlockCipher { .. }, _, [block]) => {
                if block.len() != 16 {
                    return Err("a block cipher takes one block".into());
                }
                ok(self.cipher()?.blocks(operation, block))
            }
            (Interface::Ecb { .. }, _, [data]) => ok(self.cipher()?.blocks(operation, data)),
            (Interface::Cbc { .. }, "encrypt", [random, message]) => {
                ok(self.cipher()?.cbc_encrypt(random, message))
            }
            (Interface::Cbc { .. }, "decrypt", [data]) => self.cipher()?.cbc_decrypt(data),
            (Interface::Ctr { .. }, _, [counter, data]) => ok(self.cipher()?.ctr(counter, data)),
            (Interface::Hash(hash), "hash", [message]) => ok(digest(hash, message)),
            (Interface::Mac(hash), "mac", [key, message]) => ok(tag(hash, key, message)),
            (Interface::Kem(sizes), _, inputs) => {
                self.kem
                    .call(self.algorithm.name(), sizes, operation, inputs)?
            }
            (Interface::LargeSignature(sizes), _, inputs) => {
                let name = self.algorithm.name();
                self.large_signature.call(name, sizes, operation, inputs)?
            }
            (Interface::Hash(_), "start", []) => {
                self.streamed = Some((Vec::new(), Vec::new()));
                ok(Vec::new())
            }
            (Interface::Mac(_), "start", [key]) => {
                self.streamed = Some((key.to_vec(), Vec::new()));
                ok(Vec::new())
            }
            (_, "update", [piece]) => {
                self.streamed
                    .as_mut()
                    .ok_or("update before start")?
                    .1
                    .extend_from_slice(piece);
                ok(Vec::new())
            }
            (Interface::Hash(hash), "finish", []) => ok(digest(
                hash,
                &self.streamed.take().ok_or("finish before start")?.1,
            )),
            (Interface::Mac(hash), "finish", []) => {
                let (key, message) = self.streamed.take().ok_or("finish before start")?;
                ok(tag(hash, &key, &message))
            }
            (Interface::DiffieHellman, "keygen", [secret]) => ok(x25519_dalek::x25519(
                (*secret).try_into()?,
                x25519_dalek::X25519_BASEPOINT_BYTES,
            )
            .to_vec()),
            (Interface::DiffieHellman, "shared-secret", [secret, peer]) => {
                let shared = x25519_dalek::x25519((*secret).try_into()?, (*peer).try_into()?);
                let status = if shared == [0; 32] {
                    status::KEY
                } else {
                    status::OK
                };
                CallOutput {
                    status,
                    output: shared.to_vec(),
                }
            }
            (Interface::Agreement { .. } | Interface::Signature { .. }, _, inputs) => {
                public_key::call(self.algorithm.name(), operation, inputs)
            }
            _ => {
                return Err(
                    format!("no operation {operation} with {} inputs", inputs.len()).into(),
                );
            }
        };
        if outcome.output.len() > self.io_bytes {
            return Err("the output does not fit".into());
        }
        Ok(outcome)
    }
}

fn ok(output: Vec<u8>) -> CallOutput {
    CallOutput {
        status: status::OK,
        output,
    }
}

enum BlockCipher {
    Aes128(aes::Aes128),
    Aes192(aes::Aes192),
    Aes256(aes::Aes256),
    Speck(Speck),
}

impl BlockCipher {
    fn new(algorithm: &str, key: &[u8]) -> BlockCipher {
        let right_size = "the key has the algorithm's size";
        match (algorithm.starts_with("speck"), key.len()) {
            (true, _) => BlockCipher::Speck(Speck::new(key)),
            (false, 16) => BlockCipher::Aes128(aes::Aes128::new_from_slice(key).expect(right_size)),
            (false, 24) => BlockCipher::Aes192(aes::Aes192::new_from_slice(key).expect(right_size)),
            (false, _) => BlockCipher::Aes256(aes::Aes256::new_from_slice(key).expect(right_size)),
        }
    }

    fn encrypt(&self, block: [u8; 16]) -> [u8; 16] {
        let mut block = block.into();
        match self {
            BlockCipher::Aes128(cipher) => cipher.encrypt_block(&mut block),
            BlockCipher::Aes192(cipher) => cipher.encrypt_block(&mut block),
            BlockCipher::Aes256(cipher) => cipher.encrypt_block(&mut block),
            BlockCipher::Speck(cipher) => return cipher.encrypt(block.into()),
        }
        block.into()
    }

    fn decrypt(&self, block: [u8; 16]) -> [u8; 16] {
        let mut block = block.into();
        match self {
            BlockCipher::Aes128(cipher) => cipher.decrypt_block(&mut block),
            BlockCipher::Aes192(cipher) => cipher.decrypt_block(&mut block),
            BlockCipher::Aes256(cipher) => cipher.decrypt_block(&mut block),
            BlockCipher::Speck(cipher) => return cipher.decrypt(block.into()),
        }
        block.into()
    }

    fn blocks(&self, operation: &str, data: &[u8]) -> Vec<u8> {
        let one = |block: &[u8]| {
            let block = block.try_into().expect("whole blocks");
            if operation == "encrypt" {
                self.encrypt(block)
            } else {
                self.decrypt(block)
            }
        };
        data.chunks(16).flat_map(one).collect()
    }

    fn cbc_encrypt(&self, random: &[u8], message: &[u8]) -> Vec<u8> {
        let padding = 16 - message.len() % 16;
        let mut output = random.to_vec();
        let padded = [message, &vec![padding as u8; padding]].concat();
        let mut chain: [u8; 16] = random.try_into().expect("16 random bytes");
        for block in padded.chunks(16) {
            chain.iter_mut().zip(block).for_each(|(a, b)| *a ^= b);
            chain = self.encrypt(chain);
            output.extend(chain);
        }
        output
    }

    fn cbc_decrypt(&self, data: &[u8]) -> CallOutput {
        if data.len() < 32 || !data.len().is_multiple_of(16) {
            return CallOutput {
                status: 1,
                output: Vec::new(),
            };
        }
        let mut message = Vec::new();
        for pair in data.windows(32).step_by(16) {
            let block = self.decrypt(pair[16..].try_into().expect("half of 32 bytes"));
            message.extend(block.iter().zip(&pair[..16]).map(|(a, b)| a ^ b));
        }
        let padding = message[message.len() - 1];
        let valid = (1..=16).contains(&padding)
            && message[message.len() - usize::from(padding)..]
                .iter()
                .all(|byte| *byte == padding);
        if !valid {
            return CallOutput {
                status: status::PADDING,
                output: vec![0; message.len()],
            };
        }
        message.truncate(message.len() - usize::from(padding));
        ok(message)
    }

    fn ctr(&self, counter: &[u8], data: &[u8]) -> Vec<u8> {
        let mut counter = u128::from_be_bytes(counter.try_into().expect("16 bytes of counter"));
        let mut output = Vec::new();
        for block in data.chunks(16) {
            let stream = self.encrypt(counter.to_be_bytes());
            output.extend(block.iter().zip(stream).map(|(a, b)| a ^ b));
            counter = counter.wrapping_add(1);
        }
        output
    }
}

fn digest(hash: Hash, message: &[u8]) -> Vec<u8> {
    match hash {
        Hash::Sha256 => sha2::Sha256::digest(message).to_vec(),
        Hash::Sha512 => sha2::Sha512::digest(message).to_vec(),
        Hash::Sha3_256 => sha3::Sha3_256::digest(message).to_vec(),
        Hash::Sha3_512 => sha3::Sha3_512::digest(message).to_vec(),
        Hash::Blake2s => blake2::Blake2s256::digest(message).to_vec(),
        Hash::AsconHash256 => {
            use ascon_hash::Digest as _;
            ascon_hash::AsconHash256::digest(message).to_vec()
        }
    }
}

/// HKDF; `None` if the requested key is too long.
fn derive(hash: Hash, salt: &[u8], ikm: &[u8], info: &[u8], bytes: usize) -> Option<Vec<u8>> {
    macro_rules! hkdf {
        ($hash:ty) => {{
            let mut key = vec![0; bytes];
            let hkdf = hkdf::SimpleHkdf::<$hash>::new(Some(salt), ikm);
            hkdf.expand(info, &mut key).ok().map(|()| key)
        }};
    }
    match hash {
        Hash::Sha256 => hkdf!(sha2::Sha256),
        Hash::Sha512 => hkdf!(sha2::Sha512),
        Hash::Sha3_256 => hkdf!(sha3::Sha3_256),
        Hash::Sha3_512 => hkdf!(sha3::Sha3_512),
        Hash::Blake2s => hkdf!(blake2::Blake2s256),
        Hash::AsconHash256 => None,
    }
}

fn tag(hash: Hash, key: &[u8], message: &[u8]) -> Vec<u8> {
    macro_rules! hmac {
        ($hash:ty) => {
            <hmac::SimpleHmac<$hash> as hmac::Mac>::new_from_slice(key)
                .expect("HMAC takes any key")
                .chain_update(message)
                .finalize()
                .into_bytes()
                .to_vec()
        };
    }
    match hash {
        Hash::Sha256 => hmac!(sha2::Sha256),
        Hash::Sha512 => hmac!(sha2::Sha512),
        Hash::Sha3_256 => hmac!(sha3::Sha3_256),
        Hash::Sha3_512 => hmac!(sha3::Sha3_512),
        Hash::Blake2s => hmac!(blake2::Blake2s256),
        Hash::AsconHash256 => unreachable!("no vectors are for HMAC with Ascon-Hash256"),
    }
}
