//! Embeds site/codecs/*.toml, so that each file there becomes a built-in codec.

use std::path::PathBuf;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let folder = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default())
        .join("../codecs")
        .canonicalize()?;
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files = Vec::new();
    for entry in fs::read_dir(&folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "toml") {
            files.push(path);
        }
    }
    files.sort();
    let mut code = String::from("&[\n");
    for path in files {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        code += &format!(
            "({:?}, include_str!({path:?})),\n",
            format!("site/codecs/{name}")
        );
    }
    code += "]\n";
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    fs::write(out.join("built_in.rs"), code)
}
