//! Checks that the schemas in bench/schema/ match the types. It fails if a type changes and its
//! schema does not.

use crate::common::{Project, root};

#[test]
fn the_schemas_in_the_tree_are_those_of_the_types() {
    let project = Project::new();
    for kind in [
        "measurement",
        "check",
        "survey",
        "comparison",
        "pair",
        "matrix",
        "gate",
        "publish",
    ] {
        let printed = project.selo(&["lab", "schema", kind]);
        assert_eq!(printed.code, Some(0), "{}", printed.all());
        let path = root().join("bench/schema").join(format!("{kind}.json"));
        let kept = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            printed.stdout == kept,
            "bench/schema/{kind}.json differs; if the change is meant: selo lab schema {kind} > bench/schema/{kind}.json"
        );
    }
}

#[test]
fn rows_have_the_fields_of_their_schema() {
    let project = Project::new();
    let schema = project.selo(&["lab", "schema", "measurement"]);
    let schema: serde_json::Value = serde_json::from_str(&schema.stdout).expect("JSON");
    let fields = schema["properties"].as_object().expect("properties");
    let answer = project.selo(&[
        "lab",
        "run",
        "--board",
        "uno",
        "--algorithm",
        "aes-128",
        "--variant",
        "tiny",
        "--json",
    ]);
    assert_eq!(answer.code, Some(0), "{}", answer.all());
    for row in answer.lines() {
        let row = row.as_object().expect("an object");
        // Some rows have one field more: those of a sweep, those derived from other rows, and those
        // for a power profile other than the board's first.
        let more = ["sweep", "basis", "power"];
        let plain = fields
            .keys()
            .filter(|field| !more.contains(&field.as_str()));
        assert!(row.keys().eq(plain), "{row:?}");
        assert_eq!(row["schema"], "selo.measurement/2");
    }
}
