//! Pictures: a small chart library that writes accessible SVG by hand.
//!
//! A picture needs no script and no font. It takes its colours from CSS variables, so it
//! follows the page into dark mode. It is a pure function of its data: the same rows give
//! the same bytes.

pub mod dots;
mod labels;
pub mod lines;
pub mod scale;
pub mod scatter;

use maud::{Markup, PreEscaped, html};

/// Colours and fonts of pictures, for the page and for standalone files.
pub const CSS: &str = include_str!("svg/chart.css");

/// Width of a label character in pixels. It is a little generous, so that estimated boxes
/// contain the text in every common sans-serif face.
const CHARACTER_WIDTH: f64 = 6.7;

/// A finished picture.
#[derive(Clone, Debug)]
pub struct Picture {
    /// Id on the page and name of the file; unique in a report.
    pub id: String,
    /// One-line title.
    pub title: String,
    /// Description for people who cannot see the picture.
    pub description: String,
    /// The layouts, widest first. A page shows the one that fits.
    pub layouts: Vec<Layout>,
}

/// One rendering of a picture for a width.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Width in pixels that the drawing was made for; a fluid layout stretches to any width.
    pub width: f64,
    pub height: f64,
    /// True if horizontal positions are percentages: the drawing fills its container while its
    /// text keeps its size.
    pub fluid: bool,
    pub body: Markup,
}

impl Picture {
    /// The picture inside a page: all layouts. The style sheet shows one of them.
    pub fn inline(&self) -> Markup {
        html! {
            @for (index, layout) in self.layouts.iter().enumerate() {
                (self.svg(layout, index, false))
            }
        }
    }

    /// The widest layout as a standalone file with title, colours and background.
    pub fn standalone(&self) -> String {
        let svg = self
            .layouts
            .first()
            .map(|layout| self.svg(layout, 0, true).into_string());
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{}\n",
            svg.unwrap_or_default()
        )
    }

    fn svg(&self, layout: &Layout, index: usize, alone: bool) -> Markup {
        let title_id = format!("{}-t{index}", self.id);
        let description_id = format!("{}-d{index}", self.id);
        let margin = if alone { 16.0 } else { 0.0 };
        let top = if alone { 48.0 } else { 0.0 };
        let (width, height) = (layout.width + 2.0 * margin, layout.height + top + margin);
        let size = if layout.fluid && !alone {
            ("100%".to_owned(), px(layout.height))
        } else {
            (px(width), px(height))
        };
        let view_box =
            (!layout.fluid || alone).then(|| format!("0 0 {} {}", px(width), px(height)));
        let class = match (alone, self.layouts.len(), index) {
            (true, ..) => "chart alone",
            (_, 1, _) => "chart",
            (_, _, 0) => "chart wide",
            _ => "chart narrow",
        };
        html! {
            svg xmlns="http://www.w3.org/2000/svg" class=(class) width=(size.0) height=(size.1)
                viewBox=[view_box] role="img" aria-labelledby={ (title_id) " " (description_id) } {
                title id=(title_id) { (self.title) }
                desc id=(description_id) { (self.description) }
                @if alone {
                    style { (PreEscaped(CSS)) }
                    rect class="paper" width="100%" height="100%" {}
                    text class="head" x=(px(margin)) y="30" { (self.title) }
                    svg x=(px(margin)) y=(px(top)) width=(px(layout.width)) height=(px(layout.height)) overflow="visible" {
                        (layout.body)
                    }
                } @else {
                    (layout.body)
                }
            }
        }
    }
}

/// A coordinate with at most two decimals and no trailing zeros.
fn px(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" {
        "0".to_owned()
    } else {
        text.to_owned()
    }
}

/// A horizontal position as a percentage of the width.
fn share(fraction: f64) -> String {
    format!("{}%", px(100.0 * fraction))
}

/// Estimated width of a label in pixels.
fn text_width(text: &str) -> f64 {
    use unicode_width::UnicodeWidthStr as _;
    text.width() as f64 * CHARACTER_WIDTH
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_are_short() {
        assert_eq!(px(12.0), "12");
        assert_eq!(px(12.345), "12.35");
        assert_eq!(px(-0.001), "0");
        assert_eq!(px(100.0), "100");
        assert_eq!(share(0.125), "12.5%");
    }
}
