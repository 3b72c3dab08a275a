//! The benchmark of the gateway.
//!
//! A round measures the baseline and Selo's gateway one after the other, each in a new process,
//! with the same load generator. The figure is work per CPU time: the user and system time that
//! the kernel charged to the gateway's process for a number of joins or readings. The load
//! generator's share of the machine therefore does not count, and a multi-threaded gateway has no
//! advantage. The rounds' figures give the mean and its interval.

mod measure;
mod row;
mod traffic;

use selo_base::stats::summarise;

use crate::classic::Baseline;
use crate::error::Result;
use crate::machine::Machine;

use measure::{
    MULTIPLYING, RECEIVING, Sample, baseline_name, measure_baseline, measure_full,
    measure_multiplying, measure_receiving, measure_selo,
};

pub use measure::Options;
pub use row::{Metric, Readings, Report, Row, SCHEMA, Subject};

/// Runs the benchmark. `progress` is called with the current step.
pub fn run(options: &Options, mut progress: impl FnMut(&str)) -> Result<Report> {
    let baseline = options
        .with_baseline
        .then(|| Baseline::find(&options.project, options.python.as_deref()))
        .transpose()?;
    let mut subjects: Vec<(Subject, Vec<Sample>)> = Vec::new();
    for round in 1..=options.rounds {
        let of = format!("round {round} of {}", options.rounds);
        progress(&format!("{of}: receiving alone"));
        let (subject, sample) = measure_receiving(options)?;
        add(&mut subjects, subject, sample);
        let (subject, sample) = measure_multiplying()?;
        add(&mut subjects, subject, sample);
        for keep in [false, true] {
            if let Some(baseline) = &baseline {
                progress(&format!("{of}: {}", baseline_name(keep)));
                let (subject, sample) = measure_baseline(baseline, keep, options)?;
                add(&mut subjects, subject, sample);
            }
        }
        for suite in &options.suites {
            progress(&format!("{of}: selo, {suite}"));
            let (subject, sample) = measure_selo(*suite, options)?;
            add(&mut subjects, subject, sample);
        }
    }
    let machine = Machine::this();
    let mut report = Report {
        rows: Vec::new(),
        remarks: remarks(&subjects),
        machine,
    };
    for metric in [
        Metric::NanosecondsPerReading,
        Metric::NanosecondsPerJoin,
        Metric::NanosecondsPerUnknownJoin,
        Metric::NanosecondsPerForgedJoin,
        Metric::ReadingsPerCoreSecond,
        Metric::JoinsPerCoreSecond,
    ] {
        rows_of(&mut report, &subjects, metric);
    }
    if options.sessions > 0 {
        for suite in &options.suites {
            measure_full(*suite, options, &mut report, &mut progress)?;
        }
    }
    Ok(report)
}

fn add(subjects: &mut Vec<(Subject, Vec<Sample>)>, subject: Subject, sample: Sample) {
    match subjects.iter_mut().find(|(other, _)| *other == subject) {
        Some((_, samples)) => samples.push(sample),
        None => subjects.push((subject, vec![sample])),
    }
}

/// A figure of a sample, if the subject does that.
fn figure(sample: &Sample, metric: Metric) -> Option<f64> {
    let time = |rate: f64| 1e9 / rate;
    match metric {
        Metric::NanosecondsPerReading => sample.readings.map(time),
        Metric::NanosecondsPerJoin => sample.joins.map(time),
        Metric::NanosecondsPerUnknownJoin => sample.unknown.map(time),
        Metric::NanosecondsPerForgedJoin => sample.forged.map(time),
        Metric::JoinsPerCoreSecond => sample.joins,
        _ => sample.readings,
    }
}

fn rows_of(report: &mut Report, subjects: &[(Subject, Vec<Sample>)], metric: Metric) {
    let is_rate = matches!(
        metric,
        Metric::ReadingsPerCoreSecond | Metric::JoinsPerCoreSecond
    );
    let mut baseline = None;
    for (subject, samples) in subjects {
        if is_rate && [RECEIVING, MULTIPLYING].contains(&subject.name) {
            continue;
        }
        let values = samples.iter().map(|sample| figure(sample, metric));
        let values: Option<Vec<f64>> = values.collect();
        let Some((values, summary)) = values.and_then(|values| {
            let summary = summarise(&values)?;
            Some((values, summary))
        }) else {
            continue;
        };
        if subject.name == baseline_name(false) {
            baseline = Some(summary.mean);
        }
        let over = baseline.filter(|_| is_rate && subject.name != baseline_name(false));
        let over = over.map(|baseline| summary.mean / baseline);
        let of_readings = matches!(
            metric,
            Metric::ReadingsPerCoreSecond | Metric::NanosecondsPerReading
        );
        let counts = of_readings.then(|| sum(samples));
        let unit = if is_rate { "1/s" } else { "ns" };
        report.push(subject, metric, unit, (summary, values), counts, over);
    }
}

fn sum(samples: &[Sample]) -> Readings {
    let mut sum = Readings::default();
    samples.iter().for_each(|sample| sum += sample.counts);
    sum
}

fn remarks(subjects: &[(Subject, Vec<Sample>)]) -> Vec<String> {
    let mut remarks = vec![
        "Work per CPU time (user and system, all threads) of the gateway's process. Wall-clock \
        fidelity: it varies between runs and machines; the ratio varies less."
            .to_owned(),
        "Each reading includes, for both gateways: the kernel's work to deliver one datagram, \
        the session look-up, decryption, counting."
            .to_owned(),
        "For Selo only: the authentication tag, the replay window, rate limits, the journal \
        (written to the disk once a second), one line of JSON to /dev/null. The baseline checks \
        the padding and discards the reading."
            .to_owned(),
    ];
    let received = subjects
        .iter()
        .filter(|(subject, _)| subject.name != MULTIPLYING);
    for (subject, samples) in received {
        let Readings {
            sent,
            accepted,
            refused,
        } = sum(samples);
        let suite = subject.suite.as_deref().unwrap_or_default();
        remarks.push(
            format!(
                "{} {suite}: {sent} readings sent, {accepted} accepted, {refused} refused; the \
                rest did not fit into the socket buffer and cost the gateway nothing.",
                subject.name
            )
            .replace(" :", ":"),
        );
    }
    remarks
}

#[cfg(test)]
mod tests {

    use crate::gateway::measure::ADDRESSES;
    use crate::gateway::traffic::next_chunk;
    use crate::load::BATCH;
    use selo_gateway::engine::{PACKETS_BURST, PACKETS_PER_SECOND};
    use std::time::Duration;

    #[test]
    fn no_device_sends_more_than_a_gateway_takes_of_it() {
        for devices in [1, 511, 512, 2_000, 20_000, 1_000_000] {
            let addresses = ADDRESSES.min(devices);
            for per_second in [5e4, 6e5, 1e8] {
                let (mut sent, mut elapsed) = (0, Duration::ZERO);
                while elapsed < Duration::from_secs(60) {
                    let chunk = next_chunk(addresses, devices, elapsed, sent);
                    if chunk == 0 {
                        break;
                    }
                    sent += chunk as u64;
                    elapsed += Duration::from_secs_f64(chunk as f64 / per_second);
                    let fewest = (devices / addresses * addresses) as f64;
                    let gained = f64::from(PACKETS_PER_SECOND) * elapsed.as_secs_f64();
                    let limit = f64::from(PACKETS_BURST) + gained;
                    // A device may already have sent its first reading and a rehearsal batch.
                    let before = (1 + BATCH) as f64;
                    assert!(
                        sent as f64 / fewest + before <= limit,
                        "{devices} {per_second}"
                    );
                }
                assert!(sent > 0, "{devices} {per_second}");
            }
        }
    }
}
