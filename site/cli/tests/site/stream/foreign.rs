//! Messages in the stream that are no readings of its site, and readings that come twice.

use std::time::{Duration, Instant};

use async_nats::HeaderMap;
use async_nats::jetstream::message::PublishMessage;
use selo_link::DeviceId;
use selo_stream::names;

use super::Net;
use super::server::STREAM;
use crate::gateway_support::PATIENCE;

/// A reading of a device, as a gateway publishes it.
fn reading(device: DeviceId, counter: u32) -> String {
    format!(
        "{{\"schema\":\"selo.reading/1\",\"device\":\"{device}\",\"session\":\"0000000100000002\",\
         \"counter\":{counter},\"payload\":\"{counter:08x}\",\"authenticated\":true,\
         \"gateway\":\"gateway\",\"codec\":\"raw\",\"values\":{{}}}}"
    )
}

impl Net {
    fn publish(&self, partition: u16, id: &str, payload: Vec<u8>) {
        let mut headers = HeaderMap::new();
        headers.insert(names::GATEWAY, "gateway");
        let mut message = PublishMessage::build()
            .headers(headers)
            .payload(payload.into());
        if !id.is_empty() {
            message = message.message_id(id);
        }
        self.nats.operate(async |context| {
            // The collector makes the stream soon after its start.
            let since = Instant::now();
            while context.get_stream(STREAM).await.is_err() {
                assert!(since.elapsed() < PATIENCE, "no stream");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            let subject = names::readings("farm", partition);
            let sent = context.send_publish(subject, message).await.expect("sent");
            sent.await.expect("taken");
        });
    }

    fn rejected(&self) -> Vec<String> {
        let database = rusqlite::Connection::open(self.database()).expect("opens");
        let mut rows = database
            .prepare("SELECT reason FROM rejected")
            .expect("a table");
        let rows = rows.query_map([], |row| row.get(0)).expect("rows");
        rows.map(|row| row.expect("a text")).collect()
    }
}

#[test]
fn foreign_messages_are_named_counted_and_block_nothing() {
    let Some(mut net) = Net::started(None, 1) else {
        return;
    };
    net.deliver(1);
    net.is_complete();
    let device = DeviceId(net.device.0);
    let own = names::partition(device);
    let name = |site: &str, counter| format!("{site}/{device}/0000000100000002/{counter}");
    let body = |counter| reading(device, counter).into_bytes();
    net.publish(own, "", b"nonsense".to_vec());
    net.publish(own, "", body(1));
    net.publish(own, &name("farm", 1), b"\xff\xfe not text".to_vec());
    net.publish(own, &name("farm", 2), vec![b'{'; 24 << 10]);
    net.publish(own, &name("other", 3), body(3));
    net.publish(own ^ 1, &name("farm", 4), body(4));
    net.publish(own, "farm/ffffffff/0000000100000002/5", body(5));
    net.deliver(5);
    net.is_settled();
    let rejected = net.rejected();
    for words in [
        "SITE/DEVICE/SESSION/COUNTER",
        "UTF-8",
        "longer than",
        "of site other",
        "belongs to partition",
    ] {
        assert!(
            rejected.iter().any(|why| why.contains(words)),
            "{words}: {rejected:?}"
        );
    }
    assert_eq!(rejected.len(), 7, "{rejected:?}");
    let said = net.collector_says(0, "skipped a message of the stream");
    assert!(said.contains("SITE/DEVICE"), "{said}");
    // A longer message than any reading does not get into the stream.
    let long = vec![b'x'; 64 << 10];
    let answer = net.nats.operate(async |context| {
        let sent = context
            .publish(names::readings("farm", own), long.into())
            .await;
        sent.expect("sent").await
    });
    assert!(answer.is_err(), "{answer:?}");
}

#[test]
fn a_message_that_comes_twice_is_stored_once() {
    let Some(net) = Net::started(None, 1) else {
        return;
    };
    let device = DeviceId(net.device.0);
    let own = names::partition(device);
    let id = |counter, end| format!("farm/{device}/0000000100000002/{counter}{end}");
    for counter in 0..5 {
        for end in ["", "", "/again1", "/again2"] {
            net.publish(
                own,
                &id(counter, end),
                reading(device, counter).into_bytes(),
            );
        }
    }
    net.nats.wait_messages(0);
    let stored = net.stored();
    assert_eq!(stored.len(), 5, "{stored:?}");
    assert!(stored.values().all(|count| *count == 1), "{stored:?}");
}
