//! A matrix at one glance: a block for each operation, libraries down, boards across. A cell is
//! darker the nearer it is to the fastest of its column.

use maud::{Markup, html};
use selo_engine::row::{Fidelity, Metric};

use super::{Matrix, MatrixCell, State};
use crate::format;
use crate::svg::{Layout, Picture};

/// Metrics of which a board's column has the first that it has a figure of.
const METRICS: [Metric; 3] = [Metric::Cycles, Metric::Instructions, Metric::Time];

/// Sizes in pixels.
const NAMES: f64 = 110.0;
const COLUMN: f64 = 92.0;
const LINE: f64 = 21.0;
const TITLE: f64 = 34.0;
const HEAD: f64 = 44.0;

/// Stands behind a figure whose time depends on secrets.
const VARIES: &str = "*";

/// The most that a cell of each shade takes, as a multiple of the fastest.
const SHADES: [(f64, &str); 4] = [(1.0, "q0"), (1.25, "q1"), (2.0, "q2"), (4.0, "q3")];

/// An operation on messages of one size, the largest that was measured.
struct Block<'m> {
    of: (&'m str, &'m str),
    bytes: Option<u32>,
    libraries: Vec<&'m str>,
    cells: Vec<&'m MatrixCell>,
}

impl Matrix {
    /// The picture, with the best variant of each library. `None` if no cell has a figure of
    /// cycles, instructions or time.
    pub fn picture(&self, title: &str) -> Option<Picture> {
        let measures = self.measures();
        if measures.is_empty() {
            return None;
        }
        let blocks = self.blocks(&measures);
        let legend = "Best variant of each library. Darker: nearer to the fastest of the column.";
        let figures = measures.iter().map(|(_, metric, sign)| (*metric, *sign));
        let mut meanings: Vec<String> = format::fidelity_legend(figures)
            .split(". ")
            .map(|part| part.split([',', ';']).next().unwrap_or(part).to_owned())
            .collect();
        if blocks.iter().any(Block::varies) {
            meanings.push(format!("{VARIES} its time was seen to depend on secrets"));
        }
        let mut y = HEAD;
        let body = html! {
            (heads(&measures))
            @for block in &blocks {
                (block.draw(&measures, &mut y))
            }
            text class="small" x="0" y=(y + 24.0) { (legend) }
            @for (number, part) in meanings.iter().enumerate() {
                text class="small" x="0" y=(y + 40.0 + 15.0 * number as f64) { (part) }
            }
        };
        let operations: Vec<String> = blocks.iter().map(Block::title).collect();
        Some(Picture {
            id: "matrix".into(),
            title: title.into(),
            description: format!("{legend} Operations: {}.", operations.join("; ")),
            layouts: vec![Layout {
                width: NAMES + COLUMN * measures.len() as f64,
                height: y + 40.0 + 15.0 * meanings.len() as f64,
                fluid: false,
                body,
            }],
        })
    }

    /// The boards that have figures, each with the metric of its column.
    fn measures(&self) -> Vec<(&str, Metric, Fidelity)> {
        let of = |board: &str, metric: Metric| {
            let mut cells = self.cells();
            cells.find_map(|cell| {
                let is_it = cell.board == board && cell.metric == metric && cell.value.is_some();
                cell.fidelity.filter(|_| is_it)
            })
        };
        let mut measures = Vec::new();
        for board in &self.boards {
            let mut known = METRICS.iter();
            measures.extend(known.find_map(|metric| {
                let fidelity = of(board, *metric)?;
                Some((board.as_str(), *metric, fidelity))
            }));
        }
        measures
    }

    /// The cells of the columns, by operation.
    fn blocks(&self, measures: &[(&str, Metric, Fidelity)]) -> Vec<Block<'_>> {
        let mut blocks: Vec<Block<'_>> = Vec::new();
        let is_shown = |cell: &&MatrixCell| {
            let mut columns = measures.iter();
            columns.any(|(board, metric, _)| cell.board == *board && cell.metric == *metric)
        };
        for cell in self.cells().filter(is_shown) {
            let of = (cell.algorithm.as_str(), cell.operation.as_str());
            match blocks.iter_mut().find(|block| block.of == of) {
                Some(block) if block.bytes > cell.bytes => {}
                Some(block) if block.bytes == cell.bytes => block.add(cell),
                Some(block) => *block = Block::new(cell),
                None => blocks.push(Block::new(cell)),
            }
        }
        blocks.retain(|block| block.cells.iter().any(|cell| cell.value.is_some()));
        blocks
    }
}

impl<'m> Block<'m> {
    fn new(cell: &'m MatrixCell) -> Block<'m> {
        let mut block = Block {
            of: (&cell.algorithm, &cell.operation),
            bytes: cell.bytes,
            libraries: Vec::new(),
            cells: Vec::new(),
        };
        block.add(cell);
        block
    }

    fn add(&mut self, cell: &'m MatrixCell) {
        if !self.libraries.contains(&cell.library.as_str()) {
            self.libraries.push(&cell.library);
        }
        self.cells.push(cell);
    }

    fn title(&self) -> String {
        let (algorithm, operation) = self.of;
        let size = self.bytes.map_or_else(String::new, |bytes| {
            format!(", {} bytes", format::count(bytes.into()))
        });
        format!("{algorithm}, {operation}{size}")
    }

    fn varies(&self) -> bool {
        let mut cells = self.cells.iter();
        cells.any(|cell| cell.state == State::VariableTime)
    }

    fn draw(&self, measures: &[(&str, Metric, Fidelity)], y: &mut f64) -> Markup {
        let top = *y;
        *y += TITLE + LINE * self.libraries.len() as f64;
        let line = |number: usize| top + TITLE + LINE * number as f64;
        html! {
            text class="strong" x="0" y=(top + 24.0) { (self.title()) }
            @for (number, library) in self.libraries.iter().enumerate() {
                text x="0" y=(line(number) + 15.0) { (library) }
                @for (column, (board, ..)) in measures.iter().enumerate() {
                    (self.cell(library, board, NAMES + COLUMN * column as f64, line(number)))
                }
            }
        }
    }

    /// The best variant of a library on a board, or why there is none.
    fn cell(&self, library: &str, board: &str, x: f64, y: f64) -> Markup {
        let of_board = || self.cells.iter().filter(|cell| cell.board == board);
        let own = || of_board().filter(|cell| cell.library == library);
        let least = |cells: &mut dyn Iterator<Item = &&MatrixCell>| {
            cells
                .filter_map(|cell| Some((cell.value?, cell.state)))
                .min_by(|a, b| a.0.total_cmp(&b.0))
        };
        let (Some((value, state)), Some((best, _))) = (least(&mut own()), least(&mut of_board()))
        else {
            let state = own().map(|cell| cell.state).min();
            return html! {
                text class="small middle" x=(x + COLUMN / 2.0) y=(y + 15.0) { (why(state)) }
            };
        };
        let ratio = if best > 0.0 { value / best } else { 1.0 };
        let shade = SHADES.iter().find(|(most, _)| ratio <= *most);
        let is_best = ratio <= 1.0;
        html! {
            @if let Some((_, class)) = shade {
                rect class=(class) x=(x + 1.5) y=(y + 1.0) width=(COLUMN - 3.0) height=(LINE - 2.0) rx="3" {}
            }
            text class=(if is_best { "middle strong" } else { "middle" }) x=(x + COLUMN / 2.0)
                y=(y + 15.0) {
                (short(value))
                @if state == State::VariableTime { (VARIES) }
            }
        }
    }
}

/// The names of the boards, and what their columns count.
fn heads(measures: &[(&str, Metric, Fidelity)]) -> Markup {
    html! {
        @for (column, (board, metric, fidelity)) in measures.iter().enumerate() {
            @let x = NAMES + COLUMN * (column as f64 + 0.5);
            text class="middle strong" x=(x) y="12" { (board) }
            text class="middle small" x=(x) y="28" {
                (metric.name()) " " (format::fidelity_sign(*fidelity))
            }
        }
    }
}

/// Why there is no figure. The states are sorted: the first one tells most.
fn why(state: Option<State>) -> &'static str {
    match state {
        None | Some(State::NotOffered) => "–",
        Some(state) => state.words(),
    }
}

/// A figure of at most three digits: `655`, `4,363`, `12.7 M`.
fn short(value: f64) -> String {
    match value {
        v if v >= 9_999_500.0 => format!("{:.1} M", v / 1e6),
        v if v >= 999_500.0 => format!("{:.2} M", v / 1e6),
        v if v >= 99_950.0 => format!("{:.0} k", v / 1e3),
        v => format::count(v.round()),
    }
}
