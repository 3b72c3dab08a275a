//! The remedies of a trial: what the compiler and linker say, and the empty headers.

use selo_vectors::Case;

use super::binder::Binder;
use crate::bind::bound::{Bound, Outcome};
use crate::bind::link::Known;
use crate::bind::recipe::Recipe;
use crate::bind::remedy::{EMPTY, text_of};
use crate::error::{Error, Result};

/// Most remedies that are added after one trial.
const REMEDIES: usize = 12;

impl<'l> Binder<'_, 'l> {
    /// Tries a recipe with remedies. What does not compile with them either may be of another kind of
    /// machine: its remedies would lead all later trials there, so they are dropped.
    pub(super) fn try_both(
        &mut self,
        recipe: &Recipe<'l>,
        cases: &[Case],
    ) -> Result<(Outcome, Option<Bound<'l>>)> {
        let (remedies, headers) = (self.remedies.clone(), self.looked.headers.clone());
        let tried = self.try_mended(recipe, cases)?;
        if tried.0.fails_in_library() {
            self.remedies = remedies;
            self.looked.headers = headers;
        }
        Ok(tried)
    }

    /// Tries a recipe; if its glue does not compile, once more with the headers that the sources
    /// include.
    fn try_mended(
        &mut self,
        recipe: &Recipe<'l>,
        cases: &[Case],
    ) -> Result<(Outcome, Option<Bound<'l>>)> {
        let mut first = self.try_one(recipe, cases)?;
        for _ in 0..REMEDIES {
            let message = match &first.0 {
                Outcome::DoesNotBuild { message } => message.clone(),
                // The linker stops at the first reason; a source may lack a header as well.
                Outcome::NoRoom => self.not_compiled(recipe),
                _ => break,
            };
            if self.is_over() {
                break;
            }
            let mut remedies = self.remedies.clone();
            if !remedies.add(&message, self.scanned, &mut self.looked) {
                let Some(flag) = self.empty_macro(recipe, &message) else {
                    break;
                };
                remedies.flags.push(flag);
            }
            self.remedies = remedies;
            self.write_empty()?;
            first = self.try_one(recipe, cases)?;
        }
        if !matches!(first.0, Outcome::DoesNotBuild { .. }) || first.0.lacks_a_definition() {
            return Ok(first);
        }
        let recipe = Recipe {
            as_source: true,
            ..recipe.clone()
        };
        let second = self.try_one(&recipe, cases)?;
        Ok(match second.0 {
            Outcome::DoesNotBuild { .. } => first,
            _ => second,
        })
    }

    /// The flag that defines nothing for a macro that a source pastes to the names of its functions.
    pub(super) fn empty_macro(&self, recipe: &Recipe<'_>, message: &str) -> Option<String> {
        let known = self
            .known
            .get(&(recipe.flags.clone(), self.remedies.clone()))?;
        // A source that chooses the function by the processor asks for it with an ending.
        let undefined = |name: &&String| {
            [format!("`{name}'"), format!("`{name}_")]
                .iter()
                .any(|of| message.contains(&format!("undefined reference to {of}")))
        };
        let names = recipe.names();
        let name = names
            .iter()
            .filter(undefined)
            .find_map(|name| known.pasted(name))?;
        let flag = format!("-D{name}=");
        (!self.remedies.flags.contains(&flag)).then_some(flag)
    }

    /// What the compiler says of the sources that do not compile.
    pub(super) fn not_compiled(&self, recipe: &Recipe<'_>) -> String {
        let key = (recipe.flags.clone(), self.remedies.clone());
        let known = self.known.get(&key);
        known.map_or(String::new(), Known::messages)
    }

    /// Writes the empty headers.
    pub(super) fn write_empty(&self) -> Result<()> {
        for header in &self.remedies.empty {
            let path = self.folder.join(EMPTY).join(header);
            let error = |source| Error::Write {
                path: path.clone(),
                source,
            };
            if let Some(parent) = path.parent() {
                std::fs::create_dir_all(parent).map_err(error)?;
            }
            std::fs::write(&path, text_of(header)).map_err(error)?;
        }
        Ok(())
    }
}
