//! A dot for every figure, on a logarithmic axis, with its interval.
//!
//! An item is a line of text with its dots below it, one line each. Positions are percentages of
//! the width, and text has a fixed size. So one drawing suits a telephone and a wide screen, and
//! its letters never shrink. A dot says where a value is; on a logarithmic axis a length would
//! say nothing.

use maud::{Markup, html};

use super::scale::{self, Axis, Kind};
use super::{Layout, Picture, px, share, text_width};

/// A chart of dots.
#[derive(Clone, Debug)]
pub struct DotChart {
    pub id: String,
    pub title: String,
    /// Unit of the axis in words: `milliseconds`, `bytes`.
    pub unit: String,
    /// Fidelity of all dots; empty if the names of the series have it.
    pub fidelity: String,
    pub series: Vec<Series>,
    pub items: Vec<Item>,
    /// A second quantity that is the first one times a constant.
    pub second: Option<Second>,
    /// True if the dots of an item share a line. The figure at its end is that of the first.
    pub one_line: bool,
}

/// A second scale below the dots.
#[derive(Clone, Debug)]
pub struct Second {
    /// Quantity and unit in words: `energy, nWh, logarithmic`.
    pub name: String,
    /// Its figure where the axis has 1.
    pub factor: f64,
}

/// A series of dots, named in the legend.
#[derive(Clone, Debug)]
pub struct Series {
    pub name: String,
    pub color: Color,
}

/// The colours of dots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Color {
    Measured,
    Published,
    /// One of six hues.
    Hue(usize),
}

/// A label and one dot for each series.
#[derive(Clone, Debug)]
pub struct Item {
    pub label: String,
    /// Text at the end of the label's line: a ratio, or the reason for a missing dot.
    pub remark: String,
    /// Whose the whole item is.
    pub owner: Owner,
    /// In the order of the series.
    pub dots: Vec<Option<Dot>>,
}

/// The library and the algorithm of a part, if it has one. A page can hide parts by them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Owner {
    pub library: Option<String>,
    pub algorithm: Option<String>,
}

/// One figure.
#[derive(Clone, Debug, Default)]
pub struct Dot {
    pub value: f64,
    /// The figure, written at the end of its line.
    pub text: String,
    /// Lower and upper end of its interval.
    pub interval: Option<(f64, f64)>,
    /// What the dot stands for, shown under the pointer; may be empty.
    pub name: String,
    /// Whose it is, if its item has dots of several.
    pub owner: Option<Owner>,
}

/// Share of the width that dots may take. Figures stand to the right of it.
const PLOT: f64 = 0.79;
const LABEL_HEIGHT: f64 = 17.0;
const RADIUS: f64 = 4.0;
const DOT_STEP: f64 = 13.0;
const ITEM_GAP: f64 = 9.0;
/// The gap where each item has one line of dots.
const SMALL_GAP: f64 = 3.0;
const LEGEND_STEP: f64 = 18.0;
const AXIS_HEIGHT: f64 = 22.0;
const SECOND_HEIGHT: f64 = 38.0;
/// The narrowest container in pixels that the text fits.
const NARROWEST: f64 = 300.0;
const WIDTH: f64 = 640.0;

impl Color {
    fn class(self) -> String {
        match self {
            Color::Measured => "f-measured".to_owned(),
            Color::Published => "f-published".to_owned(),
            Color::Hue(hue) => format!("f{}", hue % 6),
        }
    }
}

impl DotChart {
    /// Draws the chart.
    pub fn draw(&self) -> Picture {
        let axis = Axis::holding(Kind::Logarithmic, self.dots().flat_map(Dot::extent));
        let legend = self.legend_lines();
        let top = legend.len() as f64 * LEGEND_STEP + AXIS_HEIGHT;
        let heights: Vec<f64> = self
            .items
            .iter()
            .map(|item| item.height(self.one_line))
            .collect();
        let bottom = top + heights.iter().sum::<f64>() - ITEM_GAP;
        let second = self.second.as_ref();
        let body = html! {
            (self.draw_legend(&legend))
            (draw_axis(&axis, top, bottom))
            @for (item, y) in self.items.iter().zip(starts(top, &heights)) {
                (self.draw_item(item, &axis, y))
            }
            @if let Some(second) = second { (draw_second(second, &axis, bottom)) }
        };
        Picture {
            id: self.id.clone(),
            title: self.title.clone(),
            description: self.describe(),
            layouts: vec![Layout {
                width: WIDTH,
                height: bottom + second.map_or(ITEM_GAP, |_| SECOND_HEIGHT),
                fluid: true,
                body,
            }],
        }
    }

    fn dots(&self) -> impl Iterator<Item = &Dot> {
        self.items
            .iter()
            .flat_map(|item| item.dots.iter().flatten())
    }

    /// Legend entries broken into lines that fit the narrowest container. The last entry names
    /// the axis.
    fn legend_lines(&self) -> Vec<Vec<(Option<Color>, String, f64)>> {
        let mut axis_name = format!("{}, logarithmic", self.unit);
        if !self.fidelity.is_empty() {
            axis_name.push_str(&format!("; {}", self.fidelity));
        }
        let entries = self
            .series
            .iter()
            .map(|series| (Some(series.color), series.name.clone()))
            .chain([(None, axis_name)]);
        let mut lines: Vec<Vec<(Option<Color>, String, f64)>> = Vec::new();
        let mut x = NARROWEST;
        for (color, text) in entries {
            let lead = if color.is_some() { 16.0 } else { 0.0 };
            let width = lead + text_width(&text) + 16.0;
            if lines.is_empty() || x + width > NARROWEST {
                lines.push(Vec::new());
                x = 0.0;
            }
            if let Some(line) = lines.last_mut() {
                line.push((color, text, x));
            }
            x += width;
        }
        lines
    }

    /// A line is one text, so that longer words of another language move what follows.
    fn draw_legend(&self, lines: &[Vec<(Option<Color>, String, f64)>]) -> Markup {
        html! {
            @for (index, line) in lines.iter().enumerate() {
                text class="small" x="0" y=(px(index as f64 * LEGEND_STEP + 11.5)) {
                    @for (color, text, _) in line {
                        @if let Some(color) = color { tspan class=(color.class()) { "⬤" } "\u{2002}" }
                        tspan { (text) }
                        "\u{2003}"
                    }
                }
            }
        }
    }

    fn draw_item(&self, item: &Item, axis: &Axis, y: f64) -> Markup {
        let dots = item
            .dots
            .iter()
            .zip(&self.series)
            .filter_map(|(dot, series)| Some((dot.as_ref()?, series)));
        let Owner { library, algorithm } = &item.owner;
        let remark = html! {
            @if !item.remark.is_empty() {
                text class="small end" x="100%" y=(px(y + 12.0)) { (item.remark) }
            }
        };
        let middle = |index: usize| y + LABEL_HEIGHT + (index as f64 + 0.5) * DOT_STEP;
        // If a page hides the item, the items below move up by this height.
        html! {
            g data-library=[library] data-algorithm=[algorithm] data-height=(px(item.height(self.one_line))) {
                text class="halo" x="0" y=(px(y + 12.0)) { (item.label) }
                @if self.one_line {
                    (draw_guide(middle(0)))
                    // The first one is drawn last: no other covers it.
                    @for (dot, series) in dots.clone().rev() { (draw_dot(dot, series.color, axis, middle(0))) }
                    // The remark and the figure are about the first one, and go with it.
                    @for (dot, _) in dots.take(1) {
                        (owned(dot, html! { (remark) (draw_figure(dot, middle(0))) }))
                    }
                } @else {
                    (remark)
                    @for (index, (dot, series)) in dots.enumerate() {
                        (draw_guide(middle(index)))
                        (draw_dot(dot, series.color, axis, middle(index)))
                        (draw_figure(dot, middle(index)))
                    }
                }
            }
        }
    }

    fn describe(&self) -> String {
        let series: Vec<&str> = self
            .series
            .iter()
            .map(|series| series.name.as_str())
            .collect();
        let values: Vec<String> = self
            .items
            .iter()
            .map(|item| {
                let dots: Vec<&str> = item
                    .dots
                    .iter()
                    .flatten()
                    .map(|dot| dot.text.as_str())
                    .collect();
                let figures = if dots.is_empty() {
                    item.remark.clone()
                } else {
                    dots.join(" and ")
                };
                format!("{}: {figures}", item.label)
            })
            .collect();
        format!(
            "Dots of {} in {} on a logarithmic scale{}. {}.",
            series.join(" and "),
            self.unit,
            if self.fidelity.is_empty() {
                String::new()
            } else {
                format!(", {}", self.fidelity)
            },
            values.join("; ")
        )
    }
}

impl Dot {
    /// Its value and both ends of its interval.
    fn extent(&self) -> [f64; 3] {
        let (low, high) = self.interval.unwrap_or((self.value, self.value));
        [self.value, low, high]
    }
}

impl Item {
    fn height(&self, one_line: bool) -> f64 {
        let dots = self.dots.iter().flatten().count();
        let lines = if one_line { dots.min(1) } else { dots };
        let gap = if one_line { SMALL_GAP } else { ITEM_GAP };
        LABEL_HEIGHT + lines as f64 * DOT_STEP + gap
    }
}

fn starts(top: f64, heights: &[f64]) -> Vec<f64> {
    heights
        .iter()
        .scan(top, |y, height| {
            let start = *y;
            *y += height;
            Some(start)
        })
        .collect()
}

fn draw_axis(axis: &Axis, top: f64, bottom: f64) -> Markup {
    html! {
        @for (position, label) in axis.marks() {
            @let x = share(position * PLOT);
            line class=(if position == 0.0 { "axis" } else { "rule" }) x1=(x) x2=(x) y1=(px(top - 3.0)) y2=(px(bottom)) {}
            text class=(if position == 0.0 { "small" } else { "small middle" }) x=(x) y=(px(top - 8.0)) { (label) }
        }
    }
}

/// A line to find a dot by.
fn draw_guide(y: f64) -> Markup {
    html! { line class="guide" x1="0" x2=(share(PLOT)) y1=(px(y)) y2=(px(y)) {} }
}

/// A dot with its interval. A value of zero has no place on a logarithmic axis: its dot is
/// hollow, at the start.
fn draw_dot(dot: &Dot, color: Color, axis: &Axis, y: f64) -> Markup {
    let class = match dot.value > 0.0 {
        true => color.class(),
        false => "none".to_owned(),
    };
    let drawn = html! {
        @if let Some(interval) = dot.interval { (draw_whisker(interval, axis, y)) }
        circle class=(class) cx=(share(axis.position(dot.value) * PLOT)) cy=(px(y)) r=(px(RADIUS)) {
            @if !dot.name.is_empty() { title { (dot.name) ": " (dot.text) } }
        }
    };
    owned(dot, drawn)
}

/// What a page hides together with the dot.
fn owned(dot: &Dot, drawn: Markup) -> Markup {
    match &dot.owner {
        Some(Owner { library, algorithm }) => html! {
            g data-library=[library] data-algorithm=[algorithm] { (drawn) }
        },
        None => drawn,
    }
}

fn draw_figure(dot: &Dot, y: f64) -> Markup {
    html! { text class="small end" x="100%" y=(px(y + 4.0)) { (dot.text) } }
}

fn draw_whisker((low, high): (f64, f64), axis: &Axis, y: f64) -> Markup {
    let [low, high] = [low, high].map(|end| share(axis.position(end) * PLOT));
    let (upper, middle, lower) = (px(y - RADIUS), px(y), px(y + RADIUS));
    html! {
        line class="whisker" x1=(low) x2=(high) y1=(middle) y2=(middle) {}
        line class="whisker" x1=(low) x2=(low) y1=(upper) y2=(lower) {}
        line class="whisker" x1=(high) x2=(high) y1=(upper) y2=(lower) {}
    }
}

/// The marks of the second scale below the plot: its round values, where the axis has their
/// share.
fn draw_second(second: &Second, axis: &Axis, bottom: f64) -> Markup {
    let (low, high) = axis.ends();
    let own = Axis::holding(
        Kind::Logarithmic,
        [low, high].map(|end| end * second.factor),
    );
    let inside = |value: &f64| (low..=high).contains(&(value / second.factor));
    // If a page hides items, it moves this group up.
    html! {
        g class="second" {
            @for value in own.values().iter().filter(|value| inside(value)) {
                @let x = share(axis.position(value / second.factor) * PLOT);
                line class="axis" x1=(x) x2=(x) y1=(px(bottom)) y2=(px(bottom + 4.0)) {}
                text class="small middle" x=(x) y=(px(bottom + 16.0)) { (scale::label(*value)) }
            }
            text class="small" x="0" y=(px(bottom + 32.0)) { (second.name) }
        }
    }
}

#[cfg(test)]
mod tests;
