//! The verdicts of attacks on services, and their table.

use selo_attack::service::{Case, Findings, Service, ServiceOutcome, ServiceVerdict, cases};

fn outcome(findings: Findings) -> ServiceOutcome {
    let case: &Case = cases().next().expect("there are cases");
    findings.outcome(case.name, case.against, case.did)
}

#[test]
fn every_unit_file_has_the_limits() {
    for service in Service::ALL {
        assert!(service.memory_max() >= 64 << 20, "{service}");
        assert!(service.tasks_max() >= 16, "{service}");
    }
}

#[test]
fn one_fault_breaks_a_case_and_is_told() {
    let mut findings = Findings::default();
    findings.expect(true, "not this");
    assert!(findings.is_whole());
    findings.note("operator 3 of 4");
    findings.expect(false, "one failed");
    let outcome = outcome(findings);
    assert_eq!(outcome.verdict, ServiceVerdict::Broken);
    assert_eq!(outcome.shows, "operator 3 of 4; FAULT: one failed");
}

#[test]
fn what_cannot_be_run_has_neither_held_nor_broken() {
    assert_eq!(outcome(Findings::default()).verdict, ServiceVerdict::Held);
    assert_eq!(
        outcome(Findings::lacks("a clock")).verdict,
        ServiceVerdict::NotRun
    );
}

#[test]
fn names_are_unique_for_each_service() {
    let names: Vec<_> = cases()
        .map(|case| (case.against.name(), case.name))
        .collect();
    let unique: std::collections::HashSet<_> = names.iter().collect();
    assert_eq!(unique.len(), names.len());
}
