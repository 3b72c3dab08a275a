//! The second stage: builds the images and reads their flash and RAM. An image that does not build
//! or does not fit gives a cause.

use super::lab::{Lab, Of};
use super::plan::Operation;
use crate::build::Image;
use crate::elf::Weight;
use crate::error::{Error, Result};
use crate::interface::Footprint;
use crate::library::Unit;
use crate::row::cause::{Excess, Memory, Step};
use crate::row::{Cause, Metric, Row};

/// A build result, or the cause why an image cannot run. The digest of that image comes first,
/// empty if there is no image.
pub(super) type Built<T> = std::result::Result<T, (String, Cause)>;

/// A program that calls the library, and what the library adds to it.
pub(crate) struct Growth {
    pub image: Image,
    pub own: Weight,
}

impl Lab<'_> {
    /// Rows of flash and static RAM: the growth over an empty program, and whole programs.
    pub(super) fn weigh(&self, unit: &Unit<'_>) -> Result<Vec<Row>> {
        let mut metrics = self.measured();
        metrics.retain(|metric| metric.is_of_image());
        metrics.sort_unstable();
        let mut rows = Vec::new();
        if metrics.is_empty() {
            return Ok(rows);
        }
        for footprint in unit.algorithm.interface.footprints() {
            if !self.wants_operation(footprint.name) {
                continue;
            }
            if let Some(missing) = footprint.operations.iter().find(|name| !unit.offers(name)) {
                // An operation that the variant lacks gets a row only if the user asked for it by
                // name.
                if !self.operations.is_empty() && !unit.performs(footprint.name) {
                    let operation = (*missing).to_owned();
                    let one = [Operation::new(footprint.name, None)];
                    let lacks = Cause::Lacks { operation };
                    rows.extend(self.failed(Of::none(unit), &one, &metrics, &lacks));
                }
                continue;
            }
            let (whole, grown): (Vec<Metric>, Vec<Metric>) =
                metrics.iter().partition(|metric| metric.is_of_program());
            rows.extend(self.weigh_footprint(unit, footprint, &grown)?);
            rows.extend(self.weigh_whole(unit, footprint, &whole)?);
        }
        Ok(rows)
    }

    fn weigh_footprint(
        &self,
        unit: &Unit<'_>,
        footprint: &Footprint,
        metrics: &[Metric],
    ) -> Result<Vec<Row>> {
        if metrics.is_empty() {
            return Ok(Vec::new());
        }
        let operation = Operation::new(footprint.name, None);
        let one = std::slice::from_ref(&operation);
        let Growth { image, own } = match refused(self.growth(unit, footprint))? {
            Ok(growth) => growth,
            Err(cause) => return Ok(self.failed(Of::none(unit), one, metrics, &cause)),
        };
        let of = Of::image(unit, &image.sha256);
        if let Some(cause) = self.excess_of(&own) {
            return Ok(self.failed(of, one, metrics, &cause));
        }
        let row = |&metric: &Metric| {
            let grown = match metric {
                Metric::Flash => own.flash,
                _ => own.ram,
            };
            self.blank(of, &operation, metric).exactly(grown as f64)
        };
        Ok(metrics.iter().map(row).collect())
    }

    /// The growth of a program by the operations of a footprint. The buffers of the measuring program
    /// do not count against the library.
    pub(crate) fn growth(&self, unit: &Unit<'_>, footprint: &Footprint) -> Result<Growth> {
        let baseline = self.builder.baseline(unit)?.weight;
        let image = self.builder.footprint(unit, footprint)?;
        let own = Weight {
            flash: image.weight.flash.saturating_sub(baseline.flash),
            ram: image.weight.ram.saturating_sub(baseline.ram),
            ..image.weight.without(&baseline)
        };
        Ok(Growth { image, own })
    }

    /// Rows of the size of a whole program.
    fn weigh_whole(
        &self,
        unit: &Unit<'_>,
        footprint: &Footprint,
        metrics: &[Metric],
    ) -> Result<Vec<Row>> {
        if metrics.is_empty() {
            return Ok(Vec::new());
        }
        let operation = Operation::new(footprint.name, None);
        let one = std::slice::from_ref(&operation);
        if !self.builder.weighs_whole() {
            return Ok(self.failed(Of::none(unit), one, metrics, &Cause::NotCounted));
        }
        let built = refused(self.builder.whole(unit, footprint))?;
        let cause = match &built {
            Ok(image) => self.excess_of(&image.weight),
            Err(cause) => Some(cause.clone()),
        };
        let firmware = built.as_ref().map_or("", |image| &image.sha256);
        let of = Of::image(unit, firmware);
        let flags = self.builder.whole_flags(unit).join(" ");
        let row = |&metric: &Metric| {
            let row = self.blank(of, &operation, metric);
            let flags = flags.clone();
            let row = Row { flags, ..row };
            match (&cause, &built) {
                (None, Ok(image)) if metric == Metric::ProgramFlash => {
                    row.exactly(image.weight.flash as f64)
                }
                (None, Ok(image)) => row.exactly(image.weight.ram as f64),
                (Some(cause), _) | (None, Err(cause)) => row.without(cause.clone()),
            }
        };
        Ok(metrics.iter().map(row).collect())
    }

    /// Builds the image of the agent with the library under test.
    pub(super) fn agent_image(&self, unit: &Unit<'_>) -> Result<Built<Image>> {
        self.agent_image_of(self.agent_in_room(unit))
    }

    /// The same for an image that is built already, in another way.
    pub(super) fn agent_image_of(&self, built: Result<Image>) -> Result<Built<Image>> {
        let image = match refused(built)? {
            Ok(image) => image,
            Err(cause) => return Ok(Err((String::new(), cause))),
        };
        Ok(match self.excess_of(&image.weight) {
            Some(cause) => Err((image.sha256, cause.at(Step::WithAgent))),
            None => Ok(image),
        })
    }

    /// The cause if sizes exceed a memory of the board; `None` if they fit.
    pub(crate) fn excess_of(&self, weight: &Weight) -> Option<Cause> {
        let memory = self.board.memory?;
        let memories = [
            (Memory::Flash, weight.flash, memory.flash),
            (Memory::Ram, weight.ram, memory.ram),
        ];
        let over = memories.into_iter().filter(|(_, used, size)| used > size);
        let excess: Vec<Excess> = over
            .map(|(memory, used, size)| Excess {
                memory,
                used,
                size,
                largest: weight.largest(memory == Memory::Ram, 3),
            })
            .collect();
        (!excess.is_empty()).then_some(Cause::OverBudget { excess })
    }
}

/// Separates a compiler's error, which is a cause, from errors of the machine.
pub(super) fn refused<T>(built: Result<T>) -> Result<std::result::Result<T, Cause>> {
    match built {
        Ok(built) => Ok(Ok(built)),
        Err(error @ Error::Compile { .. }) => Ok(Err(build_failure(&error))),
        Err(error) => Err(error),
    }
}

/// True if a compiler of 16-bit addresses refused an object or the variables of a function.
pub(crate) fn is_too_large(error: &str) -> bool {
    let objects = ["local objects too large", "size of array"];
    objects.iter().any(|object| error.contains(object)) && error.trim_end().ends_with("too large")
}

/// What the linker says of an image that is larger than a memory in its script, if nothing else is
/// missing.
pub(crate) fn overflow(error: &str) -> Option<&str> {
    let mut lines = error.lines().map(str::trim);
    let over = lines.find(|line| line.contains("overflowed by"))?;
    let said = over.rsplit_once(": ").map_or(over, |(_, said)| said);
    (!error.contains("undefined reference")).then_some(said)
}

fn build_failure(error: &Error) -> Cause {
    let text = error.to_string();
    if let Some(said) = overflow(&text) {
        let message = said.to_owned();
        return Cause::TooLarge { message };
    }
    // A linker first names the missing symbol, and then says that it failed.
    let telling = text
        .lines()
        .find(|line| line.contains("undefined reference") || line.contains("cannot open"))
        .or_else(|| text.lines().find(|line| line.contains("rror:")))
        .or_else(|| text.lines().find(|line| line.contains("error")))
        .or_else(|| text.lines().nth(1));
    let message = telling.unwrap_or(&text).trim().to_owned();
    match is_too_large(&message) {
        true => Cause::TooLarge { message },
        false => Cause::DoesNotBuild { message },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_beyond_the_linkers_memory_is_too_large() {
        let said = "ld: x.elf section `.text' will not fit in region `text'\n\
                    ld: region `text' overflowed by 3160 bytes\ncollect2: error: ld returned 1";
        assert_eq!(
            overflow(said),
            Some("region `text' overflowed by 3160 bytes")
        );
        let error = Error::Compile {
            program: "cc".into(),
            what: "x".into(),
            output: said.into(),
        };
        assert!(matches!(build_failure(&error), Cause::TooLarge { .. }));
        let lacks = format!("{said}\nx.c: undefined reference to `f'");
        assert_eq!(overflow(&lacks), None);
        assert_eq!(overflow("error: x"), None);
    }
}
