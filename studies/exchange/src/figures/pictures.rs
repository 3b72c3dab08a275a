//! Pictures of times, shares and counts.

use std::collections::BTreeMap;

use selo_report::format::significant;
use selo_report::svg::Picture;
use selo_report::svg::dots::{Color, Dot, DotChart, Item, Owner, Series};

use super::group::{Group, factor, groups};
use crate::row::{Experiment, Figure, Row};

/// Draws the ciphers' times and shares for each scenario and payload, and the suites' times for
/// each scenario.
pub fn pictures(rows: &[Row]) -> Vec<Picture> {
    let mut pictures = Vec::new();
    let all = groups(rows, Experiment::Symmetric);
    for group in sets(&all, |g| format!("{}-{}", g.unit.scenario, g.unit.payload)) {
        let (name, groups) = group;
        let times = [
            ("client encrypts", Figure::ClientEncrypt),
            ("server decrypts", Figure::ServerDecrypt),
            ("server encrypts", Figure::ServerEncrypt),
            ("client decrypts", Figure::ClientDecrypt),
        ];
        let title = format!("Encryption and decryption, {name}");
        pictures.push(chart(format!("times-{name}"), title, "ms", &times, &groups));
        let share = [("share of cryptography", Figure::Share)];
        let title = format!("Cryptography in the total, {name}");
        pictures.push(chart(format!("share-{name}"), title, "%", &share, &groups));
    }
    let (counted, all): (Vec<_>, Vec<_>) = groups(rows, Experiment::Tls)
        .into_iter()
        .partition(Group::is_clockless);
    for (name, groups) in sets(&counted, |g| g.unit.scenario.clone()) {
        let figures = [("handshake", Figure::HandshakeInstructions)];
        let title = format!("TLS 1.3, the client's instructions, {name}");
        let id = format!("instructions-{name}");
        pictures.push(chart(id, title, "M instructions", &figures, &groups));
    }
    for (name, groups) in sets(&all, |g| g.unit.scenario.clone()) {
        let times = [
            ("handshake", Figure::Handshake),
            ("exchange", Figure::Exchange),
        ];
        let title = format!("TLS 1.3, {name}");
        pictures.push(chart(format!("tls-{name}"), title, "ms", &times, &groups));
    }
    pictures
}

/// Collects groups under a common name, in the order of the names.
fn sets<'a, 'b>(
    groups: &'b [Group<'a>],
    name: impl Fn(&Group<'a>) -> String,
) -> BTreeMap<String, Vec<&'b Group<'a>>> {
    let mut sets: BTreeMap<String, Vec<_>> = BTreeMap::new();
    for group in groups {
        // A name that is safe in a file name.
        let safe: String = name(group)
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
            .collect();
        sets.entry(safe).or_default().push(group);
    }
    sets
}

fn chart(
    id: String,
    title: String,
    unit: &str,
    figures: &[(&str, Figure)],
    groups: &[&Group<'_>],
) -> Picture {
    let dot = |group: &Group<'_>, figure: Figure| {
        let summary = group.summary(figure)?;
        let (mean, factor) = (summary.mean * factor(figure), factor(figure));
        let interval = summary
            .ci95
            .map(|half| ((mean - half * factor).max(0.0), mean + half * factor));
        Some(Dot {
            value: mean,
            text: significant(mean, 3),
            interval,
            ..Dot::default()
        })
    };
    DotChart {
        id,
        title,
        unit: unit.into(),
        fidelity: String::new(),
        series: figures
            .iter()
            .enumerate()
            .map(|(hue, (name, _))| Series {
                name: (*name).into(),
                color: Color::Hue(hue),
            })
            .collect(),
        items: groups
            .iter()
            .map(|group| Item {
                label: format!("{}, {}", group.unit.label(), group.unit.who()),
                remark: group.fidelity.to_string(),
                owner: Owner::default(),
                dots: figures
                    .iter()
                    .map(|(_, figure)| dot(group, *figure))
                    .collect(),
            })
            .collect(),
        second: None,
        one_line: false,
    }
    .draw()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::comparisons::comparisons;
    use crate::figures::group::tests::rows;
    use crate::figures::tables::tls;
    use crate::row::record::tests::sample;
    use crate::row::{Counted, Fidelity, TlsTimes};

    /// An emulator's times are neither compared nor drawn. Its counts are.
    #[test]
    fn an_emulated_board_has_instructions_and_no_times() {
        let row = |cipher: &str, repetition: u32| {
            let mut row = sample(cipher, repetition, 1);
            row.unit.experiment = Experiment::Tls;
            row.unit.device = Some("esp8266".into());
            row.fidelity = Fidelity::Emulated;
            row.stamps = None;
            row.tls = Some(TlsTimes {
                handshake: 1_000_000_000 + u64::from(repetition),
                instructions: Some(Counted {
                    handshake: 217_000_000,
                    exchange: 48_000,
                }),
                variables: Some(1_000),
                heap: Some(80_000),
                stack: Some(2_000),
                memory: Some(81_920),
                ..TlsTimes::default()
            });
            row
        };
        let rows: Vec<Row> = (0..5).flat_map(|n| [row("a", n), row("b", n)]).collect();
        let times = comparisons(&rows, Experiment::Tls, Figure::Handshake);
        assert!(times.body.is_empty());
        let pictures = pictures(&rows);
        assert_eq!(pictures.len(), 1);
        assert!(pictures[0].standalone().contains("217"));
        let table = tls(&rows, Experiment::Tls).to_markdown();
        assert!(
            table.contains("83000") && table.contains("Does not fit"),
            "{table}"
        );
    }

    #[test]
    fn there_is_a_picture_of_times_and_of_shares() {
        let pictures = pictures(&rows());
        let ids: Vec<&str> = pictures.iter().map(|p| p.id.as_str()).collect();
        assert_eq!(
            ids,
            ["times-two-processes-string", "share-two-processes-string"]
        );
        assert!(pictures[0].standalone().contains("aes-256-cbc"));
    }
}
