//! The figures of one implementation, or the reason for its exclusion.

use selo_engine::algorithm::Algorithm;
use selo_engine::check::{CONSTANT_TIME, CheckLine};
use selo_engine::interface::{AD_BYTES, Interface};
use selo_engine::row::{Metric, Row, Status};

use super::cautions::cautions;
use super::model::{Advice, Condition, Evidence, Job, NOT_MEASURED, Need, Prefer, Request};
use crate::format;

/// An implementation with its rows.
pub(super) struct Unit<'a> {
    pub(super) request: &'a Request,
    pub(super) job: Job,
    pub(super) algorithm: &'a Algorithm,
    pub(super) evidence: Evidence<'a>,
    pub(super) rows: Vec<&'a Row>,
}

impl Unit<'_> {
    /// The advice on an implementation without rows.
    pub(super) fn unmeasured(&self, library: &str, variant: &str) -> Advice {
        let mut advice = self.advise(library, variant);
        advice.reasons = vec![format!(
            "{NOT_MEASURED}; run: selo lab run --board {} --library {library} --algorithm {}",
            self.request.board, self.algorithm.name
        )];
        advice
    }

    pub(super) fn advise(&self, library: &str, variant: &str) -> Advice {
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

    /// The operation name of the image, and the operations that a message needs.
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

    /// Checks the requested conditions. The error is the reason for the exclusion.
    fn meets(&self, advice: &Advice) -> Result<(), String> {
        let how = format!(
            "selo lab check --board {} --library {} --algorithm {}",
            advice.board, advice.library, advice.algorithm
        );
        // An implementation that failed an official vector is never recommended.
        if let Some((_, failed)) = advice.conformity.filter(|(_, failed)| *failed > 0) {
            let cases = format::things(failed as usize, "case", "cases");
            return Err(format!("{cases} of the official vectors failed"));
        }
        for condition in &self.request.conditions {
            match condition {
                Condition::Conformity if advice.conformity.is_none() => {
                    return Err(format!(
                        "official vectors were not run on this board yet; run: {how}"
                    ));
                }
                Condition::ConstantTime if advice.constant_time == Some(false) => {
                    return Err("its cycles depend on the secret".to_owned());
                }
                Condition::ConstantTime if advice.constant_time.is_none() => {
                    return Err(format!(
                        "constant time was not checked on this board yet; run: {how}"
                    ));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Fills in the figures. The error is the reason for the exclusion.
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
        let mut stack = self.deepest_stack(&operations)?;
        let sum = |metric| -> Result<f64, String> {
            let of = operations
                .iter()
                .map(|operation| self.figure(operation, metric));
            of.sum()
        };
        // Without times, instructions decide.
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
        self.fits(flash, ram)
    }

    fn deepest_stack(&self, operations: &[&str]) -> Result<f64, String> {
        let mut deepest = 0.0_f64;
        for operation in operations {
            deepest = deepest.max(self.figure(operation, Metric::Stack)?);
        }
        Ok(deepest)
    }

    /// Checks the limits. The error tells what is exceeded, and by how much.
    fn fits(&self, flash: u64, ram: u64) -> Result<(), String> {
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

    /// The value of an operation for one message. An unmeasured size takes the value of the next
    /// larger size. Beyond the largest size, times, energies and instructions grow in proportion.
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

    /// Buffers that the caller holds, in bytes: message and output (one buffer if the interface
    /// works in place), the raw key, and IV, counter, or nonce and tag.
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
