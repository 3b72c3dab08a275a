//! Every attack against the real gateway and the real node must have the outcome that
//! docs/protocol.md promises.

use selo_attack::case::{Against, Attack};
use selo_attack::run::{CASES, Targets};
use selo_link::Suite;

#[test]
fn every_attack_ends_as_promised() {
    let everything = std::env::var_os("SELO_TEST_ALL").is_some();
    let mut targets = Targets::default();
    for case in CASES {
        // A hybrid pairing differs between suites only in its hash.
        let one = case.against == Against::Hybrid && !everything;
        let suites = match case.has_suites() && !one {
            true => &Suite::ALL[..],
            false => &Suite::ALL[..1],
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
                    // A result is no frame that an alteration on its way would reach.
                    if (case.against, case.attack) == (Against::Hybrid, Attack::Forge) {
                        let mut evidence = outcome.evidence.iter();
                        let sent = evidence.find(|it| it.what == "false results");
                        assert_eq!(sent.map(|it| it.value), Some(3.0), "{outcome:#?}");
                    }
                }
                Err(error) => panic!("{name}: {error}"),
            }
        }
    }
    targets.stop().expect("the gateways end");
}
