//! The third stage, before and after the timing: runs official vectors on the image.

use selo_vectors::CaseResult;

use super::run::Bench;
use crate::error::Result;
use crate::interface::Interface;
use crate::row::Cause;
use crate::row::cause::Step;

impl Bench<'_> {
    /// [`Bench::check`] after the timing.
    pub(super) fn check_again(&mut self) -> Result<Option<Cause>> {
        Ok(self.check()?.map(|cause| cause.at(Step::AfterTiming)))
    }

    /// Checks a small sample of cases from every source. Returns the cause if one fails.
    pub(super) fn check(&mut self) -> Result<Option<Cause>> {
        let algorithm = self.unit.algorithm;
        let (lab, catalog, unit) = (self.lab, self.lab.catalog, self.unit);
        for set in catalog.sets_for(&algorithm.name) {
            let cases = set.cases(&algorithm.name)?;
            for case in selo_vectors::stratified(&cases, 4) {
                // `stratified` keeps the first case of a class at any weight. Long chains belong to
                // `lab check`.
                let known = unit.deviation(&case.id).is_some() || unit.leaves_to_caller(case);
                if case.weight > 32 || known {
                    continue;
                }
                self.refresh()?;
                let agent = self.agent()?;
                match agent.run_case(case) {
                    Ok(CaseResult::Pass | CaseResult::Skipped { .. }) => {}
                    Ok(verdict) => {
                        if let Some(stopped) = lab.lack_of_heap(unit, case) {
                            let cause = lab.outcome(unit, stopped)?;
                            return Ok(Some(cause.at(Step::Vector {
                                set: set.id.clone(),
                                case: case.id.clone(),
                            })));
                        }
                        return Ok(Some(Cause::FailedVector {
                            set: set.id.clone(),
                            case: case.id.clone(),
                            message: describe(&verdict),
                        }));
                    }
                    Err(error) => {
                        let cause = match agent.take_error() {
                            Some(stopped) => {
                                let lack = lab.lack_of_heap(unit, case);
                                lab.outcome(unit, lack.unwrap_or(stopped))?
                            }
                            None => Cause::Agent {
                                message: error.to_string(),
                            },
                        };
                        // Signing takes the most room by far, and may be all that has none.
                        if algorithm.interface == Interface::LargeSignature
                            && cause.is_lack_of_memory()
                        {
                            self.start()?;
                            continue;
                        }
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

    /// Encrypts and decrypts a message, as the only check without published vectors.
    fn round_trip(&mut self) -> Result<Option<Cause>> {
        self.refresh()?;
        let plan = self.calls("decrypt", 0)?;
        let (ran, calls) = self.follow_whole(&plan, "round trip", 0, 1)?;
        let message = &calls.inputs[1][0];
        let output = ran.last().map(|ran| &ran.reply.output);
        Ok((output != Some(message)).then_some(Cause::NotGivenBack))
    }
}

/// A verdict as text.
pub fn describe(verdict: &CaseResult) -> String {
    match verdict {
        CaseResult::Fail {
            expected,
            got,
            detail,
        } => {
            format!(
                "{detail}: expected {}, got {}",
                shorten(expected),
                shorten(got)
            )
        }
        CaseResult::Skipped { reason } => format!("skipped: {reason}"),
        _ => "passed".to_owned(),
    }
}

/// Shortens long values to 64 characters; their beginning is enough to tell them apart.
fn shorten(text: &str) -> String {
    match text.char_indices().nth(64) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
