//! All statistics of the project.

use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

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
    /// Half width of the 95 % interval of the mean, by Student's t; `None` for a single sample.
    pub ci95: Option<f64>,
}

/// Summarises samples. Returns `None` if there are none.
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

/// A mean with the spread of its samples. Without a standard deviation it is exact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    pub mean: f64,
    /// Standard deviation of the samples, not of the mean.
    pub sd: Option<f64>,
    pub count: u32,
}

/// A ratio of two means with its 95 % interval. The interval has no width if both means are
/// exact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

/// Computes `over / under` with the interval of Fieller's theorem, for independent means with
/// unequal variances (degrees of freedom by Welch and Satterthwaite). Returns `None` if `under`
/// is zero, or so uncertain that the interval is unbounded.
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

/// A 95 % interval of a mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    pub low: f64,
    pub high: f64,
}

/// Number of resamples that [`bootstrap`] draws.
const RESAMPLES: usize = 2000;

/// The 95 % interval of the mean by the percentile bootstrap, which assumes no distribution. The
/// same samples and draws give the same interval. `draw(n)` gives a random number below `n`. Returns
/// `None` for fewer than two samples.
pub fn bootstrap(samples: &[f64], mut draw: impl FnMut(usize) -> usize) -> Option<Interval> {
    if samples.len() < 2 {
        return None;
    }
    let mut means: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            let sum: f64 = (0..samples.len())
                .map(|_| samples[draw(samples.len())])
                .sum();
            sum / samples.len() as f64
        })
        .collect();
    means.sort_by(f64::total_cmp);
    Some(Interval {
        low: quantile(&means, 0.025),
        high: quantile(&means, 0.975),
    })
}

/// A quantile of sorted samples, linearly interpolated.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let position = share * (sorted.len() - 1) as f64;
    let below = position.floor() as usize;
    let above = position.ceil() as usize;
    sorted[below] + (position - below as f64) * (sorted[above] - sorted[below])
}

/// Counts samples outside Tukey's fences, 1.5 interquartile ranges from the quartiles. Outliers
/// are counted but never dropped. Returns `None` for fewer than four samples.
pub fn outliers(samples: &[f64]) -> Option<u32> {
    if samples.len() < 4 {
        return None;
    }
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (first, third) = (quantile(&sorted, 0.25), quantile(&sorted, 0.75));
    let reach = 1.5 * (third - first);
    let outside = |x: &&f64| **x < first - reach || **x > third + reach;
    Some(samples.iter().filter(outside).count() as u32)
}

/// Result of a two-sided test of two samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Test {
    pub statistic: f64,
    /// Probability of a difference at least as large under the null hypothesis.
    pub p: f64,
}

/// Welch's t test of two means with possibly unequal variances. Returns `None` unless both
/// samples have two values and at least one of them varies.
pub fn welch(a: &[f64], b: &[f64]) -> Option<Test> {
    let (x, y) = (summarise(a)?, summarise(b)?);
    let (n, m) = (a.len() as f64, b.len() as f64);
    let (u, v) = (x.sd?.powi(2) / n, y.sd?.powi(2) / m);
    if u + v == 0.0 {
        return None;
    }
    let statistic = (x.mean - y.mean) / (u + v).sqrt();
    let freedom = (u + v).powi(2) / (u.powi(2) / (n - 1.0) + v.powi(2) / (m - 1.0));
    let distribution = StudentsT::new(0.0, 1.0, freedom).ok()?;
    Some(Test {
        statistic,
        p: 2.0 * distribution.cdf(-statistic.abs()),
    })
}

/// Mann-Whitney U test: does one sample tend to be larger? It uses only ranks, so outliers hardly
/// affect it. Normal approximation with corrections for ties and continuity. Returns `None`
/// unless both samples have eight values and not all values are equal.
pub fn mann_whitney(a: &[f64], b: &[f64]) -> Option<Test> {
    if a.len() < 8 || b.len() < 8 {
        return None;
    }
    let (n, m) = (a.len() as f64, b.len() as f64);
    let mut all: Vec<(f64, bool)> = a.iter().map(|x| (*x, true)).collect();
    all.extend(b.iter().map(|x| (*x, false)));
    all.sort_by(|x, y| x.0.total_cmp(&y.0));
    let (mut ranks, mut ties, mut start) = (0.0, 0.0, 0);
    for group in all.chunk_by(|x, y| x.0 == y.0) {
        let size = group.len() as f64;
        let rank = start as f64 + (size + 1.0) / 2.0;
        ranks += rank * group.iter().filter(|x| x.1).count() as f64;
        ties += size.powi(3) - size;
        start += group.len();
    }
    let u = ranks - n * (n + 1.0) / 2.0;
    let total = n + m;
    let variance = n * m / 12.0 * (total + 1.0 - ties / (total * (total - 1.0)));
    if variance <= 0.0 {
        return None;
    }
    let z = ((u - n * m / 2.0).abs() - 0.5).max(0.0) / variance.sqrt();
    let p = Normal::new(0.0, 1.0).ok()?.cdf(-z) * 2.0;
    Some(Test {
        statistic: u,
        p: p.min(1.0),
    })
}

/// Comparison of two samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Compared {
    /// Mean of the first minus mean of the second.
    pub difference: f64,
    pub welch: Option<Test>,
    pub mann_whitney: Option<Test>,
    /// True if both tests find a difference at the requested level.
    pub distinct: bool,
}

/// Compares two samples by both tests. Either test alone may mislead: Welch's by an outlier, Mann
/// and Whitney's by a different spread. The samples count as distinct only if both agree. Returns
/// `None` if a sample is empty.
pub fn compare(a: &[f64], b: &[f64], level: f64) -> Option<Compared> {
    let difference = summarise(a)?.mean - summarise(b)?.mean;
    let (welch, mann_whitney) = (welch(a, b), mann_whitney(a, b));
    let sees = |test: Option<Test>| test.is_some_and(|test| test.p < level);
    Some(Compared {
        difference,
        welch,
        mann_whitney,
        distinct: sees(welch) && sees(mann_whitney),
    })
}

/// The numbers below `count` in a random order, so that drift affects all items alike. `draw(n)`
/// gives a random number below `n`.
pub fn shuffled(count: usize, mut draw: impl FnMut(usize) -> usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    for last in (1..count).rev() {
        order.swap(last, draw(last + 1));
    }
    order
}

#[cfg(test)]
mod tests;
