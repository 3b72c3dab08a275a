//! The words for what a figure's fidelity is worth.

use selo_engine::row::{Fidelity, Metric, Note, Row};

/// Explains a fidelity in one sentence.
pub fn fidelity_meaning(fidelity: Fidelity) -> &'static str {
    match fidelity {
        Fidelity::CycleExact => "every cycle of the core was counted",
        Fidelity::CycleSteps => {
            "the chip's own counter counted cycles in steps; the row gives the step size"
        }
        Fidelity::CycleModel => {
            "cycles derived from counted instructions by a published timing model, whose error on public figures is known"
        }
        Fidelity::RadioModel => {
            "simulated radio: the chips' cycles were counted, and the radio's times come from a formula and a manual"
        }
        Fidelity::Instructions => "instructions were counted; this says nothing exact about time",
        Fidelity::WallClock => "read from a clock while other programs ran; varies from run to run",
    }
}

/// The error of each cycle model behind the rows; every model appears once.
pub fn model_cautions<'a>(rows: impl IntoIterator<Item = &'a Row>) -> Vec<String> {
    let mut cautions: Vec<String> = rows
        .into_iter()
        .filter(|row| row.fidelity == Fidelity::CycleModel && row.value.is_some())
        .filter_map(caution)
        .collect();
    cautions.sort_unstable();
    cautions.dedup();
    cautions
}

/// The caution of a cycle model among the notes of a row.
pub fn caution(row: &Row) -> Option<String> {
    let model = |note: &&Note| matches!(note, Note::Model(_));
    row.notes.iter().find(model).map(Note::to_string)
}

/// The sign that stands for a fidelity.
pub fn fidelity_sign(fidelity: Fidelity) -> &'static str {
    match fidelity {
        Fidelity::CycleExact => "=",
        Fidelity::CycleSteps => "≃",
        Fidelity::CycleModel => "≈",
        Fidelity::RadioModel => "∿",
        Fidelity::Instructions => "#",
        Fidelity::WallClock => "~",
    }
}

/// Explains the signs behind figures, one sentence for each sign that occurs.
pub fn fidelity_legend(figures: impl IntoIterator<Item = (Metric, Fidelity)>) -> String {
    let signed = |(metric, _): &(Metric, _)| !metric.is_of_image();
    let mut fidelities: Vec<Fidelity> = figures
        .into_iter()
        .filter(signed)
        .map(|(_, fidelity)| fidelity)
        .collect();
    fidelities.sort();
    fidelities.dedup();
    let parts: Vec<String> = fidelities
        .into_iter()
        .map(|fidelity| {
            format!(
                "{} {}: {}",
                fidelity_sign(fidelity),
                fidelity.name(),
                fidelity_meaning(fidelity)
            )
        })
        .collect();
    parts.join(". ")
}
