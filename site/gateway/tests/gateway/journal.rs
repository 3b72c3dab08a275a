//! The journal: written data is read back even if the end of the journal is damaged, and damage
//! is detected.

use std::fs;
use std::path::{Path, PathBuf};

use selo_gateway::Error;
use selo_gateway::journal::entry::{Accepted, Entry};
use selo_gateway::journal::{
    self, Batch, Closed, Position, Replay, Settings, Summary, Sync, Writer,
};
use selo_gateway::peer::Peer;

const BOOT: [u8; 16] = [7; 16];
const OTHER_BOOT: [u8; 16] = [8; 16];

/// Counters in the order of replay; `None` marks the closing of all sessions.
#[derive(Debug, Default, PartialEq, Eq, Clone)]
struct Told(Vec<Option<u32>>);

impl Replay for Told {
    fn entry(&mut self, entry: &Entry<'_>, _: u64) {
        if let Entry::Accepted(accepted) = entry {
            self.0.push(Some(accepted.counter));
        }
    }

    fn all_closed(&mut self) {
        self.0.push(None);
    }
}

fn settings(sync: Sync, boot: [u8; 16]) -> Settings {
    Settings {
        sync,
        segment_bytes: 1 << 20,
        boot: Some(boot),
        anchor: None,
    }
}

/// Opens the journal with its anchor, as after a restart without a reboot.
fn open(directory: &Path, settings: Settings) -> (Writer, Summary, Told) {
    open_delivered(directory, settings, Position::default())
}

fn open_delivered(
    directory: &Path,
    settings: Settings,
    delivered: Position,
) -> (Writer, Summary, Told) {
    let mut told = Told::default();
    let settings = Settings {
        anchor: Some(anchor(directory)),
        ..settings
    };
    let (writer, summary) =
        journal::open(directory, settings, delivered, &mut told).expect("opens");
    (writer, summary, told)
}

fn anchor(directory: &Path) -> PathBuf {
    directory.with_extension("anchor")
}

fn write(writer: &mut Writer, counters: &[u32]) {
    let mut batch = Batch::default();
    for counter in counters {
        batch.push(&Entry::Accepted(Accepted {
            session: 1,
            device: 2,
            join: 3,
            tag: 4,
            counter: *counter,
            peer: Peer::Radio(0),
            rssi: None,
            payload: Some(b"23.5"),
        }));
    }
    writer.append(&mut batch, 1000).expect("writes");
}

fn end(writer: &mut Writer) {
    let mut batch = Batch::default();
    batch.push(&Entry::End);
    writer.append(&mut batch, 1000).expect("writes");
}

fn segments(directory: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<_> = fs::read_dir(directory)
        .expect("a directory")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    paths
}

fn some(counters: &[u32]) -> Told {
    Told(counters.iter().map(|counter| Some(*counter)).collect())
}

#[test]
fn what_was_written_is_told_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let directory = folder.path().join("journal");
    for run in 0..3 {
        let (mut writer, summary, told) = open(&directory, settings(Sync::EverySecond, BOOT));
        let counters: Vec<_> = (0..run * 3).collect();
        assert_eq!(told, some(&counters));
        assert!(!summary.torn && summary.closed.is_none() && summary.damage.is_empty());
        write(&mut writer, &[run * 3, run * 3 + 1]);
        write(&mut writer, &[run * 3 + 2]);
    }
    let modes = segments(&directory).into_iter().map(|path| {
        use std::os::unix::fs::PermissionsExt;
        fs::metadata(path).expect("there").permissions().mode() & 0o777
    });
    assert!(modes.eq([0o600; 3]));
}

/// A journal with one segment of two records, which tests truncate and alter.
struct Sample {
    _folder: tempfile::TempDir,
    directory: PathBuf,
    path: PathBuf,
    whole: Vec<u8>,
    /// Offset of the second record.
    second: usize,
    /// The anchor before the second record was written, when nothing depended on that record.
    anchor: Vec<u8>,
}

impl Sample {
    fn new(sync: Sync) -> Sample {
        let folder = tempfile::tempdir().expect("a folder");
        let directory = folder.path().join("journal");
        let (mut writer, ..) = open(&directory, settings(sync, BOOT));
        write(&mut writer, &[1, 2]);
        let second = writer.position().offset as usize;
        let anchor = fs::read(anchor(&directory)).expect("there");
        write(&mut writer, &[3]);
        let path = segments(&directory).remove(0);
        let whole = fs::read(&path).expect("there");
        Sample {
            _folder: folder,
            directory,
            path,
            whole,
            second,
            anchor,
        }
    }

    /// Opens the journal with this content.
    fn with(&self, bytes: &[u8], settings: Settings) -> (Summary, Told) {
        for path in segments(&self.directory) {
            fs::remove_file(path).expect("removes");
        }
        fs::write(&self.path, bytes).expect("writes");
        fs::write(anchor(&self.directory), &self.anchor).expect("writes");
        let (_, summary, told) = open(&self.directory, settings);
        (summary, told)
    }
}

#[test]
fn a_torn_tail_loses_the_last_record_and_nothing_else() {
    let sample = Sample::new(Sync::EverySecond);
    for cut in sample.second..sample.whole.len() {
        let bytes = &sample.whole[..cut];
        let (summary, told) = sample.with(bytes, settings(Sync::EverySecond, BOOT));
        assert_eq!(told, some(&[1, 2]), "cut at {cut}");
        assert_eq!(summary.torn, cut > sample.second, "cut at {cut}");
        assert!(
            summary.closed.is_none() && summary.damage.is_empty(),
            "cut at {cut}"
        );
    }
}

/// Neither a clean end nor `--sync always` helps: memory does not survive a reboot, and without
/// the anchor the journal could be an old copy.
#[test]
fn a_machine_that_was_started_anew_closes_sessions() {
    for sync in [Sync::Always, Sync::EverySecond, Sync::Never] {
        for ended in [false, true] {
            let folder = tempfile::tempdir().expect("a folder");
            let directory = folder.path().join("journal");
            let (mut writer, ..) = open(&directory, settings(sync, BOOT));
            write(&mut writer, &[1, 2, 3]);
            if ended {
                end(&mut writer);
            }
            fs::remove_file(anchor(&directory)).expect("there");
            let (_, summary, told) = open(&directory, settings(sync, OTHER_BOOT));
            assert_eq!(summary.closed, Some(Closed::Machine), "{sync:?}");
            let mut expected = some(&[1, 2, 3]);
            expected.0.push(None);
            assert_eq!(told, expected, "{sync:?}");
            // The next start knows the outcome and does not close the sessions again.
            let (_, summary, told) = open(&directory, settings(sync, OTHER_BOOT));
            assert_eq!(told, expected, "{sync:?}");
            assert_eq!(summary.closed, None);
        }
    }
}

/// Copies the journal's files, for restoring them later.
fn copy(directory: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let read = |path: PathBuf| (path.clone(), fs::read(path).expect("there"));
    segments(directory).into_iter().map(read).collect()
}

fn put_back(directory: &Path, copy: &[(PathBuf, Vec<u8>)]) {
    for path in segments(directory) {
        fs::remove_file(path).expect("removes");
    }
    for (path, bytes) in copy {
        fs::write(path, bytes).expect("writes");
    }
}

#[test]
fn a_journal_put_back_from_a_copy_closes_sessions() {
    let folder = tempfile::tempdir().expect("a folder");
    let directory = folder.path().join("journal");
    let (mut writer, ..) = open(&directory, settings(Sync::EverySecond, BOOT));
    write(&mut writer, &[1]);
    let first = copy(&directory);
    write(&mut writer, &[2]);
    let second = copy(&directory);

    // The newest state is accepted, wherever its bytes were stored meanwhile.
    put_back(&directory, &second);
    let (_, summary, _) = open(&directory, settings(Sync::EverySecond, BOOT));
    assert_eq!(summary.closed, None);

    put_back(&directory, &first);
    let (mut writer, summary, told) = open(&directory, settings(Sync::EverySecond, BOOT));
    assert_eq!(summary.closed, Some(Closed::Old));
    assert_eq!(told, Told(vec![Some(1), None]));
    // Another history begins. A longer version of the old one is not the newest either.
    write(&mut writer, &[3]);
    put_back(&directory, &second);
    let (_, summary, _) = open(&directory, settings(Sync::EverySecond, BOOT));
    assert_eq!(summary.closed, Some(Closed::Old));

    // Without the anchor, or without a place for it, the journal cannot be confirmed.
    fs::remove_file(anchor(&directory)).expect("there");
    let (_, summary, _) = open(&directory, settings(Sync::EverySecond, BOOT));
    assert_eq!(summary.closed, Some(Closed::Unknown));
    let nowhere = journal::open(
        &directory,
        settings(Sync::EverySecond, BOOT),
        Position::default(),
        &mut Told::default(),
    );
    let (_, summary) = nowhere.expect("opens");
    assert_eq!(summary.closed, Some(Closed::NoAnchor));
}

#[test]
fn a_journal_that_ends_below_what_was_delivered_closes_sessions() {
    let folder = tempfile::tempdir().expect("a folder");
    let directory = folder.path().join("journal");
    let (mut writer, ..) = open(&directory, settings(Sync::EverySecond, BOOT));
    write(&mut writer, &[1]);
    let cut = writer.position().offset;
    write(&mut writer, &[2]);
    let delivered = writer.position();
    let path = segments(&directory).remove(0);
    let file = fs::OpenOptions::new()
        .write(true)
        .open(path)
        .expect("opens");
    file.set_len(cut).expect("cuts");
    // The anchor is reset to the same place; the position of delivery still reveals the loss.
    let bytes = fs::read(anchor(&directory)).expect("there");
    let mut record = u64::from_le_bytes(bytes[16..24].try_into().expect("eight"));
    record -= 1;
    let set_back = [&bytes[..16], &record.to_le_bytes()].concat();
    fs::write(anchor(&directory), set_back).expect("writes");
    let (writer, summary, told) =
        open_delivered(&directory, settings(Sync::EverySecond, BOOT), delivered);
    assert_eq!(summary.closed, Some(Closed::Cut));
    assert_eq!(told, Told(vec![Some(1), None]));
    assert!(writer.position() > delivered);

    // The same if the whole segment is missing.
    let beyond = Position {
        segment: writer.segment() + 5,
        offset: 64,
    };
    drop(writer);
    let (writer, summary, _) =
        open_delivered(&directory, settings(Sync::EverySecond, BOOT), beyond);
    assert_eq!(summary.closed, Some(Closed::Cut));
    assert!(writer.position() > beyond);
}

#[test]
fn every_changed_byte_is_noticed_and_nothing_is_invented() {
    let sample = Sample::new(Sync::EverySecond);
    for byte in 0..sample.whole.len() {
        let mut bytes = sample.whole.clone();
        bytes[byte] ^= 0x10;
        let (summary, told) = sample.with(&bytes, settings(Sync::EverySecond, BOOT));
        let context = format!("byte {byte}: {summary:?}, {told:?}");
        if byte >= sample.second {
            // An altered last record cannot be distinguished from an incomplete one.
            assert_eq!(told, some(&[1, 2]), "{context}");
            assert!(summary.torn, "{context}");
        } else {
            let kept: &[u32] = if byte < 64 { &[1, 2, 3] } else { &[3] };
            let mut expected = some(kept);
            expected.0.push(None);
            assert_eq!(told, expected, "{context}");
            assert_eq!(summary.closed, Some(Closed::Damage), "{context}");
            assert_eq!(summary.damage.len(), 1, "{context}");
            assert_eq!(summary.damage[0].path, sample.path, "{context}");
        }
    }
}

#[test]
fn damage_is_told_once_and_a_torn_tail_of_an_earlier_run_is_none() {
    let sample = Sample::new(Sync::EverySecond);
    let mut bytes = sample.whole.clone();
    bytes[70] ^= 1;
    bytes.extend([9; 10]);
    let (summary, _) = sample.with(&bytes, settings(Sync::EverySecond, BOOT));
    assert_eq!(summary.damage.len(), 1);
    assert!(summary.torn && summary.closed == Some(Closed::Damage));
    let (_, summary, told) = open(&sample.directory, settings(Sync::EverySecond, BOOT));
    assert!(summary.damage.is_empty() && !summary.torn && summary.closed.is_none());
    assert_eq!(told, Told(vec![Some(3), None]));
}

#[test]
fn a_segment_cut_while_it_was_made_is_nothing() {
    let sample = Sample::new(Sync::EverySecond);
    let next = sample.directory.join(format!("{:016x}", 2));
    for size in [0, 1, 63, 64] {
        sample.with(&sample.whole, settings(Sync::EverySecond, BOOT));
        fs::write(&next, vec![0; size]).expect("writes");
        let (writer, summary, told) = open(&sample.directory, settings(Sync::EverySecond, BOOT));
        assert_eq!(told, some(&[1, 2, 3]), "{size}");
        assert!(
            summary.damage.is_empty() && summary.closed.is_none(),
            "{size}"
        );
        assert_eq!(writer.segment(), 3, "{size}");
    }
}

#[test]
fn a_newer_version_is_refused() {
    let sample = Sample::new(Sync::EverySecond);
    let mut bytes = sample.whole.clone();
    bytes[8] = 4;
    let crc = crc32fast::hash(&bytes[..60]);
    bytes[60..64].copy_from_slice(&crc.to_le_bytes());
    fs::write(&sample.path, &bytes).expect("writes");
    let refused = journal::open(
        &sample.directory,
        settings(Sync::EverySecond, BOOT),
        Position::default(),
        &mut Told::default(),
    );
    let error = refused.expect_err("refused");
    assert!(matches!(
        error,
        Error::JournalVersion {
            found: 4,
            known: 3,
            ..
        }
    ));
    assert!(error.hint().is_some());
}

#[test]
fn segments_follow_each_other_and_old_ones_go() {
    let folder = tempfile::tempdir().expect("a folder");
    let directory = folder.path().join("journal");
    let small = || Settings {
        segment_bytes: 200,
        ..settings(Sync::EverySecond, BOOT)
    };
    let (mut writer, ..) = open(&directory, small());
    for counter in 0..20 {
        if writer.is_full() {
            writer.rotate().expect("rotates");
        }
        write(&mut writer, &[counter]);
    }
    assert!(writer.segment_count() > 5);
    drop(writer);
    let (mut writer, summary, told) = open(&directory, small());
    assert_eq!(told, some(&(0..20).collect::<Vec<_>>()));
    assert!(summary.damage.is_empty() && !summary.torn && summary.closed.is_none());

    // A truncated segment with a later one of the same run is damaged.
    let second = segments(&directory).remove(1);
    let bytes = fs::read(&second).expect("there");
    fs::write(&second, &bytes[..bytes.len() - 1]).expect("writes");
    drop(writer);
    let (_, summary, _) = open(&directory, small());
    assert_eq!(summary.damage.len(), 1);
    fs::write(&second, &bytes).expect("writes");

    (writer, ..) = open(&directory, small());
    let removed = writer.remove_before(3).expect("removes");
    assert_eq!(removed, 2);
    assert_eq!(
        writer.remove_before(u64::MAX).expect("removes"),
        writer.segment() as usize - 3
    );
    assert_eq!(segments(&directory).len(), 1);
}

#[test]
fn a_number_that_somebody_has_seen_is_not_given_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let directory = folder.path().join("journal");
    let (writer, _) = journal::open(
        &directory,
        settings(Sync::EverySecond, BOOT),
        Position {
            segment: 41,
            offset: 0,
        },
        &mut Told::default(),
    )
    .expect("opens");
    assert_eq!(writer.segment(), 42);
}
