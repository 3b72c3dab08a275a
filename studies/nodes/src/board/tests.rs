use super::*;
use crate::node::{describe, provisioned};
use selo_sys::node::Suite;

#[test]
fn an_eeprom_holds_the_record_and_is_private() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("eeprom");
    let record = provisioned(Suite::Ascon, 7, &[1; 32], &[2; 32], 3);
    write_eeprom(&path, &record).expect("writes");
    let bytes = std::fs::read(&path).expect("there");
    assert!(bytes.windows(record.len()).any(|window| window == record));
    let mode = std::fs::metadata(&path)
        .expect("there")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    // An existing file belongs to another board or an earlier run.
    assert!(write_eeprom(&path, &record).is_err());
}

#[test]
fn the_labs_factory_record_is_one_of_the_library() {
    for suite in Suite::ALL {
        let record = selo_firmware::node::factory_record(suite.code(), 0x0a0b_0c0d, &[3; 32]);
        let info = describe(&record).expect("a record");
        assert_eq!(
            (info.suite, info.paired, info.id),
            (suite, false, 0x0a0b_0c0d)
        );
    }
}

#[test]
fn what_is_answered_is_waited_for() {
    for (first, answered) in [
        (0x10, true),
        (0x30, false),
        (0x50, true),
        (0x70, false),
        (0x74, true),
        (0x7b, false),
    ] {
        assert_eq!(expects_answer(&[first]), answered, "{first:02x}");
    }
    assert!(!expects_answer(&[]));
}
