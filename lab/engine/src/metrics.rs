//! The metrics of each board, and the measured metrics from which they are derived.

use crate::board::{Board, RTL};
use crate::model::FIGURES;
use crate::project::Project;
use crate::row::{Fidelity, Metric, say};

/// The metrics that a board can give. On a board with counted instructions, this includes cycles if
/// its cycle model is calibrated.
pub fn default_metrics(project: &Project, board: &Board) -> Vec<Metric> {
    use Metric::{CpuShare, Cycles, Energy, Flash, Instructions, Ram, Rate, Stack, Time};
    match board.fidelity {
        // A core by itself has no clock rate and no supply.
        Fidelity::CycleExact if board.rtl.is_some() => {
            vec![Cycles, Instructions, Flash, Ram, Stack]
        }
        Fidelity::CycleExact
        | Fidelity::CycleSteps
        | Fidelity::CycleModel
        | Fidelity::RadioModel => {
            vec![Cycles, Time, Energy, Flash, Ram, Stack, CpuShare, Rate]
        }
        Fidelity::Instructions => {
            let model = project.model(board);
            if !model.is_some_and(|model| model.is_calibrated(&project.libraries)) {
                return vec![Instructions, Flash, Ram, Stack];
            }
            let energy = (!board.power.is_empty()).then_some(Energy);
            [Instructions, Flash, Ram, Stack, Cycles, Time]
                .into_iter()
                .chain(energy)
                .collect()
        }
        Fidelity::WallClock => vec![Time, Instructions, Flash, Ram, Stack, CpuShare],
    }
}

/// The reason why a board cannot give a metric of time or of instructions; `None` if it can. The
/// reason follows from what its runner counts.
pub fn never_given(project: &Project, board: &Board, metric: Metric) -> Option<String> {
    if default_metrics(project, board).contains(&metric) {
        return None;
    }
    if metric.is_of_program() || metric == Metric::Heap {
        let port = project.port(board).ok()?;
        let given = match metric {
            Metric::Heap => !port.heap_sources.is_empty(),
            _ => !port.whole_flags.is_empty(),
        };
        return (!given).then(|| say::not_counted(metric).to_owned());
    }
    if board.rtl.is_some() {
        return match metric {
            Metric::Cycles if board.runner == RTL => Some(say::NO_GATE.to_owned()),
            Metric::Cycles => Some("only instructions are counted".to_owned()),
            Metric::Time => Some("a core by itself has no clock rate".to_owned()),
            _ => None,
        };
    }
    let counted = match (metric, board.fidelity) {
        (Metric::Cycles | Metric::Time, Fidelity::Instructions) => "only instructions are counted",
        (Metric::Instructions, _) => "cycles are counted, not instructions",
        (Metric::Cycles, _) => "time is measured, not cycles",
        _ => return None,
    };
    let model = project
        .model(board)
        .filter(|_| metric != Metric::Instructions);
    Some(match model {
        Some(model) => {
            let figures = model.reproduced(&project.libraries).count();
            let lacks = say::not_calibrated(&model.name, figures, FIGURES);
            format!("{counted}; {lacks}")
        }
        None => counted.to_owned(),
    })
}

/// The metrics to measure on a board for the wanted ones, in their order.
pub fn measured(board: &Board, wanted: &[Metric]) -> Vec<Metric> {
    let mut metrics = Vec::new();
    for &metric in wanted {
        let basis = match metric {
            Metric::Cycles | Metric::Time | Metric::Energy
                if board.fidelity == Fidelity::Instructions =>
            {
                Metric::Instructions
            }
            Metric::Energy => Metric::Time,
            metric => metric,
        };
        if !metrics.contains(&basis) {
            metrics.push(basis);
        }
    }
    metrics
}
