//! The fourth stage: runs an image and takes the samples of its operations.

use super::lab::{Lab, Of, rng_for};
use super::marks::Marks;
use super::plan::{Operation, Plan};
use super::published::published_signatures;
use super::room::lacks_room;
use super::sample::Sample;
use crate::agent::{Agent, Ran, Retry};
use crate::build::Image;
use crate::error::{Error, Result};
use crate::interface::{Interface, Plan as Calls, Transcript, is_in_pieces};
use crate::library::Unit;
use crate::row::{Fidelity, Row};

/// An operation above this number of cycles or instructions gets three samples instead of ten on a
/// deterministic runner: a scalar multiplication takes half a second to simulate.
const SLOW: u64 = 2_000_000;

/// Samples of a signature, whose time is as long as its search takes. The mean of few says little.
const SEARCHES: usize = 100;

/// Number of wall-clock samples of an operation, and the shortest useful sample in ns.
const WALL_SAMPLES: usize = 100;
const WALL_SAMPLE_NS: u64 = 100_000;

/// Samples with one public key and other secrets.
const OTHER_SECRETS: u64 = 2;

/// An image on its runner, with the cost of the empty operation.
pub(super) struct Bench<'a> {
    pub lab: &'a Lab<'a>,
    pub unit: &'a Unit<'a>,
    pub image: &'a Image,
    agent: Option<Agent>,
    marks: Marks,
    /// The number of the public inputs, where they are drawn apart from the secret ones.
    public: Option<u64>,
    /// The calls of each sample, in place of those of the interface.
    pub published: Option<Vec<Calls>>,
    /// The image lost its state, so the next sample needs a new key pair.
    forgot: bool,
    /// The library keeps memory at each call, so each sample needs a fresh image.
    afresh: bool,
    /// In images that count the heap: a refused allocation ends the call.
    pub stops_at_refusal: bool,
}

impl<'a> Bench<'a> {
    /// A bench whose image has not started.
    pub fn new(lab: &'a Lab<'a>, unit: &'a Unit<'a>, image: &'a Image) -> Bench<'a> {
        Bench {
            lab,
            unit,
            image,
            agent: None,
            marks: Marks::default(),
            public: None,
            published: None,
            forgot: false,
            afresh: lab.keeps_memory(unit, image),
            stops_at_refusal: false,
        }
    }
}

impl Lab<'_> {
    /// The lack of heap that explains a timed operation that failed or stopped the image, found as
    /// [`Lab::lack_of_heap`] finds that of a case. `published` is that of [`Bench`].
    pub(crate) fn lack_of_heap_while(
        &self,
        unit: &Unit<'_>,
        operation: &Operation,
        published: Option<Vec<Calls>>,
    ) -> Option<Error> {
        let image = self.image_with_heap(unit)?;
        let mut bench = Bench::new(self, unit, &image);
        (bench.stops_at_refusal, bench.published) = (true, published);
        bench.start().ok()?;
        let error = bench.samples(operation).err()?;
        lacks_room(&error).is_some().then_some(error)
    }
}

impl Bench<'_> {
    pub fn start(&mut self) -> Result<()> {
        self.agent = None;
        let mut agent = self.lab.start_agent(self.unit, self.image)?;
        self.marks = Marks::measure(&mut agent)?;
        agent.stops_at_refusal = self.stops_at_refusal;
        self.agent = Some(agent);
        Ok(())
    }

    /// Starts the image again before a sample or a case, if it must be a fresh one.
    pub fn refresh(&mut self) -> Result<()> {
        if self.afresh {
            self.forgot = true;
            self.start()?;
        }
        Ok(())
    }

    pub fn agent(&mut self) -> Result<&mut Agent> {
        self.agent
            .as_mut()
            .ok_or_else(|| Error::Agent("the image is not running".into()))
    }

    /// Times the operations of a plan. Returns their rows, and the operations for which the board's
    /// counter is too narrow.
    pub fn time(&mut self, plan: &Plan) -> Result<(Vec<Row>, Vec<Operation>)> {
        let (mut rows, mut wrapped) = (Vec::new(), Vec::new());
        let (lab, of) = (self.lab, Of::image(self.unit, &self.image.sha256));
        for operation in &plan.operations {
            match self.samples_or_published(operation) {
                Ok(samples) => rows.extend(lab.rows_of(of, operation, &plan.metrics, &samples)),
                Err(Error::Wrapped(_)) => wrapped.push(operation.clone()),
                Err(error) => {
                    let cause = lab.outcome(self.unit, error)?;
                    let one = std::slice::from_ref(operation);
                    rows.extend(lab.failed(of, one, &plan.metrics, &cause));
                    // The chip stopped. The next operation needs a fresh one.
                    self.start()?;
                }
            }
        }
        Ok((rows, wrapped))
    }

    /// The samples of an operation. Where a library does not sign, or signing has no room or takes
    /// too long, a verification is sampled with published signatures.
    fn samples_or_published(&mut self, operation: &Operation) -> Result<Vec<Sample>> {
        let of_large = self.unit.algorithm.interface == Interface::LargeSignature;
        if !of_large || operation.name != "verify" {
            return self.samples_or_lack(operation);
        }
        let lab = self.lab;
        let published = published_signatures(lab.catalog, &self.unit.algorithm.name)?;
        if self.unit.offers("sign") {
            let error = match self.samples_or_lack(operation) {
                Err(error @ Error::Stopped(_)) => error,
                samples => return samples,
            };
            let no_time = matches!(&error, Error::Stopped(stop) if stop.is_of_limit());
            let cannot_sign = no_time || lacks_room(&error).is_some();
            if !cannot_sign || published.is_empty() {
                return Err(error);
            }
            self.start()?;
        }
        self.published = Some(published);
        let samples = self.samples_or_lack(operation);
        self.published = None;
        samples
    }

    /// The samples of an operation, or the lack of heap that explains why there are none. After an
    /// error the image does not run.
    fn samples_or_lack(&mut self, operation: &Operation) -> Result<Vec<Sample>> {
        match self.samples(operation) {
            Err(error @ (Error::Stopped(_) | Error::Agent(_))) if !self.stops_at_refusal => {
                self.agent = None;
                let published = self.published.clone();
                let lack = self.lab.lack_of_heap_while(self.unit, operation, published);
                Err(lack.unwrap_or(error))
            }
            samples => samples,
        }
    }

    /// The calls that make up an operation. Empty for a probe.
    pub fn calls(&self, operation: &str, bytes: u32) -> Result<Calls> {
        let algorithm = self.unit.algorithm;
        if algorithm.interface == Interface::Probe {
            return Ok(Vec::new());
        }
        self.unit.plan(operation, bytes).ok_or_else(|| {
            Error::Agent(format!(
                "the lab cannot call '{operation}' of {}",
                algorithm.name
            ))
        })
    }

    /// Runs a list of calls. `repeat` applies to the last call. The result of the last call, or in
    /// pieces of every call, is returned with the transcript of all calls.
    fn follow(
        &mut self,
        calls: &Calls,
        purpose: &str,
        sample: u64,
        repeat: u16,
    ) -> Result<(Vec<Ran>, Transcript)> {
        let mut rng = rng_for(&format!("{} {purpose}", self.unit.algorithm.name), sample);
        let seed = format!("{} public", self.unit.algorithm.name);
        let mut public = self.public.map(|number| rng_for(&seed, number));
        let mut made = Transcript::default();
        let mut measured = Vec::new();
        let in_pieces = is_in_pieces(calls);
        let searches = self.unit.algorithm.is_search("keygen");
        let paint = self.marks.paint;
        let kept = sample > 0 && !self.forgot;
        let agent = self.agent()?;
        for (index, call) in calls.iter().enumerate() {
            let inputs: Vec<Vec<u8>> = call
                .inputs
                .iter()
                .map(|input| match &mut public {
                    Some(public) if input.is_public() => input.bytes(public, &made),
                    _ => input.bytes(&mut rng, &made),
                })
                .collect();
            let fields: Vec<&[u8]> = inputs.iter().map(Vec::as_slice).collect();
            // A key pair that stays in the library takes seconds to make, so all samples share it.
            let stays = !calls
                .iter()
                .flat_map(|later| &later.inputs)
                .any(|input| input.call() == Some(index));
            if call.operation == "keygen" && searches && stays && index + 1 < calls.len() && kept {
                made.inputs.push(Vec::new());
                made.outputs.push(Vec::new());
                continue;
            }
            let is_last = index + 1 == calls.len();
            let repeat = if is_last && !in_pieces { repeat } else { 1 };
            let paint = paint && (is_last || in_pieces);
            let ran = agent.run(call.operation, repeat, paint, &fields)?;
            if ran.reply.status != 0 {
                return Err(Error::Agent(format!(
                    "'{}' with random inputs returned status {}",
                    call.operation, ran.reply.status
                )));
            }
            made.outputs.push(ran.reply.output.clone());
            made.inputs.push(inputs);
            if is_last || in_pieces {
                measured.push(ran);
            }
        }
        Ok((measured, made))
    }

    /// Runs the calls, and starts again from the first if they are cut off.
    pub fn follow_whole(
        &mut self,
        calls: &Calls,
        purpose: &str,
        sample: u64,
        repeat: u16,
    ) -> Result<(Vec<Ran>, Transcript)> {
        let mut retry = Retry::default();
        loop {
            match self.follow(calls, purpose, sample, repeat) {
                Err(error) => retry.after(error)?,
                followed => {
                    self.forgot = false;
                    return followed;
                }
            }
            self.forgot = true;
        }
    }

    pub fn samples(&mut self, operation: &Operation) -> Result<Vec<Sample>> {
        let calls = self.calls(&operation.name, operation.bytes.unwrap_or(0))?;
        let exact =
            self.agent()?.hello().counter_hz == 0 || self.lab.board.fidelity != Fidelity::WallClock;
        let published = self.published.clone();
        let of_sample = |number: usize| match &published {
            Some(list) if !list.is_empty() => &list[number % list.len()],
            _ => &calls,
        };
        let mut repeat = 1;
        if !exact && !is_in_pieces(&calls) {
            repeat = self.calibrate(of_sample(0), &operation.name)?;
        }
        let mut wanted = if exact { 10 } else { WALL_SAMPLES };
        let mut samples = Vec::new();
        // The time may depend on the public key, but where secrets are kept not on these.
        let interface = self.unit.algorithm.interface;
        let has_key = interface.draws_public_keys();
        let searches = interface == Interface::LargeSignature
            && self.unit.algorithm.is_search(&operation.name);
        if exact && searches && operation.name == "sign" {
            wanted = SEARCHES;
        }
        while samples.len() < wanted {
            self.public = has_key.then_some(samples.len() as u64);
            let number = samples.len();
            let sample = self.sample(of_sample(number), &operation.name, number as u64, repeat)?;
            let slow = sample.took().is_some_and(|(count, _)| count > SLOW as f64);
            if exact && slow && !searches {
                wanted = 3;
            }
            if !exact && sample.seconds.is_some_and(|s| s > 0.05) {
                wanted = wanted.min(10);
            }
            samples.push(sample);
        }
        if has_key && exact && interface.keeps_secrets(&operation.name) {
            self.public = Some(0);
            for number in 1..=OTHER_SECRETS {
                let sample = self.sample(&calls, &operation.name, number, repeat)?;
                samples.push(Sample {
                    repeats_public: true,
                    ..sample
                });
            }
        }
        self.public = None;
        Ok(samples)
    }

    /// The number of repeats that makes a quick operation long enough for the clock.
    fn calibrate(&mut self, calls: &Calls, operation: &str) -> Result<u16> {
        let mut repeat: u16 = 1;
        loop {
            let sample = self.sample(calls, operation, 0, repeat)?;
            let lasted = sample.seconds.unwrap_or(0.0) * 1e9 * f64::from(repeat);
            if lasted >= WALL_SAMPLE_NS as f64 || repeat >= 32_768 {
                return Ok(repeat);
            }
            repeat *= 2;
        }
    }

    pub fn sample(
        &mut self,
        calls: &Calls,
        operation: &str,
        number: u64,
        repeat: u16,
    ) -> Result<Sample> {
        self.refresh()?;
        let (ran, made) = if calls.is_empty() {
            let paint = self.marks.paint;
            let ran = self.agent()?.run_alone(operation, repeat, paint)?;
            (vec![ran], Transcript::default())
        } else {
            self.follow_whole(calls, operation, number, repeat)?
        };
        let counter_hz = self.agent()?.hello().counter_hz;
        let board = self.lab.board;
        let mut sum: Option<Sample> = None;
        for ran in &ran {
            let sample = self.marks.sample(board, counter_hz, operation, ran)?;
            sum = Some(match sum {
                Some(sum) => sum.plus(sample),
                None => sample,
            });
        }
        let sum = sum.ok_or_else(|| Error::Agent("the list of calls is empty".into()))?;
        Ok(Sample {
            public: self.public.unwrap_or(0),
            inputs: made.inputs.into_iter().flatten().collect(),
            ..sum
        })
    }
}
