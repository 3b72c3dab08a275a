//! Energy that is time times a constant: the same picture as time, with another scale.

use selo_engine::row::Metric;

use crate::format::{self, Scale};
use crate::pivot::{Line, Lines};
use crate::svg::dots::Second;

/// Powers that differ by less, as a share, are one power: rows keep rounded figures.
const EQUAL: f64 = 0.01;

/// The power in watts by which every line's energy is its time. `None` if the powers differ, or
/// if a line has only one of the two figures.
pub fn watts(lines: &Lines<'_>, chosen: &[&Line]) -> Option<f64> {
    let mut powers = Vec::new();
    for line in chosen {
        let value = |metric| lines.value(line, metric);
        match (value(Metric::Time), value(Metric::Energy)) {
            (Some(time), Some(energy)) if time > 0.0 => powers.push(energy / time),
            (None, None) => {}
            _ => return None,
        }
    }
    let first = *powers.first()?;
    let equal = |power: &f64| (power / first - 1.0).abs() < EQUAL;
    (first > 0.0 && powers.iter().all(equal)).then_some(first)
}

/// What the picture of time says about energy.
pub struct BesideTime {
    pub scale: Second,
    pub remark: String,
}

/// `largest` is the largest time in seconds, and `time` the scale of the picture.
pub fn beside_time(watts: f64, largest: f64, time: Scale) -> BesideTime {
    let energy = format::column_scale(Metric::Energy, largest * watts);
    BesideTime {
        scale: Second {
            name: format!("energy, {}, logarithmic", energy.symbol),
            factor: watts * time.factor / energy.factor,
        },
        remark: format!(
            "Energy is time × {} mW on this board: read it on the lower scale.",
            format::significant(1e3 * watts, 3)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn one_power_is_found_and_two_are_not() {
        let context = sample::context();
        let mut rows = sample::rows();
        let power = |rows: &[selo_engine::row::Row]| {
            let lines = Lines::new(rows, &context);
            let chosen: Vec<&Line> = lines.all.iter().collect();
            watts(&lines, &chosen)
        };
        assert!(power(&rows).is_some_and(|watts| (watts - 0.005).abs() < 1e-6));
        let energy = rows.iter_mut().find(|row| row.metric == Metric::Energy);
        energy.expect("the sample has one").value = Some(1.0);
        assert_eq!(power(&rows), None);
    }
}
