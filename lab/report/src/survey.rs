//! A survey for readers: the verdict table in the form of [rocha-securino, Table 1], the
//! vectors by source, the costs, and every fault with its evidence. Terminal, Markdown and
//! page are renderings of one document.

use std::path::{Path, PathBuf};

use selo_engine::row::{Fidelity, Metric};
use selo_engine::survey::{
    Answer, Cost, Finding, Mark, Question, SurveyLine, SurveyVerdict, Weight,
};

use crate::document::{Document, Section};
use crate::report::{self, ReportError};
use crate::table::{Cell, Column, Table, TerminalStyle, Tone};
use crate::{format, html, markdown};

/// Maximum length of evidence in the terminal, in characters. Files and JSON have all of it.
const SHOWN: usize = 72;

/// The text for a terminal: tables, then each finding with its evidence.
pub fn text(lines: &[SurveyLine], style: TerminalStyle) -> String {
    let mut text = verdicts(lines).to_terminal(style);
    for table in [sources(lines), costs(lines)].into_iter().flatten() {
        text.push('\n');
        text.push_str(&table.to_terminal(style));
    }
    for (places, finding) in grouped(lines) {
        if finding.weight == Weight::Remark {
            continue;
        }
        text.push_str(&format!(
            "\n{} {}: {}\n",
            word(finding.weight),
            places,
            finding.title
        ));
        if let Some(vector) = &finding.vector {
            text.push_str(&format!("  found by  {vector}\n"));
        }
        if let Some(citation) = &finding.citation {
            text.push_str(&format!("  against   {citation}\n"));
        }
        text.push_str(&format!("  {}\n", finding.text));
        for evidence in &finding.evidence {
            for (at, line) in evidence.value.lines().enumerate() {
                let name = if at == 0 { &evidence.name } else { "" };
                text.push_str(&format!("    {name:<20} {}\n", shorten(line)));
            }
        }
    }
    text.push('\n');
    for line in lines {
        text.push_str(&format!(
            "{} {} on {}: {}: {}\n",
            line.algorithm,
            line.variant,
            line.board,
            line.verdict.words(),
            line.why
        ));
    }
    text
}

/// Writes survey.html and survey.md into a folder and returns their paths.
pub fn write(
    lines: &[SurveyLine],
    title: &str,
    folder: &Path,
) -> Result<Vec<PathBuf>, ReportError> {
    let document = document(lines, title);
    report::make_folder(folder)?;
    let files = [
        ("survey.html", html::page_of(&document, "selo lab survey")),
        ("survey.md", markdown::text_of(&document)),
    ];
    files
        .into_iter()
        .map(|(name, text)| {
            let path = folder.join(name);
            report::write_file(&path, &text)?;
            Ok(path)
        })
        .collect()
}

fn document(lines: &[SurveyLine], title: &str) -> Document {
    let mut boards: Vec<&str> = lines.iter().map(|line| line.board.as_str()).collect();
    boards.dedup();
    let mut summary = Section::new("summary", "Verdict");
    summary.table("verdicts", verdicts(lines));
    let words = lines.iter().map(|line| {
        format!(
            "{} {} on {}: {}: {}",
            line.algorithm,
            line.variant,
            line.board,
            line.verdict.words(),
            line.why
        )
    });
    summary
        .blocks
        .push(crate::document::Block::Notes(words.collect()));
    let mut sections = vec![summary];
    if let Some(table) = sources(lines) {
        let mut section = Section::new("vectors", "Official vectors");
        section.table("sources", table);
        sections.push(section);
    }
    if let Some(table) = costs(lines) {
        let mut section = Section::new("costs", "Costs");
        section.table("figures", table);
        sections.push(section);
    }
    sections.push(findings(lines));
    Document {
        title: title.to_owned(),
        subtitle: format!("A survey on {}", boards.join(", ")),
        sections,
    }
}

fn findings(lines: &[SurveyLine]) -> Section {
    let mut section = Section::new("findings", "Findings");
    for (number, (places, finding)) in grouped(lines).into_iter().enumerate() {
        let mut one = Section::new(format!("finding-{}", number + 1), finding.title.clone());
        one.text(format!(
            "{}: {places}. {}",
            word(finding.weight),
            finding.text
        ));
        let evidence = evidence(finding);
        if !evidence.body.is_empty() {
            one.table("evidence", evidence);
        }
        section.subsections.push(one);
    }
    if section.subsections.is_empty() {
        section.text("Nothing to report.");
    }
    section
}

fn evidence(finding: &Finding) -> Table {
    let mut table = Table::new("", vec![Column::text(""), Column::text("")]);
    let mut push = |name: &str, value: &str| {
        table.push(vec![Cell::text(name), Cell::text(value)]);
    };
    if let Some(vector) = &finding.vector {
        push("found by", vector);
    }
    if let Some(citation) = &finding.citation {
        push("against", citation);
    }
    for evidence in &finding.evidence {
        push(&evidence.name, &evidence.value);
    }
    table
}

/// One line per algorithm and board: builds, fits, conforms, and the verdict.
fn verdicts(lines: &[SurveyLine]) -> Table {
    let mut columns = vec![
        Column::text("Algorithm"),
        Column::text("Variant"),
        Column::text("Board"),
    ];
    columns.extend(Question::ALL.map(|question| Column::text(question.title())));
    columns.extend([Column::text("Verdict"), Column::text("Why")]);
    let caption = match lines.first() {
        Some(line) => format!(
            "{} {} ({})",
            line.library, line.library_version, line.licence
        ),
        None => String::new(),
    };
    let mut table = Table::new(caption, columns);
    for line in lines {
        let tone = match line.verdict {
            SurveyVerdict::Suitable => Tone::Good,
            SurveyVerdict::Reservations => Tone::Warn,
            SurveyVerdict::NotSuitable => Tone::Bad,
            SurveyVerdict::NotTold => Tone::Plain,
        };
        let mut cells = vec![
            Cell::text(&line.algorithm),
            Cell::text(&line.variant),
            Cell::text(&line.board),
        ];
        cells.extend(
            Question::ALL.map(|question| line.answer(question).map_or_else(Cell::none, answer)),
        );
        cells.push(Cell::label(line.verdict.words(), tone));
        cells.push(Cell::text(shorten(&line.why)));
        table.push(cells);
    }
    table.remarks.push(
        "OK: yes. X: no. ?: could not be determined here. -: does not apply to this algorithm. Fresh IV: a new, unpredictable IV for every CBC message (SP 800-38A, appendix C)."
            .to_owned(),
    );
    table
}

fn answer(answer: &Answer) -> Cell {
    let (word, tone) = match answer.mark {
        Mark::Yes => ("OK", Tone::Good),
        Mark::No => ("X", Tone::Bad),
        Mark::NotTold => ("?", Tone::Quiet),
        Mark::DoesNotApply => ("-", Tone::Quiet),
    };
    let cell = Cell::label(word, tone);
    match &answer.detail {
        Some(detail) => cell.with_detail(detail),
        None => cell,
    }
}

/// The number of passed vectors per source.
fn sources(lines: &[SurveyLine]) -> Option<Table> {
    let mut table = Table::new(
        "Official vectors",
        vec![
            Column::text("Algorithm"),
            Column::text("Variant"),
            Column::text("Board"),
            Column::text("Source"),
            Column::number("Tried", ""),
            Column::number("Passed", ""),
            Column::number("Of", ""),
        ],
    );
    for line in lines {
        let official = line.checks.iter();
        for check in official.filter(|check| check.is_official() && check.tried > 0) {
            let passed = number(check.passed as f64);
            let all = check.passed == check.tried;
            table.push(vec![
                Cell::text(&line.algorithm),
                Cell::text(&line.variant),
                Cell::text(&line.board),
                Cell::text(&check.source),
                number(check.tried as f64),
                passed.with_tone(if all { Tone::Plain } else { Tone::Bad }),
                number(check.available as f64),
            ]);
        }
    }
    table.remarks.push(
        "Of: number of vectors that the source has for this algorithm. On a simulated chip a sample is tried, unless --full is given."
            .to_owned(),
    );
    (!table.body.is_empty()).then_some(table)
}

/// The metrics of the table of costs, in its order.
const COSTS: [Metric; 6] = [
    Metric::Flash,
    Metric::Ram,
    Metric::Stack,
    Metric::Cycles,
    Metric::Instructions,
    Metric::Time,
];

/// Flash, RAM, stack and time for encrypting only, decrypting only, and both.
fn costs(lines: &[SurveyLine]) -> Option<Table> {
    let mut table = Table::new("Costs", cost_columns());
    for line in lines {
        for (operation, bytes) in operations(line) {
            table.push(cost_cells(line, operation, bytes));
        }
    }
    if table.body.is_empty() {
        return None;
    }
    let mut table = table.without_empty_columns();
    table.remarks.push(
        "Flash and RAM: growth over an empty program, including key set-up; RAM is static. A library that fails vectors has no figures."
            .to_owned(),
    );
    if lines
        .iter()
        .any(|line| line.fidelity == Fidelity::WallClock)
    {
        table.remarks.push(format!(
            "wall-clock: {}.",
            format::fidelity_meaning(Fidelity::WallClock)
        ));
    }
    Some(table)
}

fn cost_columns() -> Vec<Column> {
    let mut columns = vec![
        Column::text("Algorithm"),
        Column::text("Variant"),
        Column::text("Board"),
        Column::text("Operation"),
    ];
    columns.extend(COSTS.map(|metric| {
        let unit = match metric {
            Metric::Time => "µs",
            Metric::Flash | Metric::Ram | Metric::Stack => "bytes",
            _ => "",
        };
        Column::number(format::metric_title(metric), unit)
    }));
    columns.push(Column::text("Fidelity"));
    columns
}

/// The operations that have a cost, with the size that the table shows: the first one.
fn operations(line: &SurveyLine) -> Vec<(&str, Option<u32>)> {
    let mut operations: Vec<(&str, Option<u32>)> = Vec::new();
    for cost in line.costs.iter().filter(|cost| cost.value.is_some()) {
        let known = operations.iter().any(|(name, bytes)| {
            *name == cost.operation && (bytes.is_some() || cost.bytes.is_none())
        });
        if !known {
            operations.retain(|(name, _)| *name != cost.operation);
            operations.push((&cost.operation, cost.bytes));
        }
    }
    operations.sort_by_key(|(name, _)| *name == "both" || *name == "all");
    operations
}

fn cost_cells(line: &SurveyLine, operation: &str, bytes: Option<u32>) -> Vec<Cell> {
    let find = |metric: Metric| -> Option<&Cost> {
        line.costs.iter().find(|cost| {
            cost.operation == operation
                && cost.metric == metric
                && cost.value.is_some()
                && (cost.bytes == bytes || cost.bytes.is_none())
        })
    };
    let named = match bytes {
        Some(bytes) => format!("{operation}, {bytes} bytes"),
        None => operation.to_owned(),
    };
    let mut cells = vec![
        Cell::text(&line.algorithm),
        Cell::text(&line.variant),
        Cell::text(&line.board),
        Cell::text(named),
    ];
    cells.extend(
        COSTS.map(|metric| match find(metric).and_then(|cost| cost.value) {
            Some(seconds) if metric == Metric::Time => {
                let micro = seconds * 1e6;
                Cell::number(format::significant(micro, 3), micro)
            }
            Some(value) => number(value),
            None => Cell::none(),
        }),
    );
    let mut named: Vec<&str> = [Metric::Cycles, Metric::Instructions]
        .into_iter()
        .filter_map(|metric| find(metric).map(|cost| cost.fidelity.name()))
        .collect();
    named.dedup();
    if named.is_empty() {
        named.push(line.fidelity.name());
    }
    cells.push(Cell::label(named.join(", "), Tone::Plain));
    cells
}

fn number(value: f64) -> Cell {
    Cell::number(format::count(value), value)
}

/// Merges equal findings of several boards and variants, and lists their places.
fn grouped(lines: &[SurveyLine]) -> Vec<(String, &Finding)> {
    let mut groups: Vec<(Vec<String>, &Finding)> = Vec::new();
    for line in lines {
        let place = format!("{} {} on {}", line.algorithm, line.variant, line.board);
        for finding in &line.findings {
            let same = |known: &&Finding| {
                known.id == finding.id
                    && known.title == finding.title
                    && known.evidence == finding.evidence
                    && known.vector == finding.vector
            };
            match groups.iter_mut().find(|(_, known)| same(known)) {
                Some((places, _)) => places.push(place.clone()),
                None => groups.push((vec![place.clone()], finding)),
            }
        }
    }
    groups.sort_by_key(|(_, finding)| finding.weight);
    let joined = groups.into_iter();
    joined
        .map(|(places, finding)| (places.join(", "), finding))
        .collect()
}

fn word(weight: Weight) -> &'static str {
    match weight {
        Weight::Fault => "FAULT",
        Weight::Gap => "NOT TOLD",
        Weight::Reservation => "RESERVATION",
        Weight::Remark => "REMARK",
    }
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
