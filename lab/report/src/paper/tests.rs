use selo_engine::row::Metric;

use super::parse::parse;
use super::*;

const SMALL: &str = r#"name = "test2020"
title = "A test"
authors = ["A. Uthor"]

[[table]]
id = "table-1"
label = "Table I"
title = "Time"
method = "a stopwatch"
unit = "ms"
measured_by = { metric = "time", operation = "encrypt" }

[[table.column]]
label = "Arduino"
measured_by = { board = "uno" }

[[table.column]]
label = "Abacus"
measured_by = { board = "abacus", operation = "decrypt" }

[[table.row]]
label = "AES128"
published = [0.5, "-"]
measured_by = { algorithm = "aes-128", variant = "fast" }
"#;

fn mistake(text: &str) -> (usize, String) {
    match parse(text) {
        Ok(_) => panic!("must be refused:\n{text}"),
        Err(mistake) => (mistake.line(text), mistake.message),
    }
}

fn good(text: &str) -> Paper {
    parse(text).unwrap_or_else(|mistake| panic!("{}: {}", mistake.line(text), mistake.message))
}

#[test]
fn table_column_and_row_make_the_link_together() {
    let paper = good(SMALL);
    let cells = &paper.tables[0].cells;
    assert_eq!(cells.len(), 2);
    assert_eq!(cells[0].published, Published::Number(0.5));
    assert_eq!(cells[1].published, Published::Dash);
    let MeasuredBy::Value(second) = &cells[1].measured_by else {
        panic!("a value")
    };
    assert_eq!(second.board, "abacus");
    assert_eq!(
        second.sum,
        [Term {
            metric: Metric::Time,
            operation: "decrypt".into(),
            algorithm: None,
        }]
    );
}

#[test]
fn mistakes_point_at_their_line() {
    let (line, message) = mistake(&SMALL.replace("[0.5, \"-\"]", "[0.5]"));
    assert_eq!(
        (line, message.as_str()),
        (
            23,
            "row 'AES128' has 1 values, table 'table-1' has 2 columns"
        )
    );
    let (line, message) = mistake(&SMALL.replace("unit = \"ms\"", "unit = \"fortnights\""));
    assert_eq!((line, message.as_str()), (10, "unknown unit 'fortnights'"));
    let (line, message) = mistake(&SMALL.replace("unit = \"ms\"", "unit = \"bytes\""));
    assert_eq!(line, 22);
    assert!(message.contains("the unit does not match"), "{message}");
    let (line, message) = mistake(&SMALL.replace("metric = \"time\"", "metric = \"tide\""));
    assert_eq!(line, 11);
    assert!(message.contains("tide"), "{message}");
    let (line, _) = mistake(&SMALL.replace("[0.5, \"-\"]", "[0.5, \"-\""));
    assert!(line >= 23, "{line}");
    let (line, message) = mistake(&SMALL.replace("id = \"table-1\"", "id = \"Table 1\""));
    assert_eq!(line, 6);
    assert!(message.contains("lower-case"));
    let (line, message) = mistake(&SMALL.replace("algorithm = \"aes-128\", ", ""));
    assert_eq!(line, 22);
    assert!(message.contains("needs an algorithm"), "{message}");
    let (line, message) = mistake(&SMALL.replace("[0.5, \"-\"]", "[0.5, \"fast\"]"));
    assert_eq!(line, 22);
    assert!(message.contains("cannot be compared"), "{message}");
    let (line, message) = mistake(&SMALL.replace("method", "methode"));
    assert_eq!(line, 9);
    assert!(message.contains("methode"), "{message}");
}

#[test]
fn sums_differences_and_quotients() {
    let with = |unit: &str, link: &str| {
        let text = SMALL
            .replace("unit = \"ms\"", &format!("unit = \"{unit}\""))
            .replace("variant = \"fast\"", &format!("variant = \"fast\", {link}"));
        good(&text).tables[0].cells[0].measured_by.clone()
    };
    let MeasuredBy::Value(total) = with(
        "bytes",
        "sum = [\"ram both\"], max = [\"stack encrypt\", \"stack decrypt\"]",
    ) else {
        panic!("a value")
    };
    assert_eq!((total.sum.len(), total.max.len()), (1, 2));
    let MeasuredBy::Value(path) = with("ms", "sum = [\"time encrypt\", \"time hash of sha-256\"]")
    else {
        panic!("a value")
    };
    let algorithms: Vec<Option<&str>> = path
        .sum
        .iter()
        .map(|term| term.algorithm.as_deref())
        .collect();
    assert_eq!(algorithms, [None, Some("sha-256")]);
    assert_eq!(path.sum[1].operation, "hash");
    let MeasuredBy::Quotient(a, b) = with("x", "over = { variant = \"small\" }") else {
        panic!("a quotient")
    };
    assert_eq!(
        (a.variant.as_deref(), b.variant.as_deref()),
        (Some("fast"), Some("small"))
    );
    assert_eq!(a.sum, b.sum);
    let MeasuredBy::Difference(_, b) = with("us", "less = { algorithm = \"aes-256\" }") else {
        panic!("a difference")
    };
    assert_eq!(b.algorithm, "aes-256");
    let mixed = SMALL.replace(
        "variant = \"fast\"",
        "sum = [\"ram both\", \"time encrypt\"]",
    );
    assert!(mistake(&mixed).1.contains("different units"));
}

#[test]
fn a_batterys_life_needs_an_energy_a_period_and_a_profile() {
    let with = |link: &str| {
        SMALL
            .replace("unit = \"ms\"", "unit = \"years\"")
            .replace("metric = \"time\"", "metric = \"energy\"")
            .replace("variant = \"fast\"", &format!("variant = \"fast\", {link}"))
    };
    let whole = "power = \"p\", battery = \"cr2032\", period = \"5s\"";
    let MeasuredBy::Value(value) = &good(&with(whole)).tables[0].cells[0].measured_by else {
        panic!("a value")
    };
    let life = value.life.as_ref().expect("a life");
    assert_eq!(
        (life.battery.milliamp_hours, life.period_seconds),
        (225.0, 5.0)
    );
    for (link, words) in [
        ("power = \"p\", battery = \"cr2032\"", "needs a period"),
        ("battery = \"cr2032\", period = \"5s\"", "a power profile"),
        (
            "power = \"p\", battery = \"lemon\", period = \"5s\"",
            "unknown battery",
        ),
        (
            "power = \"p\", battery = \"cr2032\", period = \"5 W\"",
            "cannot be converted",
        ),
    ] {
        let (_, message) = mistake(&with(link));
        assert!(message.contains(words), "{link}: {message}");
    }
    let (_, message) = mistake(&with(whole).replace("\"energy\"", "\"time\""));
    assert!(message.contains("needs energy terms"), "{message}");
    let (_, message) = mistake(&with(whole).replace("\"years\"", "\"nJ\""));
    assert!(message.contains("does not match"), "{message}");
}

#[test]
fn tables_answer_to_numbers() {
    let paper = good(&SMALL.replace("table-1", "table-1-time"));
    for wanted in ["1", "table-1", "Table I", "table 1", "table-1-time"] {
        assert_eq!(paper.tables_named(wanted).len(), 1, "{wanted}");
    }
    for wanted in ["2", "table-10", "figure-1", "", "t"] {
        assert_eq!(paper.tables_named(wanted).len(), 0, "{wanted}");
    }
    let figure = good(&SMALL.replace("table-1", "figure-1a"));
    for wanted in ["1", "1a", "figure-1", "figure-1a"] {
        assert_eq!(figure.tables_named(wanted).len(), 1, "{wanted}");
    }
    assert_eq!(figure.tables_named("1b").len(), 0);
}
