//! Rows held against a baseline: what got worse by more than it may, what got better, what
//! is missing. An exact figure is compared exactly; one that varies has got worse only if it
//! is worse by more than its limit and its interval lies clear of the baseline's.

use std::collections::BTreeMap;
use std::path::Path;

use schemars::JsonSchema;
use selo_base::units::{Dimension, Unit, parse_quantity};
use selo_engine::error::{Error, Result};
use selo_engine::row::{Fidelity, Metric, Row, Status};
use serde::{Deserialize, Serialize};

use crate::format;
use crate::table::{Cell, Column, Table, Tone};

/// The schema of a baseline's first line.
pub const SCHEMA: &str = "selo.baseline/1";

/// The first line of a baseline.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    schema: String,
    /// First line of `--version` of each board's compiler.
    compilers: BTreeMap<String, String>,
}

/// What is measured: two figures with the same key are compared.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
pub struct Key {
    pub board: String,
    pub library: String,
    pub algorithm: String,
    pub variant: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sweep: Option<String>,
    pub operation: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u32>,
    pub metric: Metric,
}

/// A figure of a baseline, or why there is none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Kept {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// Half width of the 95 % interval, where the figure varies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ci95: Option<f64>,
    pub fidelity: Fidelity,
    pub status: Status,
}

/// A line of a baseline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Line {
    #[serde(flatten)]
    key: Key,
    #[serde(flatten)]
    kept: Kept,
}

/// What rows are held against.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Baseline {
    pub figures: BTreeMap<Key, Kept>,
    pub compilers: BTreeMap<String, String>,
}

impl Key {
    pub fn of(row: &Row) -> Key {
        Key {
            board: row.board.clone(),
            library: row.library.clone(),
            algorithm: row.algorithm.clone(),
            variant: row.variant.clone(),
            sweep: row.sweep.clone(),
            operation: row.operation.clone(),
            bytes: row.bytes,
            metric: row.metric,
        }
    }

    /// In words, without the metric.
    pub fn name(&self) -> String {
        let mut name = format!(
            "{} {} {} {}",
            self.board, self.library, self.algorithm, self.variant
        );
        if let Some(sweep) = &self.sweep {
            name.push_str(&format!(" [{sweep}]"));
        }
        name.push_str(&format!(" {}", self.operation));
        if let Some(bytes) = self.bytes {
            name.push_str(&format!(" {bytes}"));
        }
        name
    }
}

impl Baseline {
    /// What a baseline of these rows keeps: of the metrics named those, else every count and
    /// memory, and the time of what has no count of cycles, from which it would follow.
    pub fn of(rows: &[Row], metrics: &[Metric]) -> Baseline {
        let counted = |row: &Row| {
            let cycles = Key {
                metric: Metric::Cycles,
                ..Key::of(row)
            };
            rows.iter()
                .any(|other| other.value.is_some() && Key::of(other) == cycles)
        };
        let wanted = |row: &&Row| {
            if !metrics.is_empty() {
                return metrics.contains(&row.metric);
            }
            match row.metric {
                Metric::Energy | Metric::CpuShare => false,
                Metric::Time => !counted(row),
                _ => true,
            }
        };
        let mut baseline = Baseline::default();
        for row in rows.iter().filter(wanted) {
            // What the machine cannot measure is no figure of the code.
            if row.status == Status::NotSupported {
                continue;
            }
            let kept = Kept {
                value: row.value,
                ci95: row.ci95.filter(|half| *half > 0.0),
                fidelity: row.fidelity,
                status: row.status,
            };
            baseline.figures.insert(Key::of(row), kept);
            baseline
                .compilers
                .insert(row.board.clone(), row.compiler.clone());
        }
        baseline
    }

    /// Puts what `newer` has in the place of what is there; `measured` says which keys it
    /// could have had, so that what is gone goes.
    pub fn update(&mut self, newer: Baseline, measured: impl Fn(&Key) -> bool) {
        self.figures.retain(|key, _| !measured(key));
        self.figures.extend(newer.figures);
        self.compilers.extend(newer.compilers);
        let boards: Vec<&String> = self.figures.keys().map(|key| &key.board).collect();
        self.compilers.retain(|board, _| boards.contains(&board));
    }

    /// As its file has it: JSON Lines, sorted, so that a change of a figure is a change of a
    /// line.
    pub fn to_text(&self) -> String {
        let head = Head {
            schema: SCHEMA.to_owned(),
            compilers: self.compilers.clone(),
        };
        // Strings and finite numbers: serialising them cannot fail.
        let mut text = serde_json::to_string(&head).unwrap_or_default() + "\n";
        for (key, kept) in &self.figures {
            let (key, kept) = (key.clone(), kept.clone());
            text.push_str(&serde_json::to_string(&Line { key, kept }).unwrap_or_default());
            text.push('\n');
        }
        text
    }

    /// Reads a baseline's file.
    pub fn read(path: &Path) -> Result<Baseline> {
        let text = std::fs::read_to_string(path).map_err(|source| Error::Read {
            path: path.to_owned(),
            source,
        })?;
        Baseline::parse(&text).map_err(|message| Error::Data {
            path: path.to_owned(),
            message,
        })
    }

    fn parse(text: &str) -> std::result::Result<Baseline, String> {
        let mut lines = text.lines().enumerate();
        let (_, first) = lines.next().ok_or("an empty file is no baseline")?;
        let head: Head = serde_json::from_str(first)
            .map_err(|error| format!("line 1: not the first line of a baseline: {error}"))?;
        if head.schema != SCHEMA {
            return Err(format!("line 1: schema '{}', not '{SCHEMA}'", head.schema));
        }
        let mut figures = BTreeMap::new();
        for (number, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
            let line: Line = serde_json::from_str(line)
                .map_err(|error| format!("line {}: {error}", number + 1))?;
            if figures.insert(line.key.clone(), line.kept).is_some() {
                let name = line.key.name();
                return Err(format!("line {}: {name} stands twice", number + 1));
            }
        }
        Ok(Baseline {
            figures,
            compilers: head.compilers,
        })
    }
}

/// By how much a figure may get worse.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Limit {
    /// Of the baseline's figure, in per cent.
    Percent(f64),
    /// In the unit of the metric's rows.
    Amount(f64),
}

/// The limits of each metric.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Limits {
    all: Option<f64>,
    of: BTreeMap<Metric, Limit>,
}

/// What a figure that varies may get worse by, in per cent, unless something is said.
const SLACK: f64 = 5.0;

impl Limits {
    /// Reads `2%`, `cycles=1%`, `flash=64B`, `time=5us`; several are separated by commas.
    pub fn parse(texts: &[String]) -> std::result::Result<Limits, String> {
        let mut limits = Limits::default();
        let parts = texts.iter().flat_map(|text| text.split(','));
        for part in parts.map(str::trim).filter(|part| !part.is_empty()) {
            let Some((name, text)) = part.split_once('=') else {
                limits.all = Some(percent(part)?);
                continue;
            };
            let metric = Metric::ALL
                .into_iter()
                .find(|metric| metric.name() == name.trim())
                .ok_or_else(|| {
                    let known = Metric::ALL.map(Metric::name).join(", ");
                    format!("'{part}': no metric is called '{name}'; there are {known}")
                })?;
            let limit = if text.trim_end().ends_with('%') && metric != Metric::CpuShare {
                Limit::Percent(percent(text)?)
            } else {
                amount(metric, text).map_err(|error| format!("'{part}': {error}"))?
            };
            limits.of.insert(metric, limit);
        }
        Ok(limits)
    }

    /// The limit of a metric; nothing said, exact figures may not get worse at all.
    fn limit(&self, metric: Metric, varies: bool) -> Limit {
        let unsaid = if varies { SLACK } else { 0.0 };
        let all = Limit::Percent(self.all.unwrap_or(unsaid));
        self.of.get(&metric).copied().unwrap_or(all)
    }
}

fn percent(text: &str) -> std::result::Result<f64, String> {
    let number = text.trim().strip_suffix('%').map(str::trim);
    let parsed = number.and_then(|number| number.parse::<f64>().ok());
    parsed
        .filter(|value| value.is_finite() && *value >= 0.0)
        .ok_or_else(|| format!("'{text}' is no limit; write 2%, cycles=1% or flash=64B"))
}

fn amount(metric: Metric, text: &str) -> std::result::Result<Limit, String> {
    let base = metric.unit();
    let dimension = Unit::find(base).map_or(Dimension::Ratio, |unit| unit.dimension);
    let value = parse_quantity(text, dimension, base).map_err(|error| error.to_string())?;
    if value < 0.0 {
        return Err("a limit is not negative".to_owned());
    }
    Ok(Limit::Amount(value))
}

/// What became of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GateResult {
    /// Worse by more than its limit.
    Regressed,
    /// Had a figure, and has none now: the reason is in the note.
    Failed,
    /// In the baseline, and not among the rows.
    Missing,
    /// Another fidelity: the two figures are not the same thing.
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
    /// By which share the figure changed: 0.02 is 2 % more.
    pub change: Option<f64>,
    pub limit: Option<Limit>,
    pub note: Option<String>,
}

/// All figures against their baseline.
#[derive(Clone, Debug, Default)]
pub struct Gate {
    pub lines: Vec<GateLine>,
    /// Boards whose compiler is another one than the baseline's.
    pub remarks: Vec<String>,
}

/// Holds `now` against `before`. Of the baseline, what `asked` holds for must be there.
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
                "The baseline of {board} was built with {earlier}, this with {compiler}."
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

    fn compare(key: &Key, before: &Kept, now: &Kept, limits: &Limits) -> GateLine {
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
        // The more packets a second the better; of all else the less.
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
        // Cycles through a clock and back differ in their last bit.
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
        // A time that came to depend on its inputs is a finding of its own.
        if (before.status, now.status) == (Status::Ok, Status::VariableTime) {
            line.note = Some("its time depends on the inputs now".to_owned());
        }
        line
    }
}

impl GateResult {
    /// In the order in which they are told.
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

    /// Whether it keeps the gate shut.
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

    /// What changed; what did not is only counted.
    pub fn table(&self) -> Table {
        let mut table = Table::new(
            "",
            vec![
                Column::text("Verdict"),
                Column::text("What"),
                Column::text("Metric"),
                Column::number("Before", ""),
                Column::number("Now", ""),
                Column::number("Change", ""),
                Column::number("Limit", ""),
                Column::text("Fidelity"),
                Column::text("Note"),
            ],
        );
        for line in self.lines.iter().filter(|l| l.verdict != GateResult::Same) {
            table.push(line.shown());
        }
        table.remarks.clone_from(&self.remarks);
        table.without_empty_columns()
    }

    /// The same for a pull request or a job's summary.
    pub fn to_markdown(&self) -> String {
        let verdict = if self.passes() { "passed" } else { "failed" };
        let mut text = format!("### selo lab gate: {verdict}\n\n{}.\n", self.summary());
        let table = self.table();
        if !table.body.is_empty() {
            text.push_str(&format!("\n{}", table.to_markdown()));
        } else {
            for remark in &self.remarks {
                text.push_str(&format!("\n{remark}\n"));
            }
        }
        text
    }
}

impl GateLine {
    fn shown(&self) -> Vec<Cell> {
        let metric = self.key.metric;
        let figure = |kept: &Option<Kept>| match kept {
            None => Cell::none(),
            Some(kept) => match kept.value {
                Some(value) => Cell::number(format::interval(metric, value, kept.ci95), value),
                None => Cell::text(format::status_words(kept.status)),
            },
        };
        let tone = match self.verdict {
            verdict if verdict.fails() => Tone::Bad,
            GateResult::Improved | GateResult::Recovered => Tone::Good,
            GateResult::Within | GateResult::Unclear => Tone::Warn,
            _ => Tone::Plain,
        };
        let fidelity = self.now.as_ref().or(self.before.as_ref());
        vec![
            Cell::label(self.verdict.words(), tone),
            Cell::text(self.key.name()),
            Cell::text(metric.name()),
            figure(&self.before),
            figure(&self.now),
            self.change.map_or_else(Cell::none, |change| {
                Cell::number(format::change(change), change)
            }),
            match self.limit {
                None => Cell::none(),
                Some(Limit::Percent(percent)) => {
                    Cell::text(format!("{} %", format::exact(percent)))
                }
                Some(Limit::Amount(amount)) => Cell::text(format::quantity(metric, amount)),
            },
            Cell::text(fidelity.map_or("", |kept| kept.fidelity.name())),
            Cell::text(self.note.clone().unwrap_or_default()),
        ]
    }
}

#[cfg(test)]
mod tests {
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
        // The more packets the better.
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
        // Clear of each other, but within the limit.
        assert_eq!(
            verdict(&before, &timed(1.15, 0.05), "20%"),
            GateResult::Within
        );
        // Both: that is a regression.
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

    #[test]
    fn a_baseline_survives_its_file_and_keeps_counts_before_times() {
        let mut rows = sample::rows();
        rows[0].compiler = "avr-gcc 7".into();
        let baseline = Baseline::of(&rows, &[]);
        assert!(
            baseline
                .figures
                .keys()
                .all(|key| key.metric != Metric::Time && key.metric != Metric::Energy)
        );
        assert!(
            baseline
                .figures
                .keys()
                .any(|key| key.metric == Metric::Stack)
        );
        let text = baseline.to_text();
        assert_eq!(Baseline::parse(&text).expect("a baseline"), baseline);
        let sorted: Vec<&str> = text.lines().skip(1).collect();
        assert_eq!(sorted.len(), baseline.figures.len());
        let twice = format!("{text}{}\n", sorted[0]);
        assert!(
            Baseline::parse(&twice)
                .expect_err("refused")
                .contains("stands twice")
        );
        assert!(
            Baseline::parse("{}")
                .expect_err("refused")
                .contains("line 1")
        );
    }

    #[test]
    fn limits_say_what_is_wrong_with_them() {
        for (text, words) in [
            ("2", "is no limit"),
            ("tide=2%", "no metric is called 'tide'"),
            ("flash=2 ms", "cannot be converted"),
            ("-2%", "is no limit"),
        ] {
            let error = Limits::parse(&[text.to_owned()]).expect_err("refused");
            assert!(error.contains(words), "{text}: {error}");
        }
    }
}
