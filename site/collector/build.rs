//! Checks that npm has installed the dashboard's chart library. A build without it prints the
//! command to run.

use std::path::Path;

const WEB: &str = "../web";

fn main() {
    for part in ["js", "index.html", "style.css", "icon.svg"] {
        println!("cargo::rerun-if-changed={WEB}/{part}");
    }
    for file in ["uPlot.iife.min.js", "uPlot.min.css"] {
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
