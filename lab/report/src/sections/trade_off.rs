//! The trade-off between flash, time and RAM: one picture per operation with enough choices.

use selo_engine::interface::Interface;
use selo_engine::row::Metric;

use crate::context::{interface_title, is_mode};
use crate::document::{Figure, Section, slug};
use crate::format;
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

fn figure(
    lines: &Lines<'_>,
    board: &str,
    interface: Option<Interface>,
    operation: &str,
    chosen: &[&Line],
) -> Option<Figure> {
    let has = |metric| {
        chosen
            .iter()
            .any(|line| lines.value(line, metric).is_some())
    };
    let speed = if has(Metric::Time) {
        Metric::Time
    } else {
        Metric::Instructions
    };
    let complete: Vec<(&Line, [f64; 3])> = chosen
        .iter()
        .filter_map(|&line| {
            let value = |metric| lines.value(line, metric);
            // Total RAM use: static RAM and stack.
            let memory = value(Metric::Ram)? + value(Metric::Stack).unwrap_or(0.0);
            Some((line, [value(Metric::Flash)?, value(speed)?, memory]))
        })
        .collect();
    if complete.len() < FEWEST {
        return None;
    }
    let largest = complete
        .iter()
        .map(|(_, [_, time, _])| *time)
        .fold(0.0, f64::max);
    let scale = format::column_scale(speed, largest);
    let families = distinct(
        complete
            .iter()
            .map(|(line, _)| lines.context.family(&line.algorithm)),
    );
    let points = complete
        .iter()
        .map(|(line, [flash, time, memory])| Point {
            label: lines.name(line),
            library: line.library.clone(),
            x: *flash,
            y: time / scale.factor,
            size: *memory,
            family: families
                .iter()
                .position(|family| *family == lines.context.family(&line.algorithm))
                .unwrap_or(0),
            text: format!(
                "{}: {} flash, {}, {} RAM and stack",
                lines.name(line),
                format::quantity(Metric::Flash, *flash),
                format::quantity(speed, *time),
                format::quantity(Metric::Ram, *memory)
            ),
        })
        .collect();
    let fidelity = distinct(
        complete
            .iter()
            .flat_map(|(line, _)| line.fidelities(lines.rows))
            .map(|f| f.name()),
    );
    let behind = complete
        .iter()
        .flat_map(|(line, _)| line.rows.values())
        .map(|&index| &lines.rows[index]);
    let cautions: Vec<String> = format::model_cautions(behind)
        .into_iter()
        .map(|caution| format!("{caution}."))
        .collect();
    let subject = format!("{}: {operation}", interface_title(interface));
    let scatter = Scatter {
        id: format!(
            "trade-off-{}-{}-{}",
            slug(board),
            slug(interface_title(interface)),
            slug(operation)
        ),
        title: format!("{subject}, on {}", lines.context.board_title(board)),
        x_name: "flash, bytes".to_owned(),
        y_name: match speed {
            Metric::Time => format!("time, {}", scale.symbol),
            _ => scale.symbol.to_owned(),
        },
        size_name: "static RAM and stack".to_owned(),
        remark: format!("{board}, {}", fidelity.join(" and ")),
        families: families.into_iter().map(str::to_owned).collect(),
        points,
    };
    Some(Figure {
        picture: scatter.draw(),
        fidelity: fidelity.join(" and "),
        note: cautions.join(" "),
    })
}
