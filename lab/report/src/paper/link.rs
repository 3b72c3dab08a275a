//! Turns a link of the file into the source of a cell's measured figure.

use selo_base::units::{Dimension, Unit, parse_quantity};
use selo_engine::battery::Battery;
use selo_engine::row::Metric;

use super::file::FileLink;
use super::model::{BatteryLife, Candidate, Expression, MeasuredBy, Term};

pub(super) fn check_link(
    link: &FileLink,
    unit: Option<Dimension>,
    candidates: &[Candidate],
) -> Result<MeasuredBy, String> {
    if let Some(reason) = &link.nothing {
        return Ok(MeasuredBy::Nothing {
            reason: reason.clone(),
        });
    }
    if let Some(exchange) = &link.exchange {
        if exchange.figure.is_none() {
            return Err("measured_by.exchange needs a figure".into());
        }
        return Ok(MeasuredBy::Exchange(exchange.clone()));
    }
    let board = link
        .board
        .clone()
        .ok_or("measured_by needs a board, or nothing = \"why\"")?;
    if let Some(question) = link.survey {
        let library = link.library.clone();
        return Ok(MeasuredBy::Survey {
            board,
            library: library.ok_or("survey needs a library")?,
            question,
        });
    }
    if link.clock == Some(true) {
        return match unit {
            Some(Dimension::Frequency) => Ok(MeasuredBy::Clock { board }),
            _ => Err("clock needs a unit of frequency".into()),
        };
    }
    if link.winner == Some(true) {
        return check_winner(link, board, candidates);
    }
    check_value(link, board, unit)
}

fn check_winner(
    link: &FileLink,
    board: String,
    candidates: &[Candidate],
) -> Result<MeasuredBy, String> {
    if candidates.is_empty() {
        return Err("winner needs [[candidate]] entries".into());
    }
    let metric = link.metric.ok_or("measured_by needs a metric")?;
    let operation = link
        .operation
        .clone()
        .ok_or("measured_by needs an operation")?;
    let term = Term {
        metric,
        operation,
        algorithm: None,
    };
    Ok(MeasuredBy::Winner {
        board,
        library: link.library.clone(),
        term,
        bytes: link.bytes,
    })
}

/// An expression, or two that are subtracted or divided. The unit must be that of the result.
fn check_value(
    link: &FileLink,
    board: String,
    unit: Option<Dimension>,
) -> Result<MeasuredBy, String> {
    let value = check_expression(link, board)?;
    let natural = natural_dimension(&value)?;
    let second = |change: &FileLink| {
        let other = FileLink {
            less: None,
            over: None,
            ..link.with(change)
        };
        let board = other.board.clone().unwrap_or_else(|| value.board.clone());
        check_expression(&other, board)
    };
    let measured_by = match (&link.less, &link.over) {
        (None, None) => MeasuredBy::Value(value.clone()),
        (Some(less), None) => MeasuredBy::Difference(value.clone(), second(less)?),
        (None, Some(over)) => MeasuredBy::Quotient(value.clone(), second(over)?),
        (Some(_), Some(_)) => return Err("give either less or over, not both".into()),
    };
    let fits = match measured_by {
        MeasuredBy::Quotient(..) => matches!(unit, Some(Dimension::Ratio | Dimension::Share)),
        _ => natural == unit,
    };
    if !fits {
        return Err("the unit does not match the measured metric".into());
    }
    Ok(measured_by)
}

/// The dimension of an expression before it is converted. All its terms have the same one.
fn natural_dimension(value: &Expression) -> Result<Option<Dimension>, String> {
    let natural = value
        .sum
        .iter()
        .chain(&value.max)
        .map(|term| Unit::find(term.metric.unit()).map(|unit| unit.dimension))
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| error.to_string())?;
    if natural.windows(2).any(|pair| pair[0] != pair[1]) {
        return Err("the terms of a sum have different units".into());
    }
    match (&value.life, natural.first()) {
        (None, first) => Ok(first.copied()),
        (Some(_), Some(Dimension::Energy)) => Ok(Some(Dimension::Time)),
        (Some(_), _) => Err("battery needs energy terms".into()),
    }
}

/// The second measured figure of a cell, if the link names one: the same figure of another
/// implementation.
pub(super) fn check_beside(link: &FileLink) -> Result<Option<Expression>, String> {
    let Some(beside) = &link.beside else {
        return Ok(None);
    };
    // What names the first implementation is not inherited.
    let rest = FileLink {
        library: None,
        algorithm: None,
        otherwise: None,
        variant: None,
        ..link.clone()
    };
    let other = rest.with(beside);
    let board = other.board.clone().ok_or("measured_by needs a board")?;
    check_expression(&other, board).map(Some)
}

fn check_expression(link: &FileLink, board: String) -> Result<Expression, String> {
    let terms = |list: &Option<Vec<String>>| -> Result<Vec<Term>, String> {
        list.iter().flatten().map(|text| term(text)).collect()
    };
    let (mut sum, max) = (terms(&link.sum)?, terms(&link.max)?);
    if sum.is_empty() && max.is_empty() {
        let metric = link.metric.ok_or("measured_by needs a metric")?;
        let operation = link
            .operation
            .clone()
            .ok_or("measured_by needs an operation")?;
        sum.push(Term {
            metric,
            operation,
            algorithm: None,
        });
    }
    let life = match (&link.battery, &link.period, &link.power) {
        (None, ..) => None,
        (Some(battery), Some(period), Some(_)) => Some(BatteryLife {
            battery: Battery::parse(battery)?,
            period_seconds: parse_quantity(period, Dimension::Time, "s")
                .map_err(|error| error.to_string())?,
        }),
        (Some(_), ..) => return Err("battery needs a period and a power profile".into()),
    };
    Ok(Expression {
        life,
        board,
        library: link.library.clone(),
        algorithm: link
            .algorithm
            .clone()
            .ok_or("measured_by needs an algorithm")?,
        otherwise: link.otherwise.clone().unwrap_or_default(),
        variant: link.variant.clone(),
        bytes: link.bytes,
        sum,
        max,
        power: link.power.clone(),
    })
}

fn term(text: &str) -> Result<Term, String> {
    let mistake =
        || format!("'{text}' is not a term; write metric and operation, such as \"ram both\"");
    let (metric, rest) = text.split_once(' ').ok_or_else(mistake)?;
    let (operation, algorithm) = match rest.split_once(" of ") {
        Some((operation, algorithm)) => (operation, Some(algorithm.trim().to_owned())),
        None => (rest, None),
    };
    let metric = Metric::ALL
        .into_iter()
        .find(|known| known.name() == metric)
        .ok_or_else(mistake)?;
    Ok(Term {
        metric,
        operation: operation.trim().to_owned(),
        algorithm,
    })
}
