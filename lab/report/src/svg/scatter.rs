//! The trade-off picture: flash and time on logarithmic axes, RAM as the area
//! of the point. A choice is filled if no other choice beats it in all three. The line shows
//! the least time for each flash size.

use maud::{Markup, html};

use super::labels::{self, Anchor, Box2};
use super::scale::{Axis, Kind};
use super::{Layout, Picture, px, text_width};

/// A scatter picture.
#[derive(Clone, Debug)]
pub struct Scatter {
    pub id: String,
    pub title: String,
    /// Name and unit of each axis.
    pub x_name: String,
    pub y_name: String,
    /// Name and unit of the value that the area of a point shows.
    pub size_name: String,
    /// Remark about all points: board, runner, fidelity.
    pub remark: String,
    /// Names of the hues, in order.
    pub families: Vec<String>,
    pub points: Vec<Point>,
}

/// One choice.
#[derive(Clone, Debug)]
pub struct Point {
    pub label: String,
    /// Its library and algorithm. A page can hide points by them.
    pub library: String,
    pub algorithm: String,
    pub x: f64,
    pub y: f64,
    pub size: f64,
    pub family: usize,
    /// All three figures in words, shown under the pointer.
    pub text: String,
}

/// Width of bold letters relative to normal ones.
const BOLD: f64 = 1.13;
const SMALLEST: f64 = 3.5;
const LARGEST: f64 = 13.0;
const TOP: f64 = 52.0;
const BOTTOM: f64 = 40.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 14.0;

/// The radius of a point whose area shows its size.
fn radius(size: f64, largest: f64) -> f64 {
    let share = if largest > 0.0 {
        (size / largest).max(0.0).sqrt()
    } else {
        0.0
    };
    SMALLEST + share * (LARGEST - SMALLEST)
}

impl Scatter {
    /// Draws the picture for wide and for narrow screens.
    pub fn draw(&self) -> Picture {
        Picture {
            id: self.id.clone(),
            title: self.title.clone(),
            description: self.describe(),
            layouts: vec![
                self.layout(820.0, 470.0, 100.0),
                self.layout(340.0, 430.0, 22.0),
            ],
        }
    }

    /// Marks the points that no other point beats. A point beats another if it is at most as
    /// large in every direction and smaller in one.
    pub fn front(&self) -> Vec<bool> {
        unbeaten(&self.points, |point| [point.x, point.y, point.size])
    }

    fn layout(&self, width: f64, height: f64, reach: f64) -> Layout {
        let x_axis = Axis::holding(Kind::Logarithmic, self.points.iter().map(|point| point.x));
        let y_axis = Axis::holding(Kind::Logarithmic, self.points.iter().map(|point| point.y));
        let frame = Box2 {
            left: LEFT,
            top: TOP,
            right: width - RIGHT,
            bottom: height - BOTTOM,
        };
        let to_x = |value: f64| frame.left + x_axis.position(value) * (frame.right - frame.left);
        let to_y = |value: f64| frame.bottom - y_axis.position(value) * (frame.bottom - frame.top);
        let sizes = self.points.iter().map(|point| point.size);
        let largest = sizes.fold(0.0, f64::max);
        let front = self.front();
        let order = self.label_order(&front);
        let anchors: Vec<Anchor> = order
            .iter()
            .map(|index| {
                let point = &self.points[*index];
                let bold = if front[*index] { BOLD } else { 1.0 };
                Anchor {
                    x: to_x(point.x),
                    y: to_y(point.y),
                    radius: radius(point.size, largest),
                    width: text_width(&point.label) * bold,
                }
            })
            .collect();
        let boxes = labels::place(&anchors, frame, reach);
        let unnamed = boxes.iter().filter(|place| place.is_none()).count();

        let body = html! {
            (self.draw_axes(&x_axis, &y_axis, frame))
            (self.draw_front(&to_x, &to_y))
            @for (index, anchor) in order.iter().zip(&anchors) {
                @let point = &self.points[*index];
                circle data-library=(point.library) data-algorithm=(point.algorithm) class={ "dot c" (point.family % 6) @if front[*index] { " front" } }
                    cx=(px(anchor.x)) cy=(px(anchor.y)) r=(px(anchor.radius)) { title { (point.text) } }
            }
            @for ((index, anchor), place) in order.iter().zip(&anchors).zip(&boxes) {
                @let point = &self.points[*index];
                @if let Some(place) = place {
                    g data-library=(point.library) data-algorithm=(point.algorithm) { (draw_label(&point.label, anchor, place, front[*index])) }
                }
            }
            (self.draw_legend(width, unnamed))
        };
        Layout {
            width,
            height,
            fluid: false,
            body,
        }
    }

    /// The choices on the front first, then the others from left to right.
    fn label_order(&self, front: &[bool]) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.points.len()).collect();
        order.sort_by(|a, b| {
            let key = |i: usize| (!front[i], self.points[i].x, self.points[i].y);
            key(*a)
                .partial_cmp(&key(*b))
                .unwrap_or(std::cmp::Ordering::Equal)
        });
        order
    }

    fn draw_axes(&self, x_axis: &Axis, y_axis: &Axis, frame: Box2) -> Markup {
        html! {
            @for (position, label) in y_axis.marks() {
                @let y = px(frame.bottom - position * (frame.bottom - frame.top));
                line class=(if position == 0.0 { "axis" } else { "rule" }) x1=(px(frame.left)) x2=(px(frame.right)) y1=(y) y2=(y) {}
                text class="small end" x=(px(frame.left - 7.0)) y=(y) dy="4" { (label) }
            }
            @for (position, label) in x_axis.marks() {
                @let x = px(frame.left + position * (frame.right - frame.left));
                line class="axis" x1=(x) x2=(x) y1=(px(frame.bottom)) y2=(px(frame.bottom + 4.0)) {}
                text class="small middle" x=(x) y=(px(frame.bottom + 17.0)) { (label) }
            }
            text class="small" x="0" y=(px(frame.top - 13.0)) { "↑ " (self.y_name) ", logarithmic" }
            text class="small end" x=(px(frame.right)) y=(px(frame.bottom + 33.0)) { (self.x_name) ", logarithmic →" }
        }
    }

    /// Draws the least time for each flash size as a step line.
    fn draw_front(&self, to_x: &dyn Fn(f64) -> f64, to_y: &dyn Fn(f64) -> f64) -> Markup {
        let front = unbeaten(&self.points, |point| [point.x, point.y]);
        let mut steps: Vec<(f64, f64)> = self
            .points
            .iter()
            .zip(&front)
            .filter(|(_, on_front)| **on_front)
            .map(|(point, _)| (to_x(point.x), to_y(point.y)))
            .collect();
        steps.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
        let path: String = steps
            .iter()
            .enumerate()
            .map(|(index, (x, y))| match index {
                0 => format!("M{} {}", px(*x), px(*y)),
                _ => format!("H{}V{}", px(*x), px(*y)),
            })
            .collect();
        html! { @if steps.len() > 1 { path class="frontier" d=(path) {} } }
    }

    fn draw_legend(&self, width: f64, unnamed: usize) -> Markup {
        let mut x = 0.0;
        let entries: Vec<(f64, usize, &String)> = self
            .families
            .iter()
            .enumerate()
            .map(|(hue, name)| {
                let at = x;
                x += 16.0 + text_width(name) + 12.0;
                (at, hue, name)
            })
            .collect();
        let remark = match unnamed {
            0 => format!("{}; area: {}", self.remark, self.size_name),
            n => format!(
                "{}; area: {}; {n} without a name",
                self.remark, self.size_name
            ),
        };
        let below = text_width(&remark) + x > width;
        html! {
            @for (x, hue, name) in entries {
                circle class={ "dot front c" (hue % 6) } cx=(px(x + 5.0)) cy="8" r="5" {}
                text class="small" x=(px(x + 16.0)) y="12" { (name) }
            }
            @if below {
                text class="small" x="0" y="28" { (remark) }
            } @else {
                text class="small end" x=(px(width - RIGHT)) y="12" { (remark) }
            }
        }
    }

    fn describe(&self) -> String {
        let front = self.front();
        let named = |wanted: bool| {
            let texts: Vec<&str> = self
                .points
                .iter()
                .zip(&front)
                .filter(|(_, on_front)| **on_front == wanted)
                .map(|(point, _)| point.text.as_str())
                .collect();
            texts.join("; ")
        };
        format!(
            "Each implementation by {} and {}; the area of a point shows {}. {}. No other implementation is at least as good in all three: {}. Others: {}.",
            self.x_name,
            self.y_name,
            self.size_name,
            self.remark,
            named(true),
            named(false)
        )
    }
}

/// Marks the points that no other point beats in the given coordinates.
fn unbeaten<const N: usize>(points: &[Point], coordinates: fn(&Point) -> [f64; N]) -> Vec<bool> {
    let beats = |a: [f64; N], b: [f64; N]| {
        a.iter().zip(&b).all(|(a, b)| a <= b) && a.iter().zip(&b).any(|(a, b)| a < b)
    };
    points
        .iter()
        .map(|point| {
            !points
                .iter()
                .any(|other| beats(coordinates(other), coordinates(point)))
        })
        .collect()
}

fn draw_label(label: &str, anchor: &Anchor, place: &Box2, front: bool) -> Markup {
    let near_x = anchor.x.clamp(place.left, place.right);
    let near_y = anchor.y.clamp(place.top, place.bottom);
    let (dx, dy) = (near_x - anchor.x, near_y - anchor.y);
    let distance = dx.hypot(dy);
    let edge = anchor.radius / distance.max(anchor.radius);
    // Anchor the text at the point, because the real width of its letters is unknown.
    let (side, x) = if place.left >= anchor.x {
        ("", place.left)
    } else if place.right <= anchor.x {
        (" end", place.right)
    } else {
        (" middle", (place.left + place.right) / 2.0)
    };
    html! {
        @if distance > anchor.radius + 6.0 {
            line class="leader" x1=(px(anchor.x + dx * edge)) y1=(px(anchor.y + dy * edge)) x2=(px(near_x)) y2=(px(near_y)) {}
        }
        text class={ "small halo" (side) @if front { " strong" } } x=(px(x)) y=(px(place.bottom - 3.0)) { (label) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scatter() -> Scatter {
        let point = |label: &str, x, y, size| Point {
            label: label.to_owned(),
            library: "selo".to_owned(),
            algorithm: label.to_owned(),
            x,
            y,
            size,
            family: 0,
            text: format!("{label}: {x} B, {y} ms, {size} B"),
        };
        Scatter {
            id: "trade".to_owned(),
            title: "Trade-off".to_owned(),
            x_name: "flash, bytes".to_owned(),
            y_name: "time, ms".to_owned(),
            size_name: "RAM".to_owned(),
            remark: "uno, simavr, cycle-exact".to_owned(),
            families: vec!["aes".to_owned()],
            points: vec![
                point("fast", 3000.0, 0.3, 200.0),
                point("small", 1000.0, 1.0, 100.0),
                point("worse", 3100.0, 1.5, 250.0),
                point("lean", 3100.0, 1.6, 20.0),
            ],
        }
    }

    #[test]
    fn the_front_is_what_nothing_beats() {
        assert_eq!(scatter().front(), [true, true, false, true]);
    }

    #[test]
    fn every_point_and_the_fidelity_are_in_every_layout() {
        let picture = scatter().draw();
        for layout in &picture.layouts {
            let svg = layout.body.0.clone();
            assert_eq!(svg.matches("class=\"dot c0").count(), 4, "{svg}");
            assert!(svg.contains("cycle-exact"));
            assert!(svg.contains("class=\"frontier\""));
        }
        assert!(picture.inline().into_string().contains("chart narrow"));
    }
}
