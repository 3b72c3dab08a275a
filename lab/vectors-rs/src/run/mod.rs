//! Runs a case: dispatch, and the session that makes every call.

mod aead;
mod cbc;
mod cipher;
mod dh;
mod digest;
mod kdf;
mod kem;
mod large_signature;
mod parts;
mod session;
mod signature;

pub use parts::place;

use session::{Session, Stop};

use crate::{CallError, Case, CaseKind, CaseResult, Implementation, Interface};

impl Case {
    /// Runs the case. An error means that a call could not be carried out; the case then has no
    /// result. A long case makes many calls, so an implementation can show progress or stop in
    /// [`Implementation::call`].
    pub fn run(&self, implementation: &mut dyn Implementation) -> Result<CaseResult, CallError> {
        let mut session = Session { implementation };
        match dispatch(self, &mut session) {
            Ok(()) => Ok(CaseResult::Pass),
            Err(Stop::CaseResult(result)) => Ok(result),
            Err(Stop::Call(error)) => Err(error),
        }
    }
}

// Long because it is one flat match over every kind.
fn dispatch(case: &Case, session: &mut Session<'_>) -> Result<(), Stop> {
    match &case.kind {
        CaseKind::Blocks {
            direction,
            key,
            input,
            output,
        } => {
            let limit = blocks_per_call(case);
            cipher::blocks(session, *direction, key, input, output, limit)
        }
        CaseKind::BlockMonteCarlo {
            direction,
            key,
            input,
            output,
            next_key,
        } => cipher::monte_carlo(session, *direction, key, input, output, next_key.as_deref()),
        CaseKind::Ctr {
            direction,
            key,
            counter,
            input,
            output,
        } => cipher::ctr(session, *direction, key, counter, input, output),
        CaseKind::CbcUnpadded {
            direction,
            key,
            iv,
            input,
            output,
        } => cbc::unpadded(session, *direction, key, iv, input, output),
        CaseKind::CbcPadded {
            direction,
            key,
            iv,
            input,
            output,
        } => cbc::padded(session, *direction, key, iv, input, output),
        CaseKind::CbcRefused {
            key,
            iv,
            ciphertext,
        } => cbc::refused(session, key, iv, ciphertext),
        CaseKind::CbcMonteCarlo {
            direction,
            key,
            iv,
            input,
            output,
            next,
        } => cbc::monte_carlo(session, *direction, key, iv, input, output, next.as_ref()),
        CaseKind::CbcIv {
            first,
            second,
            message,
        } => cbc::iv(session, cbc_key_bytes(case), first, second, message),
        CaseKind::Hash {
            hash,
            message,
            repeat,
            digest,
        } => digest::hash(session, *hash, message, *repeat, digest),
        CaseKind::HashMonteCarlo { hash, seed, digest } => {
            digest::monte_carlo(session, *hash, seed, digest)
        }
        CaseKind::Mac {
            hash,
            key,
            message,
            tag,
            valid,
        } => digest::mac(session, *hash, key, message, tag, *valid),
        CaseKind::AeadSeal { aead, message } => aead::seal(session, *aead, message),
        CaseKind::AeadOpen { aead, message } => aead::open(session, *aead, message),
        CaseKind::AeadRefused { aead, message } => aead::refused(session, *aead, message),
        CaseKind::Kdf {
            salt,
            ikm,
            info,
            okm,
            ..
        } => kdf::derive(session, [salt, ikm, info], okm),
        CaseKind::KdfRefused {
            salt,
            ikm,
            info,
            bytes,
            ..
        } => kdf::refused(session, [salt, ikm, info], *bytes),
        CaseKind::SharedSecret {
            secret,
            peer,
            shared,
        } => dh::shared_secret(session, secret, peer, shared),
        CaseKind::SharedSecretIterated {
            secret,
            peer,
            iterations,
            shared,
        } => dh::iterated(session, secret, peer, *iterations, shared),
        CaseKind::PublicKey { secret, public } => dh::public_key(session, secret, public),
        CaseKind::Agreement {
            secret,
            peer,
            shared,
        } => dh::agreement(session, secret, peer, shared),
        CaseKind::AgreementRefused { secret, peer } => dh::refused(session, secret, peer),
        CaseKind::KeyPair { secret, public } => dh::key_pair(session, secret, public),
        CaseKind::Sign {
            secret,
            public,
            message,
            signature,
            random,
        } => signature::sign(session, [secret, public, message], signature, *random),
        CaseKind::Verify {
            public,
            message,
            signature,
            valid,
        } => signature::verify(session, [public, message, signature], *valid),
        CaseKind::KemKeyPair {
            seed,
            public,
            private,
        }
        | CaseKind::LargeKeyPair {
            seed,
            public,
            private,
        } => parts::key_pair(session, seed, public, private),
        CaseKind::Encapsulate {
            public,
            random,
            ciphertext,
            secret,
        } => kem::encapsulate(session, public, random, [ciphertext, secret]),
        CaseKind::Decapsulate {
            private,
            ciphertext,
            secret,
        } => kem::decapsulate(session, private, ciphertext, secret),
        CaseKind::DecapsulateSeed {
            seed,
            ciphertext,
            secret,
        } => kem::decapsulate_seed(session, seed, ciphertext, secret),
        CaseKind::EncapsulateRefused { public, random } => {
            kem::encapsulate_refused(session, public, random)
        }
        CaseKind::PrivateRefused { private } => kem::private_refused(session, private),
        CaseKind::LargeSign {
            key,
            public,
            message,
            context,
            random,
            signature,
        } => {
            let signing = large_signature::Signing {
                key,
                public,
                message,
                context,
                random,
            };
            large_signature::sign(session, &signing, signature)
        }
        CaseKind::LargeVerify {
            public,
            message,
            context,
            signature,
            valid,
        } => large_signature::verify(session, public, [message, context], signature, *valid),
    }
}

/// A block cipher takes one block per call, ECB as many as its buffers hold.
fn blocks_per_call(case: &Case) -> usize {
    match case.algorithm.interface() {
        Interface::BlockCipher { .. } => 1,
        _ => usize::MAX,
    }
}

fn cbc_key_bytes(case: &Case) -> usize {
    match case.algorithm.interface() {
        Interface::Cbc { key_bytes } => key_bytes,
        _ => 16,
    }
}
