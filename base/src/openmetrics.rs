//! Metrics as OpenMetrics text [OPENMETRICS].

use std::fmt::{Display, Write as _};

/// The text of a service's metrics. All their names begin with the same prefix.
#[derive(Debug)]
pub struct Text {
    prefix: &'static str,
    out: String,
}

impl Text {
    pub fn new(prefix: &'static str) -> Self {
        Text {
            prefix,
            out: String::new(),
        }
    }

    /// A number that only grows. The help text has no final full stop.
    pub fn counter(&mut self, name: &str, help: &str, value: impl Display) {
        self.family(name, "counter", help);
        self.sample(name, "_total", "", value);
    }

    /// A counter with one label: a sample for each value of the label.
    pub fn counters<'a>(
        &mut self,
        name: &str,
        help: &str,
        label: &str,
        samples: impl IntoIterator<Item = (&'a str, u64)>,
    ) {
        self.family(name, "counter", help);
        for (value, number) in samples {
            self.sample(name, "_total", &format!("{{{label}=\"{value}\"}}"), number);
        }
    }

    /// A number that may also fall.
    pub fn gauge(&mut self, name: &str, help: &str, value: impl Display) {
        self.family(name, "gauge", help);
        self.sample(name, "", "", value);
    }

    /// A histogram of the samples below and at each bound. `buckets` has one number more than
    /// `bounds`: the samples above all bounds.
    pub fn histogram(&mut self, name: &str, help: &str, bounds: &[f64], buckets: &[u64], sum: f64) {
        self.family(name, "histogram", help);
        let bounds = bounds.iter().map(|bound| format!("{bound:?}"));
        let mut total = 0;
        for (bound, number) in bounds.chain(["+Inf".to_owned()]).zip(buckets) {
            total += number;
            self.sample(name, "_bucket", &format!("{{le=\"{bound}\"}}"), total);
        }
        self.sample(name, "_count", "", total);
        self.sample(name, "_sum", "", format_args!("{sum:?}"));
    }

    /// The whole text.
    pub fn finish(mut self) -> String {
        self.out.push_str("# EOF\n");
        self.out
    }

    // Writing to a string cannot fail.
    fn family(&mut self, name: &str, kind: &str, help: &str) {
        let prefix = self.prefix;
        let _ = writeln!(self.out, "# TYPE {prefix}{name} {kind}");
        if name.ends_with("_seconds") {
            let _ = writeln!(self.out, "# UNIT {prefix}{name} seconds");
        }
        let _ = writeln!(self.out, "# HELP {prefix}{name} {help}.");
    }

    fn sample(&mut self, name: &str, suffix: &str, labels: &str, value: impl Display) {
        let _ = writeln!(self.out, "{}{name}{suffix}{labels} {value}", self.prefix);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_has_its_text() {
        let mut text = Text::new("selo_");
        text.counter("readings", "Stored readings", 3);
        text.counters(
            "frames",
            "Frames, by type",
            "type",
            [("up", 1), ("down", 2)],
        );
        text.gauge("behind_seconds", "Time behind", 4);
        text.histogram("wait_seconds", "Waits", &[1e-5, 10.0], &[1, 2, 1], 20.5);
        assert_eq!(
            text.finish(),
            "\
# TYPE selo_readings counter
# HELP selo_readings Stored readings.
selo_readings_total 3
# TYPE selo_frames counter
# HELP selo_frames Frames, by type.
selo_frames_total{type=\"up\"} 1
selo_frames_total{type=\"down\"} 2
# TYPE selo_behind_seconds gauge
# UNIT selo_behind_seconds seconds
# HELP selo_behind_seconds Time behind.
selo_behind_seconds 4
# TYPE selo_wait_seconds histogram
# UNIT selo_wait_seconds seconds
# HELP selo_wait_seconds Waits.
selo_wait_seconds_bucket{le=\"1e-5\"} 1
selo_wait_seconds_bucket{le=\"10.0\"} 3
selo_wait_seconds_bucket{le=\"+Inf\"} 4
selo_wait_seconds_count 4
selo_wait_seconds_sum 20.5
# EOF
"
        );
    }
}
