use super::*;

#[test]
fn between_the_limits_it_stays_what_it_was() {
    let mut rule = Rule::of("hot", Kind::Value, None, Some(30.0), 28.0);
    rule.value = Some("temperature".into());
    rule.check().expect("a rule");
    assert!(!rule.judge(29.9, false) && rule.judge(30.0, false));
    assert!(rule.judge(28.0, true) && !rule.judge(27.9, true));
    rule.when = Some(When::Under);
    assert!(rule.check().is_err(), "clear is beyond limit");
    rule.clear = Some(31.0);
    assert!(rule.judge(30.0, false) && !rule.judge(30.1, false));
    assert!(rule.judge(31.0, true) && !rule.judge(31.1, true));
}

#[test]
fn rules_that_make_no_sense_are_refused() {
    check_rules(&Rule::first()).expect("default rules are valid");
    for wrong in [
        r#"[{"name":"a/b","kind":"silent"}]"#,
        r#"[{"name":"a","kind":"rain"}]"#,
        r#"[{"name":"a","kind":"silent","over":"1s"}]"#,
        r#"[{"name":"a","kind":"silent","over":"8d"}]"#,
        r#"[{"name":"a","kind":"value","limit":1}]"#,
        r#"[{"name":"a","kind":"battery","limit":3.3,"clear":3.2}]"#,
        r#"[{"name":"a","kind":"silent"},{"name":"a","kind":"silent"}]"#,
    ] {
        let rules: Vec<Rule> = serde_json::from_str(wrong).expect("JSON");
        assert!(check_rules(&rules).is_err(), "{wrong}");
    }
}
