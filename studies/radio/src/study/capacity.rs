//! The largest number of stations within a bound of loss.

use super::plan::Plan;
use super::run::{Report, run};

/// Numbers of nodes used as points of a curve.
pub const STEPS: [usize; 22] = [
    1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1_000, 1_500, 2_000,
    3_000, 5_000,
];

/// A point of a curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// The simulated plan.
    pub plan: Plan,
    /// Its result.
    pub report: Report,
}

/// Loss by number of nodes, up to the first number with a loss above `enough`.
pub fn curve(plan: &Plan, enough: f64) -> Vec<Point> {
    let mut points = Vec::new();
    for nodes in STEPS {
        let plan = Plan { nodes, ..*plan };
        let report = run(&plan);
        points.push(Point { plan, report });
        if report.loss() > enough {
            break;
        }
    }
    points
}

/// The largest number of nodes with at most `loss`, between two points of a curve; 0 if a single
/// node loses more. Assumes that loss grows with the number of nodes, which holds except for
/// random variation.
pub fn capacity(points: &[Point], loss: f64) -> Option<usize> {
    let first_beyond = points.iter().position(|point| point.report.loss() > loss)?;
    let beyond = points[first_beyond];
    let Some(within) = first_beyond.checked_sub(1).map(|index| points[index]) else {
        return Some(0);
    };
    let (mut low, mut high) = (within.plan.nodes, beyond.plan.nodes);
    // A resolution finer than 2 % would be below the random variation.
    while high - low > 1.max(low / 50) {
        let nodes = low.midpoint(high);
        let plan = Plan {
            nodes,
            ..beyond.plan
        };
        if run(&plan).loss() > loss {
            high = nodes;
        } else {
            low = nodes;
        }
    }
    Some(low)
}
