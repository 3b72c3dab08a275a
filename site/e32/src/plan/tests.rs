use super::*;

fn plan(nodes: u32, seconds: u64, radio: Radio, acknowledged: bool) -> Plan {
    Plan {
        nodes,
        period: Duration::from_secs(seconds),
        frame_bytes: 29,
        acknowledged,
        radio,
        region: "US".parse().expect("known"),
        loss_max: 0.01,
    }
}

const fn sx(spreading_factor: u8, bandwidth_hz: u32) -> Radio {
    Radio::Sx127x(Modulation::new(spreading_factor, bandwidth_hz, 1))
}

/// By hand from [SX1276, 4.1.1.7], for 29 bytes with header and CRC. SF12, 125 kHz, optimised:
/// 232 - 48 + 44 = 228 bits, 6 blocks of 40, 30 symbols; 8 + 30 + 12.25 of 32.768 ms. SF7: 248
/// bits, 9 blocks of 28, 45 symbols; 65.25 of 1.024 ms. SF9, 500 kHz: 240 bits, 7 blocks of 36,
/// 35 symbols; 55.25 of 1.024 ms. E32 at 2.4k: 70 bytes at SF11, 500 kHz: 560 bits, 13 blocks of
/// 44, 65 symbols; 85.25 of 4.096 ms.
#[test]
fn air_times_are_the_data_sheets() {
    for (radio, microseconds) in [
        (sx(12, 125_000), 1_646_592),
        (sx(7, 125_000), 66_816),
        (sx(9, 500_000), 56_576),
        (Radio::E32(AirRate::R2400), 349_184),
    ] {
        assert_eq!(radio.airtime(29).as_micros(), microseconds, "{radio:?}");
    }
}

/// 2 * 79 * 0.349184 / 600 = 0.091952, and 1 - exp(-0.091952) = 0.087851.
#[test]
fn without_repetitions_the_loss_is_pure_alohas() {
    let outcome = plan(80, 600, Radio::E32(AirRate::R2400), false).outcome();
    assert!((outcome.loss - 0.087_851).abs() < 1e-6, "{outcome:?}");
    assert!((outcome.station_duty - 0.349_184 / 600.0).abs() < 1e-12);
    assert_eq!((outcome.transmissions, outcome.gateway_duty), (1.0, 0.0));
    let alone = plan(1, 600, Radio::E32(AirRate::R2400), true).outcome();
    assert_eq!((alone.loss, alone.transmissions), (0.0, 1.0));
}

fn most_nodes(seconds: u64, rate: AirRate, acknowledged: bool) -> u32 {
    let fits = |nodes: &u32| {
        let plan = plan(*nodes, seconds, Radio::E32(rate), acknowledged);
        plan.outcome().loss <= 0.01
    };
    (1..5_000).take_while(fits).last().unwrap_or(0)
}

/// The numbers of nodes of docs/researcher/radio-capacity.md, which a simulation with capture
/// found. The model must not promise many more.
#[test]
fn the_model_promises_at_most_a_little_more_than_the_simulation() {
    for (rate, seconds, once, acknowledged) in [
        (AirRate::R1200, 600, 7, 26),
        (AirRate::R2400, 600, 12, 80),
        (AirRate::R4800, 600, 36, 346),
        (AirRate::R9600, 600, 62, 687),
        (AirRate::R19200, 600, 112, 1_250),
        (AirRate::R4800, 60, 3, 36),
        (AirRate::R19200, 60, 9, 131),
    ] {
        for (simulated, is_acknowledged) in [(once, false), (acknowledged, true)] {
            let ours = most_nodes(seconds, rate, is_acknowledged);
            println!("{rate} {seconds} s acknowledged={is_acknowledged}: {ours}, {simulated}");
            let share = f64::from(ours) / f64::from(simulated);
            assert!(
                (0.3..1.25).contains(&share),
                "{rate} {seconds}: {ours}, {simulated}"
            );
        }
    }
}

#[test]
fn more_is_never_better() {
    let radios: Vec<Radio> = (7..=12).map(|sf| sx(sf, 125_000)).collect();
    for pair in radios.windows(2) {
        for bytes in 13..=58 {
            assert!(pair[0].airtime(bytes) < pair[1].airtime(bytes));
            assert!(pair[0].airtime(bytes) <= pair[0].airtime(bytes + 1));
        }
    }
    for sf in 7..=12 {
        assert!(sx(sf, 250_000).airtime(29) < sx(sf, 125_000).airtime(29));
        assert!(sx(sf, 500_000).airtime(29) < sx(sf, 250_000).airtime(29));
    }
    for acknowledged in [false, true] {
        for radio in [sx(7, 500_000), sx(12, 125_000), Radio::E32(AirRate::R2400)] {
            for nodes in [2, 10, 80, 1_000] {
                for seconds in [1, 5, 60, 600, 86_400] {
                    let of = |nodes, seconds| plan(nodes, seconds, radio, acknowledged).outcome();
                    let (this, more) = (of(nodes, seconds), of(nodes + 1, seconds));
                    let rarer = of(nodes, seconds + 1);
                    assert!(this.loss <= more.loss, "{nodes} {seconds} {radio:?}");
                    assert!(rarer.loss <= this.loss, "{nodes} {seconds} {radio:?}");
                    assert!(rarer.station_duty <= this.station_duty);
                    assert!((0.0..=1.0).contains(&this.loss));
                    assert!((1.0..=4.0).contains(&this.transmissions));
                }
            }
        }
    }
}

#[test]
fn the_shortest_period_fits_and_a_shorter_one_does_not() {
    for nodes in [1, 2, 80, 1_000] {
        for region in ["EU", "EU433", "US"] {
            let mut plan = plan(nodes, 5, Radio::E32(AirRate::R2400), true);
            plan.region = region.parse().expect("known");
            let shortest = plan.shortest_period().expect("fits some time");
            plan.period = shortest;
            assert!(plan.obstacles().is_empty(), "{nodes} {region} {shortest:?}");
            let step = if shortest.as_secs() > 120 { 60 } else { 1 };
            plan.period = shortest.saturating_sub(Duration::from_secs(step));
            let fits = !plan.period.is_zero() && plan.obstacles().is_empty();
            assert!(!fits, "{nodes} {region} {shortest:?}");
        }
    }
}

#[test]
fn rules_keep_plans_from_fitting() {
    let obstacles = |region: &str, radio, nodes, seconds| {
        let mut plan = plan(nodes, seconds, radio, true);
        plan.region = region.parse().expect("known");
        plan.obstacles()
    };
    let e32 = Radio::E32(AirRate::R2400);
    // 349 ms of 5 s are 7 %: one station breaks the 1 % of Europe, and not the 10 % at 433 MHz.
    assert_eq!(
        obstacles("EU", e32, 1, 5),
        [Obstacle::StationDuty, Obstacle::GatewayDuty]
    );
    assert_eq!(obstacles("EU433", e32, 1, 5), []);
    assert_eq!(obstacles("BR", e32, 1, 5), []);
    assert_eq!(obstacles("BR", sx(7, 125_000), 1, 600), [Obstacle::Narrow]);
    assert_eq!(obstacles("EU869", e32, 1, 600), [Obstacle::WiderThanBand]);
    // The gateway answers all stations: 247 ms each.
    assert!(obstacles("EU", e32, 80, 600).contains(&Obstacle::GatewayDuty));
    assert!(obstacles("US", e32, 1_000, 600).contains(&Obstacle::Loss));
}

/// 349.184 ms at 120 mA and 600 s at 0.01 mA are 0.0698 + 0.01 mA: 2,500 mAh last 1,305 days.
#[test]
fn a_battery_lasts_as_long_as_its_mean_current_allows() {
    let plan = plan(1, 600, Radio::E32(AirRate::R2400), false);
    let supply = Supply {
        capacity_mah: 2_500.0,
        transmit_ma: 120.0,
        receive_ma: 12.0,
        sleep_ma: 0.01,
    };
    let days = supply.days(&plan.outcome(), plan.period);
    assert!((days - 1_304.9).abs() < 1.0, "{days}");
}
