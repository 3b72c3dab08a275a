//! HASH, HMAC and HKDF of a suite [docs/protocol.md, Suites].

use ascon_hash256::AsconHash256;
use blake2::Blake2s256;
use sha2::Sha256;
use sha2::digest::Digest;
use sha2::digest::consts::U32;
use sha3::Sha3_256;
use zeroize::{Zeroize, Zeroizing};

use crate::suite::Suite;

/// A hash function with 32 bytes of output, and the block size for HMAC.
trait Hash: Digest<OutputSize = U32> + Clone {
    const BLOCK: usize;
}

impl Hash for Sha3_256 {
    const BLOCK: usize = 136;
}

impl Hash for Blake2s256 {
    const BLOCK: usize = 64;
}

impl Hash for Sha256 {
    const BLOCK: usize = 64;
}

impl Hash for AsconHash256 {
    /// Not the rate: 8 bytes are too few for the key of HMAC.
    const BLOCK: usize = 32;
}

const BLOCK_MAX: usize = 136;

/// HASH over the concatenated parts.
pub fn hash(suite: Suite, parts: &[&[u8]]) -> [u8; 32] {
    match suite {
        Suite::AesGcmSha3 => hash_with::<Sha3_256>(parts),
        Suite::ChaChaPolyBlake2s => hash_with::<Blake2s256>(parts),
        Suite::AesGcmSha256 => hash_with::<Sha256>(parts),
        Suite::Ascon => hash_with::<AsconHash256>(parts),
    }
}

/// HKDF(ck, ikm, N) for N up to 255 [NOISE, 4.3].
pub fn hkdf<const N: usize>(suite: Suite, ck: &[u8; 32], ikm: &[u8]) -> Zeroizing<[[u8; 32]; N]> {
    match suite {
        Suite::AesGcmSha3 => hkdf_with::<Sha3_256, N>(ck, ikm),
        Suite::ChaChaPolyBlake2s => hkdf_with::<Blake2s256, N>(ck, ikm),
        Suite::AesGcmSha256 => hkdf_with::<Sha256, N>(ck, ikm),
        Suite::Ascon => hkdf_with::<AsconHash256, N>(ck, ikm),
    }
}

fn hash_with<H: Hash>(parts: &[&[u8]]) -> [u8; 32] {
    let mut hash = H::new();
    for part in parts {
        hash.update(part);
    }
    hash.finalize().into()
}

fn hkdf_with<H: Hash, const N: usize>(ck: &[u8; 32], ikm: &[u8]) -> Zeroizing<[[u8; 32]; N]> {
    let mut temporary = Hmac::<H>::new(ck).mac(&[ikm]);
    let hmac = Hmac::<H>::new(&temporary);
    temporary.zeroize();
    let mut outputs = Zeroizing::new([[0; 32]; N]);
    for i in 0..N {
        let previous: &[u8] = if i == 0 { &[] } else { &outputs[i - 1] };
        outputs[i] = hmac.mac(&[previous, &[i as u8 + 1]]);
    }
    outputs
}

/// HMAC with a 32-byte key [FIPS198-1, 5]. Both hash states have absorbed the key block.
struct Hmac<H> {
    inner: H,
    outer: H,
}

impl<H: Hash> Hmac<H> {
    fn new(key: &[u8; 32]) -> Self {
        let keyed = |pad: u8| {
            let mut block = [pad; BLOCK_MAX];
            for (block, key) in block.iter_mut().zip(key) {
                *block ^= key;
            }
            let hash = H::new().chain_update(&block[..H::BLOCK]);
            block.zeroize();
            hash
        };
        Hmac {
            inner: keyed(0x36),
            outer: keyed(0x5c),
        }
    }

    fn mac(&self, parts: &[&[u8]]) -> [u8; 32] {
        let mut inner = self.inner.clone();
        for part in parts {
            inner.update(part);
        }
        self.outer
            .clone()
            .chain_update(inner.finalize())
            .finalize()
            .into()
    }
}
