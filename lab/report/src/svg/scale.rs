//! Axes: convert values to positions and place the marks.

use crate::format;

/// Spacing of the values along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Linear,
    Logarithmic,
}

/// An axis over a range of values.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    kind: Kind,
    /// The marked values, ascending. The axis ends at the first and the last.
    marks: Vec<f64>,
}

impl Axis {
    /// An axis that contains every value and begins and ends on a mark.
    ///
    /// A logarithmic axis ignores values of zero and less. A linear axis starts at zero.
    pub fn holding(kind: Kind, values: impl IntoIterator<Item = f64>) -> Axis {
        let values: Vec<f64> = values
            .into_iter()
            .filter(|value| value.is_finite() && (kind == Kind::Linear || *value > 0.0))
            .collect();
        let largest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let smallest = values.iter().copied().fold(f64::INFINITY, f64::min);
        match kind {
            _ if values.is_empty() || largest <= 0.0 => Axis {
                kind: Kind::Linear,
                marks: vec![0.0, 1.0],
            },
            Kind::Linear => Axis {
                kind,
                marks: linear_marks(largest),
            },
            Kind::Logarithmic => Axis {
                kind,
                marks: logarithmic_marks(smallest, largest),
            },
        }
    }

    /// The values at its start and its end.
    pub fn ends(&self) -> (f64, f64) {
        (self.marks[0], self.marks[self.marks.len() - 1])
    }

    /// The marked values, ascending.
    pub fn values(&self) -> &[f64] {
        &self.marks
    }

    /// Position of a value: 0 at the start of the axis and 1 at its end.
    pub fn position(&self, value: f64) -> f64 {
        let (low, high) = self.ends();
        let position = match self.kind {
            Kind::Linear => (value - low) / (high - low),
            Kind::Logarithmic if value <= 0.0 => 0.0,
            Kind::Logarithmic => (value / low).log10() / (high / low).log10(),
        };
        position.clamp(0.0, 1.0)
    }

    /// The marks: position from 0 to 1, and label.
    pub fn marks(&self) -> Vec<(f64, String)> {
        self.marks
            .iter()
            .map(|value| (self.position(*value), label(*value)))
            .collect()
    }
}

/// Tolerance for rounding errors, as a share of a step.
const SLACK: f64 = 1e-9;

fn linear_marks(largest: f64) -> Vec<f64> {
    let step = round_step(largest / 4.0);
    let count = (largest / step - SLACK).ceil() as u32;
    (0..=count).map(|index| step * f64::from(index)).collect()
}

/// Powers of ten. Below two decades also twice and five times each power.
fn logarithmic_marks(smallest: f64, largest: f64) -> Vec<f64> {
    let first = (smallest.log10() + SLACK).floor() as i32;
    let last = ((largest.log10() - SLACK).ceil() as i32).max(first + 1);
    if largest / smallest < 100.0 {
        let fine: Vec<f64> = (first..=last)
            .flat_map(|power| [1.0, 2.0, 5.0].map(|factor| factor * 10f64.powi(power)))
            .collect();
        let low = fine
            .iter()
            .rposition(|mark| *mark <= smallest * (1.0 + SLACK))
            .unwrap_or(0);
        let high = fine
            .iter()
            .position(|mark| *mark >= largest * (1.0 - SLACK));
        return fine[low..=high.unwrap_or(fine.len() - 1).max(low + 1)].to_vec();
    }
    // At most seven marks, so that labels do not touch on a telephone.
    let step = (last - first + 5) / 6;
    let count = (last - first + step - 1) / step;
    (0..=count)
        .map(|index| 10f64.powi(first + index * step))
        .collect()
}

/// The smallest step of 1, 2, 2.5 or 5 times a power of ten that is at least `step`.
fn round_step(step: f64) -> f64 {
    let power = 10f64.powf(step.log10().floor());
    let factor = [1.0, 2.0, 2.5, 5.0]
        .into_iter()
        .find(|factor| factor * power >= step * (1.0 - 1e-9));
    factor.unwrap_or(10.0) * power
}

/// A round value as the label of its mark.
pub(super) fn label(value: f64) -> String {
    // Marks are round numbers: rounding to twelve decimals removes floating-point errors.
    let rounded = format!("{value:.12}").parse().unwrap_or(value);
    match rounded {
        v if v >= 1e6 && v % 1e5 == 0.0 => format!("{} M", format::exact(v / 1e6)),
        v => format::exact(v),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis) -> Vec<String> {
        axis.marks().into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn linear_axes_start_at_zero_and_end_on_a_mark() {
        let axis = Axis::holding(Kind::Linear, [3.0, 17.1]);
        assert_eq!(labels(&axis), ["0", "5", "10", "15", "20"]);
        assert_eq!(axis.position(0.0), 0.0);
        assert_eq!(axis.position(20.0), 1.0);
        assert_eq!(
            labels(&Axis::holding(Kind::Linear, [0.3])),
            ["0", "0.1", "0.2", "0.3"]
        );
        assert_eq!(
            labels(&Axis::holding(Kind::Linear, [100.0])),
            ["0", "25", "50", "75", "100"]
        );
    }

    #[test]
    fn logarithmic_axes_hold_whole_decades() {
        let axis = Axis::holding(Kind::Logarithmic, [0.16, 3938.0]);
        assert_eq!(labels(&axis), ["0.1", "1", "10", "100", "1,000", "10,000"]);
        assert_eq!(axis.position(0.1), 0.0);
        assert!((axis.position(10.0) - 0.4).abs() < 1e-9);
        assert_eq!(
            labels(&Axis::holding(Kind::Logarithmic, [10.0])),
            ["10", "20"]
        );
        assert_eq!(
            labels(&Axis::holding(Kind::Logarithmic, [0.16, 1.4])),
            ["0.1", "0.2", "0.5", "1", "2"]
        );
        assert_eq!(
            labels(&Axis::holding(Kind::Logarithmic, [1e-3, 5e6])),
            ["0.001", "0.1", "10", "1,000", "100,000", "10 M"]
        );
        assert_eq!(
            labels(&Axis::holding(Kind::Logarithmic, [1e6, 4e7])),
            ["1 M", "2 M", "5 M", "10 M", "20 M", "50 M"]
        );
    }

    #[test]
    fn nothing_to_show_is_still_an_axis() {
        assert_eq!(labels(&Axis::holding(Kind::Logarithmic, [])), ["0", "1"]);
        assert_eq!(
            labels(&Axis::holding(Kind::Linear, [0.0, f64::NAN])),
            ["0", "1"]
        );
    }
}
