//! Tests of profiles, traces and their energy.

use super::*;

fn close(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-9 * b.abs().max(1e-12), "{a} is not {b}");
}

fn parse(text: &str) -> Vec<TraceSample> {
    parse_trace(text).expect("the test's trace is well formed")
}

#[test]
fn profile_of_five_milliwatts() {
    let profile = PowerProfile {
        radio: None,
        name: "test".into(),
        source: "test".into(),
        supply_volts: 5.0,
        active_milliamps: 16.0,
        idle_milliamps: 15.0,
        power_down_milliamps: None,
        note: None,
    };
    close(profile.watts_above_idle(), 5e-3);
    // AES-128 encryption of albarello2020, Table II: 0.564 ms, 0.783 nWh.
    let nanowatt_hours = profile.joules(0.564e-3) / NANOWATT_HOUR;
    assert!((nanowatt_hours - 0.783).abs() < 5e-4, "{nanowatt_hours}");
}

#[test]
fn a_current_alone_a_shunt_and_a_trigger() {
    let with = |text: &str, setup: &TraceSetup| parse_trace_with(text, setup);
    let supply = TraceSetup {
        supply_volts: Some(5.0),
        ..TraceSetup::default()
    };
    // A power profiler: a current and eight pins. Two operations of 2 ms at 10 mA over 6 mA,
    // and a third that the end of the trace cuts off.
    let mut text = "Timestamp(ms),Current(uA),D0,D1\n".to_owned();
    for tenth in 0..100 {
        let high = (20..40).contains(&tenth) || (60..80).contains(&tenth) || tenth > 95;
        let microamperes = if high { 10_000 } else { 6_000 };
        text += &format!(
            "{}.{},{microamperes},{},0\n",
            tenth / 10,
            tenth % 10,
            u8::from(high)
        );
    }
    assert!(matches!(
        with(&text, &TraceSetup::default()),
        Err(TraceError::MissingColumn {
            column: "voltage",
            ..
        })
    ));
    let on = |name: &str| TraceSetup {
        trigger: Some(name.into()),
        ..supply.clone()
    };
    let trace = with(&text, &on("d0")).expect("valid");
    assert_eq!(trace.high, [2e-3..4e-3, 6e-3..8e-3]);
    let energy = integrate_each(&trace.samples, &trace.high, &Idle::Watts(30e-3)).expect("valid");
    assert_eq!(energy.stretches, 2);
    // The current falls between two samples, so half an interval counts.
    close(energy.joules, 5.0 * 4e-3 * (1.9e-3 + 0.05e-3));
    assert!(matches!(
        with(&text, &on("d1")),
        Err(TraceError::NeverHigh { .. })
    ));
    assert!(matches!(
        with(&text, &on("D7")),
        Err(TraceError::NoTrigger { line: 1, .. })
    ));

    // An oscilloscope over a shunt of 10 ohms: lines before the header, then volts.
    let text = "Model,ABC1000\nSample Interval,1e-6\nTime(s),CH1(V)\n0,0.1\n1,0.1\n";
    let shunt = TraceSetup {
        shunt_ohms: Some(10.0),
        ..supply
    };
    let trace = with(text, &shunt).expect("valid");
    close(trace.samples[0].amperes, 0.01);
    close(trace.samples[0].volts, 4.9);
    // The second channel is the supply at the chip, or a trigger.
    let text = "Time(s),CH1(V),CH2(V)\n0,0.1,0\n1,0.1,4.8\n2,0.1,0\n";
    assert_eq!(with(text, &shunt).expect("valid").samples[1].volts, 4.8);
    let both = TraceSetup {
        trigger: Some("CH2".into()),
        ..shunt
    };
    let trace = with(text, &both).expect("valid");
    assert_eq!((trace.high, trace.samples[1].volts), (vec![1.0..2.0], 4.9));

    // The log of an INA219.
    let trace = parse("Time (ms);Bus Voltage (V);Current (mA)\n0;4,9;20\n10;4,9;20\n");
    close(trace[1].watts(), 0.098);
}

#[test]
fn constant_power_unevenly_sampled() {
    let trace = parse("t,v,i\n0,5,0.02\n0.1,5,0.02\n0.75,5,0.02\n1,5,0.02\n2,5,0.02\n");
    let energy = integrate(&trace, None, &Idle::None).expect("valid");
    close(energy.joules, 0.2);
    close(energy.nanowatt_hours, 0.2 / 3.6e-6);
    assert_eq!(energy.samples, 5);
    close(energy.seconds, 2.0);
}

#[test]
fn a_ramp_of_current_and_its_middle() {
    // P(t) = 10 t: the integral is 5 t^2.
    let trace = parse("t,v,i\n0,10,0\n1,10,1\n4,10,4\n");
    close(
        integrate(&trace, None, &Idle::None).expect("valid").joules,
        80.0,
    );
    let part = integrate(&trace, Some(0.5..3.0), &Idle::None).expect("valid");
    close(part.joules, 5.0 * (9.0 - 0.25));
    assert_eq!(part.samples, 1);
}

#[test]
fn idle_is_subtracted() {
    // 5 V: 10 mA at rest for a second, then 30 mA for a second.
    let trace = parse("t,v,i\n0,5,0.01\n1,5,0.01\n1.000001,5,0.03\n2.000001,5,0.03\n");
    let work = Some(1.000001..2.000001);
    let between = integrate(&trace, work.clone(), &Idle::Between(0.0..1.0)).expect("valid");
    close(between.idle_watts, 0.05);
    close(between.joules, 0.1);
    close(between.total_joules, 0.15);
    close(
        integrate(&trace, work, &Idle::Watts(0.05))
            .expect("valid")
            .joules,
        0.1,
    );
}

#[test]
fn exports_of_meters_read_the_same() {
    let want = parse("t,v,i\n0,5,0.02\n0.5,5,0.03\n");
    for text in [
        "time_ms,voltage_mV,current_mA\n0,5000,20\n500,5000,30\n",
        "Tempo [s];Tensão (V);Corrente (mA)\n0,0;5,0;20,0\n0,5;5,0;30,0\n",
        "\u{feff}\"i [mA]\"\t\"t [us]\"\t\"v\"\r\n20\t0\t5\r\n30\t500000\t5\r\n",
        "# made by a meter\n\ntimestamp,flags,V,A\n0,x,5,0.02\n0.5,x,5,0.03\n",
        "t;v;i;\n0;5;0,02;\n0,5;5;0,03;\n",
        "t (µs),v (V),i (µA)\n0,5,20000\n500000,5,30000\n",
    ] {
        let got = parse(text);
        assert_eq!(got.len(), want.len(), "{text}");
        for (a, b) in got.iter().zip(&want) {
            close(a.seconds, b.seconds);
            close(a.volts, b.volts);
            close(a.amperes, b.amperes);
        }
    }
}

#[test]
fn errors_name_the_line() {
    assert_eq!(parse_trace("\n \n"), Err(TraceError::Empty));
    assert!(matches!(
        parse_trace("t,v\n0,5\n"),
        Err(TraceError::MissingColumn {
            line: 1,
            column: "current",
            ..
        })
    ));
    assert!(matches!(
        parse_trace("t,v,i [mV]\n0,5,1\n"),
        Err(TraceError::BadUnit { line: 1, .. })
    ));
    assert_eq!(
        parse_trace("t,v,i\n0,5,1\n1,5,NaN\n"),
        Err(TraceError::NotANumber {
            line: 3,
            text: "NaN".into()
        })
    );
    assert_eq!(
        parse_trace("t,v,i\n0,5,1\n1,5\n"),
        Err(TraceError::WrongFieldCount {
            line: 3,
            found: 2,
            expected: 3
        })
    );
    assert_eq!(
        parse_trace("t,v,i\n0,5,1\n# note\n2,5,1\n1.5,5,1\n"),
        Err(TraceError::TimeGoesBack {
            line: 5,
            before: 2.0,
            after: 1.5
        })
    );
    assert_eq!(
        parse_trace("t,v,i\n0,5,1\n"),
        Err(TraceError::TooFewSamples(1))
    );
}

#[test]
fn stretches_must_lie_within_the_trace() {
    let trace = parse("t,v,i\n0,5,1\n1,5,1\n");
    assert!(matches!(
        integrate(&trace, Some(0.5..1.5), &Idle::None),
        Err(TraceError::OutsideTrace { .. })
    ));
    assert!(matches!(
        integrate(&trace, Some(0.5..0.5), &Idle::None),
        Err(TraceError::EmptyStretch { .. })
    ));
    assert!(integrate(&trace, Some(f64::NAN..1.0), &Idle::None).is_err());
    assert!(integrate(&trace, None, &Idle::Between(-1.0..0.5)).is_err());
}

#[test]
fn stretches_add_up() {
    // Any cut of a jagged trace gives the same total: try 200 cuts of a pseudo-random trace
    // with a fixed seed.
    let mut state = 7u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(state >> 8) / f64::from(1u32 << 24)
    };
    let mut seconds = 0.0;
    let trace: Vec<TraceSample> = (0..50)
        .map(|_| {
            seconds += 1e-3 + next();
            TraceSample {
                seconds,
                volts: 3.0 + next(),
                amperes: next(),
            }
        })
        .collect();
    let (first, last) = (trace[0].seconds, trace[49].seconds);
    let whole = integrate(&trace, None, &Idle::None).expect("valid").joules;
    for _ in 0..200 {
        let cut = first + (last - first) * (0.001 + 0.998 * next());
        let left = integrate(&trace, Some(first..cut), &Idle::None)
            .expect("valid")
            .joules;
        let right = integrate(&trace, Some(cut..last), &Idle::None)
            .expect("valid")
            .joules;
        close(left + right, whole);
    }
}
