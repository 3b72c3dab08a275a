//! Puts figures, or the cause why there are none, into an otherwise complete row.

use super::{Cause, Row};
use selo_base::stats;

impl Row {
    /// A row without a value.
    pub(crate) fn without(self, cause: Cause) -> Row {
        Row {
            status: cause.status(),
            cause: Some(cause),
            value: None,
            samples: 0,
            min: None,
            max: None,
            mean: None,
            sd: None,
            ci95: None,
            basis: None,
            ..self
        }
    }

    /// A row with one exact value.
    pub(crate) fn exactly(mut self, value: f64) -> Row {
        self.samples = 1;
        self.value = Some(value);
        (self.min, self.max, self.mean) = (Some(value), Some(value), Some(value));
        self
    }

    /// A row of samples. Deterministic samples get no standard deviation and no interval.
    pub(crate) fn sampled(mut self, values: &[f64], deterministic: bool) -> Row {
        let Some(summary) = stats::summarise(values) else {
            return self;
        };
        self.samples = summary.count;
        self.value = Some(summary.mean);
        (self.min, self.max, self.mean) =
            (Some(summary.min), Some(summary.max), Some(summary.mean));
        if !deterministic {
            self.sd = summary.sd;
            self.ci95 = summary.ci95;
        }
        self
    }

    /// A row whose value is the largest sample.
    pub(crate) fn deepest(self, values: &[f64]) -> Row {
        let mut row = self.sampled(values, true);
        row.value = row.max;
        row
    }
}
