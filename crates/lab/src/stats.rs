//! The one place for statistics.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// A summary of samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    pub count: u32,
    pub min: f64,
    pub max: f64,
    pub mean: f64,
    pub median: f64,
    /// Sample standard deviation (n - 1); `None` for a single sample.
    pub sd: Option<f64>,
    /// Half width of the 95 % interval of the mean by Student's t; `None` for a single sample.
    pub ci95: Option<f64>,
}

/// Summarises samples; `None` if there are none.
pub fn summarise(samples: &[f64]) -> Option<Summary> {
    if samples.is_empty() {
        return None;
    }
    let n = samples.len() as f64;
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let mean = sorted.iter().sum::<f64>() / n;
    let middle = sorted.len() / 2;
    let median = if sorted.len() % 2 == 1 {
        sorted[middle]
    } else {
        (sorted[middle - 1] + sorted[middle]) / 2.0
    };
    let sd = (sorted.len() > 1).then(|| {
        let squares: f64 = sorted.iter().map(|x| (x - mean).powi(2)).sum();
        (squares / (n - 1.0)).sqrt()
    });
    let ci95 = sd.map(|sd| student_t(n - 1.0) * sd / n.sqrt());
    Some(Summary {
        count: samples.len() as u32,
        min: sorted[0],
        max: sorted[sorted.len() - 1],
        mean,
        median,
        sd,
        ci95,
    })
}

/// A mean and what its samples say of its error; without a deviation it is exact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    pub mean: f64,
    /// Sample standard deviation of one sample, not of the mean.
    pub sd: Option<f64>,
    pub count: u32,
}

/// A ratio of two means with its 95 % interval, which has no width where both are exact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

/// How many times `under` goes into `over`, with the interval of Fieller's theorem for
/// independent means of unequal variances, degrees of freedom by Welch and Satterthwaite.
/// `None` if `under` is zero, or if so little is known of it that the interval has no end.
pub fn ratio(over: Estimate, under: Estimate) -> Option<Ratio> {
    let (a, b) = (over.mean, under.mean);
    let value = a / b;
    if !value.is_finite() {
        return None;
    }
    let (va, vb) = (over.variance_of_mean(), under.variance_of_mean());
    let spread = va + value * value * vb;
    if spread == 0.0 {
        return Some(Ratio {
            value,
            low: value,
            high: value,
        });
    }
    let share = |variance: f64, count: u32| variance * variance / f64::from(count.max(2) - 1);
    let freedom =
        spread * spread / (share(va, over.count) + share(value * value * vb, under.count));
    let t2 = student_t(freedom).powi(2);
    // The roots in r of (a - r b)^2 = t^2 (va + r^2 vb).
    let square = b * b - t2 * vb;
    let inner = (a * b).powi(2) - (a * a - t2 * va) * square;
    if square <= 0.0 || !inner.is_finite() || inner < 0.0 {
        return None;
    }
    let (middle, half) = (a * b / square, inner.sqrt() / square);
    Some(Ratio {
        value,
        low: middle - half,
        high: middle + half,
    })
}

impl Estimate {
    fn variance_of_mean(&self) -> f64 {
        let sd = self.sd.unwrap_or(0.0);
        sd * sd / f64::from(self.count.max(1))
    }
}

/// The 0.975 quantile of Student's t distribution.
fn student_t(degrees_of_freedom: f64) -> f64 {
    StudentsT::new(0.0, 1.0, degrees_of_freedom)
        .map_or(f64::NAN, |distribution| distribution.inverse_cdf(0.975))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_summary() {
        let s = summarise(&[4.0, 1.0, 3.0, 2.0]).expect("four samples");
        assert_eq!(
            (s.count, s.min, s.max, s.mean, s.median),
            (4, 1.0, 4.0, 2.5, 2.5)
        );
        // sd = sqrt(5/3); t(3, 0.975) = 3.18245 from published tables.
        let sd = (5.0_f64 / 3.0).sqrt();
        assert!((s.sd.expect("sd") - sd).abs() < 1e-12);
        assert!((s.ci95.expect("ci") - 3.18245 * sd / 2.0).abs() < 1e-4);
    }

    fn estimate(mean: f64, sd: f64, count: u32) -> Estimate {
        let sd = (sd > 0.0).then_some(sd);
        Estimate { mean, sd, count }
    }

    #[test]
    fn exact_means_have_an_exact_ratio() {
        let r = ratio(estimate(3.0, 0.0, 1), estimate(2.0, 0.0, 10)).expect("a ratio");
        assert_eq!((r.value, r.low, r.high), (1.5, 1.5, 1.5));
        assert!(ratio(estimate(3.0, 0.0, 1), estimate(0.0, 0.0, 1)).is_none());
    }

    #[test]
    fn over_an_exact_mean_the_interval_is_students() {
        // 10 +- t(9, 0.975) * 2 / sqrt(10), t = 2.26216 of published tables; halved.
        let r = ratio(estimate(10.0, 2.0, 10), estimate(2.0, 0.0, 1)).expect("a ratio");
        let half = 2.26216 * 2.0 / 10.0_f64.sqrt() / 2.0;
        assert!((r.low - (5.0 - half)).abs() < 1e-4, "{r:?}");
        assert!((r.high - (5.0 + half)).abs() < 1e-4, "{r:?}");
    }

    #[test]
    fn the_ends_satisfy_fiellers_equation_and_may_not_exist() {
        let (a, b) = (estimate(10.0, 3.0, 10), estimate(4.0, 2.0, 10));
        let r = ratio(a, b).expect("a ratio");
        // va = 0.9, vb = 0.4, r = 2.5: Welch's freedom is 3.4^2 / ((0.81 + 6.25) / 9).
        let freedom = 11.56 / (7.06 / 9.0);
        let t = student_t(freedom);
        assert!((freedom - 14.7365).abs() < 1e-4);
        for end in [r.low, r.high] {
            let z = (10.0 - 4.0 * end).abs() / (0.9 + end * end * 0.4).sqrt();
            assert!((z - t).abs() < 1e-9, "{z} {t}");
        }
        // Skewed to the right, as ratios are.
        assert!(r.high - r.value > r.value - r.low);
        // A divisor that may be zero.
        assert!(ratio(a, estimate(1.0, 5.0, 4)).is_none());
    }

    #[test]
    fn the_interval_holds_the_true_ratio_nineteen_times_in_twenty() {
        use rand::{Rng, SeedableRng};
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
        // Nearly normal: the sum of twelve uniform numbers less six has mean 0 and sd 1.
        let mut normal = || (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0;
        let mut draw = |mean: f64, sd: f64, count: u32| {
            let samples: Vec<f64> = (0..count).map(|_| mean + sd * normal()).collect();
            let s = summarise(&samples).expect("samples");
            Estimate {
                mean: s.mean,
                sd: s.sd,
                count,
            }
        };
        let rounds = 4000;
        let held = (0..rounds)
            .filter(|_| {
                let (a, b) = (draw(6.0, 1.0, 8), draw(3.0, 0.4, 12));
                ratio(a, b).is_some_and(|r| r.low <= 2.0 && 2.0 <= r.high)
            })
            .count();
        let share = held as f64 / f64::from(rounds);
        assert!((0.94..0.96).contains(&share), "{share}");
    }

    #[test]
    fn a_single_sample_has_no_interval() {
        let s = summarise(&[7.0]).expect("one sample");
        assert_eq!((s.sd, s.ci95), (None, None));
        assert!(summarise(&[]).is_none());
    }
}
