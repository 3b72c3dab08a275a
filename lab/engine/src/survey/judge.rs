//! Findings from the lines of a check and from measured rows; answers and verdict from findings.

use selo_vectors::{Case, CaseResult};

use super::built::not_built;
use super::line::{Evidence, Finding, Weight};
use crate::check::{
    CONSTANT_INSTRUCTIONS, CRASHED, CheckLine, DOES_NOT_FIT, NO_ROOM, OVER_LIMIT, PUBLIC_TIME,
    is_about_time,
};
use crate::interface::Interface;
use crate::library::Unit;
use crate::measure::Lab;
use crate::row::cause::Step;
use crate::row::{Cause, Row, Status};

/// The finding of a CBC that uses an IV of its own.
pub(super) const OWN_IV: &str = "own-iv";

/// The finding of an algorithm that another one of the same name came after.
pub(super) const OTHER_VERSION: &str = "other-version";

/// True if another version is no fault.
pub(super) fn is_other_version(finding: &Finding) -> bool {
    finding.id == OTHER_VERSION && finding.weight == Weight::Gap
}

/// What a wrong output on one board may come from.
pub(super) const WIDTH_OF_INT: &str = " On AVR an `int` has 16 bits: that is one possible cause. The \
    macros that the sources test beside a type of integers were tried, up to ten, and do not mend it.";

/// The remark about a CBC that is right with its own IV, which no vector has.
pub(super) fn own_iv() -> Finding {
    Finding {
        weight: Weight::Remark,
        ..Finding::reservation(
            OWN_IV,
            "It uses an IV of its own, so the official vectors cannot be tried",
            "The vectors give the IV. With the IV that the library used, each of its messages is \
             encrypted as AES in CBC mode must.",
        )
    }
}

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
    // A guessed call that crashes may be a wrong guess.
    let if_proven = |finding: Finding| match unit.implementation.unproven {
        true => Finding {
            weight: Weight::Gap,
            ..finding
        },
        false => finding,
    };
    match line.source.as_str() {
        "build" => Some(not_built(unit, &said)),
        // What was called by a guess may not be the algorithm.
        DOES_NOT_FIT => Some(if_proven(too_large(&lab.board.title, &said))),
        OVER_LIMIT => Some(if_proven(Finding::fault(
            "stopped",
            "A call takes too long or hangs",
            said,
        ))),
        NO_ROOM => Some(no_room(&said)),
        CRASHED => Some(if_proven(Finding::fault(
            "stopped",
            "A call crashed",
            format!("{said}. It happened with random keys and messages of the right sizes."),
        ))),
        "start" => Some(Finding::gap(
            "does-not-start",
            "The image does not do what the manifest says",
            format!("{said}. Compare `operations` in library.toml with the list in the glue."),
        )),
        PUBLIC_TIME => Some(public_time(unit, said)),
        source if line.failed > 0 && is_about_time(source) => Some(variable_time(line, said)),
        // Vectors give the IV, and the library does not take it. Those of a standard say nothing about
        // what went before it.
        _ if known
            .iter()
            .any(|finding| finding.id == OWN_IV || is_other_version(finding)) =>
        {
            None
        }
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

/// The library's own program is larger than the board.
fn too_large(board: &str, said: &str) -> Finding {
    Finding {
        evidence: vec![Evidence::new("sizes", said)],
        ..Finding::fault(
            "does-not-fit",
            format!("It does not fit {board}"),
            format!("The sizes are of {said}."),
        )
    }
}

/// A call ran out of memory that a user's program would have.
pub(super) fn no_room(said: &str) -> Finding {
    Finding::gap(
        "no-room",
        "The measured program left it no room",
        format!(
            "{said}. The image holds the lab's agent beside the library, which a user's program \
             does not have. A board with more memory tells."
        ),
    )
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

/// Calls with the same secrets took different times, because a public input differs.
fn public_time(unit: &Unit<'_>, said: String) -> Finding {
    let input = match unit.algorithm.interface {
        Interface::ModeCtr => "counter",
        Interface::ModeCbc => "IV",
        _ => "nonce or the associated data",
    };
    Finding {
        weight: Weight::Remark,
        evidence: vec![Evidence::new("two calls", said)],
        ..Finding::reservation(
            "public-time",
            format!("The time of a call depends on the {input}, which is not secret"),
            "Calls with the same key and message take different times. The time depends on no \
             secret, so it tells an attacker nothing. Only plan for the slowest call.",
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
        let text = format!(" The same calls give right outputs on {board}.{WIDTH_OF_INT}");
        finding.text.push_str(&text);
    }
    if unit.algorithm.interface == Interface::ModeCbc && known.iter().any(Finding::is_about_iv) {
        let more = " The IV does not come from the random source: see above.";
        finding.text.push_str(more);
    }
    finding
}

/// What the glue does in the library's place, because its caller must.
fn left_to_the_caller(unit: &Unit<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    if unit.implementation.caller_checks_keys {
        findings.push(Finding {
            citation: Some("FIPS 203 (2024), 7.2".to_owned()),
            ..Finding::reservation(
                "caller-checks-keys",
                "It does not check public keys",
                "It encapsulates to a public key with coefficients above q - 1, which must be \
                 refused. Its caller must decode and encode a key, and compare, before the first use.",
            )
        });
    }
    if unit.implementation.caller_clamps {
        findings.push(Finding {
            citation: Some("RFC 7748 (2016), 5".to_owned()),
            ..Finding::reservation(
                "caller-clamps",
                "It uses a secret as it is",
                "X25519 clears the lowest three bits and the highest of a secret, and sets the second \
                 highest. This function does not, so its outputs for a random secret differ from the \
                 published ones, and the low bits of the secret may leak. Its caller must fix the bits \
                 first, as the glue does.",
            )
        });
    }
    if unit.implementation.caller_masks {
        findings.push(Finding {
            citation: Some("RFC 7748 (2016), 5".to_owned()),
            ..Finding::reservation(
                "caller-masks",
                "It uses a public value as it is",
                "X25519 ignores the highest bit of a public value. This function does not, so another \
                 secret results if a peer sets it. Its caller must clear the bit first, as the glue does.",
            )
        });
    }
    findings
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
    findings.extend(left_to_the_caller(unit));
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
pub(super) fn cost_findings(unit: &Unit<'_>, rows: &[Row], findings: &mut Vec<Finding>) {
    for (status, id, title) in [
        (Status::DoesNotFit, "does-not-fit", "It does not fit"),
        (Status::Crashed, "crashed", "The image crashes"),
        (Status::Failed, "failed", "The measurement fails"),
    ] {
        let row = rows.iter().find(|row| row.status == status);
        if row.is_some_and(is_lack_of_room) {
            if findings.iter().all(|finding| finding.id != "no-room") {
                let reason = row.and_then(Row::reason).unwrap_or_default();
                findings.push(no_room(&reason));
            }
            continue;
        }
        if let Some(row) = row
            && findings.iter().all(|finding| finding.id != id)
        {
            let reason = row.reason().unwrap_or_default();
            let finding = Finding::fault(id, title, format!("{}: {reason}", row.operation));
            let guessed = unit.implementation.unproven;
            findings.push(Finding {
                weight: if guessed { Weight::Gap } else { finding.weight },
                ..finding
            });
        }
    }
}

/// True if a call ran out of memory, or an image did not fit, beside the agent.
fn is_lack_of_room(row: &Row) -> bool {
    let with_agent = |cause: &Cause| match cause {
        Cause::StackCollision { .. } | Cause::HeapExhausted { .. } => true,
        Cause::At { step, .. } => *step == Step::WithAgent,
        _ => false,
    };
    let cause = row.cause.as_ref();
    cause.is_some_and(|cause| with_agent(cause) || with_agent(cause.root()))
}
