//! `selo exchange list`.

use std::path::Path;

use super::shared::load;
use crate::cipher::{BuiltIn, Cipher};
use crate::implementation;
use crate::link::Handshake;
use crate::tls::library::LIBRARIES;
use crate::tls::{Group, Suite};

pub(super) fn list(project: Option<&Path>) {
    // Libraries belong to a project. Without a project, list only the built-in implementations.
    let project = load(project).ok();
    let libraries: Vec<(String, Vec<Cipher>)> = project
        .iter()
        .flat_map(|project| {
            let names = implementation::names(project).into_iter();
            names.filter_map(|name| {
                let ciphers = implementation::offered(project, &name).ok()?;
                Some((name, ciphers))
            })
        })
        .collect();
    for cipher in Cipher::ALL {
        let built_in = BuiltIn::ALL.iter().filter(|one| one.offers(cipher));
        let libraries = libraries.iter().filter(|one| one.1.contains(&cipher));
        let names: Vec<&str> = built_in
            .map(|one| one.name())
            .chain(libraries.map(|one| &*one.0))
            .collect();
        let note = if cipher.authenticated() {
            ""
        } else {
            "  (not authenticated)"
        };
        println!("{:<18} {}{note}", cipher.name(), names.join(" "));
    }
    for suite in Suite::ALL {
        println!("{}", suite.name());
    }
    for group in Group::ALL {
        println!("{}", group.name());
    }
    println!("TLS by rustls, or with @BOARD {}", LIBRARIES.join(", "));
    println!("handshakes of TLS: full, resumed");
    let handshakes = Handshake::ALL.map(Handshake::name);
    println!("handshakes of the link: {}", handshakes.join(", "));
}
