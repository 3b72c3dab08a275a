//! The picture of the answers: how far the choices of each operation are apart.

use selo_engine::interface::Interface;
use selo_engine::row::Metric;

use super::figures::{fidelities, unit_words};
use crate::context::interface_title;
use crate::document::{Figure, slug};
use crate::findings::minimum;
use crate::format::{self, Scale};
use crate::pivot::{Line, Lines};
use crate::svg::dots::{Color, Dot, DotChart, Item, Owner, Series};

/// The first of these that a board has is its speed.
const SPEEDS: [Metric; 3] = [Metric::Time, Metric::Cycles, Metric::Instructions];

/// An operation, and the implementations to choose from.
pub struct Choice<'l> {
    pub interface: Option<Interface>,
    pub operation: &'l str,
    pub candidates: Vec<&'l Line>,
}

/// `None` if nothing on the board has a time, cycles or instructions.
pub fn figure(lines: &Lines<'_>, board: &str, choices: &[Choice<'_>]) -> Option<Figure> {
    let candidates = || choices.iter().flat_map(|choice| &choice.candidates);
    let has = |metric: &Metric| candidates().any(|line| lines.value(line, *metric).is_some());
    let speed = SPEEDS.into_iter().find(has)?;
    let values = candidates().filter_map(|line| lines.value(line, speed));
    let scale = format::column_scale(speed, values.fold(0.0, f64::max));
    let items: Vec<Item> = choices
        .iter()
        .filter_map(|choice| item(lines, choice, speed, scale))
        .collect();
    let rows = || candidates().filter_map(|line| lines.row(line, speed));
    let fidelity = fidelities(rows().map(|row| row.fidelity));
    let chart = DotChart {
        id: format!("best-{}-picture", slug(board)),
        title: format!(
            "{}: {} of the choices",
            lines.context.board_title(board),
            format::metric_phrase(speed)
        ),
        unit: unit_words(scale.symbol).to_owned(),
        fidelity: fidelity.clone(),
        series: [
            ("fastest", Color::Measured),
            ("least flash", Color::Hue(1)),
            ("slowest", Color::Published),
        ]
        .map(|(name, color)| Series {
            name: name.to_owned(),
            color,
        })
        .into(),
        items,
        second: None,
        one_line: true,
    };
    (!chart.items.is_empty()).then(|| Figure {
        picture: chart.draw(),
        fidelity,
        note: String::new(),
        metrics: vec![speed],
    })
}

/// The fastest, the smallest and the slowest choice of an operation.
fn item(lines: &Lines<'_>, choice: &Choice<'_>, speed: Metric, scale: Scale) -> Option<Item> {
    let value = |line: &&&Line| lines.value(line, speed);
    let fastest = minimum(lines, &choice.candidates, speed)?;
    let small = minimum(lines, &choice.candidates, Metric::Flash).map(|least| least.line);
    let slowest = choice
        .candidates
        .iter()
        .filter(|line| value(line).is_some())
        .max_by(|a, b| {
            value(a)
                .partial_cmp(&value(b))
                .unwrap_or(std::cmp::Ordering::Equal)
        })?;
    let dot = |line: &Line| {
        let value = lines.value(line, speed)?;
        Some(Dot {
            value: value / scale.factor,
            text: format::quantity(speed, value),
            interval: None,
            name: lines.name(line),
            owner: Some(Owner {
                library: Some(line.library.clone()),
                algorithm: Some(line.algorithm.clone()),
            }),
        })
    };
    Some(Item {
        label: format!(
            "{}: {}",
            interface_title(choice.interface),
            choice.operation
        ),
        remark: lines.name(fastest.line),
        owner: Owner::default(),
        dots: vec![dot(fastest.line), small.and_then(dot), dot(slowest)],
    })
}
