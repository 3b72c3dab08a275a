use super::*;

fn reading() -> Reading {
    Reading {
        device: DeviceId(0x3f9a_01c2),
        name: Some("a \"quoted\"\u{1} name".into()),
        codec: None,
        session: SessionName::new(42, 0x0099_aabb),
        counter: 7,
        received_ms: 1_795_303_147_042,
        payload: Payload::new(b"23.5 C").expect("short"),
        source: Peer::Udp("192.0.2.7:5000".parse().expect("an address")),
        rssi: None,
        redelivered: false,
    }
}

#[test]
fn a_line_says_what_the_reference_says() {
    let mut out = Vec::new();
    reading().write_line(&mut Moments::default(), &mut out);
    assert_eq!(
        String::from_utf8_lossy(&out),
        "{\"schema\":\"selo.reading/1\",\"device\":\"3f9a01c2\",\
             \"name\":\"a \\\"quoted\\\"\\u0001 name\",\"session\":\"0000002a0099aabb\",\
             \"counter\":7,\"received\":\"2026-11-21T23:19:07.042Z\",\
             \"payload\":\"32332e352043\",\"source\":\"192.0.2.7:5000\",\"rssi\":null,\
             \"authenticated\":true,\"redelivered\":false}\n"
    );
}

#[test]
fn every_field_is_what_a_reader_of_json_finds() {
    for (number, source) in [
        (0, Peer::Nowhere),
        (9, Peer::Radio(3)),
        (
            10,
            Peer::Udp("255.1.0.10:65535".parse().expect("an address")),
        ),
        (
            u32::MAX,
            Peer::Udp("[2001:db8::1]:7".parse().expect("an address")),
        ),
    ] {
        let reading = Reading {
            device: DeviceId(number),
            name: (number != 9).then(|| "\u{e9}\\\"\u{1f600}".into()),
            session: SessionName(u64::from(number)),
            counter: number,
            payload: Payload::new(&number.to_le_bytes()).expect("short"),
            source,
            rssi: (number > 9).then_some(-120),
            redelivered: number == 9,
            ..reading()
        };
        let mut out = Vec::new();
        reading.write_line(&mut Moments::default(), &mut out);
        let line: serde_json::Value = serde_json::from_slice(&out).expect("JSON");
        let none = serde_json::Value::Null;
        let or_none = |text: Option<String>| text.map_or(none.clone(), Into::into);
        assert_eq!(line["device"], reading.device.to_string());
        assert_eq!(
            line["name"],
            or_none(reading.name.as_deref().map(Into::into))
        );
        assert_eq!(line["session"], reading.session.to_string());
        assert_eq!(line["counter"], number);
        assert_eq!(line["payload"], ::hex::encode(number.to_le_bytes()));
        let source = (source != Peer::Nowhere).then(|| source.to_string());
        assert_eq!(line["source"], or_none(source));
        assert_eq!(line["rssi"], reading.rssi.map_or(none.clone(), Into::into));
        assert_eq!(line["authenticated"], true);
        assert_eq!(line["redelivered"], reading.redelivered);
    }
}

/// The same time as formatted by the `humantime` crate.
fn expected(unix_ms: u64) -> String {
    let since = std::time::Duration::from_millis(unix_ms);
    humantime::format_rfc3339_millis(std::time::UNIX_EPOCH + since).to_string()
}

#[test]
fn every_day_has_its_date() {
    const DAY_MS: u64 = 86_400_000;
    // Every day up to 2099, then every 13th up to the end of the year 9999.
    for day in (0..47_482).chain((47_482..2_932_897).step_by(13)) {
        let ms = day * DAY_MS + (day * 7_919) % DAY_MS;
        assert_eq!(rfc3339(ms).to_string(), expected(ms), "day {day}");
    }
}

#[test]
fn any_time_can_be_written() {
    const LAST: u64 = 253_402_300_799_999;
    for ms in [0, 1, 999, 86_399_999, LAST] {
        assert_eq!(rfc3339(ms).to_string(), expected(ms));
    }
    assert_eq!(rfc3339(u64::MAX), rfc3339(LAST));
}

#[test]
fn the_longest_reading_fits_its_line() {
    let longest = Reading {
        device: DeviceId(u32::MAX),
        name: None,
        codec: None,
        session: SessionName(u64::MAX),
        counter: u32::MAX,
        received_ms: u64::MAX,
        payload: Payload::new(&[0xff; PAYLOAD_MAX]).expect("fits"),
        source: Peer::Udp(std::net::SocketAddr::V6(std::net::SocketAddrV6::new(
            [0xffff; 8].into(),
            u16::MAX,
            0,
            u32::MAX,
        ))),
        rssi: Some(i16::MIN),
        redelivered: false,
    };
    let mut out = Vec::new();
    longest.write_line(&mut Moments::default(), &mut out);
    assert!(out.len() <= Text::ROOM, "{} bytes", out.len());
    let line: serde_json::Value = serde_json::from_slice(&out).expect("JSON");
    assert_eq!(line["payload"], "ff".repeat(PAYLOAD_MAX));
    assert_eq!(line["source"], longest.source.to_string());
    assert_eq!(line["rssi"], i16::MIN);
    assert_eq!(line["redelivered"], false);
}

#[test]
fn payloads_have_a_bound() {
    assert_eq!(
        &*Payload::new(&[7; PAYLOAD_MAX]).expect("fits"),
        &[7; PAYLOAD_MAX]
    );
    assert!(Payload::new(&[7; PAYLOAD_MAX + 1]).is_none());
    assert!(Payload::new(&[0; 300]).is_none());
    assert!(!format!("{:?}", reading()).contains("23.5"));
}
