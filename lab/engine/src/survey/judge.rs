//! Findings from the lines of a check and from measured rows; answers and verdict from findings.

use selo_vectors::{Case, CaseResult};

use super::line::{Answer, Evidence, Finding, Mark, Question, SurveyVerdict, Weight};
use crate::check::{
    CONSTANT_INSTRUCTIONS, CONSTANT_TIME, CRASHED, CheckLine, DOES_NOT_FIT, NO_ROOM, OVER_LIMIT,
    is_about_time,
};
use crate::interface::Interface;
use crate::library::Unit;
use crate::measure::Lab;
use crate::row::{Fidelity, Row, Status};

/// The finding of a line of `check` that shows a problem. `failures` has the first failed case of
/// each source, `known` the findings so far.
pub(super) fn of_check(
    lab: &Lab<'_>,
    unit: &Unit<'_>,
    line: &CheckLine,
    failures: &[(String, Case, CaseResult)],
    known: &[Finding],
) -> Option<Finding> {
    let said = line.first_failure.clone().unwrap_or_default();
    match line.source.as_str() {
        "build" => Some(not_built(unit, &said)),
        DOES_NOT_FIT => Some(Finding {
            evidence: vec![Evidence::new("sizes", said.clone())],
            ..Finding::fault(
                "does-not-fit",
                format!("The image does not fit {}", lab.board.title),
                format!("{said}. The image contains the lab's agent as well as the library."),
            )
        }),
        OVER_LIMIT => Some(Finding::fault(
            "stopped",
            "A call takes too long or hangs",
            said,
        )),
        NO_ROOM => Some(Finding::gap(
            "no-room",
            "The measured program left it no room",
            format!(
                "{said}. The image holds the lab's agent beside the library, which a user's program \
                 does not have. A board with more memory tells."
            ),
        )),
        CRASHED => Some(Finding::fault(
            "stopped",
            "A call crashed",
            format!("{said}. It happened with random keys and messages of the right sizes."),
        )),
        "start" => Some(Finding::gap(
            "does-not-start",
            "The image does not do what the manifest says",
            format!("{said}. Compare `operations` in library.toml with the list in the glue."),
        )),
        source if line.failed > 0 && is_about_time(source) => Some(variable_time(line, said)),
        _ if line.failed > 0 => {
            let wrong = wrong_output(lab, unit, line, failures, known);
            let named = known.iter().any(|finding| finding.weight == Weight::Fault);
            Some(match unit.implementation.unproven && !named {
                true => unproven(wrong),
                false => wrong,
            })
        }
        _ => None,
    }
}

/// The image was not built. It is the library's fault only if one of its own sources does not
/// compile with all of its headers there.
fn not_built(unit: &Unit<'_>, said: &str) -> Finding {
    let error = first_error(said);
    let evidence = vec![Evidence::new("compiler", said)];
    let sources = unit.sources().unwrap_or_default();
    let own = sources.iter().any(|source| {
        let name = source.file_name().unwrap_or_default().to_string_lossy();
        error.contains(&format!("{name}:"))
    });
    let lacks = ["No such file", "undefined reference", "#error"];
    if own && error.contains("error") && !lacks.iter().any(|words| error.contains(words)) {
        return Finding {
            evidence,
            ..Finding::fault("does-not-build", "It does not build", error)
        };
    }
    Finding {
        evidence,
        ..Finding::gap(
            "not-built",
            "The lab could not build it",
            format!(
                "{error}. Something is missing that is not the library's source: a header, a \
                 setting, or a call in the glue. Give flags and include folders in library.toml, or \
                 mend the glue."
            ),
        )
    }
}

/// A wrong output of calls that are a guess is a question, not a fault.
fn unproven(wrong: Finding) -> Finding {
    Finding {
        weight: Weight::Gap,
        id: "unproven".to_owned(),
        title: "The lab found no way to call it that passes the official vectors".to_owned(),
        text: format!(
            "{} Either the guessed calls in the glue are not right, or the library is not. Compare \
             the glue with the library's manual.",
            wrong.text
        ),
        ..wrong
    }
}

/// Calls with different secrets took different times.
fn variable_time(line: &CheckLine, said: String) -> Finding {
    let counted = match line.source.as_str() {
        CONSTANT_INSTRUCTIONS => "instructions",
        _ => "cycles",
    };
    Finding {
        evidence: vec![Evidence::new("two calls", said)],
        ..Finding::reservation(
            "variable-time",
            "The time of a call depends on secrets",
            format!(
                "{} of {} calls with random secrets took a different number of {counted} than the first call. An attacker who can measure the time learns something about the key or the message.",
                line.failed, line.tried
            ),
        )
    }
}

/// Official vectors fail.
fn wrong_output(
    lab: &Lab<'_>,
    unit: &Unit<'_>,
    line: &CheckLine,
    failures: &[(String, Case, CaseResult)],
    known: &[Finding],
) -> Finding {
    let said = line.first_failure.as_deref().unwrap_or_default();
    let mut finding = Finding::fault(
        "wrong-output",
        format!(
            "{} of {} vectors of {} fail",
            line.failed, line.tried, line.source
        ),
        format!("First: {said}."),
    );
    let set = lab.catalog.set(&line.source);
    finding.citation = set.map(|set| set.source.clone());
    if let Some((id, case, outcome)) = failures.iter().find(|(id, ..)| *id == line.source) {
        finding.vector = Some(format!("{id}: {}", case.id));
        let inputs = case.kind.inputs().into_iter();
        finding.evidence = inputs
            .map(|(name, value)| Evidence::new(name, value))
            .collect();
        if let CaseResult::Fail {
            expected,
            got,
            detail,
        } = outcome
        {
            finding.text = format!("Where: {detail}.");
            finding.evidence.extend([
                Evidence::new("expected", expected.clone()),
                Evidence::new("got", got.clone()),
            ]);
        }
    }
    let proven = unit.implementation.proven_on.as_ref();
    if let Some(board) = proven.filter(|board| **board != lab.board.name) {
        finding.text.push_str(&format!(
            " The same calls give right outputs on {board}. An `int` of 16 bits, as on AVR, is the \
             usual cause."
        ));
    }
    if unit.algorithm.interface == Interface::ModeCbc && known.iter().any(Finding::is_about_iv) {
        let more = " The IV does not come from the random source: see above.";
        finding.text.push_str(more);
    }
    finding
}

/// Adds the findings that follow from the algorithm and its operations alone.
pub(super) fn general(
    unit: &Unit<'_>,
    checks: &[CheckLine],
    runs: bool,
    findings: &mut Vec<Finding>,
) {
    let interface = unit.algorithm.interface;
    if interface == Interface::ModeEcb {
        findings.push(Finding {
            citation: Some("NIST SP 800-38A (2001), 6.1".to_owned()),
            ..Finding::reservation(
                "ecb",
                "ECB shows which blocks are equal",
                "Equal blocks of a message encrypt to equal blocks, and so does the same message \
                 each time. Use it as a building block only.",
            )
        });
    }
    let vectors = checks
        .iter()
        .any(|line| line.is_official() && line.passed > 0);
    if runs && !vectors && !checks.iter().any(|line| line.failed > 0) {
        findings.push(Finding::reservation(
            "no-vectors",
            "No official vector was tried",
            "The project has no vectors for the operations of the glue, so nothing shows that the outputs are right.",
        ));
    }
    let timed = interface.timed_operations();
    let missing: Vec<&str> = timed
        .iter()
        .copied()
        .filter(|operation| !unit.offers(operation))
        .collect();
    if !missing.is_empty() && unit.program().is_none() {
        findings.push(Finding {
            weight: Weight::Remark,
            ..Finding::reservation(
                "operations",
                format!("No {}", missing.join(", no ")),
                "The manifest does not offer it, so the tests that need it were left out.",
            )
        });
    }
}

/// Adds the findings from the measured rows: the image does not fit, crashes, or fails.
pub(super) fn cost_findings(rows: &[Row], findings: &mut Vec<Finding>) {
    for (status, id, title) in [
        (Status::DoesNotFit, "does-not-fit", "The image does not fit"),
        (Status::Crashed, "crashed", "The image crashes"),
        (Status::Failed, "failed", "The measurement fails"),
    ] {
        let row = rows.iter().find(|row| row.status == status);
        if let Some(row) = row
            && findings.iter().all(|finding| finding.id != id)
        {
            let reason = row.reason().unwrap_or_default();
            findings.push(Finding::fault(
                id,
                title,
                format!("{}: {reason}", row.operation),
            ));
        }
    }
}

pub(super) fn answers(
    checks: &[CheckLine],
    runs: bool,
    fresh_iv: Mark,
    fidelity: Fidelity,
    findings: &[Finding],
) -> Vec<Answer> {
    let found = |id: &str| findings.iter().any(|finding| finding.id == id);
    let of = |question, mark, detail: Option<String>| Answer {
        question,
        mark,
        detail,
    };
    let yes_unless = |bad: bool| if bad { Mark::No } else { Mark::Yes };
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
        (true, ..) if found("unproven") => Mark::NotTold,
        (true, _, failed) => yes_unless(failed > 0),
    };
    let counted = (runs && tried > 0).then(|| format!("{} of {tried}", tried - failed));
    let timing = checks.iter().find(|line| is_about_time(&line.source));
    let constant = match timing {
        Some(line) => of(
            Question::ConstantTime,
            yes_unless(line.failed > 0),
            Some(format!("{} calls", line.tried)),
        ),
        None if runs && fidelity != Fidelity::CycleExact => of(
            Question::ConstantTime,
            Mark::NotTold,
            Some("no cycles here".to_owned()),
        ),
        None => of(Question::ConstantTime, Mark::NotTold, None),
    };
    let fresh = if runs || fresh_iv == Mark::DoesNotApply {
        fresh_iv
    } else {
        Mark::NotTold
    };
    vec![
        of(Question::Builds, builds, None),
        of(Question::Fits, fits, None),
        of(Question::Conforms, conforms, counted),
        of(Question::FreshIv, fresh, None),
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
        let mut titles: Vec<&str> = of(weight).map(|finding| finding.title.as_str()).collect();
        titles.truncate(2);
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

/// The line of a compiler's output that names the error.
fn first_error(output: &str) -> String {
    let find = |word: &str| output.lines().find(|line| line.contains(word));
    // The linker names the undefined symbol; its driver only says that there was an error.
    let telling = find("error:").filter(|line| !line.starts_with("collect2"));
    let telling = telling
        .or_else(|| find("undefined"))
        .or_else(|| find("error"));
    let telling = telling.or_else(|| output.lines().nth(1));
    telling.unwrap_or(output).trim().to_owned()
}
