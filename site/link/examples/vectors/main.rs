//! Writes the pinned vectors of the link, `lab/vectors/link/`.
//!
//! ```text
//! cargo run -p selo-link --example vectors
//! ```

mod format;
mod make;

use std::path::Path;

use selo_link::Suite;

fn main() -> std::io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lab/vectors/link");
    for suite in Suite::ALL {
        std::fs::write(
            folder.join(format!("{suite}.toml")),
            make::suite_file(suite),
        )?;
    }
    Ok(())
}
