//! Places labels beside points. No label covers another label, a point or the edge of the
//! drawing. Greedy and deterministic: important labels come first.

/// An axis-parallel box in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Box2 {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

impl Box2 {
    pub fn overlaps(&self, other: &Box2) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }

    pub fn contains(&self, inner: &Box2) -> bool {
        self.left <= inner.left
            && self.right >= inner.right
            && self.top <= inner.top
            && self.bottom >= inner.bottom
    }

    /// The box around a circle.
    pub fn around(x: f64, y: f64, radius: f64) -> Box2 {
        Box2 {
            left: x - radius,
            top: y - radius,
            right: x + radius,
            bottom: y + radius,
        }
    }
}

/// A point that needs a label.
#[derive(Clone, Copy, Debug)]
pub struct Anchor {
    pub x: f64,
    pub y: f64,
    pub radius: f64,
    pub width: f64,
}

pub const HEIGHT: f64 = 13.0;

/// Directions in order of preference: right, left, above, below, then corners.
const DIRECTIONS: [(f64, f64); 12] = [
    (1.0, 0.0),
    (-1.0, 0.0),
    (0.0, -1.0),
    (0.0, 1.0),
    (1.0, -0.7),
    (1.0, 0.7),
    (-1.0, -0.7),
    (-1.0, 0.7),
    (0.5, -1.0),
    (0.5, 1.0),
    (-0.5, -1.0),
    (-0.5, 1.0),
];
const DISTANCES: [f64; 7] = [4.0, 12.0, 22.0, 36.0, 54.0, 76.0, 100.0];

/// A box per label, in the given order; `None` if there is no room within `reach` pixels of
/// the point.
pub fn place(anchors: &[Anchor], frame: Box2, reach: f64) -> Vec<Option<Box2>> {
    let points: Vec<Box2> = anchors
        .iter()
        .map(|a| Box2::around(a.x, a.y, a.radius + 1.0))
        .collect();
    let mut placed: Vec<Box2> = Vec::new();
    anchors
        .iter()
        .map(|anchor| {
            let found = candidates(anchor, reach).find(|label| {
                frame.contains(label)
                    && !placed.iter().any(|other| other.overlaps(label))
                    && !points.iter().any(|point| point.overlaps(label))
            });
            placed.extend(found);
            found
        })
        .collect()
}

fn candidates(anchor: &Anchor, reach: f64) -> impl Iterator<Item = Box2> + '_ {
    let near = DISTANCES.iter().filter(move |distance| **distance <= reach);
    near.flat_map(move |distance| {
        DIRECTIONS.iter().map(move |(dx, dy)| {
            let reach = anchor.radius + distance;
            let (x, y) = (anchor.x + dx * reach, anchor.y + dy * reach);
            let left = match *dx {
                d if d > 0.6 => x,
                d if d < -0.6 => x - anchor.width,
                _ => x - anchor.width / 2.0,
            };
            let top = match *dy {
                d if d > 0.6 => y,
                d if d < -0.6 => y - HEIGHT,
                _ => y - HEIGHT / 2.0,
            };
            Box2 {
                left,
                top,
                right: left + anchor.width,
                bottom: top + HEIGHT,
            }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAME: Box2 = Box2 {
        left: 0.0,
        top: 0.0,
        right: 600.0,
        bottom: 400.0,
    };

    #[test]
    fn crowded_labels_do_not_collide() {
        // Twenty points in a cluster, repeatable but irregular.
        let anchors: Vec<Anchor> = (0..20u32)
            .map(|i| Anchor {
                x: 250.0 + f64::from(i * 37 % 90),
                y: 180.0 + f64::from(i * 53 % 70),
                radius: 3.0 + f64::from(i % 4),
                width: 60.0 + f64::from(i % 5) * 9.0,
            })
            .collect();
        let boxes = place(&anchors, FRAME, 100.0);
        let placed: Vec<Box2> = boxes.iter().flatten().copied().collect();
        assert!(
            placed.len() >= 15,
            "{} of 20 labels found room",
            placed.len()
        );
        for (i, a) in placed.iter().enumerate() {
            assert!(FRAME.contains(a));
            assert!(placed[i + 1..].iter().all(|b| !a.overlaps(b)));
            assert!(
                anchors
                    .iter()
                    .all(|p| !a.overlaps(&Box2::around(p.x, p.y, p.radius)))
            );
        }
    }

    #[test]
    fn no_room_is_said() {
        let anchor = Anchor {
            x: 10.0,
            y: 10.0,
            radius: 3.0,
            width: 80.0,
        };
        assert_eq!(
            place(
                &[anchor],
                Box2 {
                    left: 0.0,
                    top: 0.0,
                    right: 50.0,
                    bottom: 20.0
                },
                100.0
            ),
            [None]
        );
    }
}
