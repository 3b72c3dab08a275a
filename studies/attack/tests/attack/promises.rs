//! Every attack against the real gateway and the real node must have the outcome that
//! docs/protocol.md promises.

use selo_attack::run::{CASES, Targets};
use selo_link::Suite;

#[test]
fn every_attack_ends_as_promised() {
    let mut targets = Targets::default();
    for case in CASES {
        let suites = if case.has_suites() {
            &Suite::ALL[..]
        } else {
            &Suite::ALL[..1]
        };
        for suite in suites {
            let start = std::time::Instant::now();
            let outcome = case.run(&mut targets, *suite);
            let name = format!("{} against {} ({suite})", case.attack, case.against);
            match outcome {
                Ok(outcome) => {
                    println!(
                        "{name}: {:?} {} [{:?}]",
                        outcome.verdict,
                        outcome.shows,
                        start.elapsed()
                    );
                    assert!(outcome.is_as_promised(), "{outcome:#?}");
                }
                Err(error) => panic!("{name}: {error}"),
            }
        }
    }
    targets.stop().expect("the gateways end");
}
