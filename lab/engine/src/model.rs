//! Cycle models: a core's published instruction timings, applied to counted instructions, and the
//! public figures that give the model's error.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::library::Library;
use crate::row::cause::{Caution, ModelError};
use crate::runner::Counts;
use selo_base::stats;

/// Number of public figures that must be reproduced here before a model's cycles are shown.
pub const FIGURES: usize = 5;

/// A cycle model, `lab/boards/models/<name>.toml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CycleModel {
    /// The name in board files; equals the file's name.
    pub name: String,
    pub title: String,
    /// The publication with the timings.
    pub source: String,
    /// Effects that the timings ignore.
    pub note: String,
    /// The memory that the timings assume, in a few words to show with every figure.
    pub memory: String,
    /// Cycles of each class of instructions (lab/sims/qemu/classes.h).
    pub cycles: BTreeMap<String, f64>,
    #[serde(rename = "figure", default)]
    pub figures: Vec<Figure>,
}

/// A public figure, measured on silicon.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figure {
    /// The measured operation.
    pub what: String,
    pub source: String,
    /// The published value.
    pub cycles: f64,
    /// Part, compiler and flags of the measurement.
    pub how: String,
    /// The same code in this project. Without it, the figure calibrates nothing.
    #[serde(default)]
    pub here: Option<Here>,
    /// The model's cycles for that code, as `selo lab calibration` prints them. With `--check`, that
    /// command reports values that are out of date.
    #[serde(default)]
    pub modelled: Option<f64>,
    /// The reason why `here` is missing.
    #[serde(default)]
    pub missing: Option<String>,
}

/// A measurement of this project.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Here {
    pub library: String,
    pub algorithm: String,
    pub variant: String,
    pub operation: String,
    #[serde(default)]
    pub bytes: Option<u32>,
}

impl Figure {
    /// The error of `cycles` relative to the published cycles, in percent; positive if `cycles` is
    /// larger.
    pub fn error_of(&self, cycles: f64) -> f64 {
        100.0 * (cycles - self.cycles) / self.cycles
    }
}

impl CycleModel {
    /// Cycles of counted instructions; `None` if the model lacks one of the classes.
    pub fn cycles_of(&self, counts: &Counts) -> Option<f64> {
        let parts = counts.classes.iter();
        parts
            .map(|(class, &count)| Some(self.cycles.get(class)? * count as f64))
            .sum()
    }

    /// Does the same for counts from which the empty operation was subtracted.
    pub fn cycles_of_classes(&self, classes: &BTreeMap<String, i64>) -> Option<f64> {
        let parts = classes.iter();
        parts
            .map(|(class, &count)| Some(self.cycles.get(class)? * count as f64))
            .sum()
    }

    /// The figures whose code this project has.
    pub fn reproduced<'a>(
        &'a self,
        libraries: &'a [Library],
    ) -> impl Iterator<Item = (&'a Figure, &'a Here)> {
        let figures = self.figures.iter();
        figures.filter_map(|figure| {
            let here = figure.here.as_ref()?;
            libraries.iter().find(|library| {
                library.name == here.library
                    && library.implementations.iter().any(|one| {
                        one.algorithms.contains(&here.algorithm)
                            && one.variants.contains(&here.variant)
                            && one.operations.contains(&here.operation)
                    })
            })?;
            Some((figure, here))
        })
    }

    /// The model's error, or `None` if fewer than [`FIGURES`] figures are reproduced.
    pub fn error(&self, libraries: &[Library]) -> Option<ModelError> {
        let known = self.reproduced(libraries);
        let mut errors: Vec<f64> = known
            .filter_map(|(figure, _)| Some(figure.error_of(figure.modelled?)))
            .collect();
        if errors.len() < FIGURES {
            return None;
        }
        errors.sort_by(f64::total_cmp);
        let (lowest, highest) = (errors.first()?, errors.last()?);
        let sizes: Vec<f64> = errors.iter().map(|error| error.abs()).collect();
        Some(ModelError {
            figures: errors.len(),
            lowest: *lowest,
            highest: *highest,
            half_within: stats::summarise(&sizes)?.median,
        })
    }

    /// True if enough figures are reproduced to show the model's cycles.
    pub fn is_calibrated(&self, libraries: &[Library]) -> bool {
        self.error(libraries).is_some()
    }

    /// The caution to show with the model's cycles; `None` if they are not shown.
    pub fn caution(&self, libraries: &[Library]) -> Option<Caution> {
        Some(Caution {
            model: self.name.clone(),
            memory: self.memory.clone(),
            error: self.error(libraries)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(figures: usize) -> CycleModel {
        let here = Here {
            library: "selo".into(),
            algorithm: "aes-128".into(),
            variant: "fast".into(),
            operation: "encrypt".into(),
            bytes: None,
        };
        let figure = Figure {
            what: "a block".into(),
            source: "nobody".into(),
            cycles: 1000.0,
            how: "by hand".into(),
            here: Some(here),
            modelled: Some(900.0),
            missing: None,
        };
        CycleModel {
            name: "core".into(),
            title: "a core".into(),
            source: "its manual".into(),
            note: String::new(),
            memory: "no wait states".into(),
            cycles: BTreeMap::from([("alu".into(), 1.0), ("load".into(), 2.0)]),
            figures: vec![figure; figures],
        }
    }

    #[test]
    fn cycles_are_sums_of_the_classes() {
        let counts = |classes: &[(&str, u64)]| Counts {
            instructions: 3,
            classes: classes.iter().map(|&(c, n)| (c.to_owned(), n)).collect(),
            hashing: None,
        };
        let model = model(0);
        assert_eq!(
            model.cycles_of(&counts(&[("alu", 1), ("load", 2)])),
            Some(5.0)
        );
        assert_eq!(model.cycles_of(&counts(&[("alu", 1), ("float", 2)])), None);
    }

    /// Five figures are enough, four are not. A figure counts only if its code is here.
    #[test]
    fn five_reproduced_figures_calibrate() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let project = crate::project::Project::load(&root).expect("this project");
        let libraries = &project.libraries;
        assert!(!model(4).is_calibrated(libraries));
        assert!(model(5).is_calibrated(libraries));
        let mut elsewhere = model(5);
        for figure in &mut elsewhere.figures[..1] {
            figure.here.as_mut().expect("it has one").library = "somebody-else".into();
        }
        assert!(!elsewhere.is_calibrated(libraries));
        let mut never_run = model(5);
        never_run.figures[0].modelled = None;
        assert!(!never_run.is_calibrated(libraries));
    }

    #[test]
    fn the_error_is_the_worst_either_way_and_the_middle_one() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let project = crate::project::Project::load(&root).expect("this project");
        let libraries = &project.libraries;
        let mut model = model(5);
        for (figure, cycles) in model
            .figures
            .iter_mut()
            .zip([900.0, 1050.0, 980.0, 1000.0, 970.0])
        {
            figure.modelled = Some(cycles);
        }
        let error = model.error(libraries).expect("five figures");
        assert_eq!((error.lowest, error.highest), (-10.0, 5.0));
        assert_eq!(error.half_within, 3.0);
        assert_eq!(
            model.caution(libraries).expect("calibrated").to_string(),
            "cycle model core (no wait states): -10.0 to +5.0 % off 5 public figures, half of them by less than 3.0 %"
        );
    }
}
