//! Measures one unit: the only place where rows are built.
//!
//! Correct before fast: an image is checked against official vectors before
//! and after it is timed. A failure is a row with a reason, never a number.

mod steps;

use std::path::{Path, PathBuf};

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use selo_vectors::{Catalog, Verdict};
use sha2::{Digest, Sha256};

use crate::agent::{Agent, HEAP_EXHAUSTED, Ran, Retry};
use crate::algorithm::Algorithm;
use crate::board::Board;
use crate::build::{Builder, Image};
use crate::elf::Weight;
use crate::energy::PowerProfile;
use crate::error::{Error, Result, Stop};
use crate::interface::{Footprint, Interface, Plan, Transcript};
use crate::library::Unit;
use crate::model::{CycleModel, FIGURES};
use crate::project::Project;
use crate::row::cause::{Counted, Excess, Memory, Step, Taken};
use crate::row::{Cause, Fidelity, Metric, Note, Row, SCHEMA, Status, say};
use crate::runner::{SERIAL, Span};
use selo_base::stats;

/// Cycles, or instructions, that a chip may run from one wait for input to the next, unless
/// told otherwise by the algorithm or the user: a scalar multiplication fits on any board, a
/// hang does not last.
pub const CYCLE_LIMIT: u64 = 4_000_000_000;

/// Cycles, or instructions, above which an operation is sampled three times instead of ten on a
/// deterministic runner: a scalar multiplication takes half a second to simulate.
const SLOW: u64 = 2_000_000;

/// Wall-clock samples of one operation, and how long one should last at least.
const WALL_SAMPLES: usize = 100;
const WALL_SAMPLE_NS: u64 = 100_000;

/// What is to be measured, and on what.
#[derive(Debug)]
pub struct Lab<'a> {
    pub project: &'a Project,
    pub board: &'a Board,
    pub builder: Builder<'a>,
    pub catalog: &'a Catalog,
    /// Name of the runner; the board's own unless another was asked for.
    pub runner: String,
    /// Name of the run, on every row.
    pub run: String,
    /// Commit on every row.
    pub commit: String,
    /// Metrics wanted; see [`default_metrics`].
    pub metrics: Vec<Metric>,
    /// Operations wanted; all if empty.
    pub operations: Vec<String>,
    /// The power profile behind energy rows.
    pub power: Option<PowerProfile>,
    /// Cycles that a chip may run for one operation, if the user names them; else the
    /// algorithm does, or [`CYCLE_LIMIT`].
    pub cycle_limit: Option<u64>,
}

/// The metrics that a board can give; cycles of instructions that were counted, if its
/// cycle model is calibrated.
pub fn default_metrics(project: &Project, board: &Board) -> Vec<Metric> {
    use Metric::{CpuShare, Cycles, Energy, Flash, Instructions, Ram, Rate, Stack, Time};
    match board.fidelity {
        Fidelity::CycleExact
        | Fidelity::CycleSteps
        | Fidelity::CycleModel
        | Fidelity::RadioModel => {
            vec![Cycles, Time, Energy, Flash, Ram, Stack, CpuShare, Rate]
        }
        Fidelity::Instructions => {
            let model = project.model(board);
            if !model.is_some_and(|model| model.is_calibrated(project)) {
                return vec![Instructions, Flash, Ram, Stack];
            }
            let energy = (!board.power.is_empty()).then_some(Energy);
            [Instructions, Flash, Ram, Stack, Cycles, Time]
                .into_iter()
                .chain(energy)
                .collect()
        }
        Fidelity::WallClock => vec![Time, Instructions, Flash, Ram, Stack, CpuShare],
    }
}

/// Why a board never has a metric of time or of instructions, if it does not: what its runner
/// counts decides.
pub fn never_given(project: &Project, board: &Board, metric: Metric) -> Option<String> {
    if default_metrics(project, board).contains(&metric) {
        return None;
    }
    let counted = match (metric, board.fidelity) {
        (Metric::Cycles | Metric::Time, Fidelity::Instructions) => "instructions are counted there",
        (Metric::Instructions, _) => "cycles are counted there, not instructions",
        (Metric::Cycles, _) => "time is taken there, not cycles",
        _ => return None,
    };
    let model = project
        .model(board)
        .filter(|_| metric != Metric::Instructions);
    Some(match model {
        Some(model) => {
            let figures = model.reproduced(project).count();
            let lacks = say::not_calibrated(&model.name, figures, FIGURES);
            format!("{counted}; {lacks}")
        }
        None => counted.to_owned(),
    })
}

/// An image in front of its runner, with the cost of the empty operation.
struct Bench<'a> {
    lab: &'a Lab<'a>,
    unit: &'a Unit<'a>,
    image: &'a Image,
    agent: Option<Agent>,
    empty: Empty,
    /// What earlier calls left behind is lost: a key pair is made anew.
    forgot: bool,
}

/// What the marks themselves cost, in the units of the samples.
#[derive(Clone, Copy, Default)]
struct Empty {
    cycles: u64,
    stack: u64,
    /// The runner sees no marks, so the agent paints the stack.
    paint: bool,
    /// Ticks of the agent's counter for one empty operation.
    ticks: f64,
    instructions: f64,
    /// Of the cycle model.
    modelled: f64,
}

/// Operations with the size of their message and the metrics of their rows.
type Wanted = Vec<(String, Option<u32>, Vec<Metric>)>;

/// A transmitter and a receiver.
pub(crate) struct Nodes {
    transmitter: Image,
    receiver: Image,
}

/// An empty program and the images of a whole firmware; or, if one does not compile, fit, or
/// run here, its digest with the cause.
type Firmware<const N: usize> = std::result::Result<(Image, [Image; N]), (String, Cause)>;

/// What rows of a node are made of.
struct NodeFigures<'a> {
    measured: &'a crate::experiment::Measured,
    /// Growth of the role's firmware over an empty program, in bytes.
    flash: u64,
    ram: u64,
}

/// One sample of a timed operation, marks subtracted.
#[derive(Clone, Default)]
struct Sample {
    cycles: Option<f64>,
    seconds: Option<f64>,
    stack: Option<f64>,
    cpu_share: Option<f64>,
    instructions: Option<f64>,
    /// Cycles of those instructions by the board's model, calibrated or not.
    modelled: Option<f64>,
    /// The inputs, for reporting what a spread depends on.
    inputs: Vec<Vec<u8>>,
}

impl Lab<'_> {
    /// Rows of one unit. Errors that say something of the unit become rows;
    /// only errors of the machine (no compiler, no runner, full disk) come back.
    ///
    /// `known` gives an earlier row for the same measurement of the same image,
    /// which is then not measured again.
    pub fn measure(
        &self,
        unit: &Unit<'_>,
        known: &dyn Fn(&Row) -> Option<Row>,
    ) -> Result<Vec<Row>> {
        let mut rows = Vec::new();
        // What was too long for an earlier limit may end within this one.
        let known = &|blank: &Row| -> Option<Row> {
            known(blank).filter(|row| {
                let over = row.cause.as_ref().and_then(Cause::limit);
                over.is_none_or(|limit| limit >= self.limit(unit))
            })
        };
        if let Some(list) = unit.program() {
            match unit.algorithm.interface {
                Interface::Node => self.measure_node(unit, &list, known, &mut rows)?,
                _ => self.measure_program(unit, &list, known, &mut rows)?,
            }
            return Ok(rows);
        }
        self.weigh(unit, &mut rows)?;
        let weighed = rows.len();
        if let Some(cause) = self.time(unit, known, &mut rows)? {
            for row in &mut rows[..weighed] {
                if row.status == Status::Ok {
                    let blank =
                        self.blank(unit, &row.operation, None, row.metric, &row.firmware_sha256);
                    *row = blank.without(cause.clone());
                }
            }
        }
        Ok(rows)
    }

    fn wants(&self, metric: Metric) -> bool {
        self.metrics.contains(&metric)
    }

    fn wants_operation(&self, operation: &str) -> bool {
        self.operations.is_empty() || self.operations.iter().any(|wanted| wanted == operation)
    }

    /// Flash and static RAM: the growth over an empty program.
    fn weigh(&self, unit: &Unit<'_>, rows: &mut Vec<Row>) -> Result<()> {
        if !self.wants(Metric::Flash) && !self.wants(Metric::Ram) {
            return Ok(());
        }
        for footprint in unit.algorithm.interface.footprints() {
            if !self.wants_operation(footprint.name) {
                continue;
            }
            if let Some(missing) = footprint.operations.iter().find(|name| !unit.offers(name)) {
                // What a variant leaves out by design has no row when everything is
                // asked for, and an answer when it is asked for by name.
                if !self.operations.is_empty() {
                    let operation = (*missing).to_owned();
                    let lacks = Cause::Lacks { operation };
                    for metric in [Metric::Flash, Metric::Ram] {
                        let row = self.blank(unit, footprint.name, None, metric, "");
                        self.push(rows, row.without(lacks.clone()));
                    }
                }
                continue;
            }
            self.weigh_footprint(unit, footprint, rows)?;
        }
        Ok(())
    }

    fn weigh_footprint(
        &self,
        unit: &Unit<'_>,
        footprint: &Footprint,
        rows: &mut Vec<Row>,
    ) -> Result<()> {
        let built = self
            .builder
            .baseline(unit)
            .and_then(|baseline| Ok((baseline, self.builder.footprint(unit, footprint)?)));
        let (baseline, image) = match built {
            Ok(images) => images,
            Err(error @ Error::Compile { .. }) => {
                for metric in [Metric::Flash, Metric::Ram] {
                    let row = self.blank(unit, footprint.name, None, metric, "");
                    self.push(rows, row.without(build_failure(&error)));
                }
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        // The buffers of the weighing program are not the library's fault.
        let flash = image.weight.flash.saturating_sub(baseline.weight.flash);
        let ram = image.weight.ram.saturating_sub(baseline.weight.ram);
        let own = image.weight.without(&baseline.weight);
        let over = self.excess(flash, ram, &own);
        for (metric, grown) in [(Metric::Flash, flash), (Metric::Ram, ram)] {
            let row = self.blank(unit, footprint.name, None, metric, &image.sha256);
            self.push(
                rows,
                match &over {
                    Some(cause) => row.without(cause.clone()),
                    None => row.exactly(grown as f64),
                },
            );
        }
        Ok(())
    }

    /// The memories of the board that sizes exceed; `None` if they fit.
    pub(crate) fn excess(&self, flash: u64, ram: u64, weight: &Weight) -> Option<Cause> {
        let memory = self.board.memory?;
        let memories = [
            (Memory::Flash, flash, memory.flash),
            (Memory::Ram, ram, memory.ram),
        ];
        let over = memories.into_iter().filter(|(_, used, size)| used > size);
        let excess: Vec<Excess> = over
            .map(|(memory, used, size)| Excess {
                memory,
                used,
                size,
                largest: weight.largest(memory == Memory::Ram, 3),
            })
            .collect();
        (!excess.is_empty()).then_some(Cause::OverBudget { excess })
    }

    /// Cycles, time, energy, stack, CPU share and instructions. Says why the
    /// image is wrong, if it is.
    fn time(
        &self,
        unit: &Unit<'_>,
        known: &dyn Fn(&Row) -> Option<Row>,
        rows: &mut Vec<Row>,
    ) -> Result<Option<Cause>> {
        let metrics: Vec<Metric> = self
            .metrics
            .iter()
            .copied()
            .filter(|metric| !matches!(metric, Metric::Flash | Metric::Ram | Metric::Rate))
            .collect();
        let interface = unit.algorithm.interface;
        let mut wanted: Vec<(String, Option<u32>)> = Vec::new();
        for operation in operations_of(unit) {
            if !self.wants_operation(&operation) {
                continue;
            }
            if !unit.offers(&operation) {
                if !self.operations.is_empty() {
                    for &metric in &metrics {
                        let row = self.blank(unit, &operation, None, metric, "");
                        let operation = operation.clone();
                        self.push(rows, row.without(Cause::Lacks { operation }));
                    }
                }
                continue;
            }
            let sizes = unit.algorithm.bytes.iter().map(|&bytes| Some(bytes));
            if interface.takes_message(&operation) && !unit.algorithm.bytes.is_empty() {
                wanted.extend(sizes.map(|bytes| (operation.clone(), bytes)));
            } else {
                wanted.push((operation, None));
            }
        }
        // Memory alone is not worth a figure either if the image is wrong, or could not be
        // checked within the limit.
        let as_kept = |row: &Row| known(row).filter(|kept| kept.status == Status::OverLimit);
        let kept = |row: &Row| known(row).is_some_and(|kept| kept.status == row.status);
        let weighed = rows.iter().any(|row| !kept(row) && as_kept(row).is_none());
        let keep_all = |rows: &mut Vec<Row>| {
            for row in rows {
                *row = as_kept(row).unwrap_or_else(|| row.clone());
            }
        };
        if !weighed && (metrics.is_empty() || wanted.is_empty()) {
            keep_all(rows);
            return Ok(None);
        }
        let image = match self.builder.agent(unit) {
            Ok(image) => image,
            Err(error @ Error::Compile { .. }) => {
                self.fail_all(unit, &wanted, &metrics, "", &build_failure(&error), rows);
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        let weight = &image.weight;
        if let Some(cause) = self.excess(weight.flash, weight.ram, weight) {
            let cause = cause.at(Step::WithAgent);
            self.fail_all(unit, &wanted, &metrics, &image.sha256, &cause, rows);
            return Ok(None);
        }
        if !weighed
            && let Some(earlier) = self.earlier_any(unit, &wanted, &metrics, &image, known)?
        {
            keep_all(rows);
            rows.extend(earlier);
            return Ok(None);
        }
        let mut bench = Bench::new(self, unit, &image);
        if let Err(error) = bench.start() {
            let cause = self.outcome(unit, error)?;
            self.fail_all(unit, &wanted, &metrics, &image.sha256, &cause, rows);
            return Ok(None);
        }
        if let Some(cause) = bench.check()? {
            self.fail_all(unit, &wanted, &metrics, &image.sha256, &cause, rows);
            return Ok(Some(cause));
        }
        let mut timed = Vec::new();
        let mut wrapped = Vec::new();
        for (operation, bytes) in &wanted {
            match bench.samples(operation, *bytes) {
                Ok(samples) => self.rows_of(
                    unit, operation, *bytes, &metrics, &image, &samples, &mut timed,
                ),
                Err(Error::Wrapped(_)) => wrapped.push((operation.clone(), *bytes)),
                Err(error) => {
                    let cause = self.outcome(unit, error)?;
                    let one = [(operation.clone(), *bytes)];
                    self.fail_all(unit, &one, &metrics, &image.sha256, &cause, &mut timed);
                    // The chip stopped: the next operation starts on a fresh one.
                    bench.start()?;
                }
            }
        }
        let checked = bench.check()?;
        drop(bench);
        match checked {
            None => {
                rows.extend(timed);
                self.time_in_steps(unit, &wrapped, &metrics, rows)?;
            }
            Some(cause) => {
                let cause = cause.at(Step::AfterTiming);
                self.fail_all(unit, &wanted, &metrics, &image.sha256, &cause, rows);
                return Ok(Some(cause));
            }
        }
        Ok(None)
    }

    /// Builds the images of a whole firmware, and the empty program that they are weighed
    /// against.
    fn build_firmware<const N: usize>(
        &self,
        unit: &Unit<'_>,
        list: &Path,
        build: impl FnOnce() -> Result<[Image; N]>,
    ) -> Result<Firmware<N>> {
        let built = self
            .builder
            .empty_program(unit, list)
            .and_then(|empty| Ok((empty, build()?)));
        let (empty, images) = match built {
            Ok(images) => images,
            Err(error @ Error::Compile { .. }) => {
                return Ok(Err((String::new(), build_failure(&error))));
            }
            Err(error) => return Err(error),
        };
        for image in &images {
            let weight = &image.weight;
            if let Some(cause) = self.excess(weight.flash, weight.ram, weight) {
                return Ok(Err((image.sha256.clone(), cause)));
            }
        }
        if self.runner != crate::runner::PACED {
            let firmware = images.first().map(|image| image.sha256.clone());
            let runner = crate::runner::PACED.to_owned();
            return Ok(Err((
                firmware.unwrap_or_default(),
                Cause::NeedsRunner { runner },
            )));
        }
        Ok(Ok((empty, images)))
    }

    /// Rows of a whole firmware, to which a gateway is played ([`crate::link`]).
    fn measure_program(
        &self,
        unit: &Unit<'_>,
        list: &Path,
        known: &dyn Fn(&Row) -> Option<Row>,
        rows: &mut Vec<Row>,
    ) -> Result<()> {
        let memory = [Metric::Flash, Metric::Ram, Metric::Stack];
        let (whole, rest): (Vec<Metric>, Vec<Metric>) = self
            .metrics
            .iter()
            .filter(|metric| **metric != Metric::Rate)
            .partition(|metric| matches!(metric, Metric::Flash | Metric::Ram));
        let mut wanted: Vec<(String, Option<u32>)> = Vec::new();
        for operation in crate::link::OPERATIONS {
            if self.wants_operation(operation) {
                let sized = unit.algorithm.interface.takes_message(operation);
                let bytes = unit.algorithm.bytes.first().copied().filter(|_| sized);
                wanted.push((operation.to_owned(), bytes));
            }
        }
        let all = [(crate::link::ALL.to_owned(), None)];
        let all = if self.wants_operation(crate::link::ALL) {
            &all[..]
        } else {
            &[]
        };
        let fail = |firmware: &str, cause: &Cause, rows: &mut Vec<Row>| {
            self.fail_all(unit, all, &memory, firmware, cause, rows);
            self.fail_all(unit, &wanted, &rest, firmware, cause, rows);
        };

        let built =
            self.build_firmware(unit, list, || Ok([self.builder.program(unit, list)?]))?;
        let (empty, [image]) = match built {
            Ok(images) => images,
            Err((firmware, cause)) => {
                fail(&firmware, &cause, rows);
                return Ok(());
            }
        };
        let weight = &image.weight;
        let stack = self.wants(Metric::Stack).then_some(Metric::Stack);
        let of_whole: Vec<Metric> = whole.into_iter().chain(stack).collect();
        let earlier = self
            .earlier(unit, all, &of_whole, &image, known)
            .zip(self.earlier(unit, &wanted, &rest, &image, known));
        if let Some((of_all, of_operations)) = earlier {
            rows.extend(of_all);
            rows.extend(of_operations);
            return Ok(());
        }
        let bytes = unit.algorithm.bytes.first().copied().unwrap_or(16);
        let played = crate::link::play(
            &self.project.root,
            self.board,
            &image,
            unit.variant,
            bytes as usize,
        );
        let played = match played {
            Ok(played) => played,
            Err(error) => {
                let cause = self.outcome(unit, error)?;
                fail(&image.sha256, &cause, rows);
                return Ok(());
            }
        };
        for (operation, _) in all {
            let flash = weight.flash.saturating_sub(empty.weight.flash);
            let ram = weight.ram.saturating_sub(empty.weight.ram);
            for (metric, value) in memory.into_iter().zip([flash, ram, played.deepest_stack]) {
                let row = self.blank(unit, operation, None, metric, &image.sha256);
                self.push(rows, row.exactly(value as f64));
            }
        }
        for (operation, bytes) in &wanted {
            let spans = played.took.get(operation.as_str());
            let samples: Vec<Sample> = spans
                .into_iter()
                .flatten()
                .map(|span| self.sample_of(span, Empty::default()))
                .collect();
            self.rows_of(unit, operation, *bytes, &rest, &image, &samples, rows);
        }
        Ok(())
    }

    /// Rows of a node with its radio, both roles of it ([`crate::experiment`]).
    fn measure_node(
        &self,
        unit: &Unit<'_>,
        list: &Path,
        known: &dyn Fn(&Row) -> Option<Row>,
        rows: &mut Vec<Row>,
    ) -> Result<()> {
        use crate::experiment::{RECEIVE, TRANSMIT};
        let roles: Vec<(&str, Wanted)> = [TRANSMIT, RECEIVE]
            .into_iter()
            .filter(|role| unit.offers(role))
            .map(|role| (role, self.node_rows(unit, role)))
            .collect();
        let fail = |firmware: &str, cause: &Cause, rows: &mut Vec<Row>| {
            for (operation, bytes, metrics) in roles.iter().flat_map(|(_, wanted)| wanted) {
                let one = [(operation.clone(), *bytes)];
                self.fail_all(unit, &one, metrics, firmware, cause, rows);
            }
        };
        let built = self.build_firmware(unit, list, || {
            let nodes = self.node_images(unit, list)?;
            Ok([nodes.transmitter, nodes.receiver])
        })?;
        let (empty, nodes) = match built {
            Ok((empty, [transmitter, receiver])) => (
                empty,
                Nodes {
                    transmitter,
                    receiver,
                },
            ),
            Err((firmware, cause)) => {
                fail(&firmware, &cause, rows);
                return Ok(());
            }
        };
        let (transmitter, receiver) = (&nodes.transmitter, &nodes.receiver);
        let image_of = |role: &str| match role {
            TRANSMIT => transmitter,
            _ => receiver,
        };
        let mut earlier = Some(Vec::new());
        for (role, wanted) in &roles {
            for (operation, bytes, metrics) in wanted {
                let one = [(operation.clone(), *bytes)];
                let found = self.earlier(unit, &one, metrics, image_of(role), known);
                earlier = earlier.zip(found).map(|(all, more)| [all, more].concat());
            }
        }
        if let Some(earlier) = earlier.filter(|rows| self.same_packet_energies(rows)) {
            rows.extend(earlier);
            return Ok(());
        }
        let run = self.run_nodes(unit, &nodes);
        let measured = match run {
            Ok(measured) => measured,
            Err(error) => {
                let cause = self.outcome(unit, error)?;
                fail(&transmitter.sha256, &cause, rows);
                return Ok(());
            }
        };
        for (role, wanted) in &roles {
            for (operation, bytes, metrics) in wanted {
                let image = image_of(role);
                let figures = NodeFigures {
                    measured: &measured,
                    flash: image.weight.flash.saturating_sub(empty.weight.flash),
                    ram: image.weight.ram.saturating_sub(empty.weight.ram),
                };
                self.node_rows_of(unit, operation, *bytes, metrics, image, &figures, rows);
            }
        }
        Ok(())
    }

    /// The firmwares of both roles. A cipher that only encrypts is heard by a receiver with
    /// another version of it.
    pub(crate) fn node_images(&self, unit: &Unit<'_>, list: &Path) -> Result<Nodes> {
        use crate::experiment::{RECEIVE, TRANSMIT};
        let peer = self.peer(unit);
        let receiver = peer.as_ref().unwrap_or(unit);
        Ok(Nodes {
            transmitter: self.builder.program_role(unit, list, TRANSMIT, &[])?,
            receiver: self.builder.program_role(receiver, list, RECEIVE, &[])?,
        })
    }

    /// Runs them against each other.
    pub(crate) fn run_nodes(
        &self,
        unit: &Unit<'_>,
        nodes: &Nodes,
    ) -> Result<crate::experiment::Measured> {
        crate::experiment::run(
            &self.project.root,
            self.board,
            &nodes.transmitter,
            &nodes.receiver,
            unit.variant == crate::experiment::PLAIN,
        )
    }

    /// The rows that are wanted of a role: each operation with its metrics.
    fn node_rows(&self, unit: &Unit<'_>, role: &str) -> Wanted {
        use crate::experiment::{AIR, RECEIVE, TRANSMIT};
        let interface = unit.algorithm.interface;
        // Without figures of a radio a packet has no energy.
        let has_radio = self
            .power
            .as_ref()
            .is_some_and(|power| power.radio.is_some());
        let of_operation = |operation: &str, metric: &Metric| match *metric {
            Metric::Energy if is_packet(unit, operation) => has_radio,
            Metric::Flash | Metric::Ram | Metric::Rate => {
                matches!(operation, TRANSMIT | RECEIVE)
            }
            Metric::Instructions => false,
            Metric::Time => true,
            _ => operation != AIR,
        };
        let operations = crate::experiment::operations_of(role).iter();
        operations
            .filter(|operation| self.wants_operation(operation) && unit.offers(operation))
            .map(|operation| {
                let sized = interface.takes_message(operation);
                let bytes = unit.algorithm.bytes.first().copied().filter(|_| sized);
                let metrics = self.metrics.iter().copied();
                let metrics = metrics.filter(|metric| of_operation(operation, metric));
                ((*operation).to_owned(), bytes, metrics.collect())
            })
            .collect()
    }

    #[allow(clippy::too_many_arguments)] // a row has that many coordinates
    fn node_rows_of(
        &self,
        unit: &Unit<'_>,
        operation: &str,
        bytes: Option<u32>,
        metrics: &[Metric],
        image: &Image,
        figures: &NodeFigures<'_>,
        rows: &mut Vec<Row>,
    ) {
        use crate::experiment::AIR;
        let measured = figures.measured;
        let spans = measured.took.get(operation).into_iter().flatten();
        let samples: Vec<Sample> = spans
            .map(|span| self.sample_of(span, Empty::default()))
            .collect();
        let whole = is_packet(unit, operation);
        for &metric in metrics {
            let row = self.blank(unit, operation, bytes, metric, &image.sha256);
            let row = match metric {
                Metric::Flash => row.exactly(figures.flash as f64),
                Metric::Ram => row.exactly(figures.ram as f64),
                Metric::Stack if whole => {
                    row.exactly(measured.stack.get(operation).copied().unwrap_or(0) as f64)
                }
                Metric::Rate => row.sampled(
                    measured.rates.get(operation).map_or(&[][..], Vec::as_slice),
                    true,
                ),
                Metric::Time if operation == AIR => row.sampled(&measured.on_air, true),
                Metric::Energy if whole => self.packet_energy(row, &samples, measured),
                _ => {
                    self.rows_of(unit, operation, bytes, &[metric], image, &samples, rows);
                    continue;
                }
            };
            self.push(rows, row);
        }
    }

    /// What a packet costs above a node at rest: core and, where it is sent, radio.
    fn packet_energy(
        &self,
        row: Row,
        samples: &[Sample],
        measured: &crate::experiment::Measured,
    ) -> Row {
        let Some(power) = &self.power else {
            return row.without(Cause::NoPowerFigures);
        };
        let on_air = match row.operation.as_str() {
            crate::experiment::TRANSMIT => {
                stats::summarise(&measured.on_air).map_or(0.0, |s| s.mean)
            }
            _ => 0.0,
        };
        let joules = samples.iter().map(|sample| {
            let seconds = sample.seconds.unwrap_or(0.0);
            power.packet_joules(seconds * sample.cpu_share.unwrap_or(100.0) / 100.0, on_air)
        });
        let Some(joules) = joules.collect::<Option<Vec<f64>>>() else {
            let profile = power.name.clone();
            return row.without(Cause::NoRadioFigures { profile });
        };
        let mut row = row.sampled(&joules, false);
        let name = power.name.clone();
        row.notes.push(Note::PowerProfile { name });
        row
    }

    /// Whether the energies of packets among these rows are those of the power figures as
    /// they are now.
    fn same_packet_energies(&self, rows: &[Row]) -> bool {
        use crate::experiment::{AIR, TRANSMIT};
        let value = |operation: &str, metric: Metric| {
            let found = |row: &&Row| row.operation == operation && row.metric == metric;
            rows.iter().find(found).and_then(|row| row.value)
        };
        let energies = rows.iter().filter(|row| row.metric == Metric::Energy);
        energies.filter(|row| row.bytes.is_some()).all(|row| {
            let (operation, power) = (row.operation.as_str(), self.power.as_ref());
            if !matches!(operation, TRANSMIT | crate::experiment::RECEIVE) {
                return true;
            }
            let on_air = match operation {
                TRANSMIT => value(AIR, Metric::Time),
                _ => Some(0.0),
            };
            let awake = value(operation, Metric::Time)
                .zip(value(operation, Metric::CpuShare))
                .map(|(seconds, share)| seconds * share / 100.0);
            let (Some(awake), Some(on_air)) = (awake, on_air) else {
                return false;
            };
            match (
                row.value,
                power.and_then(|power| power.packet_joules(awake, on_air)),
            ) {
                // A mean of products and a product of means.
                (Some(kept), Some(now)) => (kept - now).abs() <= 1e-4 * now.abs(),
                (kept, now) => kept == now,
            }
        })
    }

    /// Another unit of the same library and cipher that receives, if this one does not.
    fn peer<'u>(&self, unit: &Unit<'u>) -> Option<Unit<'u>> {
        let receive = crate::experiment::RECEIVE;
        if unit.offers(receive) {
            return None;
        }
        let cipher = |variant: &str| {
            variant
                .rsplit_once('-')
                .map(|(cipher, _)| cipher.to_owned())
        };
        let wanted = cipher(unit.variant);
        let implementations = unit.library.implementations.iter();
        implementations
            .filter(|other| other.algorithms.contains(&unit.algorithm.name))
            .filter(|other| other.operations.iter().any(|offered| offered == receive))
            .find_map(|other| {
                let mut variants = other.variants.iter();
                let variant = variants.find(|name| cipher(name) == wanted)?;
                Some(Unit {
                    implementation: other,
                    variant,
                    ..unit.clone()
                })
            })
    }

    /// One span as a sample, the cost of the marks subtracted.
    fn sample_of(&self, span: &Span, empty: Empty) -> Sample {
        let cycles = span.cycles.saturating_sub(empty.cycles);
        let busy = span.cycles - span.slept.min(span.cycles);
        Sample {
            cycles: Some(cycles as f64),
            seconds: self.board.clock_hz.map(|hz| cycles as f64 / hz as f64),
            stack: Some(span.stack.saturating_sub(empty.stack) as f64),
            cpu_share: Some(100.0 * busy as f64 / span.cycles.max(1) as f64),
            instructions: None,
            modelled: None,
            inputs: Vec::new(),
        }
    }

    /// The board's cycle model, if its cycles may be shown.
    fn shown_model(&self) -> Option<&CycleModel> {
        let model = self.project.model(self.board)?;
        model.is_calibrated(self.project).then_some(model)
    }

    /// Why there are no cycles on a board whose runner counts none.
    fn no_cycles(&self) -> Cause {
        match self.project.model(self.board) {
            Some(model) if self.shown_model().is_none() => Cause::NotCalibrated {
                model: model.name.clone(),
                figures: model.reproduced(self.project).count(),
                needed: FIGURES,
            },
            _ => Cause::NotCounted,
        }
    }

    /// Instructions and modelled cycles of one operation, the means of its samples: for
    /// the calibration of the model.
    pub fn modelled(
        &self,
        unit: &Unit<'_>,
        operation: &str,
        bytes: Option<u32>,
    ) -> Result<Option<(f64, f64)>> {
        let image = self.builder.agent(unit)?;
        let mut bench = Bench::new(self, unit, &image);
        bench.start()?;
        let samples = bench.samples(operation, bytes)?;
        let mean = |pick: fn(&Sample) -> Option<f64>| {
            let values: Option<Vec<f64>> = samples.iter().map(pick).collect();
            Some(stats::summarise(&values?)?.mean)
        };
        Ok(mean(|s| s.instructions).zip(mean(|s| s.modelled)))
    }

    /// The rows of an earlier run, if it has every one that is wanted of this very image.
    fn earlier(
        &self,
        unit: &Unit<'_>,
        wanted: &[(String, Option<u32>)],
        metrics: &[Metric],
        image: &Image,
        known: &dyn Fn(&Row) -> Option<Row>,
    ) -> Option<Vec<Row>> {
        let mut rows = Vec::new();
        for (operation, bytes) in wanted {
            let mut seconds = None;
            for &metric in metrics {
                let blank = self.blank(unit, operation, *bytes, metric, &image.sha256);
                if blank.fidelity == Fidelity::CycleModel {
                    return None; // the model may have changed since
                }
                let row = known(&blank)?;
                if metric == Metric::Time {
                    seconds = row.value;
                }
                // The energy of a node's packet has a check of its own.
                if metric == Metric::Energy && !is_packet(unit, operation) {
                    // The power figures may have changed since.
                    let expected = seconds
                        .zip(self.power.as_ref())
                        .map(|(seconds, power)| power.joules(seconds));
                    // A mean of products and a product of means differ in the last bit.
                    let same = match (row.value, expected) {
                        (Some(kept), Some(now)) => (kept - now).abs() <= 1e-9 * now.abs(),
                        (kept, now) => kept == now,
                    };
                    if !same {
                        return None;
                    }
                }
                rows.push(row);
            }
        }
        Some(rows)
    }

    #[allow(clippy::too_many_arguments)] // a row has that many coordinates
    fn rows_of(
        &self,
        unit: &Unit<'_>,
        operation: &str,
        bytes: Option<u32>,
        metrics: &[Metric],
        image: &Image,
        samples: &[Sample],
        rows: &mut Vec<Row>,
    ) {
        // A whole firmware is interrupted by its timer: its cycles vary, and tell nothing.
        let exact = self.board.fidelity.is_deterministic() && unit.program().is_none();
        let spread = if exact { spread(samples) } else { None };
        let steady = samples
            .iter()
            .all(|s| s.took().is_some() && s.took() == samples[0].took());
        for &metric in metrics {
            let row = self.blank(unit, operation, bytes, metric, &image.sha256);
            let of = |pick: fn(&Sample) -> Option<f64>| -> Option<Vec<f64>> {
                samples.iter().map(pick).collect()
            };
            let seconds = of(|s| s.seconds);
            let (values, lacking) = match metric {
                Metric::Cycles => (of(|s| s.cycles), self.no_cycles()),
                Metric::Time if self.board.fidelity == Fidelity::Instructions => {
                    (seconds, self.no_cycles())
                }
                Metric::Time => (seconds, Cause::NotCounted),
                Metric::Instructions => (of(|s| s.instructions), Cause::NotCounted),
                Metric::Stack => (of(|s| s.stack), Cause::NotCounted),
                Metric::CpuShare => (of(|s| s.cpu_share), Cause::NotCounted),
                Metric::Energy => (
                    seconds
                        .zip(self.power.as_ref())
                        .map(|(seconds, power)| seconds.iter().map(|&s| power.joules(s)).collect()),
                    Cause::NoPowerFigures,
                ),
                Metric::Flash | Metric::Ram | Metric::Rate => continue,
            };
            let Some(values) = values else {
                self.push(rows, row.without(lacking));
                continue;
            };
            let mut row = match metric {
                Metric::Stack => row.deepest(&values),
                _ => row.sampled(&values, exact || steady),
            };
            if metric == Metric::Energy {
                let names = self.power.iter().map(|power| power.name.clone());
                row.notes
                    .extend(names.map(|name| Note::PowerProfile { name }));
            }
            if row.fidelity == Fidelity::CycleModel {
                let model = self.project.model(self.board);
                let caution = model.and_then(|model| model.caution(self.project));
                row.notes.extend(caution.map(Note::Model));
            }
            if unit.algorithm.interface.is_search(operation) && metric != Metric::Stack {
                row.notes.push(Note::Seeds { count: row.samples });
            }
            if let (
                Some(spread),
                Metric::Cycles | Metric::Time | Metric::Energy | Metric::Instructions,
            ) = (&spread, metric)
            {
                row.status = Status::VariableTime;
                row.cause = Some(spread.clone());
            }
            self.push(rows, row);
        }
    }

    #[allow(clippy::too_many_arguments)] // a row has that many coordinates
    fn fail_all(
        &self,
        unit: &Unit<'_>,
        wanted: &[(String, Option<u32>)],
        metrics: &[Metric],
        firmware: &str,
        cause: &Cause,
        rows: &mut Vec<Row>,
    ) {
        for (operation, bytes) in wanted {
            for &metric in metrics {
                let row = self.blank(unit, operation, *bytes, metric, firmware);
                self.push(rows, row.without(cause.clone()));
            }
        }
    }

    fn push(&self, rows: &mut Vec<Row>, row: Row) {
        if self.wants(row.metric) {
            rows.push(row);
        }
    }

    /// A row with everything but the value.
    pub(crate) fn blank(
        &self,
        unit: &Unit<'_>,
        operation: &str,
        bytes: Option<u32>,
        metric: Metric,
        firmware: &str,
    ) -> Row {
        // Memory is read off the image: no runner and no sample is behind it.
        let fidelity = unit
            .algorithm
            .interface
            .fidelity(operation, metric)
            .unwrap_or(match (self.board.fidelity, metric) {
                // What is made of counted instructions.
                (Fidelity::Instructions, Metric::Cycles | Metric::Time | Metric::Energy) => {
                    Fidelity::CycleModel
                }
                (fidelity, _) => fidelity,
            });
        Row {
            schema: SCHEMA.to_owned(),
            run: self.run.clone(),
            board: self.board.name.clone(),
            mcu: self.board.mcu.clone(),
            clock_hz: self.board.clock_hz,
            runner: self.runner.clone(),
            fidelity,
            compiler: self.builder.compiler().to_owned(),
            flags: self.builder.flags(unit).join(" "),
            library: unit.library.name.clone(),
            library_version: unit.library.version.clone(),
            algorithm: unit.algorithm.name.clone(),
            variant: unit.variant.to_owned(),
            sweep: self.builder.sweep().map(str::to_owned),
            operation: operation.to_owned(),
            bytes,
            metric,
            unit: metric.unit().to_owned(),
            value: None,
            samples: 0,
            min: None,
            max: None,
            mean: None,
            sd: None,
            ci95: None,
            status: Status::Ok,
            cause: None,
            notes: Vec::new(),
            firmware_sha256: firmware.to_owned(),
            commit: self.commit.clone(),
        }
    }

    /// Cycles, or instructions, that one call of a unit may take.
    pub(crate) fn limit(&self, unit: &Unit<'_>) -> u64 {
        let of_algorithm = unit.algorithm.limit;
        let of_algorithm = of_algorithm.map(|millions| millions.saturating_mul(1_000_000));
        self.cycle_limit.or(of_algorithm).unwrap_or(CYCLE_LIMIT)
    }

    /// A call that its runner stopped at the limit.
    pub(crate) fn over_limit(&self, unit: &Unit<'_>, stop: &Stop) -> Cause {
        Cause::OverLimit {
            limit: self.limit(unit),
            counted: match self.board.fidelity {
                Fidelity::Instructions => Counted::Instructions,
                _ => Counted::Cycles,
            },
            stop: stop.clone(),
        }
    }

    /// What a failed operation means for its row. Errors of the machine pass through.
    pub(crate) fn outcome(&self, unit: &Unit<'_>, error: Error) -> Result<Cause> {
        match error {
            Error::Stopped(stop) => {
                let text = stop.to_string();
                Ok(if text.contains("stack-collision") {
                    Cause::StackCollision { stop }
                } else if text.contains(HEAP_EXHAUSTED) {
                    Cause::HeapExhausted { stop }
                } else if stop.is_of_limit() {
                    self.over_limit(unit, &stop)
                } else {
                    Cause::Stopped { stop }
                })
            }
            Error::Agent(message) => Ok(Cause::Agent { message }),
            Error::Node(message) => Ok(Cause::Firmware { message }),
            Error::Wrapped(operation) => Ok(Cause::CounterWraps { operation }),
            other => Err(other),
        }
    }

    /// Starts an agent image on the runner.
    pub fn start_agent(&self, unit: &Unit<'_>, image: &Image) -> Result<Agent> {
        let session = crate::runner::start(
            &self.project.root,
            &self.runner,
            self.board,
            &image.path,
            &image.weight,
            self.limit(unit),
        )?;
        let mut agent = Agent::greet(
            session,
            &unit.algorithm.name,
            unit.variant,
            &unit.implementation.operations,
        )?;
        agent.refuses_sizes = unit.implementation.refuses_sizes.is_some();
        Ok(agent)
    }
}

/// The operations of a unit that are timed: its interface's, or for probes those of the manifest.
fn operations_of(unit: &Unit<'_>) -> Vec<String> {
    match unit.algorithm.interface {
        Interface::Probe => unit.implementation.operations.clone(),
        interface => interface
            .timed_operations()
            .iter()
            .map(|&name| name.to_owned())
            .collect(),
    }
}

/// Whether an operation is a packet of a node with its radio.
fn is_packet(unit: &Unit<'_>, operation: &str) -> bool {
    use crate::experiment::{RECEIVE, TRANSMIT};
    unit.algorithm.interface == Interface::Node && matches!(operation, TRANSMIT | RECEIVE)
}

/// Bytes that depend only on what they are for, so that every run, variant and
/// runner sees the same inputs.
pub fn rng_for(purpose: &str, sample: u64) -> ChaCha8Rng {
    let mut hash = Sha256::new();
    hash.update(purpose.as_bytes());
    hash.update(sample.to_le_bytes());
    ChaCha8Rng::from_seed(hash.finalize().into())
}

impl<'a> Bench<'a> {
    /// Before its start.
    fn new(lab: &'a Lab<'a>, unit: &'a Unit<'a>, image: &'a Image) -> Bench<'a> {
        Bench {
            lab,
            unit,
            image,
            agent: None,
            empty: Empty::default(),
            forgot: false,
        }
    }
}

impl Bench<'_> {
    fn start(&mut self) -> Result<()> {
        self.agent = None;
        let mut agent = self.lab.start_agent(self.unit, self.image)?;
        self.empty = measure_empty(&mut agent, self.lab.project.model(self.lab.board))?;
        self.agent = Some(agent);
        Ok(())
    }

    fn agent(&mut self) -> Result<&mut Agent> {
        self.agent
            .as_mut()
            .ok_or_else(|| Error::Agent("the image does not run".into()))
    }

    /// Checks a few cases of every source; the reason if one fails.
    fn check(&mut self) -> Result<Option<Cause>> {
        let algorithm = self.unit.algorithm;
        let (lab, catalog, unit) = (self.lab, self.lab.catalog, self.unit);
        let agent = self.agent()?;
        for set in catalog.sets_for(&algorithm.name) {
            let cases = set.cases(&algorithm.name)?;
            for case in selo_vectors::stratified(&cases, 4) {
                // A class gives its first case at any weight; long chains are for `lab check`.
                if case.weight > 32 || unit.deviation(&case.id).is_some() {
                    continue;
                }
                match agent.run_case(case) {
                    Ok(Verdict::Pass | Verdict::Skipped { .. }) => {}
                    Ok(verdict) => {
                        return Ok(Some(Cause::FailedVector {
                            set: set.id.clone(),
                            case: case.id.clone(),
                            message: crate::check::describe(&verdict),
                        }));
                    }
                    Err(error) => {
                        let cause = match agent.take_error() {
                            Some(stopped) => lab.outcome(unit, stopped)?,
                            None => Cause::Agent {
                                message: error.to_string(),
                            },
                        };
                        return Ok(Some(cause.at(Step::Vector {
                            set: set.id.clone(),
                            case: case.id.clone(),
                        })));
                    }
                }
            }
        }
        if algorithm.interface == Interface::PublicKey {
            return match self.round_trip() {
                Err(error) => {
                    let cause = self.lab.outcome(self.unit, error)?;
                    Ok(Some(cause.at(Step::RoundTrip)))
                }
                failure => failure,
            };
        }
        Ok(None)
    }

    /// Encrypts and decrypts: what can be checked without published vectors.
    fn round_trip(&mut self) -> Result<Option<Cause>> {
        let plan = self.plan("decrypt", 0)?;
        let (ran, calls) = self.follow_whole(&plan, "round trip", 0, 1)?;
        let message = &calls.inputs[1][0];
        Ok((ran.reply.status != 0 || &ran.reply.output != message).then_some(Cause::NotGivenBack))
    }

    fn plan(&self, operation: &str, bytes: u32) -> Result<Plan> {
        let algorithm = self.unit.algorithm;
        algorithm
            .interface
            .plan(algorithm, operation, bytes)
            .ok_or_else(|| {
                Error::Agent(format!(
                    "no way to call '{operation}' of {}",
                    algorithm.name
                ))
            })
    }

    /// Makes the calls of a plan; the last one is repeated and returned, with all calls.
    fn follow(
        &mut self,
        plan: &Plan,
        purpose: &str,
        sample: u64,
        repeat: u16,
    ) -> Result<(Ran, Transcript)> {
        let mut rng = rng_for(&format!("{} {purpose}", self.unit.algorithm.name), sample);
        let mut calls = Transcript::default();
        let mut last = None;
        let paint = self.empty.paint;
        let kept = sample > 0 && !self.forgot;
        let agent = self.agent()?;
        for (index, call) in plan.iter().enumerate() {
            let inputs: Vec<Vec<u8>> = call
                .inputs
                .iter()
                .map(|input| input.bytes(&mut rng, &calls))
                .collect();
            let fields: Vec<&[u8]> = inputs.iter().map(Vec::as_slice).collect();
            // A key pair that stays with the library takes seconds to make and serves every sample.
            let stays = !plan
                .iter()
                .flat_map(|later| &later.inputs)
                .any(|input| input.call() == Some(index));
            if call.operation == "keygen" && stays && index + 1 < plan.len() && kept {
                calls.inputs.push(Vec::new());
                calls.outputs.push(Vec::new());
                continue;
            }
            let repeat = if index + 1 == plan.len() { repeat } else { 1 };
            let paint = paint && index + 1 == plan.len();
            let ran = agent.run(call.operation, repeat, paint, &fields)?;
            if ran.reply.status != 0 {
                return Err(Error::Agent(format!(
                    "'{}' of random inputs ended with status {}",
                    call.operation, ran.reply.status
                )));
            }
            calls.outputs.push(ran.reply.output.clone());
            calls.inputs.push(inputs);
            last = Some(ran);
        }
        last.map(|ran| (ran, calls))
            .ok_or_else(|| Error::Agent("an empty plan".into()))
    }

    /// Follows a plan, from its beginning again if it was cut off.
    fn follow_whole(
        &mut self,
        plan: &Plan,
        purpose: &str,
        sample: u64,
        repeat: u16,
    ) -> Result<(Ran, Transcript)> {
        let mut retry = Retry::default();
        loop {
            match self.follow(plan, purpose, sample, repeat) {
                Err(error) => retry.after(error)?,
                followed => {
                    self.forgot = false;
                    return followed;
                }
            }
            self.forgot = true;
        }
    }

    fn samples(&mut self, operation: &str, bytes: Option<u32>) -> Result<Vec<Sample>> {
        let plan = match self.unit.algorithm.interface {
            Interface::Probe => Vec::new(),
            _ => self.plan(operation, bytes.unwrap_or(0))?,
        };
        let exact =
            self.agent()?.hello().counter_hz == 0 || self.lab.board.fidelity != Fidelity::WallClock;
        let mut repeat = 1;
        if !exact {
            repeat = self.calibrate(&plan, operation)?;
        }
        let mut wanted = if exact { 10 } else { WALL_SAMPLES };
        let mut samples = Vec::new();
        while samples.len() < wanted {
            let sample = self.sample(&plan, operation, samples.len() as u64, repeat)?;
            if exact && sample.took().is_some_and(|(count, _)| count > SLOW as f64) {
                wanted = 3;
            }
            if !exact && sample.seconds.is_some_and(|s| s > 0.05) {
                wanted = wanted.min(10);
            }
            samples.push(sample);
        }
        Ok(samples)
    }

    /// How often to repeat a quick operation so that the clock can see it.
    fn calibrate(&mut self, plan: &Plan, operation: &str) -> Result<u16> {
        let mut repeat: u16 = 1;
        loop {
            let sample = self.sample(plan, operation, 0, repeat)?;
            let lasted = sample.seconds.unwrap_or(0.0) * 1e9 * f64::from(repeat);
            if lasted >= WALL_SAMPLE_NS as f64 || repeat >= 32_768 {
                return Ok(repeat);
            }
            repeat *= 2;
        }
    }

    fn sample(&mut self, plan: &Plan, operation: &str, number: u64, repeat: u16) -> Result<Sample> {
        let (ran, calls) = if plan.is_empty() {
            let paint = self.empty.paint;
            let ran = self.agent()?.run_alone(operation, repeat, paint)?;
            (ran, Transcript::default())
        } else {
            self.follow_whole(plan, operation, number, repeat)?
        };
        let empty = self.empty;
        let inputs = calls.inputs.into_iter().flatten().collect();
        if let Some(span) = ran.span {
            return Ok(Sample {
                inputs,
                ..self.lab.sample_of(&span, empty)
            });
        }
        let reply = &ran.reply;
        if let Some(counts) = &ran.counts {
            let model = self.lab.project.model(self.lab.board);
            let modelled = model.and_then(|model| model.cycles_of(counts));
            let modelled = modelled.map(|cycles| cycles - empty.modelled);
            let cycles = modelled.filter(|_| self.lab.shown_model().is_some());
            let hz = self.lab.board.clock_hz;
            return Ok(Sample {
                cycles,
                seconds: cycles.zip(hz).map(|(cycles, hz)| cycles / hz as f64),
                modelled,
                instructions: Some(counts.instructions as f64 - empty.instructions),
                stack: reply
                    .stack
                    .map(|stack| f64::from(stack) - empty.stack as f64),
                inputs,
                ..Sample::default()
            });
        }
        let hz = self.agent()?.hello().counter_hz;
        let reply = &ran.reply;
        if hz == 0 || reply.repeats == 0 {
            return Err(Error::Agent(format!("'{operation}' ran without marks")));
        }
        if reply.wrapped {
            return Err(Error::Wrapped(operation.to_owned()));
        }
        let repeats = f64::from(reply.repeats);
        let ticks = (reply.counter as f64 / repeats - empty.ticks).max(0.0);
        let counts_cycles = self.lab.board.fidelity == Fidelity::CycleExact;
        let clock = self.lab.board.clock_hz.filter(|_| counts_cycles);
        Ok(Sample {
            cycles: clock.map(|clock| ticks * clock as f64 / f64::from(hz)),
            seconds: Some(ticks / f64::from(hz)),
            stack: reply
                .stack
                .map(|stack| f64::from(stack) - empty.stack as f64),
            cpu_share: reply
                .cpu
                .map(|cpu| 100.0 * cpu as f64 / reply.counter.max(1) as f64),
            instructions: reply
                .instructions
                .map(|count| (count as f64 / repeats - empty.instructions).max(0.0)),
            modelled: None,
            inputs,
        })
    }
}

/// Runs operation 0, which is the marks around nothing.
fn measure_empty(agent: &mut Agent, model: Option<&CycleModel>) -> Result<Empty> {
    let chip = agent.run_alone("empty", 1, false)?;
    if let Some(span) = chip.span {
        return Ok(Empty {
            cycles: span.cycles,
            stack: span.stack,
            ..Empty::default()
        });
    }
    if chip.counts.is_some() {
        let painted = agent.run("empty", 1, true, &[])?;
        let counts = painted.counts.unwrap_or_default();
        return Ok(Empty {
            paint: true,
            instructions: counts.instructions as f64,
            modelled: model.and_then(|m| m.cycles_of(&counts)).unwrap_or(0.0),
            stack: u64::from(painted.reply.stack.unwrap_or(0)),
            ..Empty::default()
        });
    }
    // The least of some runs: what the clock costs when nothing disturbs it.
    let mut empty = Empty {
        paint: true,
        ticks: f64::INFINITY,
        instructions: f64::INFINITY,
        ..Empty::default()
    };
    for _ in 0..20 {
        let reply = agent.run_alone("empty", 1000, true)?.reply;
        let repeats = f64::from(reply.repeats.max(1));
        empty.ticks = empty.ticks.min(reply.counter as f64 / repeats);
        empty.instructions = empty
            .instructions
            .min(reply.instructions.unwrap_or(0) as f64 / repeats);
        empty.stack = u64::from(reply.stack.unwrap_or(0));
    }
    Ok(empty)
}

/// Whether a call over the limit is no fault: the user or the algorithm named that limit. At one
/// that nobody named, a call hangs.
pub fn excuses_limit(cycle_limit: Option<u64>, algorithm: &Algorithm) -> bool {
    cycle_limit.is_some() || algorithm.limit.is_some()
}

fn build_failure(error: &Error) -> Cause {
    let text = error.to_string();
    // A linker says first what it lacks, and then that it failed.
    let telling = text
        .lines()
        .find(|line| line.contains("undefined reference") || line.contains("rror:"))
        .or_else(|| text.lines().find(|line| line.contains("error")))
        .or_else(|| text.lines().nth(1));
    Cause::DoesNotBuild {
        message: telling.unwrap_or(&text).trim().to_owned(),
    }
}

/// Two inputs that take different time, if the samples differ.
fn spread(samples: &[Sample]) -> Option<Cause> {
    let took = |sample: &Sample| sample.took().map_or(0.0, |(figure, _)| figure);
    let least = samples.iter().min_by(|a, b| took(a).total_cmp(&took(b)))?;
    let most = samples.iter().max_by(|a, b| took(a).total_cmp(&took(b)))?;
    let (_, counted) = least.took()?;
    let taken = |sample: &Sample| Taken {
        count: took(sample),
        inputs: sample.inputs.iter().map(hex::encode).collect(),
    };
    (took(least) != took(most)).then(|| Cause::DependsOnInputs {
        counted,
        least: taken(least),
        most: taken(most),
    })
}

impl Sample {
    /// What a deterministic runner counted, and its unit. Cycles of a model are made of
    /// the instructions beside them.
    fn took(&self) -> Option<(f64, Counted)> {
        let counted = self
            .instructions
            .map(|count| (count, Counted::Instructions));
        counted.or_else(|| Some((self.cycles?, Counted::Cycles)))
    }
}

impl Row {
    /// A row without a value.
    pub(crate) fn without(mut self, cause: Cause) -> Row {
        self.status = cause.status();
        self.cause = Some(cause);
        self
    }

    /// A row with one exact value.
    fn exactly(mut self, value: f64) -> Row {
        self.samples = 1;
        self.value = Some(value);
        (self.min, self.max, self.mean) = (Some(value), Some(value), Some(value));
        self
    }

    /// A row of samples; deterministic ones get no interval.
    fn sampled(mut self, values: &[f64], deterministic: bool) -> Row {
        let Some(summary) = stats::summarise(values) else {
            return self;
        };
        self.samples = summary.count;
        self.value = Some(summary.mean);
        (self.min, self.max, self.mean) =
            (Some(summary.min), Some(summary.max), Some(summary.mean));
        if !deterministic {
            self.sd = summary.sd;
            self.ci95 = summary.ci95;
        }
        self
    }

    /// A row whose value is the largest sample.
    fn deepest(self, values: &[f64]) -> Row {
        let mut row = self.sampled(values, true);
        row.value = row.max;
        row
    }
}

/// The default folder of a board's rows. Libraries that test the instrument have
/// one of their own, so that no report shows them beside real ones.
pub fn default_folder(project: &Project, board: &Board, units: &[Unit<'_>]) -> PathBuf {
    let testing = units.iter().any(|unit| unit.library.test_only);
    // Reports take one row of each measurement: real boards shall not stand in for
    // simulated ones unasked.
    let parent = match (testing, board.runner == SERIAL) {
        (true, _) => "out/instrument",
        (false, true) => "out/serial",
        (false, false) => "out/lab",
    };
    project.root.join(parent).join(&board.name)
}
