//! Runs a case: dispatch, and the session that makes every call.

mod aead;
mod cbc;
mod cipher;
mod dh;
mod digest;
mod kdf;
mod signature;

use crate::{CallError, CallOutput, Case, CaseKind, CaseResult, Implementation, Interface, status};

/// Steps of the inner loop of every NIST Monte Carlo test [AESAVS, 6.4] [SHAVS, 6.4]
/// [SHA3VS, 6.2.3].
pub(crate) const MONTE_CARLO_STEPS: usize = 1000;

pub(crate) use aead::alterations;

pub(crate) fn run(
    case: &Case,
    implementation: &mut dyn Implementation,
) -> Result<CaseResult, CallError> {
    let mut session = Session { implementation };
    match dispatch(case, &mut session) {
        Ok(()) => Ok(CaseResult::Pass),
        Err(Stop::CaseResult(verdict)) => Ok(verdict),
        Err(Stop::Call(error)) => Err(error),
    }
}

fn dispatch(case: &Case, session: &mut Session<'_>) -> Result<(), Stop> {
    match &case.kind {
        CaseKind::Blocks {
            direction,
            key,
            input,
            output,
        } => {
            // A block cipher takes one block per call, ECB as many as its buffers hold.
            let limit = match case.algorithm.interface() {
                Interface::BlockCipher { .. } => 1,
                _ => usize::MAX,
            };
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
        } => {
            let key_bytes = match case.algorithm.interface() {
                Interface::Cbc { key_bytes } => key_bytes,
                _ => 16,
            };
            cbc::iv(session, key_bytes, first, second, message)
        }
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
    }
}

/// The reason why a case ends early.
enum Stop {
    CaseResult(CaseResult),
    Call(CallError),
}

/// The implementation, with the checks that every call needs.
struct Session<'a> {
    implementation: &'a mut dyn Implementation,
}

impl Session<'_> {
    fn has(&self, operation: &str) -> bool {
        self.implementation.has(operation)
    }

    fn io_bytes(&self) -> usize {
        self.implementation.io_bytes()
    }

    /// Skips the case if the operation is missing or `bytes` of input and output do not fit.
    fn needs(&self, operation: &str, bytes: usize) -> Result<(), Stop> {
        if !self.has(operation) {
            return Err(skip(format!("there is no operation `{operation}`")));
        }
        if bytes > self.io_bytes() {
            return Err(skip(format!(
                "`{operation}` needs buffers of {bytes} bytes; there are {}",
                self.io_bytes()
            )));
        }
        Ok(())
    }

    /// Calls an operation and returns any status.
    fn call(&mut self, operation: &str, inputs: &[&[u8]]) -> Result<CallOutput, Stop> {
        self.needs(operation, inputs.iter().map(|input| input.len()).sum())?;
        let outcome = self
            .implementation
            .call(operation, inputs)
            .map_err(Stop::Call)?;
        if outcome.status == status::BAD_SIZE && self.implementation.refuses_sizes() {
            return Err(skip(format!("`{operation}` does not take these sizes")));
        }
        Ok(outcome)
    }

    /// Calls an operation that must succeed with `bytes` bytes of output.
    fn output(&mut self, operation: &str, inputs: &[&[u8]], bytes: usize) -> Result<Vec<u8>, Stop> {
        self.needs(operation, bytes)?;
        let outcome = self.call(operation, inputs)?;
        if outcome.status != status::OK {
            return Err(fail(
                "status 0".into(),
                format!("status {}", outcome.status),
                format!("`{operation}` refused"),
            ));
        }
        if outcome.output.len() != bytes {
            return Err(fail(
                format!("{bytes} bytes"),
                format!("{} bytes", outcome.output.len()),
                format!("output size of `{operation}`"),
            ));
        }
        Ok(outcome.output)
    }

    /// Sets up the key.
    fn key(&mut self, key: &[u8]) -> Result<(), Stop> {
        let outcome = self.call("key-setup", &[key])?;
        if outcome.status != status::OK {
            return Err(fail(
                "status 0".into(),
                format!("status {}", outcome.status),
                "`key-setup` refused".into(),
            ));
        }
        Ok(())
    }
}

fn skip(reason: String) -> Stop {
    Stop::CaseResult(CaseResult::Skipped { reason })
}

fn fail(expected: String, got: String, detail: String) -> Stop {
    Stop::CaseResult(CaseResult::Fail {
        expected,
        got,
        detail,
    })
}

/// The output of a refusal must be zeros.
fn expect_zeros(what: &str, output: &[u8]) -> Result<(), Stop> {
    if output.iter().all(|byte| *byte == 0) {
        return Ok(());
    }
    let zeros = hex::encode(vec![0; output.len()]);
    Err(fail(zeros, hex::encode(output), what.to_owned()))
}

/// Compares bytes; `what` names them.
fn expect(what: &str, expected: &[u8], got: &[u8]) -> Result<(), Stop> {
    if expected == got {
        return Ok(());
    }
    let detail = match expected.iter().zip(got).position(|(a, b)| a != b) {
        Some(byte) => format!(
            "{what}: first difference in byte {byte} of {}",
            expected.len()
        ),
        None => format!("{what}: {} bytes instead of {}", got.len(), expected.len()),
    };
    Err(fail(hex::encode(expected), hex::encode(got), detail))
}

fn xor(a: &[u8], b: &[u8]) -> Vec<u8> {
    a.iter().zip(b).map(|(a, b)| a ^ b).collect()
}

/// The first 16 bytes of an output whose size was checked, filled up with zeros.
fn block(bytes: &[u8]) -> [u8; 16] {
    let mut block = [0; 16];
    for (to, from) in block.iter_mut().zip(bytes) {
        *to = *from;
    }
    block
}

/// The key of the next Monte Carlo checkpoint: this key XOR the last bytes of the last two
/// outputs [AESAVS, 6.4].
fn next_key(key: &[u8], last_but_one: &[u8; 16], last: &[u8; 16]) -> Vec<u8> {
    let outputs = [last_but_one.as_slice(), last.as_slice()].concat();
    let start = outputs.len().saturating_sub(key.len());
    xor(key, &outputs[start..])
}
