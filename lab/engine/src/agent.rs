//! The host's side of the agent: asks a running image to do operations.

use selo_vectors::{CallError, CallOutput, Case, CaseResult, Implementation};

use crate::error::{Cut, Error, Result, Stop};
use crate::frame::{self, Hello, RunReply};
use crate::runner::{Counts, Exchange, Session, Span};

/// An image that runs and answers.
pub struct Agent {
    session: Box<dyn Session>,
    sequence: u8,
    hello: Hello,
    /// Operations that the manifest promises, for [`Implementation::has`].
    offered: Vec<String>,
    /// For [`Implementation::refuses_sizes`].
    pub refuses_sizes: bool,
    /// The error that ended a call made through [`Implementation`].
    broken: Option<Error>,
}

impl std::fmt::Debug for Agent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Agent")
            .field("hello", &self.hello)
            .finish_non_exhaustive()
    }
}

/// One operation, run.
#[derive(Clone, Debug)]
pub struct Ran {
    pub reply: RunReply,
    /// The span that the runner saw, on runners that see marks.
    pub span: Option<Span>,
    /// The same, on runners that count instructions.
    pub counts: Option<Counts>,
}

/// Why an operation failed that got no memory.
pub const HEAP_EXHAUSTED: &str = "heap-exhausted";

/// Answers in a row that may come damaged before the line counts as unusable.
const DAMAGED: u32 = 20;

/// Decides whether what was cut off ([`Error::Cut`]) is begun anew.
#[derive(Debug, Default)]
pub struct Retry {
    silent: u32,
    damaged: u32,
}

impl Retry {
    /// `Ok` if it is: from its first request on, since the agent may have forgotten, or done
    /// already, what the others rely on.
    pub fn after(&mut self, error: Error) -> Result<()> {
        let Error::Cut(cut) = error else {
            return Err(error);
        };
        match cut {
            // Each time somebody has plugged it in again.
            Cut::Gone => return Ok(()),
            Cut::Damaged => self.damaged += 1,
            Cut::Silent(_) => self.silent += 1,
        }
        // A request may be lost on its way once; not twice at the same place.
        if self.silent > 1 {
            return Err(Error::Stopped(Stop {
                reason: cut.to_string(),
                fault: None,
                pc: None,
            }));
        }
        if self.damaged > DAMAGED {
            return Err(Error::Runner {
                runner: crate::runner::SERIAL.into(),
                message: format!(
                    "{DAMAGED} answers in a row came damaged; a shorter cable or a slower `baud` may help"
                ),
            });
        }
        Ok(())
    }
}

impl Agent {
    /// Greets the image behind `session`, and checks that it is what was built.
    pub fn greet(
        session: Box<dyn Session>,
        algorithm: &str,
        variant: &str,
        offered: &[String],
    ) -> Result<Agent> {
        let mut agent = Agent {
            session,
            sequence: 0,
            hello: Hello {
                protocol: 0,
                counter_hz: 0,
                counter_bits: 0,
                io_bytes: 0,
                port: String::new(),
                library: String::new(),
                version: String::new(),
                algorithm: String::new(),
                variant: String::new(),
                operations: Vec::new(),
            },
            offered: offered.to_vec(),
            refuses_sizes: false,
            broken: None,
        };
        let (payload, _) = agent.ask(frame::HELLO, &[])?;
        agent.hello = Hello::parse(&payload)?;
        if agent.hello.algorithm != algorithm || agent.hello.variant != variant {
            return Err(agent.session.wrong_image(format!(
                "the image holds {} {}, not {algorithm} {variant}",
                agent.hello.algorithm, agent.hello.variant
            )));
        }
        if let Some(missing) = offered
            .iter()
            .find(|name| !agent.hello.operations.contains(name))
        {
            return Err(Error::Agent(format!(
                "the manifest promises the operation '{missing}', the glue has {}",
                agent.hello.operations.join(", ")
            )));
        }
        Ok(agent)
    }

    /// What the image says of itself.
    pub fn hello(&self) -> &Hello {
        &self.hello
    }

    /// Runs one operation. `repeat` is a wish: ports that count cycles run it once.
    /// `paint` measures the stack on ports whose runner cannot see it, at the
    /// price of a slower call.
    pub fn run(
        &mut self,
        operation: &str,
        repeat: u16,
        paint: bool,
        inputs: &[&[u8]],
    ) -> Result<Ran> {
        let number = self
            .hello
            .operations
            .iter()
            .position(|name| name == operation)
            .ok_or_else(|| Error::Agent(format!("the image has no operation '{operation}'")))?;
        let payload = frame::run_payload(number as u8, paint, repeat, inputs)?;
        let (reply, mut seen) = self.ask(frame::RUN, &payload)?;
        let spans = seen.spans.len() + seen.counts.len();
        if spans > 1 {
            return Err(Error::Agent(format!(
                "'{operation}' ran between {spans} pairs of marks; exactly one is meant"
            )));
        }
        let reply = RunReply::parse(&reply)?;
        // What a library makes of a refusal is its own affair, unless it makes nothing of it.
        if reply.refused && reply.status != 0 {
            return Err(Error::Stopped(Stop {
                reason: HEAP_EXHAUSTED.into(),
                fault: None,
                pc: None,
            }));
        }
        Ok(Ran {
            reply,
            span: seen.spans.first().copied(),
            counts: seen.counts.pop(),
        })
    }

    /// [`Agent::run`] of an operation that depends on none before it.
    pub fn run_alone(&mut self, operation: &str, repeat: u16, paint: bool) -> Result<Ran> {
        let mut retry = Retry::default();
        loop {
            match self.run(operation, repeat, paint, &[]) {
                Err(error) => retry.after(error)?,
                ran => return ran,
            }
        }
    }

    /// Runs a case; one that was cut off from its beginning.
    pub fn run_case(&mut self, case: &Case) -> Result<CaseResult, CallError> {
        let mut retry = Retry::default();
        loop {
            let failed = match case.run(self) {
                Err(failed) => failed,
                verdict => return verdict,
            };
            let Some(error) = self.take_error() else {
                return Err(failed);
            };
            if let Err(error) = retry.after(error) {
                let message = error.to_string();
                self.broken = Some(error);
                return Err(message.into());
            }
        }
    }

    fn ask(&mut self, command: u8, payload: &[u8]) -> Result<(Vec<u8>, Exchange)> {
        crate::schedule::check_interrupt()?;
        self.sequence = self.sequence.wrapping_add(1);
        // The leading delimiter flushes whatever stray bytes the agent holds.
        let mut request = vec![0];
        request.extend(frame::encode(command, self.sequence, payload));
        let exchange = self.session.exchange(&request)?;
        match frame::decode_reply(&exchange.reply, command, self.sequence)? {
            Some(payload) => Ok((payload, exchange)),
            None if exchange.reply.is_empty() => Err(Error::Agent(
                "it did not answer; is this an agent image?".into(),
            )),
            None => Err(Error::Agent(format!(
                "its answer to request {} is damaged or answers another ({} bytes: {})",
                self.sequence,
                exchange.reply.len(),
                hex::encode(&exchange.reply)
            ))),
        }
    }

    /// The error that ended the last call made through [`Implementation`], if one did.
    pub fn take_error(&mut self) -> Option<Error> {
        self.broken.take()
    }
}

impl Implementation for Agent {
    fn call(&mut self, operation: &str, inputs: &[&[u8]]) -> Result<CallOutput, CallError> {
        match self.run(operation, 1, false, inputs) {
            Ok(ran) => Ok(CallOutput {
                status: ran.reply.status,
                output: ran.reply.output,
            }),
            Err(error) => {
                let message = error.to_string();
                self.broken = Some(error);
                Err(message.into())
            }
        }
    }

    fn io_bytes(&self) -> usize {
        // A RUN request carries 5 bytes beside its inputs, and 2 for each of up to 4.
        usize::from(self.hello.io_bytes).saturating_sub(13)
    }

    fn refuses_sizes(&self) -> bool {
        self.refuses_sizes
    }

    fn has(&self, operation: &str) -> bool {
        self.offered.iter().any(|name| name == operation)
    }
}
