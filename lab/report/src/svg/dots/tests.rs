use super::*;

pub fn chart() -> DotChart {
    let dot = |value: f64, interval| Dot {
        value,
        text: format!("{value}"),
        interval,
        name: String::new(),
        owner: None,
    };
    DotChart {
        id: "time".to_owned(),
        title: "Time <of> aes".to_owned(),
        unit: "milliseconds".to_owned(),
        fidelity: String::new(),
        series: vec![
            Series {
                name: "measured, cycle-exact".to_owned(),
                color: Color::Measured,
            },
            Series {
                name: "published".to_owned(),
                color: Color::Published,
            },
        ],
        items: vec![
            Item {
                label: "aes-128 & co".to_owned(),
                remark: "0.50×".to_owned(),
                owner: Owner {
                    library: Some("selo & sons".to_owned()),
                    algorithm: Some("aes-128".to_owned()),
                },
                dots: vec![Some(dot(0.5, None)), Some(dot(1.0, Some((0.9, 1.1))))],
            },
            Item {
                label: "rsa-2048".to_owned(),
                remark: "does not fit".to_owned(),
                owner: Owner::default(),
                dots: vec![None, None],
            },
        ],
        second: None,
        one_line: false,
    }
}

#[test]
fn dots_stand_on_a_logarithmic_axis() {
    let svg = chart().draw().inline().into_string();
    // The axis goes from 0.5 to 2. 1.0 is half of the way, of 79 %.
    assert!(svg.contains("cx=\"0%\""), "{svg}");
    assert!(svg.contains("cx=\"39.5%\""), "{svg}");
    assert_eq!(svg.matches("class=\"whisker\"").count(), 3);
    assert!(!svg.contains("<rect"), "no bars: {svg}");
}

#[test]
fn a_second_scale_marks_its_own_round_values() {
    let mut chart = chart();
    chart.second = Some(Second {
        name: "energy, nWh".to_owned(),
        factor: 4.0,
    });
    let svg = chart.draw().inline().into_string();
    // The axis goes from 0.5 to 2, so the second scale from 2 to 8. Its 5 is 1.25 of the first.
    assert!(svg.contains("energy, nWh"), "{svg}");
    let place = px(79.0 * 2.5f64.log10() / 4f64.log10());
    assert!(svg.contains(&format!("x=\"{place}%\" y=")), "{svg}");
}

#[test]
fn an_item_says_whose_it_is_and_how_much_room_it_has() {
    let svg = chart().draw().inline().into_string();
    // Heights: a label, two dots and a gap; then a label and a gap.
    let one = "data-library=\"selo &amp; sons\" data-algorithm=\"aes-128\" data-height=\"52\"";
    assert!(svg.contains(one), "{svg}");
    assert!(svg.contains("<g data-height=\"26\">"), "{svg}");
}

#[test]
fn dots_that_share_a_line_are_hidden_one_by_one() {
    let mut chart = chart();
    chart.one_line = true;
    let owner = Owner {
        library: Some("other".to_owned()),
        algorithm: None,
    };
    if let Some(dot) = &mut chart.items[0].dots[1] {
        dot.owner = Some(owner);
    }
    let svg = chart.draw().inline().into_string();
    assert!(svg.contains("data-height=\"33\""), "{svg}");
    assert!(svg.contains("<g data-library=\"other\"><line"), "{svg}");
}

#[test]
fn pictures_speak_and_escape() {
    let svg = chart().draw().inline().into_string();
    assert!(
        svg.contains("<title id=\"time-t0\">Time &lt;of&gt; aes</title>"),
        "{svg}"
    );
    assert!(
        svg.contains("aes-128 &amp; co: 0.5 and 1; rsa-2048: does not fit."),
        "{svg}"
    );
    assert!(!svg.contains("<of>"));
}

#[test]
fn a_picture_alone_carries_its_colours() {
    let svg = chart().draw().standalone();
    assert!(svg.starts_with("<?xml"));
    assert!(svg.contains("--measured"));
    assert!(svg.contains("viewBox=\"0 0 672 "));
}
