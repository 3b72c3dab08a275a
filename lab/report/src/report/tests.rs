//! Whole reports: complete, well formed, safe with hostile data, repeatable.

use std::collections::BTreeSet;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use selo_engine::check::CheckLine;
use selo_engine::row::{Cause, Metric, Note, Row, Status};

use super::*;
use crate::compare::{CellLine, CellStatus, ComparedCell, ComparedTable, Figure};
use crate::html::unpacked;
use crate::sample;

mod page;

/// Names that break out of their context if any escaping is missing.
const HOSTILE: &str = "x\"><script>alert('1')</script>&amp;<img src=x onerror=alert(2)>|`*";

fn papers() -> Vec<Comparison> {
    let cell = |row: &str, published: Option<f64>, measured: Option<f64>, status| ComparedCell {
        row: row.to_owned(),
        column: "Arduino".to_owned(),
        operation: None,
        note: None,
        rows: vec![0],
        rows_beside: Vec::new(),
        line: CellLine {
            paper: "albarello2020".to_owned(),
            table: "table-2-time".to_owned(),
            cell: format!("{row} | Arduino"),
            published: published.map(Figure::Number),
            published_unit: Some("ms".to_owned()),
            measured: measured.map(Figure::Number),
            unit: Some("ms".to_owned()),
            ratio: published
                .zip(measured)
                .map(|(published, measured)| measured / published),
            board: Some("uno".to_owned()),
            fidelity: measured.map(|_| selo_engine::row::Fidelity::CycleExact),
            status,
            reason: Some("from rows".to_owned()),
            caution: None,
            beside: None,
        },
    };
    vec![Comparison {
        paper: "albarello2020".to_owned(),
        title: "Evaluation of cryptographic algorithms".to_owned(),
        notes: vec!["The clock is printed as 20 MHz; it is 16.".to_owned()],
        tables: vec![ComparedTable {
            id: "table-2-time".to_owned(),
            label: "Table II".to_owned(),
            title: "Time".to_owned(),
            method: "micros() around the call.".to_owned(),
            notes: Vec::new(),
            columns: 1,
            cells: vec![
                cell("AES128: Encrypt", Some(0.564), Some(0.3125), CellStatus::Ok),
                cell("AES128: Decrypt", Some(1.08), Some(0.46875), CellStatus::Ok),
                cell("SHA256", Some(10.76), None, CellStatus::NotMeasured),
            ],
        }],
    }]
}

fn hostile_rows() -> Vec<Row> {
    let mut rows = sample::rows();
    for row in &mut rows {
        for field in [
            &mut row.run,
            &mut row.board,
            &mut row.mcu,
            &mut row.runner,
            &mut row.compiler,
            &mut row.flags,
            &mut row.library,
            &mut row.library_version,
            &mut row.algorithm,
            &mut row.variant,
            &mut row.operation,
            &mut row.firmware_sha256,
            &mut row.commit,
        ] {
            field.push_str(HOSTILE);
        }
        row.notes = vec![Note::Said {
            text: HOSTILE.to_owned(),
        }];
        row.cause = Some(Cause::Said {
            text: HOSTILE.to_owned(),
            status: row.status,
        });
    }
    rows
}

fn hostile_checks() -> Vec<CheckLine> {
    let mut checks = sample::checks();
    for check in &mut checks {
        for field in [
            &mut check.algorithm,
            &mut check.variant,
            &mut check.library,
            &mut check.board,
        ] {
            field.push_str(HOSTILE);
        }
        check.first_failure = check.first_failure.as_ref().map(|_| HOSTILE.to_owned());
    }
    checks
}

fn write_to(
    folder: &Path,
    rows: &[Row],
    papers: &[Comparison],
    checks: &[CheckLine],
) -> ReportPaths {
    write(
        rows,
        papers,
        checks,
        &sample::context(),
        Formats::ALL,
        &Translator::default(),
        folder,
    )
    .expect("the folder is writable")
}

fn read(path: &Option<PathBuf>) -> String {
    std::fs::read_to_string(path.as_ref().expect("it was asked for")).expect("it was written")
}

/// The text without the content of style and script. HTML treats it as text, an XML parser would
/// treat it as markup.
fn without_style_and_script(text: &str) -> String {
    let mut text = text.replacen("<!DOCTYPE html>", "", 1);
    for name in ["style", "script"] {
        let mut from = 0;
        while let Some(open) = text[from..].find(&format!("<{name}")).map(|at| at + from) {
            let start = open + text[open..].find('>').expect("the tag ends") + 1;
            let end = start
                + text[start..]
                    .find(&format!("</{name}>"))
                    .expect("the element ends");
            text.replace_range(start..end, "");
            from = start;
        }
    }
    text
}

/// Parses a page or a picture and returns the names and attributes of its elements. Panics on
/// unclosed tags and repeated attributes.
fn elements(text: &str) -> Vec<(String, Vec<(String, String)>)> {
    const VOID: [&str; 5] = ["meta", "link", "br", "input", "img"];
    let text = without_style_and_script(text);
    let mut reader = Reader::from_str(&text);
    reader.config_mut().check_end_names = false;
    let mut open: Vec<String> = Vec::new();
    let mut found = Vec::new();
    let mut record = |tag: &BytesStart<'_>| {
        let name = String::from_utf8_lossy(tag.name().as_ref()).into_owned();
        let attributes = tag
            .html_attributes()
            .map(|attribute| {
                let attribute = attribute.expect("attributes are well formed and not repeated");
                let value = attribute
                    .unescape_value()
                    .expect("references are known")
                    .into_owned();
                (
                    String::from_utf8_lossy(attribute.key.as_ref()).into_owned(),
                    value,
                )
            })
            .collect();
        found.push((name.clone(), attributes));
        name
    };
    loop {
        match reader.read_event().expect("the markup is well formed") {
            Event::Start(tag) => {
                let name = record(&tag);
                if !VOID.contains(&name.as_str()) {
                    open.push(name);
                }
            }
            Event::Empty(tag) => {
                record(&tag);
            }
            Event::End(tag) => {
                let name = String::from_utf8_lossy(tag.name().as_ref()).into_owned();
                assert_eq!(open.pop(), Some(name), "elements are closed in order");
            }
            Event::Eof => break,
            _ => {}
        }
    }
    assert!(open.is_empty(), "{open:?} left open");
    found
}

#[test]
fn the_page_is_well_formed_and_its_links_lead_somewhere() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let paths = write_to(folder.path(), &sample::rows(), &papers(), &sample::checks());
    let page = elements(&unpacked(&read(&paths.html)));
    let value = |name: &str| {
        let name = name.to_owned();
        page.iter()
            .flat_map(|(_, attributes)| attributes)
            .filter(move |(key, _)| *key == name)
            .map(|(_, value)| value)
    };
    let ids: Vec<&String> = value("id").collect();
    let unique: BTreeSet<&String> = ids.iter().copied().collect();
    assert_eq!(ids.len(), unique.len(), "ids are unique");
    for target in value("href").filter_map(|href| href.strip_prefix('#')) {
        assert!(
            ids.iter().any(|id| *id == target),
            "#{target} leads nowhere"
        );
    }
    for labels in value("aria-labelledby") {
        assert!(
            labels
                .split(' ')
                .all(|label| ids.iter().any(|id| *id == label))
        );
    }
    for section in [
        "summary",
        "best",
        "trade-off",
        "paper-albarello2020",
        "board-uno",
        "conformance",
        "failures",
        "provenance",
        "raw",
    ] {
        assert!(ids.iter().any(|id| *id == section), "{section} is missing");
    }
}

#[test]
fn the_page_fetches_nothing() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let html = read(&write_to(folder.path(), &sample::rows(), &papers(), &sample::checks()).html);
    let html = unpacked(&html);
    for (name, attributes) in elements(&html) {
        for (key, value) in attributes {
            if matches!(key.as_str(), "src" | "href" | "srcset" | "data" | "action") {
                assert!(
                    value.starts_with('#') || value.starts_with("data:"),
                    "{name} {key}={value}"
                );
            }
        }
    }
    assert!(!html.contains("@import") && !html.contains("url("));
    assert!(html.contains("default-src 'none'"));
}

#[test]
fn what_is_drawn_later_weighs_little() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let rows: Vec<_> = std::iter::repeat_with(sample::rows)
        .take(50)
        .flatten()
        .collect();
    let html = read(&write_to(folder.path(), &rows, &papers(), &sample::checks()).html);
    let drawn = unpacked(&html);
    assert!(
        html.len() * 3 < drawn.len() * 2,
        "{} of {}",
        html.len(),
        drawn.len()
    );
}

#[test]
fn every_figure_says_its_fidelity_and_its_row() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let rows = sample::rows();
    let html = read(&write_to(folder.path(), &rows, &papers(), &sample::checks()).html);
    let html = unpacked(&html);
    for (index, row) in rows
        .iter()
        .enumerate()
        .filter(|(_, row)| row.value.is_some())
    {
        let title = format!(
            "title=\"row {index}; run {}; {}, {};",
            row.run,
            row.runner,
            row.fidelity.name()
        );
        assert!(
            html.contains(&title),
            "row {index} ({:?}) is not on the page",
            row.metric
        );
    }
    for picture in elements_text(&html, "desc") {
        assert!(picture.contains("cycle-exact"), "{picture}");
    }
    for caption in html.split("<figcaption>").skip(1) {
        let caption = caption.split("</figcaption>").next().unwrap_or_default();
        assert!(caption.contains("cycle-exact"), "{caption}");
    }
}

/// The text of every element of this name without attributes other than an id.
fn elements_text<'a>(html: &'a str, name: &str) -> Vec<&'a str> {
    let open = format!("<{name} id=");
    let texts = html.split(&open as &str).skip(1);
    texts
        .filter_map(|rest| rest.split_once('>')?.1.split('<').next())
        .collect()
}

#[test]
fn hostile_names_stay_text() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut papers = papers();
    papers[0].title = HOSTILE.to_owned();
    papers[0].tables[0].title = HOSTILE.to_owned();
    papers[0].tables[0].cells[0].row = HOSTILE.to_owned();
    let paths = write_to(folder.path(), &hostile_rows(), &papers, &hostile_checks());
    let page = elements(&unpacked(&read(&paths.html)));
    let scripts = page.iter().filter(|(name, _)| name == "script").count();
    assert_eq!(scripts, 3, "the page's own script, the parts and the rows");
    assert!(page.iter().all(|(name, attributes)| name != "img"
        && attributes.iter().all(|(key, _)| !key.starts_with("on"))));
    for picture in &paths.pictures {
        let picture = elements(&read(&Some(picture.clone())));
        assert!(
            picture
                .iter()
                .all(|(name, _)| name != "script" && name != "img")
        );
    }
    assert!(!read(&paths.markdown).contains("<script") && !read(&paths.markdown).contains("<img"));
}

#[test]
fn the_same_rows_give_the_same_bytes() {
    let (one, two) = (
        tempfile::tempdir().expect("a folder"),
        tempfile::tempdir().expect("a folder"),
    );
    let first = write_to(one.path(), &sample::rows(), &papers(), &sample::checks());
    let second = write_to(two.path(), &sample::rows(), &papers(), &sample::checks());
    assert_eq!(read(&first.html), read(&second.html));
    assert_eq!(read(&first.markdown), read(&second.markdown));
    assert_eq!(read(&first.csv), read(&second.csv));
    assert_eq!(first.pictures.len(), second.pictures.len());
    for (a, b) in first.pictures.iter().zip(&second.pictures) {
        assert_eq!(read(&Some(a.clone())), read(&Some(b.clone())));
    }
}

#[test]
fn markdown_shows_every_picture_and_every_picture_is_a_file() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let paths = write_to(folder.path(), &sample::rows(), &papers(), &sample::checks());
    let markdown = read(&paths.markdown);
    assert!(!paths.pictures.is_empty());
    for path in &paths.pictures {
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .expect("a plain name");
        assert!(markdown.contains(&format!("(pictures/{name})")), "{name}");
        elements(&read(&Some(path.clone())));
    }
    assert_eq!(
        markdown.matches("](pictures/").count(),
        paths.pictures.len()
    );
}

#[test]
fn csv_holds_what_the_rows_hold() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for rows in [sample::rows(), hostile_rows()] {
        let csv = read(&write_to(folder.path(), &rows, &[], &[]).csv);
        let lines = parse_csv(&csv);
        assert_eq!(lines.len(), rows.len() + 1);
        for (row, line) in rows.iter().zip(&lines[1..]) {
            let mut object = serde_json::Map::new();
            let whole = serde_json::to_value(row).expect("a row is JSON");
            for (name, field) in lines[0].iter().zip(line) {
                // The CSV has causes and notes as sentences.
                let said = match name.as_str() {
                    "cause" => Some(row.why()),
                    "notes" => Some(row.remarks()),
                    _ => None,
                };
                if let Some(said) = said {
                    assert_eq!(field, &said.unwrap_or_default());
                    object.insert(name.clone(), whole[name].clone());
                    continue;
                }
                let value = match &whole[name] {
                    serde_json::Value::String(_) => field.as_str().into(),
                    _ if field.is_empty() => serde_json::Value::Null,
                    _ => serde_json::from_str(field).expect("a number"),
                };
                object.insert(name.clone(), value);
            }
            let back: Row = serde_json::from_value(object.into()).expect("a row");
            assert_eq!(&back, row);
        }
    }
}

/// Reads CSV as [RFC4180, 2] defines it, independently of the writer.
fn parse_csv(text: &str) -> Vec<Vec<String>> {
    let (mut lines, mut line, mut field) = (Vec::new(), Vec::new(), String::new());
    let mut characters = text.chars().peekable();
    let mut quoted = false;
    while let Some(character) = characters.next() {
        match (character, quoted) {
            ('"', true) if characters.peek() == Some(&'"') => {
                characters.next();
                field.push('"');
            }
            ('"', _) => quoted = !quoted,
            (',', false) => line.push(std::mem::take(&mut field)),
            ('\r', false) => {}
            ('\n', false) => {
                line.push(std::mem::take(&mut field));
                lines.push(std::mem::take(&mut line));
            }
            (other, _) => field.push(other),
        }
    }
    lines
}

#[test]
fn failures_are_shown_with_their_reason_and_without_a_number() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let rows = sample::rows();
    let markdown = read(&write_to(folder.path(), &rows, &[], &[]).markdown);
    let failure = rows
        .iter()
        .find(|row| row.status == Status::DoesNotFit)
        .expect("the sample has one");
    let line = markdown
        .lines()
        .find(|line| {
            line.contains("rsa-2048") && line.contains("does not fit") && line.contains("1464 over")
        })
        .expect("the failure is in a table");
    assert!(line.contains(&failure.reason().expect("it has one")));
    assert!(line.contains(Metric::Flash.name()));
}

#[test]
fn nothing_measured_is_still_a_report() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let html = read(&write_to(folder.path(), &[], &[], &[]).html);
    elements(&html);
    assert!(html.contains("No rows yet"));
}

#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("file");
    std::fs::write(&file, "").expect("writable");
    let error = write(
        &[],
        &[],
        &[],
        &Context::default(),
        Formats::ALL,
        &Translator::default(),
        &file.join("out"),
    )
    .expect_err("a file is not a folder");
    assert!(error.to_string().contains("cannot write"), "{error}");
}
