//! Ranks the implementations that fit, and finds the set that fits as a whole.

use selo_engine::row::Metric;

use super::model::{Advice, Answer, Job, Prefer, Request};
use crate::format;

/// Sorts the implementations that fit and sets their ranks and reasons. The others follow by
/// name.
pub(super) fn rank(request: &Request, all: &mut [Advice]) {
    let fits = |advice: &Advice| advice.reasons.is_empty();
    all.sort_by(|a, b| {
        let name = |x: &Advice| (x.algorithm.clone(), x.variant.clone(), x.library.clone());
        fits(b)
            .cmp(&fits(a))
            .then(if fits(a) {
                price(request, a).total_cmp(&price(request, b))
            } else {
                std::cmp::Ordering::Equal
            })
            .then_with(|| name(a).cmp(&name(b)))
    });
    let best = all
        .first()
        .filter(|advice| fits(advice))
        .map(|advice| price(request, advice));
    let Some(best) = best else { return };
    for (index, advice) in all.iter_mut().enumerate() {
        if !fits(advice) {
            break;
        }
        advice.rank = Some(index + 1);
        let factor = if best > 0.0 {
            price(request, advice) / best
        } else {
            1.0
        };
        advice.reasons = reasons(request, advice, index, factor);
    }
}

/// The value that the ranking compares; less is better.
fn price(request: &Request, advice: &Advice) -> f64 {
    let share = |used: Option<u64>, limit: u64| used.unwrap_or(0) as f64 / limit.max(1) as f64;
    match request.prefer {
        Prefer::Time => advice
            .seconds
            .or(advice.instructions)
            .unwrap_or(f64::INFINITY),
        Prefer::Energy => advice.joules.unwrap_or(f64::INFINITY),
        Prefer::Size => share(advice.flash, request.flash) + share(advice.ram, request.ram),
    }
}

fn reasons(request: &Request, advice: &Advice, index: usize, factor: f64) -> Vec<String> {
    let what = match request.prefer {
        Prefer::Time if advice.seconds.is_none() => "instructions",
        Prefer::Time => "time",
        Prefer::Energy => "energy",
        Prefer::Size => "share of the flash and RAM limits",
    };
    let mut reasons = vec![if index == 0 {
        format!("least {what}")
    } else {
        format!("{} the least {what}", format::ratio(factor))
    }];
    if let Some(seconds) = advice.seconds {
        let energy = advice.joules.map_or_else(String::new, |joules| {
            format!(" and {}", format::quantity(Metric::Energy, joules))
        });
        let message = match advice.job {
            Job::KeyExchange => "an exchange".to_owned(),
            _ => format!("{} bytes", request.bytes),
        };
        reasons.push(format!(
            "{}{energy} for {message}",
            format::quantity(Metric::Time, seconds)
        ));
    }
    if let Some(count) = advice.instructions {
        reasons.push(format!(
            "{}, which do not give an exact time",
            format::quantity(Metric::Instructions, count)
        ));
    }
    match advice.conformity {
        Some((passed, _)) => reasons.push(format!(
            "{} of the official vectors passed",
            format::things(passed as usize, "case", "cases")
        )),
        None => reasons
            .push("correct in the cases that were run before and after the measurement".to_owned()),
    }
    if advice.constant_time == Some(true) {
        reasons.push("the same cycles for every tested secret".to_owned());
    }
    if let Some(licence) = &advice.licence {
        reasons.push(format!("licence {licence}"));
    }
    reasons.push(memory(request, advice));
    reasons
}

/// Flash and RAM, used and available.
fn memory(request: &Request, advice: &Advice) -> String {
    let count = |value: Option<u64>| format::count(value.unwrap_or(0) as f64);
    // A PC has no limit.
    let of = |limit: u64| match limit {
        u64::MAX => String::new(),
        limit => format!(" of {}", format::count(limit as f64)),
    };
    format!(
        "flash {}{}; RAM {}{} ({} static, {} stack, {} buffers)",
        count(advice.flash),
        of(request.flash),
        count(advice.ram),
        of(request.ram),
        count(advice.static_ram),
        count(advice.stack),
        count(advice.buffers)
    )
}

/// Finds the set of one implementation per job that fits as a whole and has the least total
/// [`price`]. Flash, static RAM and buffers add up; only the deepest stack counts.
pub(super) fn mark_together(request: &Request, answer: &mut Answer) {
    let choices: Vec<Vec<usize>> = answer
        .jobs
        .iter()
        .map(|job| {
            let ranked = |advice: &Advice| advice.job == *job && advice.rank.is_some();
            answer
                .advice
                .iter()
                .enumerate()
                .filter(|(_, a)| ranked(a))
                .map(|(index, _)| index)
                .collect()
        })
        .collect();
    let mut best: Option<(f64, Vec<usize>, (u64, u64))> = None;
    let mut set = Vec::new();
    search(request, &answer.advice, &choices, &mut set, &mut best);
    if let Some((_, set, sizes)) = best {
        for index in set {
            answer.advice[index].together = true;
        }
        answer.together = Some(sizes);
    }
}

fn search(
    request: &Request,
    advice: &[Advice],
    choices: &[Vec<usize>],
    set: &mut Vec<usize>,
    best: &mut Option<(f64, Vec<usize>, (u64, u64))>,
) {
    let Some(candidates) = choices.get(set.len()) else {
        let sum = |pick: fn(&Advice) -> Option<u64>| -> u64 {
            set.iter()
                .map(|&index| pick(&advice[index]).unwrap_or(0))
                .sum()
        };
        let stack = set
            .iter()
            .filter_map(|&index| advice[index].stack)
            .max()
            .unwrap_or(0);
        let sizes = (
            sum(|a| a.flash),
            sum(|a| a.static_ram) + sum(|a| a.buffers) + stack,
        );
        let total: f64 = set
            .iter()
            .map(|&index| price(request, &advice[index]))
            .sum();
        let fits = sizes.0 <= request.flash && sizes.1 <= request.ram;
        if fits && best.as_ref().is_none_or(|(least, ..)| total < *least) {
            *best = Some((total, set.clone(), sizes));
        }
        return;
    };
    for &index in candidates {
        set.push(index);
        search(request, advice, choices, set, best);
        set.pop();
    }
}
