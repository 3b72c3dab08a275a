//! GeoJSON [RFC7946] of the map's ground: only its shapes are kept, and their number is bounded.

use serde_json::{Value as Json, json};

use crate::error::{Error, Result};

/// Maximum points of all shapes together. A browser draws that many without a pause.
const POINTS_MAX: usize = 100_000;
/// Deepest nesting of collections. A file may contain itself no more often.
const DEPTH_MAX: usize = 4;

fn wrong(what: &str) -> Error {
    Error::Invalid(format!(
        "the ground is neither a picture nor GeoJSON: {what}"
    ))
}

/// A file reduced to lines and areas, `{"lines": [[[longitude, latitude], ...]], "areas": [...]}`.
/// Names and other properties are dropped.
pub fn reduced(bytes: &[u8]) -> Result<Vec<u8>> {
    let file: Json = serde_json::from_slice(bytes).map_err(|error| wrong(&error.to_string()))?;
    let mut shapes = Shapes::default();
    shapes.take(&file, DEPTH_MAX)?;
    if shapes.lines.is_empty() && shapes.areas.is_empty() {
        return Err(wrong("it has no lines and no areas"));
    }
    let json = json!({"lines": shapes.lines, "areas": shapes.areas});
    Ok(json.to_string().into_bytes())
}

type Line = Vec<[f64; 2]>;

#[derive(Default)]
struct Shapes {
    lines: Vec<Line>,
    areas: Vec<Line>,
    points: usize,
}

impl Shapes {
    fn take(&mut self, json: &Json, depth: usize) -> Result<()> {
        let each = |name: &str| json[name].as_array().map_or(&[][..], Vec::as_slice);
        if depth == 0 {
            return Err(wrong("its collections are nested too deeply"));
        }
        match json["type"].as_str().unwrap_or("") {
            "FeatureCollection" => each("features")
                .iter()
                .try_for_each(|one| self.take(one, depth - 1)),
            "Feature" => self.take(&json["geometry"], depth - 1),
            "GeometryCollection" => each("geometries")
                .iter()
                .try_for_each(|one| self.take(one, depth - 1)),
            "LineString" => self.line(&json["coordinates"], false),
            "MultiLineString" => each("coordinates")
                .iter()
                .try_for_each(|one| self.line(one, false)),
            "Polygon" => each("coordinates")
                .iter()
                .try_for_each(|one| self.line(one, true)),
            "MultiPolygon" => each("coordinates").iter().try_for_each(|polygon| {
                let rings = polygon.as_array().map_or(&[][..], Vec::as_slice);
                rings.iter().try_for_each(|ring| self.line(ring, true))
            }),
            // Points have no names here, so they would only be in the way.
            "Point" | "MultiPoint" | "" => Ok(()),
            other => Err(wrong(&format!("unknown type '{}'", other.escape_debug()))),
        }
    }

    fn line(&mut self, json: &Json, is_area: bool) -> Result<()> {
        let points = json
            .as_array()
            .ok_or_else(|| wrong("a line is not a list"))?;
        self.points += points.len();
        if self.points > POINTS_MAX {
            return Err(wrong(&format!(
                "more than {POINTS_MAX} points: simplify it first"
            )));
        }
        let point = |json: &Json| -> Option<[f64; 2]> {
            let (longitude, latitude) = (json[0].as_f64()?, json[1].as_f64()?);
            let fits = longitude.abs() <= 180.0 && latitude.abs() <= 90.0;
            let short = |degrees: f64| (degrees * 1e6).round() / 1e6;
            fits.then(|| [short(longitude), short(latitude.clamp(-85.0, 85.0))])
        };
        let line: Option<Line> = points.iter().map(point).collect();
        let line = line.ok_or_else(|| wrong("a point is not longitude and latitude in degrees"))?;
        if line.len() > 1 {
            if is_area {
                &mut self.areas
            } else {
                &mut self.lines
            }
            .push(line);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_shapes_are_kept() {
        let file = br#"{"type":"FeatureCollection","features":[
            {"type":"Feature","properties":{"name":"<script>"},"geometry":{"type":"Polygon",
                "coordinates":[[[-50,-23],[-50.1234567891,-23],[-50,-24],[-50,-23]]]}},
            {"type":"Feature","geometry":{"type":"LineString","coordinates":[[1,2,300],[3,89]]}},
            {"type":"Feature","geometry":null},
            {"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]}}]}"#;
        let json: Json = serde_json::from_slice(&reduced(file).expect("GeoJSON")).expect("JSON");
        assert_eq!(json["areas"][0][1], json!([-50.123457, -23.0]));
        assert_eq!(json["lines"], json!([[[1.0, 2.0], [3.0, 85.0]]]));
        assert!(!json.to_string().contains("script"));
    }

    #[test]
    fn what_is_no_ground_is_refused() {
        let many = format!(
            r#"{{"type":"LineString","coordinates":[{}[0,0]]}}"#,
            "[0,0],".repeat(POINTS_MAX)
        );
        let mut deep = r#"{"type":"Point"}"#.to_string();
        for _ in 0..60 {
            deep = format!(r#"{{"type":"GeometryCollection","geometries":[{deep}]}}"#);
        }
        for bad in [
            "",
            "[]",
            "{}",
            "<svg/>",
            &many,
            &deep,
            r#"{"type":"LineString","coordinates":[[181,0],[0,0]]}"#,
            r#"{"type":"LineString","coordinates":["a"]}"#,
            r#"{"type":"LineString","coordinates":7}"#,
            r#"{"type":"Topology"}"#,
        ] {
            assert!(
                reduced(bad.as_bytes()).is_err(),
                "{}",
                &bad[..bad.len().min(80)]
            );
        }
        assert!(
            reduced(&[b'['; 300_000]).is_err(),
            "serde_json bounds the nesting"
        );
    }
}
