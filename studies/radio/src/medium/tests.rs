use super::*;

const SIGNAL: Signal = Signal {
    channel: 23,
    rate: AirRate::R2400,
    power_dbm: 20.0,
};

fn at(x: f64) -> Position {
    Position { x, y: 0.0 }
}

/// Without shadowing: a receiver at 0, and senders at the given distances.
fn medium(senders: &[f64]) -> Medium {
    let propagation = Propagation {
        shadowing_db: 0.0,
        ..Propagation::default()
    };
    let mut medium = Medium::new(propagation, 1);
    medium.add(at(0.0));
    medium.listen(0, true);
    for x in senders {
        let radio = medium.add(at(*x));
        medium.listen(radio, true);
    }
    medium
}

fn received(outcome: Reception) -> bool {
    matches!(outcome, Reception::Received { .. })
}

#[test]
fn the_manuals_three_kilometres_are_reached_and_six_are_not() {
    let mut medium = medium(&[3_000.0, 6_000.0]);
    for (from, reaches) in [(1, true), (2, false)] {
        let id = medium.begin(from, SIGNAL, 1, [0]);
        let outcome = medium.end(id)[0].1;
        assert_eq!(received(outcome), reaches, "{outcome:?}");
    }
    // 20 - 25.2 - 35 log10(1000) = -110.2 dBm; the noise is -174 + 57 + 6 = -111.
    let mut medium = super::tests::medium(&[1_000.0]);
    let id = medium.begin(1, SIGNAL, 1, [0]);
    let Reception::Received { rssi_dbm, snr_db } = medium.end(id)[0].1 else {
        panic!("not received");
    };
    assert!((rssi_dbm + 110.2).abs() < 1e-9, "{rssi_dbm}");
    assert!((snr_db - 0.8).abs() < 0.02, "{snr_db}");
}

#[test]
fn equals_destroy_each_other_and_the_stronger_survives_by_6_db() {
    // 6 dB correspond to a factor of 1.484 in distance at an exponent of 3.5.
    for (far, captured) in [(100.0, false), (148.0, false), (149.0, true), (900.0, true)] {
        for near_first in [true, false] {
            let mut medium = medium(&[100.0, far]);
            let order = if near_first { [1, 2] } else { [2, 1] };
            let ids = order.map(|from| medium.begin(from, SIGNAL, 1, [0]));
            let outcomes = ids.map(|id| medium.end(id)[0].1);
            let (near, other) = if near_first {
                (outcomes[0], outcomes[1])
            } else {
                (outcomes[1], outcomes[0])
            };
            assert_eq!(received(near), captured, "{far} m: {near:?}");
            assert_eq!(other, Reception::Collided);
        }
    }
}

#[test]
fn what_overlaps_at_its_very_end_collides_too_and_what_follows_does_not() {
    let mut medium = medium(&[100.0, 100.0, 100.0]);
    let first = medium.begin(1, SIGNAL, 10, [0]);
    let second = medium.begin(2, SIGNAL, 20, [0]);
    assert_eq!(medium.next_end(), Some((10, first)));
    assert_eq!(medium.end(first)[0].1, Reception::Collided);
    let third = medium.begin(3, SIGNAL, 30, [0]);
    assert_eq!(medium.end(second)[0].1, Reception::Collided);
    assert_eq!(medium.end(third)[0].1, Reception::Collided);
    let alone = medium.begin(3, SIGNAL, 40, [0]);
    assert!(received(medium.end(alone)[0].1));
}

#[test]
fn other_channels_and_rates_do_not_disturb() {
    for other in [
        Signal {
            channel: 24,
            ..SIGNAL
        },
        Signal {
            rate: AirRate::R9600,
            ..SIGNAL
        },
    ] {
        let mut medium = medium(&[100.0, 100.0]);
        let ours = medium.begin(1, SIGNAL, 1, [0]);
        medium.begin(2, other, 1, []);
        assert!(received(medium.end(ours)[0].1), "{other:?}");
    }
}

#[test]
fn a_receiver_that_sends_or_sleeps_meanwhile_hears_nothing() {
    let deaf = |before: bool, during: &[bool]| {
        let mut medium = medium(&[100.0]);
        medium.listen(0, before);
        let id = medium.begin(1, SIGNAL, 1, [0]);
        for listens in during {
            medium.listen(0, *listens);
        }
        medium.end(id)[0].1 == Reception::Deaf
    };
    assert!(!deaf(true, &[]));
    assert!(!deaf(true, &[true]));
    assert!(deaf(true, &[false]));
    assert!(deaf(true, &[false, true]), "it missed the middle");
    assert!(deaf(false, &[true]), "it missed the beginning");
    let mut medium = medium(&[100.0]);
    let id = medium.begin(1, SIGNAL, 1, [0]);
    medium.retune(0);
    assert_eq!(medium.end(id)[0].1, Reception::Deaf);
}

#[test]
fn shadowing_belongs_to_the_link_and_the_seed() {
    let link = |seed, from, to| {
        let mut medium = Medium::new(Propagation::default(), seed);
        for _ in 0..4 {
            medium.add(at(0.0));
        }
        medium.received_dbm(from, to, 0.0)
    };
    assert_eq!(link(1, 0, 1), link(1, 1, 0), "both ways the same");
    assert_ne!(link(1, 0, 1), link(1, 0, 2));
    assert_ne!(link(1, 0, 1), link(2, 0, 1));
    // Mean and standard deviation over many links.
    let mut medium = Medium::new(Propagation::default(), 7);
    for _ in 0..2_001 {
        medium.add(at(0.0));
    }
    let shadows: Vec<f64> = (1..2_001)
        .map(|to| medium.received_dbm(0, to, 0.0) + 25.2)
        .collect();
    let mean = shadows.iter().sum::<f64>() / 2_000.0;
    let variance = shadows.iter().map(|s| (s - mean).powi(2)).sum::<f64>() / 2_000.0;
    assert!(mean.abs() < 0.3, "{mean}");
    assert!((variance.sqrt() - 3.57).abs() < 0.25, "{}", variance.sqrt());
}
