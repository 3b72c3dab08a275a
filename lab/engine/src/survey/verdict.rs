//! The answers and the verdict that follow from the lines of a check and the findings.

use super::iv::FreshIv;
use super::judge::{OWN_IV, is_other_version};
use super::line::{Answer, Finding, Mark, Question, SurveyVerdict, Weight};
use crate::check::{CONSTANT_TIME, CheckLine, is_about_time};
use crate::interface::Interface;
use crate::row::Fidelity;

fn of(question: Question, mark: Mark, detail: Option<String>) -> Answer {
    Answer {
        question,
        mark,
        detail,
    }
}

fn yes_unless(bad: bool) -> Mark {
    if bad { Mark::No } else { Mark::Yes }
}

/// Whether the time depends on secrets.
fn constant_time(
    checks: &[CheckLine],
    runs: bool,
    interface: Interface,
    fidelity: Fidelity,
) -> Answer {
    let timing = checks.iter().find(|line| is_about_time(&line.source));
    let (mark, detail) = match timing {
        Some(line) => (
            yes_unless(line.failed > 0),
            Some(format!("{} calls", line.tried)),
        ),
        None if runs && interface == Interface::LargeSignature => (
            Mark::DoesNotApply,
            Some("the time of a signature depends on what it publishes".to_owned()),
        ),
        None if runs && fidelity != Fidelity::CycleExact => {
            (Mark::NotTold, Some("no cycles here".to_owned()))
        }
        None => (Mark::NotTold, None),
    };
    of(Question::ConstantTime, mark, detail)
}

pub(super) fn answers(
    checks: &[CheckLine],
    runs: bool,
    fresh_iv: FreshIv,
    interface: Interface,
    fidelity: Fidelity,
    findings: &[Finding],
) -> Vec<Answer> {
    let found = |id: &str| findings.iter().any(|finding| finding.id == id);
    let builds = match (found("does-not-build"), found("not-built")) {
        (true, _) => Mark::No,
        (false, true) => Mark::NotTold,
        (false, false) => Mark::Yes,
    };
    let fits = match builds {
        Mark::Yes if found("no-room") => Mark::NotTold,
        Mark::Yes => yes_unless(found("does-not-fit")),
        _ => Mark::NotTold,
    };
    let official = checks.iter().filter(|line| line.is_official());
    let (tried, failed) = official.fold((0, 0), |(tried, failed), line| {
        (tried + line.tried, failed + line.failed)
    });
    let conforms = match (runs, tried, failed) {
        (false, ..) | (true, 0, _) => Mark::NotTold,
        (true, ..) if found("unproven") || found(OWN_IV) => Mark::NotTold,
        (true, ..) if findings.iter().any(is_other_version) => Mark::NotTold,
        (true, _, failed) => yes_unless(failed > 0),
    };
    let counted = match (found(OWN_IV), found("unproven")) {
        (true, _) => Some("it uses an IV of its own".to_owned()),
        // What a guessed call refuses for another reason would count as passed.
        (false, true) => None,
        (false, false) => (runs && tried > 0).then(|| format!("{} of {tried}", tried - failed)),
    };
    // A guessed call may do something else, whose time says nothing.
    let constant = match found("unproven") {
        true => of(Question::ConstantTime, Mark::NotTold, None),
        false => constant_time(checks, runs, interface, fidelity),
    };
    let (fresh, whose) = match (runs, fresh_iv) {
        (_, FreshIv::DoesNotApply) => (Mark::DoesNotApply, None),
        (false, _) | (true, FreshIv::NotTold) => (Mark::NotTold, None),
        (true, FreshIv::OfCaller) => (Mark::DoesNotApply, Some("the caller chooses it".to_owned())),
        (true, FreshIv::Drawn) => (Mark::Yes, None),
        (true, FreshIv::Wrong) => (Mark::No, None),
    };
    vec![
        of(Question::Builds, builds, None),
        of(Question::Fits, fits, None),
        of(Question::Conforms, conforms, counted),
        of(Question::FreshIv, fresh, whose),
        constant,
    ]
}

pub(super) fn conclude(checks: &[CheckLine], findings: &[Finding]) -> (SurveyVerdict, String) {
    let of = |weight| {
        findings
            .iter()
            .filter(move |finding| finding.weight == weight)
    };
    let titles = |weight| {
        // Several findings may have one title.
        let mut titles: Vec<&str> = Vec::new();
        for finding in of(weight) {
            let title = finding.title.as_str();
            if titles.len() < 2 && !titles.contains(&title) {
                titles.push(title);
            }
        }
        titles.join("; ")
    };
    if of(Weight::Fault).next().is_some() {
        return (SurveyVerdict::NotSuitable, titles(Weight::Fault));
    }
    if of(Weight::Gap).next().is_some() {
        return (SurveyVerdict::NotTold, titles(Weight::Gap));
    }
    if of(Weight::Reservation).next().is_some() {
        return (SurveyVerdict::Reservations, titles(Weight::Reservation));
    }
    let official = checks.iter().filter(|line| line.is_official());
    let passed: u64 = official.map(|line| line.passed).sum();
    let constant = checks
        .iter()
        .any(|line| line.source == CONSTANT_TIME && line.failed == 0);
    let timing = if constant {
        ", and every call takes the same time"
    } else {
        ""
    };
    let why = format!("all {passed} official vectors pass{timing}");
    (SurveyVerdict::Suitable, why)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The marks and details of lines of which all but the refusals fail.
    fn marks(finding: Finding) -> Vec<(Mark, Option<String>)> {
        let line = |source: &str, failed| CheckLine {
            source: source.to_owned(),
            algorithm: "aes-128".to_owned(),
            variant: "plain".to_owned(),
            library: "theirs".to_owned(),
            board: "uno".to_owned(),
            runner: "simavr".to_owned(),
            tried: 10,
            passed: 10 - failed,
            failed,
            available: 10,
            first_failure: None,
        };
        let checks = [line("fips197", 7), line(CONSTANT_TIME, 10)];
        let (interface, fidelity) = (Interface::BlockCipher, Fidelity::CycleExact);
        let all = answers(
            &checks,
            true,
            FreshIv::DoesNotApply,
            interface,
            fidelity,
            &[finding],
        );
        let of = |question| {
            let found = all.iter().find(|answer| answer.question == question);
            found.map(|answer| (answer.mark, answer.detail.clone()))
        };
        [of(Question::Conforms), of(Question::ConstantTime)]
            .into_iter()
            .flatten()
            .collect()
    }

    #[test]
    fn a_guess_has_no_marks_of_its_vectors_and_its_time() {
        let guess = Finding::gap("unproven", "", "");
        assert_eq!(marks(guess), [(Mark::NotTold, None), (Mark::NotTold, None)]);
        let wrong = Finding::fault("wrong-output", "", "");
        let (counted, calls) = ("3 of 10".to_owned(), "10 calls".to_owned());
        assert_eq!(
            marks(wrong),
            [(Mark::No, Some(counted)), (Mark::No, Some(calls))]
        );
    }
}
