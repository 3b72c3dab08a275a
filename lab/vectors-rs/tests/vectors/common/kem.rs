//! ML-KEM from the RustCrypto crate. It accepts any public key, so the range of coefficients is
//! checked here.

use ml_kem::kem::Decapsulate as _;
use ml_kem::{B32, EncapsulateDeterministic as _, EncodedSizeUser as _, KemCore};
use selo_vectors::{CallError, CallOutput, Kem, status};
use sha3::Digest as _;

use super::parts::{Parts, number};

pub const OPERATIONS: &[&str] = &[
    "load",
    "fetch",
    "keygen",
    "encapsulate",
    "decapsulate",
    "check",
    "start",
    "update",
    "read",
    "finish",
];

/// What the implementation keeps: public key, private key and ciphertext, and an encapsulation in
/// pieces.
#[derive(Default)]
pub struct State {
    parts: Parts,
    random: Vec<u8>,
    /// The key as it came so far, in both passes.
    passes: Vec<u8>,
    sent: usize,
}

impl State {
    pub fn call(
        &mut self,
        algorithm: &str,
        sizes: Kem,
        operation: &str,
        inputs: &[&[u8]],
    ) -> Result<CallOutput, CallError> {
        self.parts.resize([
            sizes.public_bytes,
            sizes.private_bytes,
            sizes.ciphertext_bytes,
        ]);
        if let Some((status, output)) = self.parts.call(operation, inputs) {
            return Ok(CallOutput { status, output });
        }
        match algorithm {
            "ml-kem-512" => self.run::<ml_kem::MlKem512>(operation, inputs),
            "ml-kem-768" => self.run::<ml_kem::MlKem768>(operation, inputs),
            _ => self.run::<ml_kem::MlKem1024>(operation, inputs),
        }
    }

    fn run<K: KemCore>(
        &mut self,
        operation: &str,
        inputs: &[&[u8]],
    ) -> Result<CallOutput, CallError> {
        let mut code = status::OK;
        let mut output = Vec::new();
        match (operation, inputs) {
            ("keygen", [seed]) => {
                let (private, public) =
                    K::generate_deterministic(&b32(&seed[..32]), &b32(&seed[32..]));
                self.parts.0[0] = public.as_bytes().to_vec();
                self.parts.0[1] = private.as_bytes().to_vec();
            }
            ("encapsulate", [random]) => match self.encapsulate::<K>(random) {
                Some((ciphertext, secret)) => (self.parts.0[2], output) = (ciphertext, secret),
                None => code = status::KEY,
            },
            ("decapsulate", []) => output = self.decapsulate::<K>()?,
            ("check", []) => {
                let (public, rest) = self.parts.0[1]
                    .split_at(self.parts.0[0].len() - 32)
                    .1
                    .split_at(self.parts.0[0].len());
                if !sha3::Sha3_256::digest(public).starts_with(&rest[..32]) {
                    code = status::KEY;
                }
            }
            ("start", [random]) => {
                self.random = random.to_vec();
                (self.passes, self.sent) = (Vec::new(), 0);
            }
            ("update", [piece]) => {
                self.passes.extend_from_slice(piece);
                code = self.pass();
            }
            ("read", [size]) => {
                // The first part leaves before the second pass, so take the key of the first.
                self.parts.0[0] = self.passes[..self.parts.0[0].len()].to_vec();
                let ciphertext = self.encapsulate::<K>(&self.random).map(|both| both.0);
                self.parts.0[2] = ciphertext.unwrap_or_else(|| vec![0; self.parts.0[2].len()]);
                output = self.parts.0[2][self.sent..self.sent + number(size)].to_vec();
                self.sent += output.len();
            }
            ("finish", []) => match self.encapsulate::<K>(&self.random) {
                Some((_, secret)) => output = secret,
                None => code = status::KEY,
            },
            _ => return Err(format!("no operation {operation}").into()),
        }
        Ok(CallOutput {
            status: code,
            output,
        })
    }

    /// The status of a piece: the end of the second pass refuses a key that is none.
    fn pass(&self) -> u8 {
        let size = self.parts.0[0].len();
        let bad = self.passes.len() == 2 * size
            && (self.passes[..size] != self.passes[size..] || !in_range(&self.passes[size..]));
        if bad { status::KEY } else { status::OK }
    }

    /// Ciphertext and secret; `None` if the public key is none.
    fn encapsulate<K: KemCore>(&self, random: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
        let encoded = self.parts.0[0].as_slice().try_into().ok()?;
        let key = K::EncapsulationKey::from_bytes(&encoded);
        let made = key.encapsulate_deterministic(&b32(random));
        let (ciphertext, secret) = made.ok().filter(|_| in_range(&self.parts.0[0]))?;
        Some((ciphertext.to_vec(), secret.to_vec()))
    }

    fn decapsulate<K: KemCore>(&self) -> Result<Vec<u8>, CallError> {
        let encoded = self.parts.0[1].as_slice().try_into()?;
        let key = K::DecapsulationKey::from_bytes(&encoded);
        let ciphertext = self.parts.0[2].as_slice().try_into()?;
        let secret = key.decapsulate(&ciphertext);
        Ok(secret.map_err(|_| "no decapsulation")?.to_vec())
    }
}

/// True if every coefficient of the key is below q [FIPS203, 7.2].
fn in_range(public: &[u8]) -> bool {
    let coefficients = &public[..public.len() - 32];
    coefficients.chunks(3).all(|three| {
        let [a, b, c] = [three[0], three[1], three[2]].map(u16::from);
        (a | (b & 15) << 8) < 3329 && (b >> 4 | c << 4) < 3329
    })
}

fn b32(bytes: &[u8]) -> B32 {
    B32::try_from(bytes).expect("32 bytes")
}
