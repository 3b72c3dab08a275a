//! Writes the pinned vectors of the published protocol, `lab/vectors/link/classic.toml`.
//!
//! ```text
//! cargo run -p selo-classic --example classic_vectors
//! ```

#[path = "../tests/classic/vectors.rs"]
mod vectors;

fn main() -> std::io::Result<()> {
    std::fs::write(vectors::path(), vectors::text())
}
