//! Which implementation a device can afford, ranked, with reasons from rows.
//!
//! Only what was checked and measured (`status` ok) is recommended. What is left
//! out is listed with the reason: the bytes over, the operation that is missing.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use selo_base::units::NANOWATT_HOUR;
use selo_engine::algorithm::Algorithm;
use selo_engine::check::{CONSTANT_TIME, CheckLine};
use selo_engine::interface::{AD_BYTES, Interface};
use selo_engine::row::{Metric, Row, Status};
use serde::{Deserialize, Serialize};

use crate::format;
use crate::table::{Cell, Column, Table, Tone};

/// What the device must do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Need {
    Encrypt,
    Decrypt,
    Seal,
    Open,
    Hash,
    KeyExchange,
}

/// What counts among the implementations that fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Prefer {
    Time,
    Energy,
    Size,
}

/// A question.
#[derive(Clone, Debug)]
pub struct Request {
    pub board: String,
    /// Bytes that cryptography may take of each memory.
    pub flash: u64,
    pub ram: u64,
    pub needs: Vec<Need>,
    pub prefer: Prefer,
    /// Size of a message in bytes.
    pub bytes: u32,
    /// What must have been shown of an implementation on this board.
    pub conditions: Vec<Condition>,
}

/// Something that `selo lab check` shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// The same number of cycles whatever the secret.
    ConstantTime,
    /// Official test vectors ran, and none failed.
    Conformity,
}

/// What is known of implementations beside their rows.
#[derive(Clone, Copy, Debug, Default)]
pub struct Evidence<'a> {
    /// Lines of `selo lab check`.
    pub checks: &'a [CheckLine],
    /// Libraries and their licences.
    pub licences: &'a [(String, String)],
}

/// Jobs that one implementation does: a cipher encrypts and decrypts, an authenticated
/// one seals and opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Job {
    Cipher,
    Aead,
    Hash,
    KeyExchange,
}

/// One implementation, fitting or not: one line of `selo lab recommend --json`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Advice {
    pub job: Job,
    /// From 1, the best; null for what is excluded.
    pub rank: Option<usize>,
    /// Part of the best set that does all the jobs and fits as a whole.
    pub together: bool,
    pub board: String,
    pub library: String,
    pub algorithm: String,
    pub variant: String,
    /// SPDX expression of the library's licence.
    pub licence: Option<String>,
    /// Time of one message: all operations needed, key set-up left out.
    pub seconds: Option<f64>,
    /// Instructions of the same, on boards that count them and have no time.
    pub instructions: Option<f64>,
    /// Energy of the same, above idle.
    pub joules: Option<f64>,
    /// Flash in bytes.
    pub flash: Option<u64>,
    /// Total RAM in bytes: the next three together.
    pub ram: Option<u64>,
    pub static_ram: Option<u64>,
    pub stack: Option<u64>,
    /// What the caller holds: message, output, key.
    pub buffers: Option<u64>,
    /// Why it ranks where it does, or why it is excluded.
    pub reasons: Vec<String>,
    /// Whether its cycles were the same for all secrets tried; null if that was not checked.
    pub constant_time: Option<bool>,
    /// Cases of official vectors that passed, and that failed; null if none ran.
    pub conformity: Option<(u64, u64)>,
    /// What speaks against it beside its figures.
    pub cautions: Vec<String>,
    /// False if it is no standard.
    pub standard: bool,
}

/// The answer to a [`Request`].
#[derive(Clone, Debug)]
pub struct Answer {
    /// By job; within a job by rank, then what is excluded.
    pub advice: Vec<Advice>,
    /// Flash and RAM of the set marked `together`, if there is more than one job.
    pub together: Option<(u64, u64)>,
    pub jobs: Vec<Job>,
}

/// Ranks what `rows` hold for the request. `algorithms` say what each can do.
pub fn recommend(
    request: &Request,
    rows: &[Row],
    algorithms: &[Algorithm],
    evidence: Evidence<'_>,
) -> Answer {
    let mut jobs: Vec<Job> = request.needs.iter().map(|need| need.job()).collect();
    jobs.sort();
    jobs.dedup();
    let mut answer = Answer {
        advice: Vec::new(),
        together: None,
        jobs: jobs.clone(),
    };
    for &job in &jobs {
        let mut all: Vec<Advice> = Vec::new();
        for ((library, algorithm, variant), rows) in units(request, rows) {
            let Some(algorithm) = algorithms.iter().find(|known| known.name == algorithm) else {
                continue;
            };
            if does(algorithm.interface, job) {
                let unit = Unit {
                    request,
                    job,
                    algorithm,
                    evidence,
                    rows,
                };
                all.push(unit.advise(library, variant));
            }
        }
        rank(request, &mut all);
        answer.advice.extend(all);
    }
    if jobs.len() > 1 {
        mark_together(request, &mut answer);
    }
    answer
}

impl Need {
    fn job(self) -> Job {
        match self {
            Need::Encrypt | Need::Decrypt => Job::Cipher,
            Need::Seal | Need::Open => Job::Aead,
            Need::Hash => Job::Hash,
            Need::KeyExchange => Job::KeyExchange,
        }
    }
}

fn does(interface: Interface, job: Job) -> bool {
    match interface {
        Interface::BlockCipher | Interface::ModeEcb | Interface::ModeCbc | Interface::ModeCtr => {
            job == Job::Cipher
        }
        Interface::Aead => job == Job::Aead,
        Interface::Hash => job == Job::Hash,
        Interface::Dh => job == Job::KeyExchange,
        _ => false,
    }
}

type Units<'a> = BTreeMap<(&'a str, &'a str, &'a str), Vec<&'a Row>>;

fn units<'a>(request: &Request, rows: &'a [Row]) -> Units<'a> {
    let mut units = Units::new();
    for row in rows.iter().filter(|row| row.board == request.board) {
        units
            .entry((&row.library, &row.algorithm, &row.variant))
            .or_default()
            .push(row);
    }
    units
}

/// An implementation with its rows.
struct Unit<'a> {
    request: &'a Request,
    job: Job,
    algorithm: &'a Algorithm,
    evidence: Evidence<'a>,
    rows: Vec<&'a Row>,
}

impl Unit<'_> {
    fn advise(&self, library: &str, variant: &str) -> Advice {
        let (standard, mut cautions) = cautions(self.algorithm);
        let models = format::model_cautions(self.rows.iter().copied());
        cautions.extend(models);
        let of_library = |(name, _): &&(String, String)| name == library;
        let licence = self.evidence.licences.iter().find(of_library);
        let checks: Vec<&CheckLine> = self
            .evidence
            .checks
            .iter()
            .filter(|check| {
                check.board == self.request.board
                    && check.library == library
                    && check.algorithm == self.algorithm.name
                    && check.variant == variant
            })
            .collect();
        let mut timing = checks.iter().filter(|check| check.source == CONSTANT_TIME);
        let official = || checks.iter().filter(|check| check.is_official());
        let sum = |pick: fn(&CheckLine) -> u64| official().map(|check| pick(check)).sum::<u64>();
        let (passed, failed) = (sum(|check| check.passed), sum(|check| check.failed));
        let mut advice = Advice {
            job: self.job,
            rank: None,
            together: false,
            board: self.request.board.clone(),
            library: library.to_owned(),
            algorithm: self.algorithm.name.clone(),
            variant: variant.to_owned(),
            licence: licence.map(|(_, licence)| licence.clone()),
            seconds: None,
            instructions: None,
            joules: None,
            flash: None,
            ram: None,
            static_ram: None,
            stack: None,
            buffers: None,
            reasons: Vec::new(),
            constant_time: timing.next().map(|check| check.failed == 0),
            conformity: (passed + failed > 0).then_some((passed, failed)),
            cautions,
            standard,
        };
        let met = self.meets(&advice);
        if let Err(reason) = self.fill(&mut advice).and(met) {
            advice.reasons.push(reason);
        }
        advice
    }

    /// The operations that a message needs, and the image that holds them.
    fn work(&self) -> (&'static str, Vec<&'static str>) {
        let needs = &self.request.needs;
        let of = |there: (Need, &'static str), back: (Need, &'static str)| match (
            needs.contains(&there.0),
            needs.contains(&back.0),
        ) {
            (true, true) => ("both", vec![there.1, back.1]),
            (false, true) => (back.1, vec![back.1]),
            _ => (there.1, vec![there.1]),
        };
        match self.job {
            Job::Hash => ("hash", vec!["hash"]),
            Job::KeyExchange => ("both", vec!["keygen", "shared-secret"]),
            Job::Cipher => of((Need::Encrypt, "encrypt"), (Need::Decrypt, "decrypt")),
            Job::Aead => of((Need::Seal, "seal"), (Need::Open, "open")),
        }
    }

    /// Whether what was asked for was shown; an error is the reason for leaving it out.
    fn meets(&self, advice: &Advice) -> Result<(), String> {
        let how = format!(
            "selo lab check --board {} --library {} --algorithm {}",
            advice.board, advice.library, advice.algorithm
        );
        // What failed an official vector is not recommended, asked or not.
        if let Some((_, failed)) = advice.conformity.filter(|(_, failed)| *failed > 0) {
            let cases = format::things(failed as usize, "case", "cases");
            return Err(format!("{cases} of official vectors failed"));
        }
        for condition in &self.request.conditions {
            match condition {
                Condition::Conformity if advice.conformity.is_none() => {
                    return Err(format!("official vectors were not run here yet: {how}"));
                }
                Condition::ConstantTime if advice.constant_time == Some(false) => {
                    return Err("its cycles depend on the secret".to_owned());
                }
                Condition::ConstantTime if advice.constant_time.is_none() => {
                    return Err(format!("constant time was not checked here yet: {how}"));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Fills in the figures; an error is the reason for leaving it out.
    fn fill(&self, advice: &mut Advice) -> Result<(), String> {
        let (image, operations) = self.work();
        for operation in &operations {
            let offered = self.rows.iter().any(|row| row.operation == *operation);
            if !offered {
                return Err(format!("it does not offer {operation}"));
            }
        }
        let flash = self.figure(image, Metric::Flash)? as u64;
        let static_ram = self.figure(image, Metric::Ram)? as u64;
        let mut stack = 0.0_f64;
        for operation in &operations {
            stack = stack.max(self.figure(operation, Metric::Stack)?);
        }
        let sum = |metric| -> Result<f64, String> {
            let of = operations
                .iter()
                .map(|operation| self.figure(operation, metric));
            of.sum()
        };
        // Where nothing has a time, instructions decide.
        let (seconds, instructions) = match sum(Metric::Time) {
            Ok(seconds) => (Some(seconds), None),
            Err(reason) => match sum(Metric::Instructions) {
                Ok(count) => (None, Some(count)),
                Err(_) => return Err(reason),
            },
        };
        if self
            .rows
            .iter()
            .any(|row| row.operation == "key-setup" && row.metric == Metric::Stack)
        {
            stack = stack.max(self.figure("key-setup", Metric::Stack)?);
        }
        let joules = operations
            .iter()
            .map(|operation| self.figure(operation, Metric::Energy))
            .sum::<Result<f64, String>>();
        let (stack, buffers) = (stack as u64, self.buffers());
        let ram = static_ram + stack + buffers;
        advice.flash = Some(flash);
        advice.static_ram = Some(static_ram);
        advice.stack = Some(stack);
        advice.buffers = Some(buffers);
        advice.ram = Some(ram);
        advice.seconds = seconds;
        advice.instructions = instructions;
        advice.joules = joules.as_ref().ok().copied();
        if let (Prefer::Energy, Err(reason)) = (self.request.prefer, joules) {
            return Err(reason);
        }
        let mut over = Vec::new();
        for (what, used, limit) in [
            ("flash", flash, self.request.flash),
            ("RAM", ram, self.request.ram),
        ] {
            if used > limit {
                let (used, more) = (
                    format::count(used as f64),
                    format::count((used - limit) as f64),
                );
                over.push(format!(
                    "{what}: {used} bytes, {more} over {}",
                    format::count(limit as f64)
                ));
            }
        }
        if over.is_empty() {
            Ok(())
        } else {
            Err(over.join("; "))
        }
    }

    /// The value of an operation for one message; sizes that were not measured
    /// are taken from the next larger one, or from the largest in proportion.
    fn figure(&self, operation: &str, metric: Metric) -> Result<f64, String> {
        let named = |row: &&&Row| row.operation == operation && row.metric == metric;
        let wanted = self.request.bytes;
        let mut found: Vec<&Row> = self.rows.iter().filter(named).copied().collect();
        found.sort_by_key(|row| row.bytes);
        let row = found
            .iter()
            .find(|row| row.bytes.is_none_or(|bytes| bytes >= wanted))
            .or(found.last())
            .ok_or_else(|| format!("no row for {} of {operation}", metric.name()))?;
        let value = match (row.status, row.value) {
            (Status::Ok, Some(value)) => value,
            (status, _) => {
                let why = row.reason();
                let why = why.as_deref().unwrap_or("no reason given");
                return Err(format!(
                    "{} of {operation} {}: {why}",
                    metric.name(),
                    format::status_words(status)
                ));
            }
        };
        let grows = matches!(metric, Metric::Time | Metric::Energy | Metric::Instructions);
        Ok(match row.bytes {
            Some(bytes) if grows && self.algorithm.interface == Interface::BlockCipher => {
                value * f64::from(wanted.div_ceil(bytes.max(1)))
            }
            Some(bytes) if grows && bytes < wanted => {
                value * f64::from(wanted) / f64::from(bytes.max(1))
            }
            _ => value,
        })
    }

    /// What the caller holds beside the library: message and output (in place
    /// where the interface allows it), the raw key, and IV, counter, or nonce and tag.
    fn buffers(&self) -> u64 {
        let message = u64::from(self.request.bytes);
        let blocks = message.div_ceil(16) * 16;
        let key = u64::from(self.algorithm.key_bytes.unwrap_or(0));
        match self.algorithm.interface {
            Interface::BlockCipher | Interface::ModeEcb => blocks + key,
            Interface::ModeCtr => message + 16 + key,
            // Message in, IV and padded message out.
            Interface::ModeCbc => message + 16 + (message / 16 + 1) * 16 + key,
            Interface::Aead => {
                let nonce = u64::from(self.algorithm.nonce_bytes.unwrap_or(12));
                message + u64::from(AD_BYTES) + nonce + 16 + key
            }
            // The longest digest.
            Interface::Hash | Interface::Mac => message + 64 + key,
            // Secret, own and peer's public key, shared secret.
            _ => 4 * 32,
        }
    }
}

/// Orders what fits, gives ranks and reasons; what does not fit follows by name.
fn rank(request: &Request, all: &mut [Advice]) {
    let fits = |advice: &Advice| advice.reasons.is_empty();
    all.sort_by(|a, b| {
        let name = |x: &Advice| (x.algorithm.clone(), x.variant.clone(), x.library.clone());
        fits(b)
            .cmp(&fits(a))
            .then(if fits(a) {
                price(request, a).total_cmp(&price(request, b))
            } else {
                std::cmp::Ordering::Equal
            })
            .then_with(|| name(a).cmp(&name(b)))
    });
    let best = all
        .first()
        .filter(|advice| fits(advice))
        .map(|advice| price(request, advice));
    let Some(best) = best else { return };
    for (index, advice) in all.iter_mut().enumerate() {
        if !fits(advice) {
            break;
        }
        advice.rank = Some(index + 1);
        let factor = if best > 0.0 {
            price(request, advice) / best
        } else {
            1.0
        };
        advice.reasons = reasons(request, advice, index, factor);
    }
}

/// What is compared: less is better.
fn price(request: &Request, advice: &Advice) -> f64 {
    let share = |used: Option<u64>, limit: u64| used.unwrap_or(0) as f64 / limit.max(1) as f64;
    match request.prefer {
        Prefer::Time => advice
            .seconds
            .or(advice.instructions)
            .unwrap_or(f64::INFINITY),
        Prefer::Energy => advice.joules.unwrap_or(f64::INFINITY),
        Prefer::Size => share(advice.flash, request.flash) + share(advice.ram, request.ram),
    }
}

fn reasons(request: &Request, advice: &Advice, index: usize, factor: f64) -> Vec<String> {
    let what = match request.prefer {
        Prefer::Time if advice.seconds.is_none() => "instructions",
        Prefer::Time => "time",
        Prefer::Energy => "energy",
        Prefer::Size => "share of the two budgets",
    };
    let mut reasons = vec![if index == 0 {
        format!("least {what}")
    } else {
        format!("{} the least {what}", format::ratio(factor))
    }];
    if let Some(seconds) = advice.seconds {
        let energy = advice.joules.map_or_else(String::new, |joules| {
            format!(" and {}", format::quantity(Metric::Energy, joules))
        });
        let message = match advice.job {
            Job::KeyExchange => "an exchange".to_owned(),
            _ => format!("{} bytes", request.bytes),
        };
        reasons.push(format!(
            "{}{energy} for {message}",
            format::quantity(Metric::Time, seconds)
        ));
    }
    if let Some(count) = advice.instructions {
        reasons.push(format!(
            "{}, which say nothing exact about time",
            format::quantity(Metric::Instructions, count)
        ));
    }
    match advice.conformity {
        Some((passed, _)) => reasons.push(format!(
            "{} of official vectors passed",
            format::things(passed as usize, "case", "cases")
        )),
        None => reasons.push("correct in the cases run before and after measuring".to_owned()),
    }
    if advice.constant_time == Some(true) {
        reasons.push("the same cycles for every secret tried".to_owned());
    }
    if let Some(licence) = &advice.licence {
        reasons.push(format!("licence {licence}"));
    }
    let count = |value: Option<u64>| format::count(value.unwrap_or(0) as f64);
    // A PC sets no limit.
    let of = |limit: u64| match limit {
        u64::MAX => String::new(),
        limit => format!(" of {}", format::count(limit as f64)),
    };
    reasons.push(format!(
        "flash {}{}; RAM {}{} ({} static, {} stack, {} buffers)",
        count(advice.flash),
        of(request.flash),
        count(advice.ram),
        of(request.ram),
        count(advice.static_ram),
        count(advice.stack),
        count(advice.buffers)
    ));
    reasons
}

/// Finds the set, one implementation a job, that fits as a whole with the best
/// ranks in sum. Flash and static RAM add up; the deepest stack and all buffers count once.
fn mark_together(request: &Request, answer: &mut Answer) {
    let choices: Vec<Vec<usize>> = answer
        .jobs
        .iter()
        .map(|job| {
            let ranked = |advice: &Advice| advice.job == *job && advice.rank.is_some();
            answer
                .advice
                .iter()
                .enumerate()
                .filter(|(_, a)| ranked(a))
                .map(|(index, _)| index)
                .collect()
        })
        .collect();
    let mut best: Option<(f64, Vec<usize>, (u64, u64))> = None;
    let mut set = Vec::new();
    search(request, &answer.advice, &choices, &mut set, &mut best);
    if let Some((_, set, sizes)) = best {
        for index in set {
            answer.advice[index].together = true;
        }
        answer.together = Some(sizes);
    }
}

fn search(
    request: &Request,
    advice: &[Advice],
    choices: &[Vec<usize>],
    set: &mut Vec<usize>,
    best: &mut Option<(f64, Vec<usize>, (u64, u64))>,
) {
    let Some(candidates) = choices.get(set.len()) else {
        let sum = |pick: fn(&Advice) -> Option<u64>| -> u64 {
            set.iter()
                .map(|&index| pick(&advice[index]).unwrap_or(0))
                .sum()
        };
        let stack = set
            .iter()
            .filter_map(|&index| advice[index].stack)
            .max()
            .unwrap_or(0);
        let sizes = (
            sum(|a| a.flash),
            sum(|a| a.static_ram) + sum(|a| a.buffers) + stack,
        );
        let total: f64 = set
            .iter()
            .map(|&index| price(request, &advice[index]))
            .sum();
        let fits = sizes.0 <= request.flash && sizes.1 <= request.ram;
        if fits && best.as_ref().is_none_or(|(least, ..)| total < *least) {
            *best = Some((total, set.clone(), sizes));
        }
        return;
    };
    for &index in candidates {
        set.push(index);
        search(request, advice, choices, set, best);
        set.pop();
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cautions {
    caution: Vec<Caution>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Caution {
    family: Option<String>,
    interface: Option<Interface>,
    #[serde(default = "yes")]
    standard: bool,
    note: String,
}

fn yes() -> bool {
    true
}

/// Whether the algorithm is a standard, and what speaks against it.
fn cautions(algorithm: &Algorithm) -> (bool, Vec<String>) {
    static CAUTIONS: std::sync::LazyLock<Cautions> = std::sync::LazyLock::new(|| {
        toml::from_str(include_str!("cautions.toml"))
            .unwrap_or_else(|error| unreachable!("a test reads cautions.toml: {error}"))
    });
    let applies = |caution: &&Caution| {
        caution
            .family
            .as_ref()
            .is_none_or(|family| *family == algorithm.family)
            && caution
                .interface
                .is_none_or(|interface| interface == algorithm.interface)
    };
    let found: Vec<&Caution> = CAUTIONS.caution.iter().filter(applies).collect();
    let standard = found.iter().all(|caution| caution.standard);
    (
        standard,
        found
            .into_iter()
            .map(|caution| caution.note.clone())
            .collect(),
    )
}

impl Answer {
    /// What fits for a job, best first.
    pub fn ranked(&self, job: Job) -> impl Iterator<Item = &Advice> {
        self.advice
            .iter()
            .filter(move |advice| advice.job == job && advice.rank.is_some())
    }

    /// Whether every job has something that fits, alone and together.
    pub fn is_complete(&self) -> bool {
        self.jobs
            .iter()
            .all(|job| self.ranked(*job).next().is_some())
            && (self.jobs.len() < 2 || self.together.is_some())
    }

    /// A table a job for readers: what fits, then what does not and why.
    pub fn tables(&self) -> Vec<Table> {
        self.jobs.iter().map(|job| self.table(*job)).collect()
    }

    fn table(&self, job: Job) -> Table {
        let mut table = Table::new(
            job.title(),
            vec![
                Column::text("Rank"),
                Column::text("Implementation"),
                Column::number("Time", "ms"),
                Column::number("Instructions", ""),
                Column::number("Energy", "nWh"),
                Column::number("Flash", "bytes"),
                Column::number("RAM", "bytes"),
                Column::text("Constant time"),
                Column::text("Licence"),
                Column::text("Why"),
            ],
        );
        for advice in self.advice.iter().filter(|advice| advice.job == job) {
            table.push(advice.line());
        }
        if let Some(first) = self.ranked(job).find(|advice| advice.standard)
            && first.rank != Some(1)
        {
            table
                .remarks
                .push(format!("Best standard: {}.", first.name()));
        }
        table.remarks.push(
            "RAM: static, deepest stack and the caller's buffers. Flash and static RAM are growth over an empty program."
                .to_owned(),
        );
        if table.body.is_empty() {
            return table;
        }
        table.without_empty_columns()
    }
}

impl Job {
    fn title(self) -> &'static str {
        match self {
            Job::Cipher => "Ciphers",
            Job::Aead => "Authenticated encryption",
            Job::Hash => "Hash functions",
            Job::KeyExchange => "Key exchange",
        }
    }
}

impl Advice {
    /// `aes-128 fast`, with the library if it is not Selo.
    pub fn name(&self) -> String {
        match self.library.as_str() {
            "selo" => format!("{} {}", self.algorithm, self.variant),
            other => format!("{} {} ({other})", self.algorithm, self.variant),
        }
    }

    fn line(&self) -> Vec<Cell> {
        let time =
            |seconds: f64| Cell::number(format::significant(seconds * 1e3, 3), seconds * 1e3);
        let energy = |joules: f64| {
            let value = joules / NANOWATT_HOUR;
            Cell::number(format::significant(value, 3), value)
        };
        let size = |bytes: Option<u64>| {
            bytes.map_or_else(Cell::none, |bytes| {
                Cell::number(format::count(bytes as f64), bytes as f64)
            })
        };
        let rank = match self.rank {
            Some(rank) => {
                let tone = if rank == 1 { Tone::Good } else { Tone::Plain };
                Cell::text(format!("{rank}{}", if self.together { " *" } else { "" }))
                    .with_tone(tone)
            }
            None => Cell::text("-").with_tone(Tone::Quiet),
        };
        let why = match self.rank {
            Some(_) => self.reasons.first().cloned().unwrap_or_default(),
            None => format!("excluded: {}", self.reasons.join("; ")),
        };
        let mut name = Cell::text(self.name());
        if !self.cautions.is_empty() && self.rank.is_some() {
            name = name.with_note(self.cautions.join("; "));
        }
        vec![
            rank,
            name,
            self.seconds.map_or_else(Cell::none, time),
            self.instructions
                .map_or_else(Cell::none, |n| Cell::number(format::count(n), n)),
            self.joules.map_or_else(Cell::none, energy),
            size(self.flash),
            size(self.ram),
            Cell::text(match self.constant_time {
                Some(true) => "yes",
                Some(false) => "no",
                None => "",
            }),
            Cell::text(self.licence.clone().unwrap_or_default()),
            Cell::text(why),
        ]
    }
}
