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

    #[test]
    fn a_single_sample_has_no_interval() {
        let s = summarise(&[7.0]).expect("one sample");
        assert_eq!((s.sd, s.ci95), (None, None));
        assert!(summarise(&[]).is_none());
    }
}
