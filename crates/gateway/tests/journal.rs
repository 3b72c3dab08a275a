//! The journal: what is written is read again, whatever happens to its end, and what is
//! damaged is noticed.

use std::fs;
use std::path::{Path, PathBuf};

use selo_gateway::Error;
use selo_gateway::journal::entry::{Accepted, Entry};
use selo_gateway::journal::{self, Batch, Replay, Settings, Summary, Sync, Writer};
use selo_gateway::peer::Peer;

const BOOT: [u8; 16] = [7; 16];
const OTHER_BOOT: [u8; 16] = [8; 16];

/// Counters in the order in which they were told; `None` where everything was closed.
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
    }
}

fn open(directory: &Path, settings: Settings) -> (Writer, Summary, Told) {
    let mut told = Told::default();
    let (writer, summary) = journal::open(directory, settings, 0, &mut told).expect("opens");
    (writer, summary, told)
}

fn write(writer: &mut Writer, counters: &[u32]) {
    let mut batch = Batch::default();
    for counter in counters {
        batch.push(&Entry::Accepted(Accepted {
            session: Some(1),
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
        assert!(!summary.torn && !summary.all_closed && summary.damage.is_empty());
        write(&mut writer, &[run * 3, run * 3 + 1]);
        write(&mut writer, &[run * 3 + 2]);
    }
    let modes = segments(&directory).into_iter().map(|path| {
        use std::os::unix::fs::PermissionsExt;
        fs::metadata(path).expect("there").permissions().mode() & 0o777
    });
    assert!(modes.eq([0o600; 3]));
}

/// A journal with one segment of two records, copied cut short and changed.
struct Sample {
    _folder: tempfile::TempDir,
    directory: PathBuf,
    path: PathBuf,
    whole: Vec<u8>,
    /// Where the second record begins.
    second: usize,
}

impl Sample {
    fn new(sync: Sync) -> Sample {
        let folder = tempfile::tempdir().expect("a folder");
        let directory = folder.path().join("journal");
        let (mut writer, ..) = open(&directory, settings(sync, BOOT));
        write(&mut writer, &[1, 2]);
        let second = writer.position().offset as usize;
        write(&mut writer, &[3]);
        let path = segments(&directory).remove(0);
        let whole = fs::read(&path).expect("there");
        Sample {
            _folder: folder,
            directory,
            path,
            whole,
            second,
        }
    }

    /// Opens it with this content.
    fn with(&self, bytes: &[u8], settings: Settings) -> (Summary, Told) {
        for path in segments(&self.directory) {
            fs::remove_file(path).expect("removes");
        }
        fs::write(&self.path, bytes).expect("writes");
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
            !summary.all_closed && summary.damage.is_empty(),
            "cut at {cut}"
        );
    }
}

#[test]
fn a_machine_that_went_down_closes_sessions_unless_every_record_was_synchronised() {
    for (sync, closed) in [
        (Sync::Always, false),
        (Sync::EverySecond, true),
        (Sync::Never, true),
    ] {
        let sample = Sample::new(sync);
        let (summary, told) = sample.with(&sample.whole, settings(Sync::Always, OTHER_BOOT));
        assert!(summary.machine_went_down);
        assert_eq!(summary.all_closed, closed, "{sync:?}");
        let mut expected = some(&[1, 2, 3]);
        expected.0.extend(closed.then_some(None));
        assert_eq!(told, expected, "{sync:?}");
        // Whoever comes next knows it too, and does not close again.
        let (_, summary, told) = open(&sample.directory, settings(sync, OTHER_BOOT));
        assert_eq!(told, expected, "{sync:?}");
        assert!(!summary.all_closed);
    }
}

#[test]
fn a_gateway_that_stopped_by_itself_needs_no_trust_in_the_machine() {
    let folder = tempfile::tempdir().expect("a folder");
    let directory = folder.path().join("journal");
    let (mut writer, ..) = open(&directory, settings(Sync::Never, BOOT));
    write(&mut writer, &[1]);
    end(&mut writer);
    let (mut writer, summary, told) = open(&directory, settings(Sync::EverySecond, OTHER_BOOT));
    assert!(!summary.machine_went_down && !summary.all_closed);
    assert_eq!(told, some(&[1]));
    // It went on: the end is not the end any more.
    write(&mut writer, &[2]);
    let (_, summary, told) = open(&directory, settings(Sync::EverySecond, BOOT));
    assert!(summary.all_closed);
    assert_eq!(told, Told(vec![Some(1), Some(2), None]));
}

#[test]
fn a_run_that_wrote_nothing_may_have_lost_what_it_wrote() {
    let folder = tempfile::tempdir().expect("a folder");
    let directory = folder.path().join("journal");
    let (mut writer, ..) = open(&directory, settings(Sync::EverySecond, BOOT));
    write(&mut writer, &[1]);
    end(&mut writer);
    open(&directory, settings(Sync::EverySecond, OTHER_BOOT));
    let (_, summary, _) = open(&directory, settings(Sync::EverySecond, BOOT));
    assert!(summary.machine_went_down && summary.all_closed);
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
            // Nobody can tell a changed last record from a torn one.
            assert_eq!(told, some(&[1, 2]), "{context}");
            assert!(summary.torn, "{context}");
        } else {
            let kept: &[u32] = if byte < 64 { &[1, 2, 3] } else { &[3] };
            let mut expected = some(kept);
            expected.0.push(None);
            assert_eq!(told, expected, "{context}");
            assert!(summary.all_closed, "{context}");
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
    assert!(summary.torn && summary.all_closed);
    let (_, summary, told) = open(&sample.directory, settings(Sync::EverySecond, BOOT));
    assert!(summary.damage.is_empty() && !summary.torn && !summary.all_closed);
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
        assert!(summary.damage.is_empty() && !summary.all_closed, "{size}");
        assert_eq!(writer.segment(), 3, "{size}");
    }
}

#[test]
fn a_newer_version_is_refused() {
    let sample = Sample::new(Sync::EverySecond);
    let mut bytes = sample.whole.clone();
    bytes[8] = 2;
    let crc = crc32fast::hash(&bytes[..60]);
    bytes[60..64].copy_from_slice(&crc.to_le_bytes());
    fs::write(&sample.path, &bytes).expect("writes");
    let refused = journal::open(
        &sample.directory,
        settings(Sync::EverySecond, BOOT),
        0,
        &mut Told::default(),
    );
    let error = refused.expect_err("refused");
    assert!(matches!(
        error,
        Error::JournalVersion {
            found: 2,
            known: 1,
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
    assert!(summary.damage.is_empty() && !summary.torn && !summary.all_closed);

    // A segment that lacks its end, with another of the same run behind it, is damaged.
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
        41,
        &mut Told::default(),
    )
    .expect("opens");
    assert_eq!(writer.segment(), 42);
}
