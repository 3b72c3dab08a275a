//! What the marks of a measurement cost, and the sample of a call without that cost.

use std::collections::BTreeMap;

use super::sample::Sample;
use crate::agent::{Agent, Ran};
use crate::board::Board;
use crate::error::{Error, Result};
use crate::row::Fidelity;
use crate::row::INSTRUCTIONS;
use crate::runner::{Counts, Span};

/// The cost of the marks, in the units of the samples.
#[derive(Clone, Default)]
pub(super) struct Marks {
    cycles: u64,
    stack: u64,
    /// The runner cannot see the stack, so the agent paints it.
    pub paint: bool,
    /// Ticks of the agent's counter for one empty operation.
    ticks: f64,
    instructions: f64,
    /// Instructions of each class, where a runner counts them.
    counts: Counts,
}

impl Marks {
    /// Measures operation 0: the marks with nothing between them.
    pub fn measure(agent: &mut Agent) -> Result<Marks> {
        let chip = agent.run_alone("empty", 1, false)?;
        if let Some(span) = chip.span {
            return Ok(Marks {
                cycles: span.cycles,
                stack: span.stack,
                instructions: chip.counts.map_or(0.0, |counts| counts.instructions as f64),
                ..Marks::default()
            });
        }
        if chip.counts.is_some() {
            let painted = agent.run("empty", 1, true, &[])?;
            let counts = painted.counts.unwrap_or_default();
            return Ok(Marks {
                paint: true,
                instructions: counts.instructions as f64,
                stack: u64::from(painted.reply.stack.unwrap_or(0)),
                counts,
                ..Marks::default()
            });
        }
        // Take the least of 20 runs: the clock's cost without disturbances.
        let mut marks = Marks {
            paint: true,
            ticks: f64::INFINITY,
            instructions: f64::INFINITY,
            ..Marks::default()
        };
        for _ in 0..20 {
            let reply = agent.run_alone("empty", 1000, true)?.reply;
            let repeats = f64::from(reply.repeats.max(1));
            marks.ticks = marks.ticks.min(reply.counter as f64 / repeats);
            marks.instructions = marks
                .instructions
                .min(reply.instructions.unwrap_or(0) as f64 / repeats);
            marks.stack = u64::from(reply.stack.unwrap_or(0));
        }
        Ok(marks)
    }

    /// A span as a sample, with the cost of the marks subtracted.
    pub fn sample_of(&self, board: &Board, span: &Span) -> Sample {
        let cycles = span.cycles.saturating_sub(self.cycles);
        let busy = span.cycles - span.slept.min(span.cycles);
        Sample {
            cycles: Some(cycles as f64),
            seconds: board.clock_hz.map(|hz| cycles as f64 / hz as f64),
            stack: Some(span.stack.saturating_sub(self.stack) as f64),
            cpu_share: Some(100.0 * busy as f64 / span.cycles.max(1) as f64),
            ..Sample::default()
        }
    }

    /// The sample of one call.
    pub fn sample(
        &self,
        board: &Board,
        counter_hz: u32,
        operation: &str,
        ran: &Ran,
    ) -> Result<Sample> {
        let sample = if let Some(span) = &ran.span {
            let counts = ran.counts.as_ref();
            Sample {
                instructions: counts.map(|c| c.instructions as f64 - self.instructions),
                ..self.sample_of(board, span)
            }
        } else if let Some(counts) = &ran.counts {
            self.counted(counts, ran)
        } else {
            self.clocked(board, counter_hz, operation, ran)?
        };
        Ok(Sample {
            heap: Some(f64::from(ran.reply.heap_most())),
            heap_left: Some(ran.reply.heap_in_use().into()),
            ..sample
        })
    }

    /// The painted stack, without that of the empty operation.
    fn painted(&self, ran: &Ran) -> Option<f64> {
        let stack = ran.reply.stack?;
        Some(f64::from(stack) - self.stack as f64)
    }

    /// A sample from a runner that counts instructions.
    fn counted(&self, counts: &Counts, ran: &Ran) -> Sample {
        let empty = &self.counts.classes;
        let names = counts.classes.keys().chain(empty.keys());
        let of = |counts: &BTreeMap<String, u64>, name: &String| {
            counts.get(name).map_or(0, |&count| count as i64)
        };
        let grown = |name: &String| (name.clone(), of(&counts.classes, name) - of(empty, name));
        Sample {
            instructions: Some(counts.instructions as f64 - self.instructions),
            classes: Some(names.map(grown).collect()),
            hashing: counts.hashing.as_ref().map(|hashing| {
                let classes = hashing.classes.iter();
                let mut found: BTreeMap<String, i64> = classes
                    .map(|(name, count)| (name.clone(), *count as i64))
                    .collect();
                found.insert(INSTRUCTIONS.to_owned(), hashing.instructions as i64);
                found
            }),
            stack: self.painted(ran),
            ..Sample::default()
        }
    }

    /// A sample from the agent's own counter or clock. Fails with [`Error::Wrapped`] if the counter
    /// wrapped.
    fn clocked(
        &self,
        board: &Board,
        counter_hz: u32,
        operation: &str,
        ran: &Ran,
    ) -> Result<Sample> {
        let reply = &ran.reply;
        if counter_hz == 0 || reply.repeats == 0 {
            return Err(Error::Agent(format!(
                "'{operation}' ran without timing marks"
            )));
        }
        if reply.wrapped {
            return Err(Error::Wrapped(operation.to_owned()));
        }
        let repeats = f64::from(reply.repeats);
        let ticks = (reply.counter as f64 / repeats - self.ticks).max(0.0);
        let counts_cycles = board.fidelity == Fidelity::CycleExact;
        let clock = board.clock_hz.filter(|_| counts_cycles);
        Ok(Sample {
            cycles: clock.map(|clock| ticks * clock as f64 / f64::from(counter_hz)),
            seconds: Some(ticks / f64::from(counter_hz)),
            stack: self.painted(ran),
            cpu_share: reply
                .cpu
                .map(|cpu| 100.0 * cpu as f64 / reply.counter.max(1) as f64),
            instructions: reply
                .instructions
                .map(|count| (count as f64 / repeats - self.instructions).max(0.0)),
            ..Sample::default()
        })
    }
}
