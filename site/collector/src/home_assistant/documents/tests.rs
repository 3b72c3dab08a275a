use super::*;

fn rules(text: &str) -> Vec<Rule> {
    serde_json::from_str(text).expect("rules")
}

fn snapshot() -> Snapshot {
    Snapshot {
        rules: rules(
            r#"[{"name":"heavy-rain","kind":"rain","limit":20},
                {"name":"low","kind":"battery","limit":3.3,"device":"a"}]"#,
        ),
        stations: vec![
            ("farm:a".into(), Some("</b>\"'{{ 1 }}/+#\u{e9}".into())),
            ("farm:b".into(), None),
        ],
        active: [("farm:a".into(), "low".into())].into(),
    }
}

fn json(all: &VecDeque<(String, Document)>, topic: &str) -> Json {
    let (_, document) = all.iter().find(|(one, _)| one == topic).expect(topic);
    serde_json::from_str(&document.body).expect("JSON")
}

#[test]
fn each_rule_of_a_station_is_described_in_the_language_of_the_site() {
    let snapshot = snapshot();
    let all = snapshot.all(std::iter::empty(), Language::Portuguese);
    let topics: Vec<&str> = all.iter().map(|(topic, _)| topic.as_str()).collect();
    assert_eq!(
        topics,
        [
            "selo/farm/alarms/a",
            "selo/farm/alarms/b",
            "homeassistant/device/selo-farm_-a_-heavy-rain/config",
            "homeassistant/device/selo-farm_-a_-low/config",
            "homeassistant/device/selo-farm_-b_-heavy-rain/config",
        ]
    );
    let low = json(&all, topics[3]);
    assert_eq!(low["device"]["identifiers"][0], "selo-a");
    assert_eq!(low["device"]["name"], "</b>\"'{{ 1 }}/+#\u{e9}");
    assert_eq!(low["components"]["alarm"]["name"], "Alarme: low");
    assert_eq!(low["components"]["alarm"]["device_class"], "battery");
    assert_eq!(low["state_topic"], topics[0]);
    let rain = json(&all, topics[4]);
    assert_eq!(rain["device"]["name"], "Selo b");
    assert_eq!(rain["components"]["alarm"]["device_class"], "problem");
    assert_eq!(
        rain["components"]["alarm"]["unique_id"],
        "selo_farm_b_alarm-heavy-rain"
    );
}

#[test]
fn the_state_says_of_each_alarm_if_it_is_active() {
    let all = snapshot().states();
    let alarms = |topic: &str| json(&all, topic)["alarms"].clone();
    assert_eq!(
        alarms("selo/farm/alarms/a"),
        json!({"heavy-rain": false, "low": true})
    );
    assert_eq!(alarms("selo/farm/alarms/b"), json!({"heavy-rain": false}));
}

#[test]
fn what_no_rule_wants_any_more_is_emptied() {
    let mut snapshot = snapshot();
    let before = snapshot.all(std::iter::empty(), Language::English);
    let old: Vec<String> = before.into_iter().map(|(topic, _)| topic).collect();
    snapshot.rules.remove(0);
    let all = snapshot.all(old.iter().map(String::as_str), Language::English);
    let gone = all.iter().filter(|(_, document)| document.body.is_empty());
    let gone: Vec<&str> = gone.map(|(topic, _)| topic.as_str()).collect();
    assert_eq!(
        gone,
        [
            "selo/farm/alarms/b",
            "homeassistant/device/selo-farm_-a_-heavy-rain/config",
            "homeassistant/device/selo-farm_-b_-heavy-rain/config",
        ]
    );
}
