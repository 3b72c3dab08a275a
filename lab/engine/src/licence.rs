//! Recognises licences by their texts. An SPDX identifier in a file is certain and wins; titles and
//! telling phrases come after it. Two licences are said as two.

use std::collections::BTreeSet;

/// The mark before an identifier in a file's head [SPDX, annex E].
const MARK: &str = "SPDX-License-Identifier:";

/// A licence, and the phrases that must all be in its text, in lower case with single blanks. A
/// later entry stands for less than an earlier one that it shares a group with, and is then left
/// out.
struct Known {
    id: &'static str,
    /// Of licences of one group, a text has only the first that fits.
    group: &'static str,
    phrases: &'static [&'static str],
}

const fn known(id: &'static str, group: &'static str, phrases: &'static [&'static str]) -> Known {
    Known { id, group, phrases }
}

const KNOWN: [Known; 31] = [
    known(
        "AGPL-3.0-or-later",
        "gpl",
        &["gnu affero general public license"],
    ),
    known(
        "LGPL-2.1-or-later",
        "gpl",
        &["gnu lesser general public license", "version 2.1"],
    ),
    known(
        "LGPL-3.0-or-later",
        "gpl",
        &["gnu lesser general public license"],
    ),
    known(
        "LGPL-2.0-or-later",
        "gpl",
        &["gnu library general public license"],
    ),
    known(
        "GPL-3.0-or-later",
        "gpl",
        &["gnu general public license", "version 3"],
    ),
    known("GPL-2.0-or-later", "gpl", &["gnu general public license"]),
    known("Apache-2.0", "apache", &["apache license", "version 2.0"]),
    known("MPL-2.0", "mpl", &["mozilla public license", "2.0"]),
    known("MPL-1.1", "mpl", &["mozilla public license", "1.1"]),
    known(
        "EUPL-1.2",
        "eupl",
        &["european union public licence", "1.2"],
    ),
    known("EUPL-1.1", "eupl", &["european union public licence"]),
    known("EPL-2.0", "epl", &["eclipse public license"]),
    known("BUSL-1.1", "bsl", &["business source license"]),
    known("BSL-1.0", "boost", &["boost software license"]),
    known("CC0-1.0", "public", &["cc0 1.0"]),
    known("CC0-1.0", "public", &["creative commons zero"]),
    known(
        "CC0-1.0",
        "public",
        &["creativecommons.org/publicdomain/zero"],
    ),
    known(
        "Unlicense",
        "public",
        &["free and unencumbered software released into the public domain"],
    ),
    known("Unlicense", "public", &["unlicense.org"]),
    known(
        "WTFPL",
        "wtfpl",
        &["do what the fuck you want to public license"],
    ),
    known(
        "Zlib",
        "zlib",
        &["this software is provided 'as-is', without any express or implied warranty"],
    ),
    known(
        "MIT",
        "mit",
        &[
            "permission is hereby granted, free of charge",
            "the above copyright notice and this permission notice",
        ],
    ),
    known(
        "MIT-0",
        "mit",
        &["permission is hereby granted, free of charge"],
    ),
    known("MIT", "mit", &["mit license"]),
    known(
        "ISC",
        "isc",
        &[
            "permission to use, copy, modify, and/or distribute this software for any purpose",
            "provided that the above copyright notice",
        ],
    ),
    known(
        "ISC",
        "isc",
        &[
            "permission to use, copy, modify, and distribute this software for any purpose",
            "provided that the above copyright notice",
        ],
    ),
    known(
        "0BSD",
        "isc",
        &["permission to use, copy, modify, and/or distribute this software for any purpose"],
    ),
    known(
        "BSD-3-Clause",
        "bsd",
        &[
            "redistribution and use in source and binary forms",
            "endorse or promote",
        ],
    ),
    known(
        "BSD-2-Clause",
        "bsd",
        &["redistribution and use in source and binary forms"],
    ),
    known(PUBLIC_DOMAIN, "public", &["public domain"]),
    known(ALL_RIGHTS, "none", &["all rights reserved"]),
];

/// A dedication in the author's own words, and a text that only reserves rights.
const PUBLIC_DOMAIN: &str = "LicenseRef-public-domain";
const ALL_RIGHTS: &str = "LicenseRef-all-rights-reserved";

/// The licences of a text as an SPDX expression, `A AND B` or `A OR B`. `None` if it has none that
/// is known.
pub fn of_text(text: &str) -> Option<String> {
    let declared: BTreeSet<&str> = text.lines().filter_map(identifier).collect();
    if !declared.is_empty() {
        return Some(joined(declared.into_iter().map(str::to_owned), " AND "));
    }
    let plain = plain(text);
    let mut groups = BTreeSet::new();
    let mut found: Vec<&str> = Vec::new();
    for one in &KNOWN {
        let fits = one.phrases.iter().all(|phrase| plain.contains(phrase));
        // "All rights reserved" stands in the head of most licences.
        let alone = [PUBLIC_DOMAIN, ALL_RIGHTS].contains(&one.id);
        if fits && (!alone || found.is_empty()) && groups.insert(one.group) {
            found.push(one.id);
        }
    }
    // Texts of other licences name the GPL as a compatible one.
    let names_gpl = ["mpl", "eupl", "epl", "bsl"];
    if KNOWN
        .iter()
        .any(|one| names_gpl.contains(&one.group) && found.contains(&one.id))
    {
        found.retain(|id| !id.contains("GPL"));
    }
    let choice = [
        "either of",
        "at your option any of",
        "dual-licensed",
        "dual licensed",
    ];
    let between = match choice.iter().any(|words| plain.contains(words)) {
        true => " OR ",
        false => " AND ",
    };
    (!found.is_empty()).then(|| joined(found.into_iter().map(str::to_owned), between))
}

/// The licence of a library, from those of its files. An identifier of a file's head counts more
/// than the guess at a text.
#[derive(Debug, Default)]
pub struct Found {
    declared: BTreeSet<String>,
    guessed: BTreeSet<String>,
}

impl Found {
    /// Notes the head of a source, which counts only with an SPDX identifier.
    pub fn note_source(&mut self, text: &str) {
        let head = text.lines().take(40).filter_map(identifier);
        self.declared.extend(head.map(str::to_owned));
    }

    /// Notes a file with a licence's text.
    pub fn note_text(&mut self, text: &str) {
        self.guessed.extend(of_text(text));
    }

    /// The licence as an SPDX expression.
    pub fn expression(&self) -> Option<String> {
        let one = match self.declared.is_empty() {
            true => &self.guessed,
            false => &self.declared,
        };
        // A licence that is part of another's expression is said already.
        let apart = one.iter().filter(|id| {
            !one.iter()
                .any(|other| other != *id && other.split(' ').any(|word| word == *id))
        });
        (!one.is_empty()).then(|| joined(apart.cloned(), " AND "))
    }
}

/// The SPDX identifier that a line declares.
fn identifier(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once(MARK)?;
    let rest = rest.trim_end_matches("*/").trim_end_matches("-->").trim();
    let is_expression = |c: char| c.is_ascii_alphanumeric() || "-.+() ".contains(c);
    (!rest.is_empty() && rest.chars().all(is_expression)).then_some(rest)
}

fn joined(ids: impl Iterator<Item = String>, between: &str) -> String {
    let mut ids: Vec<String> = ids.collect();
    ids.sort();
    ids.dedup();
    if ids.len() > 1 && between == " AND " {
        for id in &mut ids {
            if id.contains(" OR ") {
                *id = format!("({id})");
            }
        }
    }
    ids.join(between)
}

/// The text in lower case, with single blanks and without the stars of a comment.
fn plain(text: &str) -> String {
    let lower = text.to_lowercase().replace(['*', '#', '\u{2019}'], " ");
    lower.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Titles and telling phrases, as their texts have them.
    const TEXTS: [(&str, &str); 27] = [
        (
            "AGPL-3.0-or-later",
            "GNU AFFERO GENERAL PUBLIC LICENSE\n Version 3, 19 November 2007",
        ),
        (
            "LGPL-2.1-or-later",
            "GNU LESSER GENERAL PUBLIC LICENSE\n Version 2.1, February 1999",
        ),
        (
            "LGPL-3.0-or-later",
            "GNU LESSER GENERAL PUBLIC LICENSE Version 3\n incorporates the terms of the GNU General Public License",
        ),
        ("LGPL-2.0-or-later", "GNU LIBRARY GENERAL PUBLIC LICENSE"),
        (
            "GPL-3.0-or-later",
            "GNU GENERAL PUBLIC LICENSE\n Version 3, 29 June 2007",
        ),
        (
            "GPL-2.0-or-later",
            "GNU GENERAL PUBLIC LICENSE\n Version 2, June 1991",
        ),
        ("Apache-2.0", "Apache License\n Version 2.0, January 2004"),
        (
            "MPL-2.0",
            "Mozilla Public License Version 2.0\n \"Secondary License\" means the GNU General Public License, Version 2.0",
        ),
        ("MPL-1.1", "Mozilla Public License Version 1.1"),
        (
            "EUPL-1.2",
            "EUROPEAN UNION PUBLIC LICENCE v. 1.2\n compatible: GNU General Public License v. 2, v. 3",
        ),
        ("EUPL-1.1", "European Union Public Licence V. 1.1"),
        ("EPL-2.0", "Eclipse Public License - v 2.0"),
        (
            "BUSL-1.1",
            "Business Source License 1.1\n Change License: GNU General Public License, version 3",
        ),
        (
            "BSL-1.0",
            "Boost Software License - Version 1.0\n Permission is granted",
        ),
        ("CC0-1.0", "CC0 1.0 Universal\n to the public domain"),
        (
            "Unlicense",
            "This is free and unencumbered software released into the public domain.",
        ),
        ("WTFPL", "DO WHAT THE FUCK YOU WANT TO PUBLIC LICENSE"),
        (
            "Zlib",
            "This software is provided 'as-is', without any express or\n implied warranty.",
        ),
        (
            "MIT",
            "Permission is hereby granted, free of charge, to any person\n The above copyright notice and this permission notice shall be included",
        ),
        (
            "MIT-0",
            "MIT No Attribution\n Permission is hereby granted, free of charge, to any person",
        ),
        (
            "ISC",
            "Permission to use, copy, modify, and/or distribute this software for any\n purpose is hereby granted, provided that the above copyright notice appear",
        ),
        (
            "0BSD",
            "Permission to use, copy, modify, and/or distribute this software for any\n purpose with or without fee is hereby granted.",
        ),
        (
            "BSD-3-Clause",
            "All rights reserved. Redistribution and use in source and binary forms\n may be used to endorse or promote products",
        ),
        (
            "BSD-2-Clause",
            "All rights reserved.\n Redistribution and use in source and binary forms",
        ),
        (
            PUBLIC_DOMAIN,
            "The author places this code in the public domain.",
        ),
        (ALL_RIGHTS, "Copyright 2019 A. Author. All rights reserved."),
        (
            "MIT OR Apache-2.0",
            "// SPDX-License-Identifier: MIT OR Apache-2.0\n GNU General Public License",
        ),
    ];

    #[test]
    fn every_text_is_recognised() {
        for (id, text) in TEXTS {
            assert_eq!(of_text(text).as_deref(), Some(id), "{text}");
            let comment = format!("/*\n * {}\n */", text.replace('\n', "\n * "));
            assert_eq!(of_text(&comment).as_deref(), Some(id), "{comment}");
        }
        assert_eq!(of_text("Copyright 2019 A. Author."), None);
        assert_eq!(of_text(""), None);
    }

    #[test]
    fn two_licences_are_said_as_two() {
        let mit = TEXTS.iter().find(|(id, _)| *id == "MIT").expect("MIT").1;
        let both = format!("Apache License Version 2.0\n\n{mit}");
        assert_eq!(of_text(&both).as_deref(), Some("Apache-2.0 AND MIT"));
        let choice = format!("Licensed under either of\n{both}");
        assert_eq!(of_text(&choice).as_deref(), Some("Apache-2.0 OR MIT"));
        let mut found = Found::default();
        found.note_text(mit);
        found.note_text("Apache License Version 2.0");
        assert_eq!(found.expression().as_deref(), Some("Apache-2.0 AND MIT"));
    }

    #[test]
    fn an_identifier_wins_over_a_guess() {
        let mut found = Found::default();
        assert_eq!(found.expression(), None);
        found.note_text("GNU GENERAL PUBLIC LICENSE Version 3");
        found.note_source("// All rights reserved.\nint main(void);");
        assert_eq!(found.expression().as_deref(), Some("GPL-3.0-or-later"));
        found.note_source("/* SPDX-License-Identifier: ISC */\nint main(void);");
        found.note_source("// SPDX-License-Identifier: MIT OR ISC\n");
        assert_eq!(found.expression().as_deref(), Some("MIT OR ISC"));
        found.note_source("# SPDX-License-Identifier: CC0-1.0\n");
        assert_eq!(
            found.expression().as_deref(),
            Some("CC0-1.0 AND (MIT OR ISC)")
        );
    }
}
