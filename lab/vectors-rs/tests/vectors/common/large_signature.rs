//! ML-DSA from the crate fips204, and SLH-DSA from the crate fips205.

use fips204::traits::{KeyGen, SerDes, Signer, Verifier};
use fips204::{ml_dsa_44, ml_dsa_65, ml_dsa_87};
use fips205::traits::{
    KeyGen as Slh, SerDes as SlhBytes, Signer as SlhSigner, Verifier as SlhVerifier,
};
use fips205::{slh_dsa_sha2_128f, slh_dsa_sha2_128s, slh_dsa_shake_128f, slh_dsa_shake_128s};
use selo_vectors::{CallError, CallOutput, LargeSignature, status};

use super::parts::{Parts, number};

pub const OPERATIONS: &[&str] = &["load", "fetch", "keygen", "sign", "verify"];

/// What the implementation keeps: public key, private key and signature.
#[derive(Default)]
pub struct State {
    parts: Parts,
}

impl State {
    pub fn call(
        &mut self,
        algorithm: &str,
        sizes: LargeSignature,
        operation: &str,
        inputs: &[&[u8]],
    ) -> Result<CallOutput, CallError> {
        self.parts.resize([
            sizes.public_bytes,
            sizes.private_bytes,
            sizes.signature_bytes,
        ]);
        if let Some((status, output)) = self.parts.call(operation, inputs) {
            return Ok(CallOutput { status, output });
        }
        let (status, output) = match (operation, inputs, algorithm) {
            ("verify", [_, _, size], _) if number(size) != sizes.signature_bytes => {
                (status::TAG, Vec::new())
            }
            (_, _, "ml-dsa-44") => run::<ml_dsa_44::KG, _, _, _, _, _>(self, operation, inputs)?,
            (_, _, "ml-dsa-65") => run::<ml_dsa_65::KG, _, _, _, _, _>(self, operation, inputs)?,
            (_, _, "ml-dsa-87") => run::<ml_dsa_87::KG, _, _, _, _, _>(self, operation, inputs)?,
            (_, _, "slh-dsa-sha2-128s") => {
                trees::<slh_dsa_sha2_128s::KG, _, _, _>(self, operation, inputs)?
            }
            (_, _, "slh-dsa-sha2-128f") => {
                trees::<slh_dsa_sha2_128f::KG, _, _, _>(self, operation, inputs)?
            }
            (_, _, "slh-dsa-shake-128s") => {
                trees::<slh_dsa_shake_128s::KG, _, _, _>(self, operation, inputs)?
            }
            _ => trees::<slh_dsa_shake_128f::KG, _, _, _>(self, operation, inputs)?,
        };
        Ok(CallOutput { status, output })
    }
}

/// Status and output of an operation. The sizes are those of public key, private key and signature.
fn run<K, Public, Private, const P: usize, const S: usize, const G: usize>(
    state: &mut State,
    operation: &str,
    inputs: &[&[u8]],
) -> Result<(u8, Vec<u8>), CallError>
where
    K: KeyGen<PublicKey = Public, PrivateKey = Private>,
    Public: SerDes<ByteArray = [u8; P]> + Verifier<Signature = [u8; G]>,
    Private: SerDes<ByteArray = [u8; S]> + Signer<Signature = [u8; G]>,
{
    let [public, private, signature] = &mut state.parts.0;
    match (operation, inputs) {
        ("keygen", [seed]) => {
            let (made_public, made_private) = K::keygen_from_seed(&(*seed).try_into()?);
            *public = made_public.into_bytes().to_vec();
            *private = made_private.into_bytes().to_vec();
            Ok((status::OK, Vec::new()))
        }
        ("sign", [message, context, random]) => {
            let key = Private::try_from_bytes(private.as_slice().try_into()?)?;
            let made = key.try_sign_with_seed(&(*random).try_into()?, message, context)?;
            *signature = made.to_vec();
            signed(signature, 32)
        }
        ("verify", [message, context, _]) => {
            let key = Public::try_from_bytes(public.as_slice().try_into()?)?;
            verified(key.verify(message, &signature.as_slice().try_into()?, context))
        }
        _ => Err(format!("no operation {operation}").into()),
    }
}

/// What is told of a signature: its size, and how many random bytes it took.
fn signed(signature: &[u8], random: u8) -> Result<(u8, Vec<u8>), CallError> {
    let size = u16::try_from(signature.len())?.to_be_bytes();
    Ok((status::OK, [&size[..], &[random]].concat()))
}

fn verified(valid: bool) -> Result<(u8, Vec<u8>), CallError> {
    let code = if valid { status::OK } else { status::TAG };
    Ok((code, Vec::new()))
}

/// The random bytes of one signature.
struct Given<'a>(&'a [u8]);

impl fips205::RngCore for Given<'_> {
    fn next_u32(&mut self) -> u32 {
        0
    }
    fn next_u64(&mut self) -> u64 {
        0
    }
    fn fill_bytes(&mut self, out: &mut [u8]) {
        out.copy_from_slice(self.0);
    }
    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), fips205::RngError> {
        self.fill_bytes(out);
        Ok(())
    }
}

impl fips205::CryptoRng for Given<'_> {}

/// The same for SLH-DSA.
fn trees<K, Public, Private, const G: usize>(
    state: &mut State,
    operation: &str,
    inputs: &[&[u8]],
) -> Result<(u8, Vec<u8>), CallError>
where
    K: Slh<PublicKey = Public, PrivateKey = Private>,
    Public: SlhBytes<ByteArray = [u8; 32]> + SlhVerifier<Signature = [u8; G]>,
    Private: SlhBytes<ByteArray = [u8; 64]> + SlhSigner<Signature = [u8; G]>,
{
    let [public, private, signature] = &mut state.parts.0;
    match (operation, inputs) {
        ("keygen", [seed]) => {
            let part = |number: usize| seed[number * 16..][..16].try_into();
            let (made_public, made_private) =
                K::keygen_from_seed::<16>(&part(0)?, &part(1)?, &part(2)?);
            *public = made_public.into_bytes().to_vec();
            *private = made_private.into_bytes().to_vec();
            Ok((status::OK, Vec::new()))
        }
        ("sign", [message, context, random]) => {
            let key = Private::try_from_bytes(private.as_slice().try_into()?)?;
            let made = key.try_sign_with_rng(&mut Given(random), message, context, true)?;
            *signature = made.to_vec();
            signed(signature, 16)
        }
        ("verify", [message, context, _]) => {
            let key = Public::try_from_bytes(public.as_slice().try_into()?)?;
            verified(key.verify(message, &signature.as_slice().try_into()?, context))
        }
        _ => Err(format!("no operation {operation}").into()),
    }
}
