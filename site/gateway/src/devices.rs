//! Changes of devices that a running gateway takes over from the registry.

use selo_link::DeviceId;

use crate::delivery::Names;
use crate::registry::Record;
use crate::worker::Remote;

/// Devices passed to the engine per job, between two batches of packets.
const CHUNK: usize = 500;

/// Passes changed and removed devices to the engine. `None` if the gateway has stopped.
pub fn take_over(
    remote: &Remote,
    names: &Names,
    present: &[Record],
    absent: &[DeviceId],
) -> Option<()> {
    present.iter().for_each(|record| names.set(record));
    absent.iter().for_each(|id| names.remove(*id));
    let mut present = present.iter().map(Record::device);
    loop {
        let chunk: Vec<_> = present.by_ref().take(CHUNK).collect();
        if chunk.is_empty() {
            break;
        }
        remote.call(move |engine, _, out| {
            for device in chunk {
                engine.set_device(device, out);
            }
        })?;
    }
    for chunk in absent.chunks(CHUNK) {
        let chunk = chunk.to_vec();
        remote.call(move |engine, _, out| {
            for id in chunk {
                engine.remove_device(id, out);
            }
        })?;
    }
    Some(())
}
