//! The trade-off between flash, time and RAM: one picture per operation with enough choices.

use selo_engine::interface::Interface;
use selo_engine::row::Metric;

use crate::context::{interface_title, is_mode};
use crate::document::{Figure, Section, slug};
use crate::format::{self, Scale};
use crate::pivot::{Line, Lines, distinct};
use crate::svg::scatter::{Point, Scatter};

/// Minimum number of choices in a picture.
const FEWEST: usize = 3;

pub fn section(lines: &Lines<'_>) -> Section {
    let mut section = Section::new("trade-off", "Trade-off between flash, time and RAM");
    // Boards with unlimited program memory have no trade-off.
    let limited = |board: &&str| {
        lines
            .context
            .board(board)
            .is_none_or(|note| note.flash.is_some())
    };
    for board in lines.boards().into_iter().filter(limited) {
        let mut figures = Vec::new();
        for interface in lines
            .interfaces(board)
            .into_iter()
            .filter(|interface| !is_mode(*interface))
        {
            for operation in distinct(
                lines
                    .of(board, interface)
                    .map(|line| line.operation.as_str()),
            ) {
                let chosen: Vec<&Line> = lines
                    .of(board, interface)
                    .filter(|line| line.operation == operation && lines.is_headline(line))
                    .collect();
                figures.extend(figure(lines, board, interface, operation, &chosen));
            }
        }
        if figures.is_empty() {
            continue;
        }
        let title = lines.context.board_title(board);
        let mut part = Section::new(format!("trade-off-of-{}", slug(board)), title);
        part.board = Some(board.to_owned());
        part.figures(figures);
        section.subsections.push(part);
    }
    if !section.subsections.is_empty() {
        section.text(
            "Points on the left are smaller, lower points are faster (on a board without a clock: fewer instructions), and smaller points need less RAM. A point is filled if no other implementation is at least as good in all three. The dashed line is the least time for a given flash size.",
        );
    }
    section
}

/// A line with everything that a point needs.
struct Complete<'a> {
    line: &'a Line,
    flash: f64,
    speed: f64,
    /// Total RAM use: static RAM and stack.
    memory: f64,
}

fn figure(
    lines: &Lines<'_>,
    board: &str,
    interface: Option<Interface>,
    operation: &str,
    chosen: &[&Line],
) -> Option<Figure> {
    let speed = speed_metric(lines, chosen);
    let complete = complete(lines, chosen, speed);
    if complete.len() < FEWEST {
        return None;
    }
    let largest = complete.iter().map(|point| point.speed).fold(0.0, f64::max);
    let scale = format::column_scale(speed, largest);
    let families = distinct(
        complete
            .iter()
            .map(|point| lines.context.family(&point.line.algorithm)),
    );
    let points = complete
        .iter()
        .map(|complete| point(lines, complete, speed, scale, &families))
        .collect();
    let fidelity = distinct(
        complete
            .iter()
            .flat_map(|point| point.line.fidelities(lines.rows))
            .map(|f| f.name()),
    )
    .join(" and ");
    let scatter = Scatter {
        id: format!(
            "trade-off-{}-{}-{}",
            slug(board),
            slug(interface_title(interface)),
            slug(operation)
        ),
        title: format!(
            "{}: {operation}, on {}",
            interface_title(interface),
            lines.context.board_title(board)
        ),
        x_name: "flash, bytes".to_owned(),
        y_name: match speed {
            Metric::Time => format!("time, {}", scale.symbol),
            _ => scale.symbol.to_owned(),
        },
        size_name: "static RAM and stack".to_owned(),
        remark: format!("{board}, {fidelity}"),
        families: families.into_iter().map(str::to_owned).collect(),
        points,
    };
    Some(Figure {
        picture: scatter.draw(),
        fidelity,
        note: cautions(lines, &complete),
        metrics: vec![Metric::Flash, speed, Metric::Ram, Metric::Stack],
    })
}

/// Time, or instructions if no line has a time.
fn speed_metric(lines: &Lines<'_>, chosen: &[&Line]) -> Metric {
    let timed = |line: &&Line| lines.value(line, Metric::Time).is_some();
    if chosen.iter().any(timed) {
        Metric::Time
    } else {
        Metric::Instructions
    }
}

fn complete<'a>(lines: &Lines<'_>, chosen: &[&'a Line], speed: Metric) -> Vec<Complete<'a>> {
    let complete = |&line: &&'a Line| {
        let value = |metric| lines.value(line, metric);
        Some(Complete {
            line,
            flash: value(Metric::Flash)?,
            speed: value(speed)?,
            memory: value(Metric::Ram)? + value(Metric::Stack).unwrap_or(0.0),
        })
    };
    chosen.iter().filter_map(complete).collect()
}

fn point(
    lines: &Lines<'_>,
    complete: &Complete<'_>,
    speed: Metric,
    scale: Scale,
    families: &[&str],
) -> Point {
    let line = complete.line;
    let family = lines.context.family(&line.algorithm);
    Point {
        label: lines.name(line),
        library: line.library.clone(),
        algorithm: line.algorithm.clone(),
        x: complete.flash,
        y: complete.speed / scale.factor,
        size: complete.memory,
        family: families.iter().position(|one| *one == family).unwrap_or(0),
        text: format!(
            "{}: {} flash, {}, {} RAM and stack",
            lines.name(line),
            format::quantity(Metric::Flash, complete.flash),
            format::quantity(speed, complete.speed),
            format::quantity(Metric::Ram, complete.memory)
        ),
    }
}

fn cautions(lines: &Lines<'_>, complete: &[Complete<'_>]) -> String {
    let behind = complete
        .iter()
        .flat_map(|point| point.line.rows.values())
        .map(|&index| &lines.rows[index]);
    let cautions = format::model_cautions(behind).into_iter();
    let cautions: Vec<String> = cautions.map(|caution| format!("{caution}.")).collect();
    cautions.join(" ")
}
