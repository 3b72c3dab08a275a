//! Public-key encryption, which has no official vectors.

use rand::RngCore;

use super::{CheckLine, KEY_PAIRS, ROUND_TRIP, Running, lacks_room};
use crate::agent::Agent;
use crate::error::{Error, Result};
use crate::interface::{Call, Transcript};
use crate::measure::rng_for;

impl Running<'_> {
    /// One line: the number of key pairs with which an encrypted message decrypted to itself.
    pub(super) fn round_trips(&mut self) -> Result<Option<CheckLine>> {
        let mut line = self.line(ROUND_TRIP);
        let algorithm = self.unit.algorithm;
        let plan = algorithm.interface.plan(algorithm, "decrypt", 0);
        for number in 0..KEY_PAIRS {
            let mut rng = rng_for(&format!("{} {ROUND_TRIP}", algorithm.name), number.into());
            match follow(
                &mut self.agent,
                plan.as_deref().unwrap_or_default(),
                &mut rng,
            ) {
                // The second call encrypts the message and the last one returns it.
                Ok(calls) if calls.outputs.last() == Some(&calls.inputs[1][0]) => line.passed += 1,
                Ok(_) => line.note_failure(format!(
                    "key pair {number}: decryption gives another message"
                )),
                Err(error @ (Error::Stopped(_) | Error::Agent(_))) => {
                    let what = format!("key pair {number}");
                    self.stopped(&what, &error, &mut line);
                    self.restart()?;
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        line.tried = line.passed + line.failed;
        line.available = line.tried;
        Ok((line.tried > 0).then_some(line))
    }

    /// Records that a call ended the program, as a failure or as an excused timeout.
    fn stopped(&mut self, what: &str, error: &Error, line: &mut CheckLine) {
        let asides = &mut self.asides;
        match self.lab.excused(self.unit, error) {
            Some(reason) => {
                asides.over_limit.get_or_insert(format!("{what}: {reason}"));
            }
            None => match lacks_room(error) {
                Some(reason) => {
                    asides.no_room.get_or_insert(format!("{what}: {reason}"));
                }
                None => line.note_failure(format!("{what}: {error}")),
            },
        }
    }
}

/// Runs the calls of a plan. Fails if a call returns a status other than 0.
fn follow(agent: &mut Agent, plan: &[Call], rng: &mut dyn RngCore) -> Result<Transcript> {
    let mut calls = Transcript::default();
    for call in plan {
        let mut inputs = Vec::new();
        for input in &call.inputs {
            inputs.push(input.bytes(&mut *rng, &calls));
        }
        let fields: Vec<&[u8]> = inputs.iter().map(Vec::as_slice).collect();
        let ran = agent.run(call.operation, 1, false, &fields)?;
        if ran.reply.status != 0 {
            return Err(Error::Agent(format!(
                "'{}' returned status {}",
                call.operation, ran.reply.status
            )));
        }
        calls.inputs.push(inputs);
        calls.outputs.push(ran.reply.output);
    }
    Ok(calls)
}
