//! The remedies of a trial: what the compiler and linker say, and the empty headers.

use super::binder::Binder;
use crate::bind::link::Known;
use crate::bind::recipe::Recipe;
use crate::bind::remedy::{EMPTY, text_of};
use crate::error::{Error, Result};

impl Binder<'_, '_> {
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
