//! Cycle models: a core's published instruction timings, applied to counted
//! instructions, and the public figures that say how far off they are.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::project::Project;
use crate::runner::Counts;

/// As many public figures must be reproduced here before a model's cycles are shown.
pub const FIGURES: usize = 5;

/// `boards/models/<name>.toml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CycleModel {
    /// The name in board files; equals the file's name.
    pub name: String,
    pub title: String,
    /// Where the timings are published.
    pub source: String,
    /// What the timings leave out.
    pub note: String,
    /// Cycles of each class of instructions (sims/qemu/classes.h).
    pub cycles: BTreeMap<String, f64>,
    #[serde(rename = "figure", default)]
    pub figures: Vec<Figure>,
}

/// A public figure, measured on silicon.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figure {
    /// What was measured.
    pub what: String,
    pub source: String,
    /// The published value.
    pub cycles: f64,
    /// How it was measured: part, compiler, flags.
    pub how: String,
    /// The same code in this project; without it the figure calibrates nothing.
    #[serde(default)]
    pub here: Option<Here>,
    /// Why there is none.
    #[serde(default)]
    pub missing: Option<String>,
}

/// A measurement of this project.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Here {
    pub contender: String,
    pub algorithm: String,
    pub strategy: String,
    pub operation: String,
    #[serde(default)]
    pub bytes: Option<u32>,
}

impl CycleModel {
    /// Cycles of counted instructions; `None` if there are some of a class that the model
    /// does not know.
    pub fn cycles_of(&self, counts: &Counts) -> Option<f64> {
        let parts = counts.classes.iter();
        parts
            .map(|(class, &count)| Some(self.cycles.get(class)? * count as f64))
            .sum()
    }

    /// Its figures whose code this project has.
    pub fn reproduced<'a>(
        &'a self,
        project: &'a Project,
    ) -> impl Iterator<Item = (&'a Figure, &'a Here)> {
        let figures = self.figures.iter();
        figures.filter_map(|figure| {
            let here = figure.here.as_ref()?;
            project.contenders.iter().find(|contender| {
                contender.name == here.contender
                    && contender.implementations.iter().any(|one| {
                        one.algorithms.contains(&here.algorithm)
                            && one.strategies.contains(&here.strategy)
                            && one.operations.contains(&here.operation)
                    })
            })?;
            Some((figure, here))
        })
    }

    /// Whether its error is known well enough for its cycles to be shown.
    pub fn is_calibrated(&self, project: &Project) -> bool {
        self.reproduced(project).count() >= FIGURES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(figures: usize) -> CycleModel {
        let here = Here {
            contender: "selo".into(),
            algorithm: "aes-128".into(),
            strategy: "fast".into(),
            operation: "encrypt".into(),
            bytes: None,
        };
        let figure = Figure {
            what: "a block".into(),
            source: "nobody".into(),
            cycles: 1000.0,
            how: "by hand".into(),
            here: Some(here),
            missing: None,
        };
        CycleModel {
            name: "core".into(),
            title: "a core".into(),
            source: "its manual".into(),
            note: String::new(),
            cycles: BTreeMap::from([("alu".into(), 1.0), ("load".into(), 2.0)]),
            figures: vec![figure; figures],
        }
    }

    #[test]
    fn cycles_are_sums_of_the_classes() {
        let counts = |classes: &[(&str, u64)]| Counts {
            instructions: 3,
            classes: classes.iter().map(|&(c, n)| (c.to_owned(), n)).collect(),
        };
        let model = model(0);
        assert_eq!(
            model.cycles_of(&counts(&[("alu", 1), ("load", 2)])),
            Some(5.0)
        );
        assert_eq!(model.cycles_of(&counts(&[("alu", 1), ("float", 2)])), None);
    }

    /// Four figures are not enough, five are; and only of code that is here.
    #[test]
    fn five_reproduced_figures_calibrate() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let project = Project::load(&root).expect("this project");
        assert!(!model(4).is_calibrated(&project));
        assert!(model(5).is_calibrated(&project));
        let mut elsewhere = model(5);
        for figure in &mut elsewhere.figures[..1] {
            figure.here.as_mut().expect("it has one").contender = "somebody-else".into();
        }
        assert!(!elsewhere.is_calibrated(&project));
    }
}
