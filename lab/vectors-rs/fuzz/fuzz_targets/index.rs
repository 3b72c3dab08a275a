//! Any index is parsed or refused, and none leads out of its directory.
#![no_main]

use std::path::{Component, Path};

use libfuzzer_sys::fuzz_target;
use selo_vectors::Catalog;

fuzz_target!(|text: &str| {
    let Ok(catalog) = Catalog::parse(Path::new("vectors"), Path::new("index.toml"), text, &[]) else {
        return;
    };
    for file in catalog.sets().iter().flat_map(|set| &set.files) {
        let inside = file
            .path
            .strip_prefix("vectors")
            .expect("below the directory");
        assert!(
            inside
                .components()
                .all(|part| matches!(part, Component::Normal(_)))
        );
    }
});
