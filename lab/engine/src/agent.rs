//! The host's side of the agent protocol: makes a running image run operations.

use selo_vectors::{CallError, CallOutput, Case, CaseResult, Implementation};

use crate::error::{Cut, Error, Result, Stop};
use crate::frame::{self, Hello, RunReply};
use crate::runner::{Counts, Exchange, Session, Span};

/// A running image that has answered HELLO.
pub struct Agent {
    session: Box<dyn Session>,
    sequence: u8,
    hello: Hello,
    /// Operations that the manifest promises, for [`Implementation::has`].
    offered: Vec<String>,
    /// The answer of [`Implementation::refuses_sizes`].
    pub refuses_sizes: bool,
    /// In images that count the heap: a refused allocation ends the call.
    pub stops_at_refusal: bool,
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

/// The result of one operation.
#[derive(Clone, Debug)]
pub struct Ran {
    pub reply: RunReply,
    /// The span between the marks, from runners that see marks.
    pub span: Option<Span>,
    /// The instructions between the marks, from runners that count them.
    pub counts: Option<Counts>,
}

/// The reason of the [`Stop`] when an operation fails for lack of heap memory.
pub const HEAP_EXHAUSTED: &str = "heap-exhausted";

/// Damaged answers in a row that are accepted before the serial line counts as unusable.
const DAMAGED: u32 = 20;

/// Decides whether a sequence of requests that was cut off ([`Error::Cut`]) is repeated.
#[derive(Debug, Default)]
pub struct Retry {
    silent: u32,
    damaged: u32,
}

impl Retry {
    /// Returns `Ok` if the caller must repeat the whole sequence from its first request. The agent
    /// may have lost its state, or may already have executed part of the sequence.
    pub fn after(&mut self, error: Error) -> Result<()> {
        let Error::Cut(cut) = error else {
            return Err(error);
        };
        match cut {
            // The board is back: the user plugged it in again, so this is not limited.
            Cut::Gone => return Ok(()),
            Cut::Damaged => self.damaged += 1,
            Cut::Silent(_) => self.silent += 1,
        }
        // The line may lose one request. A second loss at the same place counts as a hang.
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
                    "{DAMAGED} damaged answers in a row; try a shorter cable or a slower `baud`"
                ),
            });
        }
        Ok(())
    }
}

impl Agent {
    /// Sends HELLO to the image behind `session`. Fails if the image holds another algorithm or
    /// variant, or lacks an operation in `offered`.
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
            stops_at_refusal: false,
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
                "the manifest lists the operation '{missing}', but the glue has only {}",
                agent.hello.operations.join(", ")
            )));
        }
        Ok(agent)
    }

    /// The image's description of itself.
    pub fn hello(&self) -> &Hello {
        &self.hello
    }

    /// Runs one operation. `repeat` is a request: ports that count cycles run the operation once.
    /// `paint` measures the stack on ports whose runner cannot see it, and makes the call slower.
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
        let flags = u8::from(paint) | u8::from(self.stops_at_refusal) << 1;
        let payload = frame::run_payload(number as u8, flags, repeat, inputs)?;
        let (reply, mut seen) = self.ask(frame::RUN, &payload)?;
        let spans = seen.spans.len().max(seen.counts.len());
        if spans > 1 {
            return Err(Error::Agent(format!(
                "'{operation}' ran between {spans} pairs of marks, not one"
            )));
        }
        let reply = RunReply::parse(&reply)?;
        // A library may handle a refused allocation and still succeed. Only a failed operation
        // counts.
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

    /// Calls [`Agent::run`] for an operation that needs no earlier call, and repeats it if it is
    /// cut off.
    pub fn run_alone(&mut self, operation: &str, repeat: u16, paint: bool) -> Result<Ran> {
        let mut retry = Retry::default();
        loop {
            match self.run(operation, repeat, paint, &[]) {
                Err(error) => retry.after(error)?,
                ran => return ran,
            }
        }
    }

    /// Bytes of the heap in use between calls, in an image that counts them.
    pub fn heap_in_use(&mut self) -> Result<u32> {
        Ok(self.run_alone("empty", 1, false)?.reply.heap_in_use())
    }

    /// Runs a case. A case that is cut off starts again from its first call.
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
        // The leading delimiter flushes stray bytes that the agent holds.
        let mut request = vec![0];
        request.extend(frame::encode(command, self.sequence, payload));
        let exchange = self.session.exchange(&request)?;
        match frame::decode_reply(&exchange.reply, command, self.sequence)? {
            Some(payload) => Ok((payload, exchange)),
            None if exchange.reply.is_empty() => Err(Error::Agent(
                "no answer; check that this is an agent image".into(),
            )),
            None => Err(Error::Agent(format!(
                "the answer to request {} is damaged, or belongs to another request ({} bytes: {})",
                self.sequence,
                exchange.reply.len(),
                hex::encode(&exchange.reply)
            ))),
        }
    }

    /// Takes the error that ended the last call made through [`Implementation`], if any.
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
        // A RUN request has 5 bytes in addition to its inputs, and 2 for each of up to 4 inputs.
        usize::from(self.hello.io_bytes).saturating_sub(13)
    }

    fn refuses_sizes(&self) -> bool {
        self.refuses_sizes
    }

    fn has(&self, operation: &str) -> bool {
        self.offered.iter().any(|name| name == operation)
    }
}
