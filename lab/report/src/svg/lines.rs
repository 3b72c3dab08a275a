//! Curves: one line per series over a logarithmic x axis; the y axis is a share in per cent.
//! A level may be marked by a horizontal line.

use maud::{Markup, html};

use super::scale::{Axis, Kind};
use super::{Layout, Picture, px, text_width};

/// A picture of curves.
#[derive(Clone, Debug)]
pub struct Lines {
    pub id: String,
    pub title: String,
    /// Name and unit of each axis.
    pub x_name: String,
    pub y_name: String,
    /// Remark about all curves.
    pub remark: String,
    /// A level to mark by a horizontal line, and its name.
    pub level: Option<(f64, String)>,
    pub series: Vec<Series>,
}

/// One curve.
#[derive(Clone, Debug)]
pub struct Series {
    pub name: String,
    /// The points from left to right.
    pub points: Vec<(f64, f64)>,
}

const TOP: f64 = 52.0;
const BOTTOM: f64 = 40.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 14.0;

struct Frame {
    x: Axis,
    y: Axis,
    width: f64,
    height: f64,
}

impl Frame {
    fn to_x(&self, value: f64) -> f64 {
        LEFT + self.x.position(value) * (self.width - RIGHT - LEFT)
    }

    fn to_y(&self, value: f64) -> f64 {
        let bottom = self.height - BOTTOM;
        bottom - self.y.position(value) * (bottom - TOP)
    }
}

impl Lines {
    /// Draws the picture for wide and for narrow screens.
    pub fn draw(&self) -> Picture {
        Picture {
            id: self.id.clone(),
            title: self.title.clone(),
            description: self.describe(),
            layouts: vec![self.layout(820.0, 420.0), self.layout(340.0, 400.0)],
        }
    }

    fn layout(&self, width: f64, height: f64) -> Layout {
        let points = || self.series.iter().flat_map(|series| &series.points);
        let level = self.level.iter().map(|level| level.0);
        let frame = Frame {
            x: Axis::holding(Kind::Logarithmic, points().map(|point| point.0)),
            y: Axis::holding(Kind::Linear, points().map(|point| point.1).chain(level)),
            width,
            height,
        };
        let body = html! {
            (self.draw_axes(&frame))
            @if let Some((level, name)) = &self.level {
                @let y = frame.to_y(*level);
                line class="frontier" x1=(px(LEFT)) x2=(px(width - RIGHT)) y1=(px(y)) y2=(px(y)) {}
                text class="small end halo" x=(px(width - RIGHT)) y=(px(y - 4.0)) { (name) }
            }
            @for (hue, series) in self.series.iter().enumerate() {
                path class={ "curve c" (hue % 6) } d=(path(&frame, &series.points)) {}
                @for (x, y) in &series.points {
                    circle class={ "dot front c" (hue % 6) } cx=(px(frame.to_x(*x))) cy=(px(frame.to_y(*y))) r="2.5" {
                        title { (format!("{}: {x}, {}", series.name, short(*y))) }
                    }
                }
            }
            (self.draw_legend(width))
        };
        Layout {
            width,
            height,
            fluid: false,
            body,
        }
    }

    fn draw_axes(&self, frame: &Frame) -> Markup {
        let (right, bottom) = (frame.width - RIGHT, frame.height - BOTTOM);
        html! {
            @for (position, label) in frame.y.marks() {
                @let y = px(bottom - position * (bottom - TOP));
                line class=(if position == 0.0 { "axis" } else { "rule" }) x1=(px(LEFT)) x2=(px(right)) y1=(y) y2=(y) {}
                text class="small end" x=(px(LEFT - 7.0)) y=(y) dy="4" { (label) }
            }
            @for (position, label) in frame.x.marks() {
                @let x = px(LEFT + position * (right - LEFT));
                line class="axis" x1=(x) x2=(x) y1=(px(bottom)) y2=(px(bottom + 4.0)) {}
                text class="small middle" x=(x) y=(px(bottom + 17.0)) { (label) }
            }
            text class="small" x="0" y=(px(TOP - 13.0)) { "↑ " (self.y_name) }
            text class="small end" x=(px(right)) y=(px(bottom + 33.0)) { (self.x_name) ", logarithmic →" }
        }
    }

    fn draw_legend(&self, width: f64) -> Markup {
        let mut x = 0.0;
        let entries: Vec<(f64, usize, &String)> = self
            .series
            .iter()
            .enumerate()
            .map(|(hue, series)| {
                let at = x;
                x += 16.0 + text_width(&series.name) + 12.0;
                (at, hue, &series.name)
            })
            .collect();
        let below = x + text_width(&self.remark) > width;
        html! {
            @for (x, hue, name) in entries {
                circle class={ "dot front c" (hue % 6) } cx=(px(x + 5.0)) cy="8" r="5" {}
                text class="small" x=(px(x + 16.0)) y="12" { (name) }
            }
            @if below {
                text class="small" x="0" y="27" { (self.remark) }
            } @else {
                text class="small end" x=(px(width - RIGHT)) y="12" { (self.remark) }
            }
        }
    }

    fn describe(&self) -> String {
        let ends: Vec<String> = self
            .series
            .iter()
            .filter_map(|series| {
                let ((x0, y0), (x1, y1)) = (series.points.first()?, series.points.last()?);
                let (y0, y1) = (short(*y0), short(*y1));
                Some(format!("{} from {y0} at {x0} to {y1} at {x1}", series.name))
            })
            .collect();
        format!(
            "{} over {}, one curve each. {}. {}.",
            self.y_name,
            self.x_name,
            self.remark,
            ends.join("; ")
        )
    }
}

fn short(value: f64) -> String {
    crate::format::significant(value, 3)
}

fn path(frame: &Frame, points: &[(f64, f64)]) -> String {
    let place = |(index, (x, y)): (usize, &(f64, f64))| {
        let letter = if index == 0 { "M" } else { "L" };
        format!("{letter}{} {}", px(frame.to_x(*x)), px(frame.to_y(*y)))
    };
    points.iter().enumerate().map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_series_is_a_path_through_its_points() {
        let series = |name: &str, points: &[(f64, f64)]| Series {
            name: name.to_owned(),
            points: points.to_vec(),
        };
        let picture = Lines {
            id: "loss".to_owned(),
            title: "Loss".to_owned(),
            x_name: "nodes".to_owned(),
            y_name: "loss, %".to_owned(),
            remark: "every minute".to_owned(),
            level: Some((1.0, "1 %".to_owned())),
            series: vec![
                series("2.4k", &[(1.0, 0.0), (10.0, 10.0), (100.0, 40.0)]),
                series("9.6k", &[(1.0, 0.0), (100.0, 20.0)]),
            ],
        }
        .draw();
        assert_eq!(picture.layouts.len(), 2);
        let svg = &picture.layouts[0].body.0;
        assert_eq!(svg.matches("class=\"curve c").count(), 2, "{svg}");
        assert_eq!(svg.matches("<circle").count(), 5 + 2);
        // On x, 10 is half of the way from 1 to 100. On y, 10 % is a quarter of 40 %.
        let frame_x = LEFT + 0.5 * (820.0 - RIGHT - LEFT);
        let frame_y = 380.0 - 0.25 * (380.0 - TOP);
        assert!(
            svg.contains(&format!("L{} {}", px(frame_x), px(frame_y))),
            "{svg}"
        );
        assert!(picture.description.contains("9.6k from 0 at 1 to 20"));
    }
}
