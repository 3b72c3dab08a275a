//! Compares rows with a baseline: regressions beyond the limit, improvements, missing
//! figures. Exact figures are compared exactly. A figure that varies has regressed only if
//! it is worse by more than its limit and its interval does not overlap the baseline's.

mod baseline;
mod limits;
mod table;

use schemars::JsonSchema;
use selo_engine::row::{Metric, Status};
use serde::Serialize;

pub use baseline::{Baseline, Kept, Key, SCHEMA};
pub use limits::{Limit, Limits};

use crate::format;

/// The result of comparing a figure with its baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GateResult {
    /// Worse by more than its limit.
    Regressed,
    /// Had a figure and has none now; the note has the reason.
    Failed,
    /// In the baseline, and not among the rows.
    Missing,
    /// Another fidelity, so the two figures cannot be compared.
    NotComparable,
    /// Worse, within its limit.
    Within,
    /// Worse by more than its limit, but the intervals overlap: perhaps noise.
    Unclear,
    Improved,
    /// Had no figure, and has one now.
    Recovered,
    /// Not in the baseline.
    New,
    Same,
}

/// A figure against its baseline: a line of `selo lab gate --json`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct GateLine {
    #[serde(flatten)]
    pub key: Key,
    pub verdict: GateResult,
    pub before: Option<Kept>,
    pub now: Option<Kept>,
    /// Relative change of the figure: 0.02 is 2 % more.
    pub change: Option<f64>,
    pub limit: Option<Limit>,
    pub note: Option<String>,
}

/// All figures compared with the baseline.
#[derive(Clone, Debug, Default)]
pub struct Gate {
    pub lines: Vec<GateLine>,
    /// Boards whose compiler differs from the baseline's.
    pub remarks: Vec<String>,
}

/// Compares `now` with `before`. Every figure of the baseline for which `asked` is true must
/// exist in `now`.
pub fn gate(
    before: &Baseline,
    now: &Baseline,
    limits: &Limits,
    asked: impl Fn(&Key) -> bool,
) -> Gate {
    let mut lines = Vec::new();
    for (key, kept) in before.figures.iter().filter(|(key, _)| asked(key)) {
        lines.push(match now.figures.get(key) {
            None => GateLine::of(key, GateResult::Missing, Some(kept), None),
            Some(figure) => GateLine::compare(key, kept, figure, limits),
        });
    }
    for (key, figure) in &now.figures {
        if !before.figures.contains_key(key) {
            lines.push(GateLine::of(key, GateResult::New, None, Some(figure)));
        }
    }
    lines.sort_by(|a, b| (a.verdict, &a.key).cmp(&(b.verdict, &b.key)));
    let mut remarks = Vec::new();
    for (board, compiler) in &now.compilers {
        if let Some(earlier) = before.compilers.get(board).filter(|c| *c != compiler) {
            remarks.push(format!(
                "The baseline of {board} was built with {earlier}, these figures with {compiler}."
            ));
        }
    }
    Gate { lines, remarks }
}

impl GateLine {
    fn of(key: &Key, verdict: GateResult, before: Option<&Kept>, now: Option<&Kept>) -> GateLine {
        GateLine {
            key: key.clone(),
            verdict,
            before: before.cloned(),
            now: now.cloned(),
            change: None,
            limit: None,
            note: None,
        }
    }

    pub(crate) fn compare(key: &Key, before: &Kept, now: &Kept, limits: &Limits) -> GateLine {
        let line = |verdict| GateLine::of(key, verdict, Some(before), Some(now));
        let (was, is) = match (before.value, now.value) {
            (Some(was), Some(is)) => (was, is),
            (Some(_), None) => {
                let mut line = line(GateResult::Failed);
                line.note = Some(format::status_words(now.status).to_owned());
                return line;
            }
            (None, Some(_)) => return line(GateResult::Recovered),
            (None, None) => return line(GateResult::Same),
        };
        if before.fidelity != now.fidelity {
            let mut line = line(GateResult::NotComparable);
            let (a, b) = (before.fidelity.name(), now.fidelity.name());
            line.note = Some(format!("{a} before, {b} now"));
            return line;
        }
        let varies = before.ci95.is_some() || now.ci95.is_some();
        let limit = limits.limit(key.metric, varies);
        // More packets a second are better; for all other metrics less is better.
        let sign = if key.metric == Metric::Rate {
            -1.0
        } else {
            1.0
        };
        let worse = sign * (is - was);
        let allowed = match limit {
            Limit::Percent(percent) => was.abs() * percent / 100.0,
            Limit::Amount(amount) => amount,
        };
        // Cycles converted to seconds and back differ in their last bit.
        let same = worse.abs() <= 1e-9 * was.abs();
        let apart = worse.abs() > before.ci95.unwrap_or(0.0) + now.ci95.unwrap_or(0.0);
        let verdict = match () {
            () if same || (varies && !apart && worse <= allowed) => GateResult::Same,
            () if worse < 0.0 && apart => GateResult::Improved,
            () if worse < 0.0 => GateResult::Same,
            () if worse <= allowed * (1.0 + 1e-12) => GateResult::Within,
            () if !apart => GateResult::Unclear,
            () => GateResult::Regressed,
        };
        let mut line = line(verdict);
        line.change = (was != 0.0).then_some((is - was) / was);
        line.limit = Some(limit);
        // Newly input-dependent timing deserves a note, whatever the verdict.
        if (before.status, now.status) == (Status::Ok, Status::VariableTime) {
            line.note = Some("its time now depends on the inputs".to_owned());
        }
        line
    }
}

impl GateResult {
    /// In the order of reports.
    pub const ALL: [GateResult; 10] = [
        GateResult::Regressed,
        GateResult::Failed,
        GateResult::Missing,
        GateResult::NotComparable,
        GateResult::Within,
        GateResult::Unclear,
        GateResult::Improved,
        GateResult::Recovered,
        GateResult::New,
        GateResult::Same,
    ];

    /// True if this result fails the gate.
    pub fn fails(self) -> bool {
        matches!(
            self,
            GateResult::Regressed
                | GateResult::Failed
                | GateResult::Missing
                | GateResult::NotComparable
        )
    }

    pub fn words(self) -> &'static str {
        match self {
            GateResult::Regressed => "regressed",
            GateResult::Failed => "failed",
            GateResult::Missing => "missing",
            GateResult::NotComparable => "not comparable",
            GateResult::Within => "worse within the limit",
            GateResult::Unclear => "unclear",
            GateResult::Improved => "improved",
            GateResult::Recovered => "recovered",
            GateResult::New => "new",
            GateResult::Same => "unchanged",
        }
    }
}

impl Gate {
    pub fn passes(&self) -> bool {
        !self.lines.iter().any(|line| line.verdict.fails())
    }

    /// `2 regressed, 1 improved, 120 unchanged`.
    pub fn summary(&self) -> String {
        let counts = GateResult::ALL.into_iter().filter_map(|verdict| {
            let of = |line: &&GateLine| line.verdict == verdict;
            let count = self.lines.iter().filter(of).count();
            (count > 0).then(|| format!("{count} {}", verdict.words()))
        });
        let counts: Vec<String> = counts.collect();
        if counts.is_empty() {
            "nothing was compared".to_owned()
        } else {
            counts.join(", ")
        }
    }
}

#[cfg(test)]
mod tests {
    use selo_engine::row::{Fidelity, Row};

    use super::*;
    use crate::sample;

    fn limits(text: &str) -> Limits {
        Limits::parse(&[text.to_owned()]).expect("limits")
    }

    fn row(metric: Metric, value: f64) -> Row {
        sample::row("aes-128", "fast", "encrypt", metric, value)
    }

    fn verdict(before: &Row, now: &Row, limit: &str) -> GateResult {
        let base = |row: &Row| Baseline::of(std::slice::from_ref(row), &[row.metric]);
        let gate = gate(&base(before), &base(now), &limits(limit), |_| true);
        assert_eq!(gate.lines.len(), 1);
        assert_eq!(gate.passes(), !gate.lines[0].verdict.fails());
        gate.lines[0].verdict
    }

    #[test]
    fn exact_figures_are_compared_exactly() {
        let before = row(Metric::Cycles, 1000.0);
        let now = |value| row(Metric::Cycles, value);
        assert_eq!(verdict(&before, &now(1000.0), ""), GateResult::Same);
        assert_eq!(verdict(&before, &now(1001.0), ""), GateResult::Regressed);
        assert_eq!(verdict(&before, &now(1020.0), "2%"), GateResult::Within);
        assert_eq!(verdict(&before, &now(1021.0), "2%"), GateResult::Regressed);
        assert_eq!(verdict(&before, &now(999.0), "2%"), GateResult::Improved);
        assert_eq!(
            verdict(&before, &now(1050.0), "2%,cycles=64 cycles"),
            GateResult::Within
        );
        assert_eq!(
            verdict(&before, &now(1050.0), "flash=64B"),
            GateResult::Regressed
        );
        let flash = |value| row(Metric::Flash, value);
        assert_eq!(
            verdict(&flash(100.0), &flash(164.0), "flash=64B"),
            GateResult::Within
        );
        assert_eq!(
            verdict(&flash(100.0), &flash(165.0), "flash=64B"),
            GateResult::Regressed
        );
        // More packets are better.
        let rate = |value| row(Metric::Rate, value);
        assert_eq!(
            verdict(&rate(100.0), &rate(90.0), "2%"),
            GateResult::Regressed
        );
        assert_eq!(
            verdict(&rate(100.0), &rate(110.0), "2%"),
            GateResult::Improved
        );
    }

    #[test]
    fn noise_never_fails() {
        let timed = |value: f64, half: f64| {
            let mut row = row(Metric::Time, value);
            (row.fidelity, row.ci95) = (Fidelity::WallClock, Some(half));
            row
        };
        let before = timed(1.0, 0.05);
        // Worse by more than the limit, but the intervals overlap.
        assert_eq!(
            verdict(&before, &timed(1.09, 0.05), "2%"),
            GateResult::Unclear
        );
        // The intervals do not overlap, but the change is within the limit.
        assert_eq!(
            verdict(&before, &timed(1.15, 0.05), "20%"),
            GateResult::Within
        );
        // Beyond the limit and without overlap: a regression.
        assert_eq!(
            verdict(&before, &timed(1.15, 0.05), "2%"),
            GateResult::Regressed
        );
        assert_eq!(verdict(&before, &timed(0.97, 0.05), "2%"), GateResult::Same);
        assert_eq!(
            verdict(&before, &timed(0.8, 0.05), "2%"),
            GateResult::Improved
        );
    }

    #[test]
    fn what_is_gone_or_failed_keeps_the_gate_shut() {
        let before = row(Metric::Cycles, 1000.0);
        let mut now = before.clone();
        (now.value, now.status) = (None, Status::Failed);
        assert_eq!(verdict(&before, &now, "50%"), GateResult::Failed);
        assert_eq!(verdict(&now, &before, ""), GateResult::Recovered);
        now = before.clone();
        now.fidelity = Fidelity::CycleModel;
        assert_eq!(verdict(&before, &now, "50%"), GateResult::NotComparable);
        let base = Baseline::of(&[before], &[]);
        let missing = gate(&base, &Baseline::default(), &Limits::default(), |_| true);
        assert!(!missing.passes());
        let new = gate(&Baseline::default(), &base, &Limits::default(), |_| true);
        assert!(new.passes());
        assert_eq!(new.summary(), "1 new");
        assert!(new.to_markdown().contains("selo lab gate: passed"));
    }
}
