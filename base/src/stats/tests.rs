use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;

fn draws(seed: u64) -> impl FnMut(usize) -> usize {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    move |below| rng.random_range(0..below)
}

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
    // 10 +- t(9, 0.975) * 2 / sqrt(10), with t = 2.26216 from published tables; halved.
    let r = ratio(estimate(10.0, 2.0, 10), estimate(2.0, 0.0, 1)).expect("a ratio");
    let half = 2.26216 * 2.0 / 10.0_f64.sqrt() / 2.0;
    assert!((r.low - (5.0 - half)).abs() < 1e-4, "{r:?}");
    assert!((r.high - (5.0 + half)).abs() < 1e-4, "{r:?}");
}

#[test]
fn the_ends_satisfy_fiellers_equation_and_may_not_exist() {
    let (a, b) = (estimate(10.0, 3.0, 10), estimate(4.0, 2.0, 10));
    let r = ratio(a, b).expect("a ratio");
    // va = 0.9, vb = 0.4, r = 2.5: Welch's degrees of freedom are 3.4^2 / ((0.81 + 6.25) /
    // 9).
    let freedom = 11.56 / (7.06 / 9.0);
    let t = student_t(freedom);
    assert!((freedom - 14.7365).abs() < 1e-4);
    for end in [r.low, r.high] {
        let z = (10.0 - 4.0 * end).abs() / (0.9 + end * end * 0.4).sqrt();
        assert!((z - t).abs() < 1e-9, "{z} {t}");
    }
    // Skewed to the right, as ratios are.
    assert!(r.high - r.value > r.value - r.low);
    // A divisor whose interval includes zero.
    assert!(ratio(a, estimate(1.0, 5.0, 4)).is_none());
}

#[test]
fn the_interval_holds_the_true_ratio_nineteen_times_in_twenty() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    // Nearly normal: the sum of twelve uniform numbers minus six has mean 0 and sd 1.
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

const A: [f64; 10] = [1.1, 1.3, 0.9, 1.2, 1.0, 1.4, 1.2, 1.1, 1.0, 1.3];
const B: [f64; 9] = [1.5, 1.2, 1.6, 1.4, 1.7, 1.3, 1.5, 9.0, 1.4];

/// Expected values from SciPy's ttest_ind(equal_var=False) and
/// mannwhitneyu(method="asymptotic").
#[test]
fn the_tests_give_the_values_of_another_implementation() {
    let test = welch(&A, &B).expect("they vary");
    assert!(
        (test.statistic - -1.352_818_545_090_926_3).abs() < 1e-9,
        "{test:?}"
    );
    assert!((test.p - 0.212_851_353_475_402_54).abs() < 1e-9, "{test:?}");
    let test = mann_whitney(&A, &B).expect("enough of both");
    assert!((test.statistic - 7.0).abs() < 1e-12, "{test:?}");
    assert!(
        (test.p - 0.002_054_718_976_131_807).abs() < 1e-9,
        "{test:?}"
    );
    // One outlier hides the difference of the means, but not that of the ranks.
    assert!(!compare(&A, &B, 0.05).expect("both are there").distinct);
    let shifted = A.map(|x| x + 0.5);
    assert!(compare(&A, &shifted, 0.05).expect("both").distinct);
    assert!(!compare(&A, &A, 0.05).expect("both").distinct);
    assert_eq!(welch(&[1.0, 1.0], &[1.0, 1.0]), None);
    assert_eq!(mann_whitney(&[1.0; 8], &[1.0; 8]), None);
}

#[test]
fn outliers_are_counted() {
    assert_eq!(outliers(&B), Some(1));
    assert_eq!(outliers(&A), Some(0));
    assert_eq!(outliers(&[1.0, 2.0, 100.0]), None);
    assert_eq!(quantile(&[1.0, 2.0, 3.0, 4.0], 0.25), 1.75);
}

#[test]
fn a_bootstrap_holds_the_mean_and_repeats_itself() {
    let (mean, t) = summarise(&A).map(|s| (s.mean, s.ci95)).expect("ten");
    let interval = bootstrap(&A, draws(7)).expect("ten samples");
    assert!(interval.low < mean && mean < interval.high);
    // Close to Student's interval when there are no outliers.
    let half = (interval.high - interval.low) / 2.0;
    assert!((0.6..1.1).contains(&(half / t.expect("ten"))), "{half}");
    assert_eq!(bootstrap(&A, draws(7)), Some(interval));
    assert_ne!(bootstrap(&A, draws(8)), Some(interval));
    assert_eq!(bootstrap(&[1.0], draws(7)), None);
}

#[test]
fn an_order_has_everything_once() {
    let order = shuffled(100, draws(1));
    assert_eq!(shuffled(100, draws(1)), order);
    assert_ne!(shuffled(100, draws(2)), order);
    let mut sorted = order.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, (0..100).collect::<Vec<_>>());
    assert_ne!(sorted, order);
    assert!(shuffled(0, draws(1)).is_empty());
}
