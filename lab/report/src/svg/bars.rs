//! Horizontal grouped bars with an optional logarithmic axis and whiskers.
//!
//! An item is a line of text with its bars below it. Bars are percentages of the width, and
//! text has a fixed size. So one drawing suits a telephone and a wide screen, and its letters
//! never shrink.

use maud::{Markup, html};

use super::scale::{Axis, Kind};
use super::{Layout, Picture, px, share, text_width};

/// A bar chart.
#[derive(Clone, Debug)]
pub struct BarChart {
    pub id: String,
    pub title: String,
    /// Unit of the axis in words: `milliseconds`, `bytes`.
    pub unit: String,
    /// Fidelity of all bars; empty if the names of the series have it.
    pub fidelity: String,
    pub series: Vec<Series>,
    pub items: Vec<Item>,
}

/// A series of bars, named in the legend.
#[derive(Clone, Debug)]
pub struct Series {
    pub name: String,
    pub color: Color,
}

/// The colours of bars.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Color {
    Measured,
    Published,
    /// One of six hues.
    Hue(usize),
}

/// A label and one bar for each series.
#[derive(Clone, Debug)]
pub struct Item {
    pub label: String,
    /// Text at the end of the label's line: a ratio, or the reason for a missing bar.
    pub remark: String,
    /// The library of the whole item. A page can hide items by library.
    pub library: Option<String>,
    /// In the order of the series.
    pub bars: Vec<Option<Bar>>,
}

/// One bar.
#[derive(Clone, Debug)]
pub struct Bar {
    pub value: f64,
    /// The figure, written beside the bar.
    pub text: String,
    /// Lower and upper end of its interval.
    pub interval: Option<(f64, f64)>,
}

/// Share of the width that bars may take. Figures stand to the right of it.
const PLOT: f64 = 0.79;
const LABEL_HEIGHT: f64 = 17.0;
const BAR_HEIGHT: f64 = 11.0;
const BAR_STEP: f64 = 13.0;
const ITEM_GAP: f64 = 9.0;
const LEGEND_STEP: f64 = 18.0;
const AXIS_HEIGHT: f64 = 22.0;
/// The narrowest container in pixels that the text fits.
const NARROWEST: f64 = 300.0;
const WIDTH: f64 = 640.0;
/// Values that span more decades than this get a logarithmic axis.
const LINEAR_DECADES: f64 = 1.7;

impl Color {
    fn class(self) -> String {
        match self {
            Color::Measured => "f-measured".to_owned(),
            Color::Published => "f-published".to_owned(),
            Color::Hue(hue) => format!("f{}", hue % 6),
        }
    }
}

impl BarChart {
    /// Draws the chart.
    pub fn draw(&self) -> Picture {
        let values: Vec<f64> = self
            .bars()
            .flat_map(|bar| [Some(bar.value), bar.interval.map(|(_, high)| high)])
            .flatten()
            .collect();
        let axis = Axis::suiting(&values, LINEAR_DECADES);
        let legend = self.legend_lines(&axis);
        let top = legend.len() as f64 * LEGEND_STEP + AXIS_HEIGHT;
        let heights: Vec<f64> = self.items.iter().map(Item::height).collect();
        let height = top + heights.iter().sum::<f64>();
        let body = html! {
            (self.draw_legend(&legend))
            (draw_axis(&axis, top, height - ITEM_GAP))
            @for (item, y) in self.items.iter().zip(starts(top, &heights)) {
                (self.draw_item(item, &axis, y))
            }
        };
        Picture {
            id: self.id.clone(),
            title: self.title.clone(),
            description: self.describe(&axis),
            layouts: vec![Layout {
                width: WIDTH,
                height,
                fluid: true,
                body,
            }],
        }
    }

    fn bars(&self) -> impl Iterator<Item = &Bar> {
        self.items
            .iter()
            .flat_map(|item| item.bars.iter().flatten())
    }

    /// Legend entries broken into lines that fit the narrowest container. The last entry names
    /// the axis.
    fn legend_lines(&self, axis: &Axis) -> Vec<Vec<(Option<Color>, String, f64)>> {
        let mut axis_name = match axis.kind() {
            Kind::Linear => self.unit.clone(),
            Kind::Logarithmic => format!("{}, logarithmic", self.unit),
        };
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

    fn draw_legend(&self, lines: &[Vec<(Option<Color>, String, f64)>]) -> Markup {
        html! {
            @for (index, line) in lines.iter().enumerate() {
                @let y = index as f64 * LEGEND_STEP;
                @for (color, text, x) in line {
                    @if let Some(color) = color {
                        rect class=(color.class()) x=(px(*x)) y=(px(y + 2.0)) width="11" height="11" rx="2" {}
                        text class="small" x=(px(x + 16.0)) y=(px(y + 11.5)) { (text) }
                    } @else {
                        text class="small" x=(px(*x)) y=(px(y + 11.5)) { (text) }
                    }
                }
            }
        }
    }

    fn draw_item(&self, item: &Item, axis: &Axis, y: f64) -> Markup {
        let bars = item
            .bars
            .iter()
            .zip(&self.series)
            .filter_map(|(bar, series)| Some((bar.as_ref()?, series)));
        let drawn = html! {
            text class="halo" x="0" y=(px(y + 12.0)) { (item.label) }
            @if !item.remark.is_empty() {
                text class="small end" x="100%" y=(px(y + 12.0)) { (item.remark) }
            }
            @for (index, (bar, series)) in bars.enumerate() {
                @let top = y + LABEL_HEIGHT + index as f64 * BAR_STEP;
                // A very short bar is drawn as a visible sliver.
                @let length = (axis.position(bar.value) * PLOT).max(0.003);
                rect class=(series.color.class()) x="0" y=(px(top)) width=(share(length)) height=(px(BAR_HEIGHT)) rx="1.5" {}
                @if let Some(interval) = bar.interval { (draw_whisker(interval, axis, top)) }
                text class="small end" x="100%" y=(px(top + BAR_HEIGHT - 1.5)) { (bar.text) }
            }
        };
        // If a page hides the item, the items below move up by this height.
        html! {
            g data-library=[&item.library] data-height=(px(item.height())) { (drawn) }
        }
    }

    fn describe(&self, axis: &Axis) -> String {
        let series: Vec<&str> = self
            .series
            .iter()
            .map(|series| series.name.as_str())
            .collect();
        let scale = match axis.kind() {
            Kind::Linear => "",
            Kind::Logarithmic => " on a logarithmic scale",
        };
        let values: Vec<String> = self
            .items
            .iter()
            .map(|item| {
                let bars: Vec<&str> = item
                    .bars
                    .iter()
                    .flatten()
                    .map(|bar| bar.text.as_str())
                    .collect();
                let figures = if bars.is_empty() {
                    item.remark.clone()
                } else {
                    bars.join(" and ")
                };
                format!("{}: {figures}", item.label)
            })
            .collect();
        format!(
            "Bars of {} in {}{scale}{}. {}.",
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

impl Item {
    fn height(&self) -> f64 {
        LABEL_HEIGHT + self.bars.iter().flatten().count() as f64 * BAR_STEP + ITEM_GAP
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

fn draw_whisker((low, high): (f64, f64), axis: &Axis, top: f64) -> Markup {
    let (low, high) = (
        share(axis.position(low) * PLOT),
        share(axis.position(high) * PLOT),
    );
    let (upper, middle, lower) = (
        px(top + 2.5),
        px(top + BAR_HEIGHT / 2.0),
        px(top + BAR_HEIGHT - 2.5),
    );
    html! {
        line class="whisker" x1=(low) x2=(high) y1=(middle) y2=(middle) {}
        line class="whisker" x1=(low) x2=(low) y1=(upper) y2=(lower) {}
        line class="whisker" x1=(high) x2=(high) y1=(upper) y2=(lower) {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub fn chart() -> BarChart {
        let bar = |value: f64, interval| Bar {
            value,
            text: format!("{value}"),
            interval,
        };
        BarChart {
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
                    library: Some("selo & sons".to_owned()),
                    bars: vec![Some(bar(0.5, None)), Some(bar(1.0, Some((0.9, 1.1))))],
                },
                Item {
                    label: "rsa-2048".to_owned(),
                    remark: "does not fit".to_owned(),
                    library: None,
                    bars: vec![None, None],
                },
            ],
        }
    }

    #[test]
    fn bars_are_shares_of_the_width() {
        let svg = chart().draw().inline().into_string();
        // The axis ends at 1.5, because 1.1 is the largest value. 1.0 is two thirds of 79 %.
        assert!(svg.contains("width=\"52.67%\""), "{svg}");
        assert!(svg.contains("width=\"26.33%\""), "{svg}");
        assert_eq!(svg.matches("class=\"whisker\"").count(), 3);
    }

    #[test]
    fn an_item_says_whose_it_is_and_how_much_room_it_has() {
        let svg = chart().draw().inline().into_string();
        // Heights: a label, two bars and a gap; then a label and a gap.
        let one = "data-library=\"selo &amp; sons\" data-height=\"52\"";
        assert!(svg.contains(one), "{svg}");
        assert!(svg.contains("<g data-height=\"26\">"), "{svg}");
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
}
