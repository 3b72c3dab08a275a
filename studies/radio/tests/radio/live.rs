//! The same modules in real time: handles, and ptys opened as another process would open a serial
//! port.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use selo_e32::airtime::AirRate;
use selo_e32::parameters::{Parameters, Parity, Uart};
use selo_radio::e32::Mode;
use selo_radio::ether::{Ether, Settings};
use selo_radio::live::{Air, Driver, Handle, Host, Pty};
use selo_radio::medium::Position;
use selo_radio::wires::{Plug, Wires};

/// The fastest rate, so that the tests run quickly.
fn fast() -> Parameters {
    Parameters::default()
        .with_air_rate(AirRate::R19200)
        .with_uart(Uart {
            baud: 115_200,
            parity: Parity::None,
        })
}

fn ether(stations: usize) -> Ether {
    let mut ether = Ether::new(Settings::default());
    for station in 0..stations {
        let x = 10.0 * station as f64;
        ether.add(Position { x, y: 0.0 }, fast());
    }
    ether
}

/// Opens the port as a process that knows nothing of ptys.
fn port(path: &Path) -> File {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    options.custom_flags(rustix::fs::OFlags::NOCTTY.bits() as i32);
    options.open(path).expect("opens")
}

fn ready(handle: &Handle) {
    while !handle.aux() {
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn bytes_of_a_process_come_out_at_another_and_at_a_handle() {
    let folder = tempfile::tempdir().expect("a folder");
    let air = Air::paced(ether(3)).expect("an air");
    let links = ["left", "right"].map(|name| folder.path().join(name));
    let ptys: Vec<_> = links
        .iter()
        .enumerate()
        .map(|(station, link)| (station, Pty::open(Some(link)).expect("a pty")))
        .collect();
    assert_eq!(ptys[0].1.path(), links[0]);
    let driver = Driver::start(&air, ptys).expect("a thread");
    let third = air.handle(2);
    ready(&third);
    let (mut left, mut right) = (port(&links[0]), port(&links[1]));
    // A raw terminal changes no byte, including control characters.
    let all: Vec<u8> = (0..=255).collect();
    left.write_all(&all).expect("writes");
    let mut got = vec![0; 256];
    right.read_exact(&mut got).expect("reads");
    assert_eq!(got, all);
    // And back, to both other modules.
    third.read();
    ready(&third);
    right.write_all(b"answer").expect("writes");
    let mut got = [0; 6];
    left.read_exact(&mut got).expect("reads");
    assert_eq!(&got, b"answer");
    let mut heard = Vec::new();
    while heard.len() < 6 {
        heard.extend(third.read());
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(heard.ends_with(b"answer"));
    // The terminal outlives each process that opens it.
    drop(right);
    let mut right = port(&links[1]);
    ready(&third);
    third.write(b"news");
    let mut got = [0; 4];
    right.read_exact(&mut got).expect("reads");
    assert_eq!(&got, b"news");
    drop(driver);
    assert!(!links[0].exists() && !links[1].exists(), "tidied up");
}

#[test]
fn a_link_of_an_earlier_run_is_replaced_and_a_file_is_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let link = folder.path().join("port");
    std::os::unix::fs::symlink("/dev/pts/99999", &link).expect("links");
    let pty = Pty::open(Some(&link)).expect("a pty");
    let second = Pty::open(Some(&link)).expect("a pty");
    // A driver that lost the name does not remove another's link.
    drop(pty);
    assert!(std::fs::symlink_metadata(&link).is_ok());
    drop(second);
    assert!(std::fs::symlink_metadata(&link).is_err());
    std::fs::write(&link, "precious").expect("writes");
    let error = Pty::open(Some(&link)).expect_err("a file is there");
    assert!(error.to_string().contains("port"), "{error}");
    assert!(error.hint().expect("a hint").contains("another name"));
    assert_eq!(error.exit_code(), 2);
    assert_eq!(std::fs::read(&link).expect("reads"), b"precious");
}

#[test]
fn a_stepped_air_moves_only_when_it_is_told_to() {
    let air = Air::stepped(ether(2)).expect("an air");
    let (a, b) = (air.handle(0), air.handle(1));
    assert_eq!((a.station(), b.station()), (0, 1));
    assert!(!a.aux(), "in its reset, for ever");
    air.advance(Duration::from_millis(200));
    assert!(a.aux());
    a.write(b"hello");
    assert_eq!(b.read(), b"");
    let mut said = Vec::new();
    // As the simulated chip: in steps of 2 ms.
    for step in 0..200 {
        air.advance(Duration::from_millis(200 + 2 * step));
        said.extend(b.read());
    }
    assert_eq!(said, b"hello");
    // Configuration through the pins.
    a.set_pins(true, true);
    air.advance(Duration::from_millis(700));
    a.write(&[0xc1, 0xc1, 0xc1]);
    air.advance(Duration::from_millis(800));
    assert_eq!(a.read()[1..], fast().bytes());
}

/// Output of a plug, and the levels of AUX meanwhile.
fn until(plug: &mut Plug, mut happened: impl FnMut(&Plug, &[Vec<u8>]) -> bool) -> Vec<Vec<u8>> {
    let mut bursts = Vec::new();
    loop {
        bursts.extend(plug.read().expect("it is plugged in"));
        if happened(plug, &bursts) {
            return bursts;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Two modules: the first behind an open pseudo-terminal, the other behind a named socket.
fn terminal_and_socket(folder: &Path) -> (Air, Driver, File, PathBuf) {
    let (link, name) = (folder.join("pty"), folder.join("plug"));
    let air = Air::paced(ether(2)).expect("an air");
    let hosts: Vec<(_, Host)> = vec![
        (0, Pty::open(Some(&link)).expect("a pty").into()),
        (1, Wires::open(&name).expect("a socket").into()),
    ];
    let driver = Driver::start(&air, hosts).expect("a thread");
    (air, driver, port(&link), name)
}

#[test]
fn what_a_pty_hands_on_in_pieces_is_one_frame() {
    let folder = tempfile::tempdir().expect("a folder");
    let (air, _driver, mut port, name) = terminal_and_socket(folder.path());
    let mut plug = Plug::connect(&name).expect("plugs in");
    until(&mut plug, |plug, _| plug.aux());
    ready(&air.handle(0));
    // Ten bytes take a millisecond on the line, and a quarter of that counts as silence.
    let frame: Vec<u8> = (0..58).collect();
    for part in [&frame[..10], &frame[10..45], &frame[45..]] {
        port.write_all(part).expect("writes");
        std::thread::sleep(Duration::from_millis(4));
    }
    let bursts = until(&mut plug, |_, bursts| !bursts.is_empty());
    assert_eq!(bursts, [frame]);
    // A frame longer than the line's limit also arrives whole.
    let long: Vec<u8> = (0..200).collect();
    port.write_all(&long).expect("writes");
    let bursts = until(&mut plug, |_, bursts| bursts.concat().len() >= long.len());
    assert_eq!(bursts.concat(), long);
}

#[test]
fn a_plug_has_all_wires_of_its_module() {
    let folder = tempfile::tempdir().expect("a folder");
    let (air, driver, mut port, name) = terminal_and_socket(folder.path());
    let mut plug = Plug::connect(&name).expect("plugs in");
    assert!(!plug.aux(), "nobody has said anything yet");
    until(&mut plug, |plug, _| plug.aux());
    // A frame is sent whole. AUX is low until it is on the air.
    plug.write(b"a reading").expect("writes");
    assert!(!plug.aux());
    let mut got = [0; 9];
    port.read_exact(&mut got).expect("reads");
    assert_eq!(&got, b"a reading");
    until(&mut plug, |plug, _| plug.aux());
    port.write_all(b"an answer").expect("writes");
    let bursts = until(&mut plug, |_, bursts| !bursts.is_empty());
    assert_eq!(bursts, [b"an answer"]);
    // Asleep, the module neither receives nor transmits, but it answers commands.
    plug.set_pins(true, true).expect("writes");
    while air.with(|ether| ether.module(1).mode()) != Mode::Sleep {
        std::thread::sleep(Duration::from_millis(1));
    }
    plug.write(&[0xc1, 0xc1, 0xc1]).expect("writes");
    let bursts = until(&mut plug, |_, bursts| !bursts.is_empty());
    assert_eq!(bursts[0][1..], fast().bytes());
    // The next connection finds a module that has just been switched on.
    drop(plug);
    let mut plug = Plug::connect(&name).expect("plugs in");
    until(&mut plug, |plug, _| plug.aux());
    assert_eq!(air.with(|ether| ether.module(1).mode()), Mode::Normal);
    // A taken name keeps its owner.
    assert_eq!(Wires::open(&name).expect_err("taken").exit_code(), 2);
    drop(driver);
    assert!(!name.exists(), "tidied up");
    std::fs::write(&name, "precious").expect("writes");
    assert!(Wires::open(&name).is_err());
    assert_eq!(std::fs::read(&name).expect("reads"), b"precious");
}
