//! X25519MLKEM768 for TLS 1.3. The client's share is an ML-KEM-768 encapsulation key and an
//! X25519 public key. The server's share is a ciphertext and a public key. The secret is the
//! ML-KEM secret followed by the X25519 secret. X25519 comes from ring, ML-KEM from a Rust
//! crate [FIPS203].

use ml_kem::kem::Decapsulate;
use ml_kem::{
    B32, EncapsulateDeterministic, Encoded, EncodedSizeUser, KemCore, MlKem768, SharedKey,
};
use rustls::crypto::ring::kx_group::X25519;
use rustls::crypto::{ActiveKeyExchange, CompletedKeyExchange, SharedSecret, SupportedKxGroup};
use rustls::ffdhe_groups::FfdheGroup;
use rustls::{Error, NamedGroup, PeerMisbehaved, ProtocolVersion};
use zeroize::{Zeroize, Zeroizing};

type DecapsulationKey = <MlKem768 as KemCore>::DecapsulationKey;
type EncapsulationKey = <MlKem768 as KemCore>::EncapsulationKey;

/// Sizes of an encapsulation key and of a ciphertext, bytes.
const KEY: usize = 1184;
const CIPHERTEXT: usize = 1088;

#[derive(Debug)]
pub struct X25519MlKem768;

/// Random bytes, wiped on drop.
struct Seed(B32);

impl Seed {
    fn draw() -> Result<Seed, Error> {
        let mut bytes = B32::default();
        getrandom::fill(&mut bytes).map_err(|_| Error::FailedToGetRandomBytes)?;
        Ok(Seed(bytes))
    }
}

impl Drop for Seed {
    fn drop(&mut self) {
        self.0.as_mut_slice().zeroize();
    }
}

fn bad_share() -> Error {
    PeerMisbehaved::InvalidKeyShare.into()
}

fn joined(mut post_quantum: SharedKey<MlKem768>, classical: &SharedSecret) -> SharedSecret {
    let mut secret = Zeroizing::new(post_quantum.to_vec());
    post_quantum.as_mut_slice().zeroize();
    secret.extend_from_slice(classical.secret_bytes());
    SharedSecret::from(&secret[..])
}

impl SupportedKxGroup for X25519MlKem768 {
    fn start(&self) -> Result<Box<dyn ActiveKeyExchange>, Error> {
        let classical = X25519.start()?;
        let (decapsulation, encapsulation) =
            MlKem768::generate_deterministic(&Seed::draw()?.0, &Seed::draw()?.0);
        let mut share = encapsulation.as_bytes().to_vec();
        share.extend_from_slice(classical.pub_key());
        Ok(Box::new(Active {
            classical,
            decapsulation,
            share,
        }))
    }

    fn start_and_complete(&self, peer: &[u8]) -> Result<CompletedKeyExchange, Error> {
        let (key, peer) = peer.split_at_checked(KEY).ok_or_else(bad_share)?;
        let encoded = Encoded::<EncapsulationKey>::try_from(key).map_err(|_| bad_share())?;
        let key = EncapsulationKey::from_bytes(&encoded);
        // Refuse unreduced coefficients: re-encoding changes them [FIPS203, 7.2].
        if key.as_bytes() != encoded {
            return Err(bad_share());
        }
        let classical = X25519.start()?;
        let mut share = Vec::with_capacity(CIPHERTEXT + 32);
        let (ciphertext, secret) = key
            .encapsulate_deterministic(&Seed::draw()?.0)
            .map_err(|()| bad_share())?;
        share.extend_from_slice(&ciphertext);
        share.extend_from_slice(classical.pub_key());
        Ok(CompletedKeyExchange {
            group: self.name(),
            pub_key: share,
            secret: joined(secret, &classical.complete(peer)?),
        })
    }

    fn ffdhe_group(&self) -> Option<FfdheGroup<'static>> {
        None
    }

    fn name(&self) -> NamedGroup {
        NamedGroup::X25519MLKEM768
    }

    fn usable_for_version(&self, version: ProtocolVersion) -> bool {
        version == ProtocolVersion::TLSv1_3
    }
}

struct Active {
    classical: Box<dyn ActiveKeyExchange>,
    decapsulation: DecapsulationKey,
    share: Vec<u8>,
}

impl ActiveKeyExchange for Active {
    fn complete(self: Box<Self>, peer: &[u8]) -> Result<SharedSecret, Error> {
        let (ciphertext, peer) = peer.split_at_checked(CIPHERTEXT).ok_or_else(bad_share)?;
        let ciphertext = ciphertext.try_into().map_err(|_| bad_share())?;
        let secret = self
            .decapsulation
            .decapsulate(&ciphertext)
            .map_err(|()| bad_share())?;
        Ok(joined(secret, &self.classical.complete(peer)?))
    }

    fn pub_key(&self) -> &[u8] {
        &self.share
    }

    fn ffdhe_group(&self) -> Option<FfdheGroup<'static>> {
        None
    }

    fn group(&self) -> NamedGroup {
        NamedGroup::X25519MLKEM768
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_have_the_same_secret_and_bad_shares_are_refused() {
        let client = X25519MlKem768.start().expect("randomness");
        let share = client.pub_key().to_vec();
        assert_eq!(share.len(), 1216);
        let server = X25519MlKem768.start_and_complete(&share).expect("a share");
        assert_eq!(server.pub_key.len(), 1120);
        let secret = client.complete(&server.pub_key).expect("a share");
        assert_eq!(secret.secret_bytes().len(), 64);
        assert_eq!(secret.secret_bytes(), server.secret.secret_bytes());

        for size in [0, 32, KEY, KEY + 31, KEY + 33] {
            let short = vec![1; size];
            assert!(X25519MlKem768.start_and_complete(&short).is_err(), "{size}");
        }
        // The first coefficient is 4095, above the modulus 3329.
        let mut unreduced = share;
        unreduced[0] = 0xff;
        unreduced[1] |= 0x0f;
        assert!(X25519MlKem768.start_and_complete(&unreduced).is_err());
        for size in [0, CIPHERTEXT, CIPHERTEXT + 31, CIPHERTEXT + 33] {
            let client = X25519MlKem768.start().expect("randomness");
            assert!(client.complete(&vec![1; size]).is_err(), "{size}");
        }
    }
}
