//! Writes the pinned vectors of the link, `lab/vectors/link/`.
//!
//! ```text
//! cargo run -p selo-link --example vectors
//! ```

mod format;
mod make;
mod make_hybrid;

use std::path::Path;

use selo_link::Suite;

fn main() -> std::io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lab/vectors/link");
    for suite in Suite::ALL {
        std::fs::write(
            folder.join(format!("{suite}.toml")),
            make::suite_file(suite),
        )?;
        std::fs::write(
            folder.join(format!("hybrid-{suite}.toml")),
            make_hybrid::hybrid_file(suite),
        )?;
    }
    Ok(())
}
