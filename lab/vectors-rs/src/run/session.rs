//! The session through which a case makes every call, and the checks of what comes back.

use crate::{CallError, CallOutput, CaseResult, Implementation, status};

/// The reason why a case ends early.
pub(super) enum Stop {
    CaseResult(CaseResult),
    Call(CallError),
}

/// The implementation, with the checks that every call needs.
pub(super) struct Session<'a> {
    pub(super) implementation: &'a mut dyn Implementation,
}

impl Session<'_> {
    pub(super) fn has(&self, operation: &str) -> bool {
        self.implementation.has(operation)
    }

    pub(super) fn io_bytes(&self) -> usize {
        self.implementation.io_bytes()
    }

    /// Skips the case if the operation is missing or `bytes` of input and output do not fit.
    pub(super) fn needs(&self, operation: &str, bytes: usize) -> Result<(), Stop> {
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
    pub(super) fn call(&mut self, operation: &str, inputs: &[&[u8]]) -> Result<CallOutput, Stop> {
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
    pub(super) fn output(
        &mut self,
        operation: &str,
        inputs: &[&[u8]],
        bytes: usize,
    ) -> Result<Vec<u8>, Stop> {
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
    pub(super) fn key(&mut self, key: &[u8]) -> Result<(), Stop> {
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

pub(super) fn skip(reason: String) -> Stop {
    Stop::CaseResult(CaseResult::Skipped { reason })
}

pub(super) fn fail(expected: String, got: String, detail: String) -> Stop {
    Stop::CaseResult(CaseResult::Fail {
        expected,
        got,
        detail,
    })
}

/// The output of a refusal must be zeros.
pub(super) fn expect_zeros(what: &str, output: &[u8]) -> Result<(), Stop> {
    if output.iter().all(|byte| *byte == 0) {
        return Ok(());
    }
    let zeros = hex::encode(vec![0; output.len()]);
    Err(fail(zeros, hex::encode(output), what.to_owned()))
}

/// Compares bytes; `what` names them.
pub(super) fn expect(what: &str, expected: &[u8], got: &[u8]) -> Result<(), Stop> {
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

pub(super) fn xor(a: &[u8], b: &[u8]) -> Vec<u8> {
    a.iter().zip(b).map(|(a, b)| a ^ b).collect()
}

/// The first 16 bytes of an output whose size was checked, filled up with zeros.
pub(super) fn block(bytes: &[u8]) -> [u8; 16] {
    let mut block = [0; 16];
    for (to, from) in block.iter_mut().zip(bytes) {
        *to = *from;
    }
    block
}

/// The key of the next Monte Carlo checkpoint: this key XOR the last bytes of the last two
/// outputs [AESAVS, 6.4].
pub(super) fn next_key(key: &[u8], last_but_one: &[u8; 16], last: &[u8; 16]) -> Vec<u8> {
    let outputs = [last_but_one.as_slice(), last.as_slice()].concat();
    let start = outputs.len().saturating_sub(key.len());
    xor(key, &outputs[start..])
}
