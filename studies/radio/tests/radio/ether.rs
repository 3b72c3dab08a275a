//! Modules that communicate over the air, in virtual time.

use std::time::Duration;

use proptest::prelude::*;
use selo_e32::airtime::AirRate;
use selo_e32::parameters::{Parameters, Parity, Uart};
use selo_radio::duty::{Limit, Policy};
use selo_radio::ether::{Ether, Event, Settings, What};
use selo_radio::medium::{Position, Propagation, Reception};
use selo_radio::{Time, nanos};

const MS: Time = 1_000_000;
const SECOND: Time = 1_000 * MS;

/// No shadowing, so that distances decide.
fn settings() -> Settings {
    Settings {
        propagation: Propagation {
            shadowing_db: 0.0,
            ..Propagation::default()
        },
        ..Settings::default()
    }
}

/// Modules on a line at these metres, after their reset.
fn ether(places: &[f64]) -> Ether {
    let mut ether = Ether::new(settings());
    for x in places {
        ether.add(Position { x: *x, y: 0.0 }, Parameters::default());
    }
    ether.record();
    ether.advance(200 * MS);
    ether
}

fn pass(ether: &mut Ether, time: Time) {
    ether.advance(ether.now() + time);
}

fn missed(events: &[Event], station: usize) -> Vec<Reception> {
    let of = |event: &Event| match event.what {
        What::Missed { why, .. } if event.station == station => Some(why),
        _ => None,
    };
    events.iter().filter_map(of).collect()
}

#[test]
fn a_frame_arrives_at_everyone_in_reach_and_at_nobody_else() {
    let mut ether = ether(&[0.0, 500.0, 1_000.0, 50_000.0]);
    ether.write(0, b"rain 12.4 mm");
    pass(&mut ether, 10 * SECOND);
    assert_eq!(ether.read(1), b"rain 12.4 mm");
    assert_eq!(ether.read(2), b"rain 12.4 mm");
    assert_eq!(ether.read(3), b"");
    assert_eq!(ether.read(0), b"", "not at its sender");
    let events = ether.take_events();
    assert_eq!(missed(&events, 3), [Reception::Weak]);
    assert_eq!(ether.tally(3).weak, 1);
    assert_eq!(
        (ether.tally(0).module.sent, ether.tally(1).module.received),
        (1, 1)
    );
    let heard = |event: &Event| match event.what {
        What::Heard { from, rssi_dbm } => Some((event.station, from, rssi_dbm)),
        _ => None,
    };
    let heard: Vec<_> = events.iter().filter_map(heard).collect();
    assert_eq!((heard.len(), heard[0].0, heard[0].1), (2, 1, 0));
    // 10.5 dB more at half the distance.
    assert!((heard[0].2 - heard[1].2 - 10.54).abs() < 0.01, "{heard:?}");
}

/// The complete path of 29 bytes in time: UART, silence, air, 5 ms, UART.
#[test]
fn each_part_of_the_way_takes_its_time() {
    let mut ether = ether(&[0.0, 100.0]);
    let begun = ether.now();
    ether.write(0, &[7; 29]);
    let byte = nanos(Uart::CONFIGURATION.byte());
    let airtime = nanos(AirRate::R2400.airtime(29, true));
    let arrives = begun + 32 * byte + airtime + 5 * MS + 29 * byte;
    ether.advance(arrives - 1);
    assert_eq!(ether.read(1).len(), 28);
    assert!(!ether.aux(1));
    ether.advance(arrives);
    assert_eq!(ether.read(1).len(), 1);
    assert!(ether.aux(1));
    assert_eq!(ether.tally(0).on_air, airtime);
}

#[test]
fn who_sends_does_not_hear() {
    let mut ether = ether(&[0.0, 100.0, 200.0]);
    ether.write(0, b"first");
    pass(&mut ether, 50 * MS);
    ether.write(1, b"second");
    pass(&mut ether, 5 * SECOND);
    // Module 1 sent while module 0 did. The third receives neither, or only the nearer one if it
    // is 6 dB stronger.
    assert_eq!((ether.read(0).len(), ether.read(1).len()), (0, 0));
    assert_eq!((ether.tally(0).deaf, ether.tally(1).deaf), (1, 1));
    assert_eq!(ether.read(2), b"second", "captured: 100 m against 200 m");
    assert_eq!(ether.tally(2).collided, 1);
    // Afterwards all modules receive again.
    ether.write(0, b"third");
    pass(&mut ether, 5 * SECOND);
    assert_eq!(ether.read(1), b"third");
}

#[test]
fn equals_collide_at_the_receiver_between_them() {
    let mut ether = ether(&[-100.0, 0.0, 100.0]);
    ether.write(0, b"left");
    ether.write(2, b"right");
    pass(&mut ether, 5 * SECOND);
    assert_eq!(ether.read(1), b"");
    assert_eq!(ether.tally(1).collided, 2);
    // One after the other, they do not collide.
    ether.write(0, b"left");
    pass(&mut ether, 2 * SECOND);
    ether.write(2, b"right");
    pass(&mut ether, 2 * SECOND);
    assert_eq!(ether.read(1), b"leftright");
}

#[test]
fn channels_rates_and_addresses_keep_apart() {
    let mut ether = Ether::new(settings());
    let own = Parameters::default();
    for parameters in [
        own,
        own,
        own.with_channel(4),
        own.with_air_rate(AirRate::R19200),
        own.with_address(9),
        own.with_fec(false),
    ] {
        ether.add(Position::default(), parameters);
    }
    ether.advance(SECOND);
    // All at once: the two with the same channel and rate collide with each other only...
    ether.write(0, b"x");
    pass(&mut ether, 3 * SECOND);
    let heard: Vec<usize> = (0..6).filter(|n| !ether.read(*n).is_empty()).collect();
    assert_eq!(heard, [1]);
    // ...and the ones with another channel or rate do not collide with them.
    ether.write(0, b"x");
    ether.write(2, b"y");
    ether.write(3, b"z");
    pass(&mut ether, 3 * SECOND);
    assert_eq!(ether.read(1), b"x");
    assert_eq!(ether.tally(1).collided, 0);
    // With the same channel and rate it collides, whatever its destination.
    ether.write(0, b"x");
    ether.write(4, b"y");
    pass(&mut ether, 3 * SECOND);
    assert_eq!(ether.read(1), b"");
    assert!(ether.tally(1).collided > 0);
}

#[test]
fn a_module_is_configured_over_its_line_and_then_talks_there() {
    let mut ether = ether(&[0.0, 100.0]);
    for station in [0, 1] {
        ether.set_pins(station, true, true);
        pass(&mut ether, 10 * MS);
        ether.write(station, &[0xc0, 0x00, 0x00, 0x3d, 0x04, 0x44]);
        pass(&mut ether, 100 * MS);
        assert_eq!(ether.read(station), [0xc0, 0x00, 0x00, 0x3d, 0x04, 0x44]);
        ether.set_pins(station, false, false);
        pass(&mut ether, 50 * MS);
    }
    assert_eq!(ether.module(0).uart().baud, 115_200);
    ether.write(0, b"fast");
    pass(&mut ether, 100 * MS);
    assert_eq!(ether.read(1), b"fast");
}

#[test]
fn uarts_that_disagree_garble_and_count() {
    let mut ether = ether(&[0.0, 100.0]);
    let wrong = Uart {
        baud: 19_200,
        parity: Parity::None,
    };
    ether.set_host_uart(0, Some(wrong));
    ether.write(0, b"hello");
    pass(&mut ether, 3 * SECOND);
    assert_eq!(ether.read(1), b"");
    assert_eq!(ether.tally(0).garbled, 5);
    ether.set_host_uart(0, Some(Uart::CONFIGURATION));
    ether.write(0, b"hello");
    pass(&mut ether, 3 * SECOND);
    assert_eq!(ether.read(1), b"hello");
}

#[test]
fn a_share_of_the_hour_is_kept_or_counted() {
    for policy in [Policy::Refuse, Policy::Count] {
        let mut ether = Ether::new(Settings {
            duty: Some(Limit {
                share: 0.0001,
                policy,
            }),
            ..settings()
        });
        for _ in 0..2 {
            ether.add(Position::default(), Parameters::default());
        }
        ether.record();
        ether.advance(SECOND);
        // 0.36 s allow one reading of 0.35 s.
        for _ in 0..3 {
            ether.write(0, &[1; 29]);
            pass(&mut ether, 10 * SECOND);
        }
        let refused = ether
            .take_events()
            .iter()
            .filter(|e| e.what == What::Refused)
            .count();
        let kept = policy == Policy::Refuse;
        assert_eq!(refused, if kept { 2 } else { 0 });
        assert_eq!(ether.read(1).len(), if kept { 29 } else { 87 });
        assert_eq!(ether.tally(0).over_duty, 2);
    }
}

#[derive(Debug, Clone)]
enum Step {
    Write(usize, Vec<u8>),
    Pins(usize, bool, bool),
    Pass(u16),
    Cycle(usize),
}

const STATIONS: usize = 4;

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let write = (0..STATIONS, prop::collection::vec(any::<u8>(), 0..150));
    let step = prop_oneof![
        4 => write.prop_map(|(station, bytes)| Step::Write(station, bytes)),
        4 => any::<u16>().prop_map(Step::Pass),
        1 => (0..STATIONS, any::<bool>(), any::<bool>())
            .prop_map(|(station, m1, m0)| Step::Pins(station, m1, m0)),
        1 => (0..STATIONS).prop_map(Step::Cycle),
    ];
    prop::collection::vec(step, 1..40)
}

/// Performs steps. Returns the output of every station, and the events.
fn perform(
    steps: &[Step],
    seed: u64,
    advance: impl Fn(&mut Ether, Time),
) -> (Vec<Vec<u8>>, Vec<Event>) {
    let mut ether = Ether::new(Settings {
        seed,
        ..Settings::default()
    });
    for station in 0..STATIONS {
        let x = 700.0 * station as f64;
        ether.add(Position { x, y: 0.0 }, Parameters::default());
    }
    ether.record();
    for step in steps {
        match step {
            Step::Write(station, bytes) => ether.write(*station, bytes),
            Step::Pins(station, m1, m0) => ether.set_pins(*station, *m1, *m0),
            Step::Pass(ms) => {
                let to = ether.now() + Time::from(*ms) * MS;
                advance(&mut ether, to);
            }
            Step::Cycle(station) => ether.power_cycle(*station),
        }
    }
    let to = ether.now() + 100 * SECOND;
    advance(&mut ether, to);
    let said = (0..STATIONS).map(|station| ether.read(station)).collect();
    (said, ether.take_events())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The same seed and steps give the same events, in large or small time steps. Another seed
    /// gives other signal strengths.
    #[test]
    fn a_run_is_a_function_of_its_seed(steps in steps(), seed in any::<u64>()) {
        let first = perform(&steps, seed, Ether::advance);
        let small = perform(&steps, seed, |ether, to| {
            while ether.now() < to {
                let next = to.min(ether.now() + 2_100_000 * 7);
                ether.advance(next);
            }
        });
        prop_assert_eq!(&first, &small);
        let other = perform(&steps, seed ^ 1, Ether::advance);
        let heard = |run: &(Vec<Vec<u8>>, Vec<Event>)| {
            run.1.iter().any(|event| matches!(event.what, What::Heard { .. }))
        };
        if heard(&first) {
            prop_assert_ne!(first.1, other.1);
        }
    }

    /// A listener outputs pieces of one sender's bytes, in order: no byte is invented, duplicated
    /// or reordered.
    #[test]
    fn a_link_keeps_bytes_and_their_order(
        frames in prop::collection::vec(1_usize..140, 1..30),
        gaps in prop::collection::vec(0_u64..600, 30),
        disturb in prop::collection::vec(any::<bool>(), 30),
    ) {
        let mut ether = ether(&[0.0, 300.0, 500.0]);
        let mut written: Vec<Vec<u8>> = Vec::new();
        let mut next = 0_u16;
        for ((size, gap), disturb) in frames.iter().zip(&gaps).zip(&disturb) {
            // Every pair of bytes is a unique number.
            let frame: Vec<u8> = (0..*size).flat_map(|_| {
                next += 1;
                next.to_be_bytes()
            }).collect();
            ether.write(0, &frame);
            written.push(frame);
            if *disturb {
                ether.write(2, &[0xff]);
            }
            pass(&mut ether, gap * MS);
        }
        pass(&mut ether, 200 * SECOND);
        let mut said = ether.read(1);
        said.retain(|byte| *byte != 0xff);
        let written: Vec<u8> = written.concat().into_iter().filter(|byte| *byte != 0xff).collect();
        let mut all = written.iter();
        prop_assert!(said.iter().all(|byte| all.any(|other| other == byte)));
        let tally = ether.tally(1);
        if disturb.iter().take(frames.len()).all(|one| !one) && ether.tally(0).module.overflow == 0 {
            prop_assert_eq!(&said, &written);
            prop_assert_eq!(tally.collided + tally.deaf + tally.weak, 0);
        }
    }

    /// No packet has more than 58 bytes or bytes of two writes, and everything that fits is sent.
    #[test]
    fn sub_packets_are_pieces_of_one_write(sizes in prop::collection::vec(1_usize..400, 1..6)) {
        let mut ether = ether(&[0.0, 100.0]);
        let mut expected = Vec::new();
        for size in &sizes {
            ether.write(0, &vec![1; *size]);
            pass(&mut ether, 60 * SECOND);
            let full = size / 58;
            expected.extend(std::iter::repeat_n(58, full));
            if size % 58 > 0 {
                expected.push(size % 58);
            }
        }
        let sent: Vec<usize> = ether.take_events().iter().filter_map(|event| match event.what {
            What::Sends { bytes, .. } => Some(bytes),
            _ => None,
        }).collect();
        prop_assert_eq!(sent, expected);
    }
}

#[test]
fn an_ether_that_stands_still_has_nothing_to_do() {
    let mut ether = ether(&[0.0, 100.0]);
    assert_eq!(ether.deadline(), None);
    ether.advance(0);
    assert_eq!(ether.now(), 200 * MS, "time does not go back");
    assert_eq!(ether.stations(), 2);
    ether.write(0, b"x");
    assert_eq!(
        ether.deadline(),
        Some(ether.now() + nanos(Duration::from_nanos(1_041_666)))
    );
}
