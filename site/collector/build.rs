//! The dashboard's charts come by npm; a build without them says how to get them.

use std::path::Path;

const WEB: &str = "../web";

fn main() {
    for part in ["js", "index.html", "style.css", "icon.svg"] {
        println!("cargo::rerun-if-changed={WEB}/{part}");
    }
    for file in ["uPlot.esm.js", "uPlot.min.css"] {
        let file = format!("node_modules/uplot/dist/{file}");
        println!("cargo::rerun-if-changed={WEB}/{file}");
        if !Path::new(WEB).join(&file).is_file() {
            println!("cargo::error=site/web/{file} is missing");
            println!(
                "cargo::error=hint: run `tools/npm-ci.sh site/web` at the root of the project (`make build` does)"
            );
        }
    }
}
