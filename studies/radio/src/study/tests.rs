use super::*;
use crate::medium::Propagation;
use selo_e32::airtime::AirRate;
use std::time::Duration;

fn aloha(nodes: usize, load: f64) -> Plan {
    let mut plan = Plan {
        arrivals: Arrivals::Poisson,
        propagation: Propagation::ALOHA,
        readings: 60_000,
        ..Plan::new(nodes, Duration::ZERO, AirRate::R2400)
    };
    plan.period = plan.airtime().mul_f64(nodes as f64 / load);
    plan
}

/// Oracle: without capture, the simulation must match Abramson's formula.
#[test]
fn without_capture_the_loss_is_the_aloha_formulas() {
    for load in [0.02, 0.1, 0.3, 0.5, 1.0] {
        for seed in [1, 2] {
            let plan = Plan {
                seed,
                ..aloha(500, load)
            };
            assert!((plan.load() - load).abs() < 1e-6);
            let report = run(&plan);
            let (loss, formula) = (report.loss(), plan.aloha_loss());
            // Five standard deviations of this many independent readings. Collisions lose
            // readings in pairs.
            let spread = (2.0 * formula * (1.0 - formula) / report.readings as f64).sqrt();
            // A node does not start again while it sends: a share of load / nodes.
            let slack = 5.0 * spread + load / 500.0;
            assert!(
                (loss - formula).abs() < slack,
                "load {load}: {loss} instead of {formula} +- {slack}"
            );
        }
    }
}

#[test]
fn every_reading_is_accounted_for() {
    for confirmed in [false, true] {
        let plan = Plan {
            confirmed,
            ..Plan::new(30, Duration::from_secs(20), AirRate::R2400)
        };
        let report = run(&plan);
        assert_eq!(report.readings, plan.readings);
        let heard = report.sent - report.collided - report.deaf - report.weak;
        if confirmed {
            assert_eq!(report.acknowledgements, heard);
            assert!(report.delivered <= heard);
            assert!(report.sent > report.readings - report.dropped);
        } else {
            assert_eq!(report.delivered, heard);
            assert_eq!(report.sent, report.readings - report.dropped);
        }
        assert_eq!(run(&plan), report, "the same plan, the same report");
        assert_ne!(run(&Plan { seed: 2, ..plan }), report);
    }
}

#[test]
fn capture_saves_readings_and_so_do_repetitions_that_are_spread() {
    let loss = |change: fn(&mut Plan)| {
        let mut plan = Plan::new(20, Duration::from_secs(60), AirRate::R2400);
        change(&mut plan);
        run(&plan).loss()
    };
    let captured = loss(|_| ());
    let destroyed = loss(|plan| plan.propagation.capture_db = f64::INFINITY);
    assert!(captured < 0.8 * destroyed, "{captured} and {destroyed}");
    let confirmed = loss(|plan| {
        plan.confirmed = true;
        plan.jitter = 0.0;
    });
    let spread = loss(|plan| plan.confirmed = true);
    assert!(spread < 0.4 * confirmed, "{spread} and {confirmed}");
}

#[test]
fn one_node_loses_nothing() {
    for rate in AirRate::ALL {
        for confirmed in [false, true] {
            let report = run(&Plan {
                confirmed,
                readings: 1_000,
                ..Plan::new(1, Duration::from_secs(60), rate)
            });
            assert_eq!(report.loss(), 0.0, "{rate}, {report:?}");
            // At 0.3k, however, a reading takes longer than the 2 s after which it is
            // repeated.
            let repeats = confirmed && rate == AirRate::R300;
            assert_eq!(report.sent > report.readings, repeats, "{rate}");
        }
    }
}

#[test]
fn the_capacity_is_where_the_curve_crosses() {
    let plan = Plan {
        readings: 5_000,
        ..aloha(1, 0.5)
    };
    let plan = Plan {
        period: plan.airtime() * 1_000,
        ..plan
    };
    let points = curve(&plan, 0.2);
    assert!(points.last().expect("points").report.loss() > 0.2);
    let nodes = capacity(&points, 0.1).expect("crosses");
    // 1 - exp(-2 (n - 1) / 1000) = 0.1 at n = 53.7.
    assert!((44..=64).contains(&nodes), "{nodes}");
    assert_eq!(capacity(&points, 0.9), None, "not reached");
}
