//! Tests of a single module.

use std::time::Duration;

use selo_e32::airtime::AirRate;

use super::*;

const MS: Time = 1_000_000;

/// A module, the time, and its outputs.
struct Bench {
    module: Module,
    now: Time,
    out: Vec<(Time, Output)>,
}

impl Bench {
    /// A module that has just finished its reset.
    fn new(parameters: Parameters) -> Bench {
        let mut bench = Bench {
            module: Module::new(parameters, 0),
            now: 0,
            out: Vec::new(),
        };
        assert!(!bench.module.aux());
        bench.until(nanos(RESET));
        assert!(bench.module.aux());
        // Long enough for AUX to count as high.
        bench.until(nanos(RESET) + 10 * MS);
        bench
    }

    fn until(&mut self, time: Time) {
        self.module.advance(time, &mut self.out);
        self.now = time;
    }

    fn pass(&mut self, time: Time) {
        self.until(self.now + time);
    }

    fn byte_time(&self) -> Time {
        nanos(self.module.uart().byte())
    }

    /// Sends bytes at the UART's pace, then nothing more.
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.pass(self.byte_time());
            self.module.receive_byte(self.now, *byte);
        }
    }

    fn packets(&self) -> Vec<(Time, Packet)> {
        self.out
            .iter()
            .filter_map(|(at, output)| match output {
                Output::Transmit(packet) => Some((*at, packet.clone())),
                Output::Byte(_) => None,
            })
            .collect()
    }

    fn payloads(&self) -> Vec<Vec<u8>> {
        let packets = self.packets().into_iter();
        packets.map(|(_, packet)| packet.payload).collect()
    }

    fn bytes(&self) -> Vec<(Time, u8)> {
        self.out
            .iter()
            .filter_map(|(at, output)| match output {
                Output::Byte(byte) => Some((*at, *byte)),
                Output::Transmit(_) => None,
            })
            .collect()
    }

    fn said(&self) -> Vec<u8> {
        self.bytes().into_iter().map(|(_, byte)| byte).collect()
    }

    fn pins(&mut self, m1: bool, m0: bool) {
        self.module.set_pins(self.now, m1, m0);
    }

    /// Sends a command in sleep mode. Returns the answer.
    fn command(&mut self, command: &[u8]) -> Vec<u8> {
        self.pins(true, true);
        self.pass(20 * MS);
        assert_eq!(self.module.mode(), Mode::Sleep);
        self.out.clear();
        self.write(command);
        self.pass(50 * MS);
        self.said()
    }

    fn leave_sleep(&mut self) {
        self.pins(false, false);
        self.pass(20 * MS);
        assert_eq!(self.module.mode(), Mode::Normal);
    }
}

fn numbers(size: usize) -> Vec<u8> {
    (0..size).map(|n| n as u8).collect()
}

fn packet_for(module: &Module, payload: &[u8]) -> Packet {
    let parameters = module.parameters();
    Packet {
        channel: parameters.channel(),
        rate: parameters.air_rate(),
        fec: parameters.fec(),
        address: parameters.address(),
        preamble: None,
        power_dbm: 20,
        payload: payload.to_vec(),
    }
}

#[test]
fn a_frame_goes_after_three_byte_times_of_silence() {
    let mut bench = Bench::new(Parameters::default());
    bench.write(b"hello");
    assert!(!bench.module.aux(), "bytes wait");
    let last = bench.now;
    let silence = 3 * bench.byte_time();
    bench.until(last + silence - 1);
    assert_eq!(bench.packets(), []);
    bench.until(last + silence);
    let packets = bench.packets();
    assert_eq!(packets.len(), 1);
    assert_eq!(packets[0].0, last + silence);
    assert_eq!(packets[0].1.payload, b"hello");
    assert_eq!(
        (
            packets[0].1.address,
            packets[0].1.channel,
            packets[0].1.preamble
        ),
        (0, 23, None)
    );
    assert!(bench.module.aux(), "the last packet has begun");
    assert!(!bench.module.listening(), "half duplex");
    let airtime = nanos(packets[0].1.airtime());
    bench.until(last + silence + airtime - 1);
    assert!(!bench.module.listening());
    bench.until(last + silence + airtime);
    assert!(bench.module.listening());
}

#[test]
fn a_pause_shorter_than_three_byte_times_does_not_end_a_frame() {
    let mut bench = Bench::new(Parameters::default());
    bench.write(b"hel");
    bench.pass(2 * bench.byte_time() - 1);
    bench.write(b"lo");
    bench.pass(1_000 * MS);
    assert_eq!(bench.payloads(), [b"hello"]);
}

#[test]
fn fifty_eight_bytes_go_at_once_and_the_rest_follows() {
    let mut bench = Bench::new(Parameters::default());
    let frame = numbers(58 + 58 + 4);
    bench.write(&frame[..57]);
    assert_eq!(bench.packets(), []);
    bench.write(&frame[57..58]);
    bench.pass(0);
    assert_eq!(bench.payloads(), [&frame[..58]], "without silence");
    bench.write(&frame[58..]);
    bench.pass(5_000 * MS);
    assert_eq!(
        bench.payloads(),
        [&frame[..58], &frame[58..116], &frame[116..]]
    );
    let packets = bench.packets();
    for pair in packets.windows(2) {
        assert_eq!(
            pair[1].0,
            pair[0].0 + nanos(pair[0].1.airtime()),
            "one after the other"
        );
    }
}

#[test]
fn frames_that_wait_stay_apart() {
    let mut bench = Bench::new(Parameters::default());
    for frame in [b"one", b"two", b"six"] {
        bench.write(frame);
        bench.pass(4 * bench.byte_time());
    }
    bench.pass(5_000 * MS);
    assert_eq!(bench.payloads(), [b"one", b"two", b"six"]);
}

#[test]
fn the_buffer_holds_512_bytes_and_the_rest_is_lost_and_counted() {
    // The air is so slow that nothing leaves meanwhile.
    let slow = Parameters::default().with_air_rate(AirRate::R300);
    let mut bench = Bench::new(slow);
    let frame: Vec<u8> = (0..600).map(|n| (n % 251) as u8).collect();
    bench.write(&frame);
    // The first sub-packet left the buffer when it was full.
    assert_eq!(bench.module.counts().overflow, 600 - 58 - 512);
    bench.pass(100_000 * MS);
    assert_eq!(bench.payloads().concat(), frame[..58 + 512]);
    // The module continues normally.
    bench.out.clear();
    bench.write(b"again");
    bench.pass(10_000 * MS);
    assert_eq!(bench.payloads(), [b"again"]);
}

#[test]
fn a_received_packet_comes_out_after_5_ms_at_the_uarts_pace() {
    let mut bench = Bench::new(Parameters::default());
    let packet = packet_for(&bench.module, b"abc");
    let heard = bench.now;
    bench.module.receive_packet(heard, &packet);
    assert!(!bench.module.aux());
    bench.pass(100 * MS);
    let byte = bench.byte_time();
    let first = heard + 5 * MS + byte;
    assert_eq!(
        bench.bytes(),
        [
            (first, b'a'),
            (first + byte, b'b'),
            (first + 2 * byte, b'c')
        ]
    );
    assert!(bench.module.aux());
    assert_eq!(bench.module.counts().received, 1);
}

#[test]
fn what_does_not_fit_before_txd_is_lost_whole() {
    let slow = Uart {
        baud: 1_200,
        parity: selo_e32::parameters::Parity::None,
    };
    let mut bench = Bench::new(Parameters::default().with_uart(slow));
    for n in 0..10 {
        let packet = packet_for(&bench.module, &[n; 58]);
        bench.module.receive_packet(bench.now, &packet);
    }
    assert_eq!(bench.module.counts().cut, 2);
    bench.pass(10_000 * MS);
    let expected: Vec<u8> = (0..8).flat_map(|n| [n; 58]).collect();
    assert_eq!(bench.said(), expected);
}

#[test]
fn only_what_is_meant_for_a_module_is_accepted() {
    let bench = Bench::new(Parameters::default().with_address(7));
    let good = packet_for(&bench.module, b"x");
    let accepts = |change: fn(&mut Packet)| {
        let mut packet = good.clone();
        change(&mut packet);
        bench.module.accepts(&packet)
    };
    assert!(accepts(|_| ()));
    assert!(accepts(|packet| packet.address = EVERYONE));
    assert!(!accepts(|packet| packet.address = 8));
    assert!(!accepts(|packet| packet.channel = 24));
    assert!(!accepts(|packet| packet.rate = AirRate::R9600));
    assert!(!accepts(|packet| packet.fec = false));
    let monitor = Bench::new(Parameters::default().with_address(EVERYONE));
    assert!(
        monitor.module.accepts(&good),
        "a monitor receives every packet"
    );
}

#[test]
fn fixed_transmission_takes_its_head_off_and_sends_there() {
    let mut bench = Bench::new(Parameters::default().with_address(7).with_fixed(true));
    let mut frame = vec![0x12, 0x34, 0x05];
    frame.extend(numbers(60));
    bench.write(&frame);
    bench.pass(2_000 * MS);
    // The next frame has its own head. A frame without a payload is ignored.
    bench.write(&[0xff, 0xff, 0x17]);
    bench.pass(10 * MS);
    bench.write(&[0xff, 0xff, 0x17, b'x']);
    bench.pass(2_000 * MS);
    let sent: Vec<_> = bench
        .packets()
        .into_iter()
        .map(|(_, packet)| (packet.address, packet.channel, packet.payload))
        .collect();
    assert_eq!(
        sent,
        [
            (0x1234, 5, numbers(60)[..58].to_vec()),
            (0x1234, 5, numbers(60)[58..].to_vec()),
            (EVERYONE, 0x17, b"x".to_vec()),
        ]
    );
    assert_eq!(bench.module.counts().malformed, 1);
}

/// A frame of exactly one full sub-packet is sent before the silence after it is detected. The
/// bytes that follow belong to another frame.
#[test]
fn a_full_sub_packet_does_not_lend_its_head_to_the_next_frame() {
    let mut bench = Bench::new(Parameters::default().with_fixed(true));
    for address in [1, 2] {
        let mut frame = vec![0, address, 0x17];
        frame.extend(numbers(58));
        bench.write(&frame);
        bench.pass(2_000 * MS);
    }
    let sent: Vec<_> = bench
        .packets()
        .into_iter()
        .map(|(_, packet)| (packet.address, packet.payload.len()))
        .collect();
    assert_eq!(sent, [(1, 58), (2, 58)]);
}

#[test]
fn commands_read_set_and_keep_parameters() {
    let mut bench = Bench::new(Parameters::default());
    assert_eq!(
        bench.command(&[0xc1, 0xc1, 0xc1]),
        [0xc0, 0x00, 0x00, 0x1a, 0x17, 0x44]
    );
    assert_eq!(bench.command(&[0xc3, 0xc3, 0xc3])[..2], [0xc3, 0x32]);
    // Temporarily: 19.2k on channel 4.
    let set = [0xc2, 0x00, 0x01, 0x1d, 0x04, 0x44];
    assert_eq!(bench.command(&set), set);
    assert_eq!(bench.command(&[0xc1, 0xc1, 0xc1])[1..], set[1..]);
    bench.leave_sleep();
    bench.out.clear();
    bench.write(b"x");
    bench.pass(1_000 * MS);
    let (_, packet) = bench.packets().remove(0);
    assert_eq!(
        (packet.rate, packet.channel, packet.address),
        (AirRate::R19200, 4, 1)
    );
    // Lost with the power.
    bench.module.power_cycle(bench.now);
    bench.pass(200 * MS);
    assert_eq!(bench.module.parameters(), Parameters::default());
    // Permanently: 115200 baud.
    let keep = [0xc0, 0x00, 0x02, 0x3a, 0x05, 0x44];
    assert_eq!(bench.command(&keep), keep);
    bench.module.power_cycle(bench.now);
    bench.pass(200 * MS);
    assert_eq!(bench.module.parameters().bytes(), keep[1..]);
    // Sleep mode always uses 9600 baud; the other modes use the parameters.
    assert_eq!(bench.module.uart().baud, 9_600);
    bench.leave_sleep();
    assert_eq!(bench.module.uart().baud, 115_200);
}

#[test]
fn a_reset_command_resets() {
    let mut bench = Bench::new(Parameters::default());
    bench.command(&[0xc2, 0, 9, 0x1a, 0x17, 0x44]);
    assert_eq!(bench.module.parameters().address(), 9);
    bench.out.clear();
    bench.write(&[0xc4, 0xc4, 0xc4]);
    assert!(!bench.module.aux());
    // Bytes are ignored meanwhile.
    bench.write(&[0xc1]);
    assert_eq!(bench.module.counts().closed, 1);
    bench.pass(nanos(RESET));
    assert!(bench.module.aux());
    assert!(bench.said().is_empty());
    assert_eq!(bench.module.parameters(), Parameters::default());
}

#[test]
fn what_is_no_command_gets_no_answer_and_spoils_nothing() {
    let mut bench = Bench::new(Parameters::default());
    for bytes in [
        &[0xc1, 0xc1][..],
        &[0xc0, 1, 2, 3, 4],
        &[0xc1, 0xc1, 0xc3],
        &[0x00],
        &[0xff; 300],
        b"AT\r\n",
    ] {
        assert!(bench.command(bytes).is_empty(), "{bytes:02x?}");
    }
    assert_eq!(bench.module.counts().malformed, 6);
    assert_eq!(bench.module.parameters(), Parameters::default());
    assert_eq!(bench.command(&[0xc1, 0xc1, 0xc1]).len(), 6);
}

#[test]
fn the_mode_changes_when_the_module_is_free() {
    let mut bench = Bench::new(Parameters::default());
    // Idle: 1 ms after the pin change.
    bench.pins(true, true);
    bench.pass(MS - 1);
    assert_eq!(bench.module.mode(), Mode::Normal);
    bench.pass(1);
    assert_eq!(bench.module.mode(), Mode::Sleep);
    // On leaving sleep, AUX is low while the parameters are applied.
    bench.pins(false, false);
    bench.pass(MS);
    assert_eq!(
        (bench.module.mode(), bench.module.aux()),
        (Mode::Normal, false)
    );
    bench.pass(nanos(RECONFIGURE));
    assert!(bench.module.aux());
    // Busy: pending bytes are sent first.
    bench.write(b"last words");
    bench.pins(true, true);
    bench.pass(10 * MS);
    assert_eq!(bench.module.mode(), Mode::Normal);
    bench.pass(1_000 * MS);
    assert_eq!(bench.payloads(), [b"last words"]);
    assert_eq!(bench.module.mode(), Mode::Sleep);
    // 2 ms after AUX has risen.
    bench.pins(false, false);
    bench.pass(20 * MS);
    let packet = packet_for(&bench.module, b"z");
    bench.module.receive_packet(bench.now, &packet);
    bench.pins(true, true);
    let risen = bench.now + 5 * MS + bench.byte_time();
    bench.until(risen);
    assert!(bench.module.aux());
    bench.until(risen + 2 * MS - 1);
    assert_eq!(bench.module.mode(), Mode::Normal);
    bench.until(risen + 2 * MS);
    assert_eq!(bench.module.mode(), Mode::Sleep);
}

#[test]
fn a_sleeper_is_woken_by_a_preamble_as_long_as_its_interval() {
    let mut bench = Bench::new(Parameters::default());
    bench.pins(true, false);
    bench.pass(20 * MS);
    assert_eq!(bench.module.mode(), Mode::PowerSaving);
    let mut packet = packet_for(&bench.module, b"wake");
    assert!(!bench.module.accepts(&packet));
    packet.preamble = Some(Duration::from_millis(249));
    assert!(!bench.module.accepts(&packet));
    packet.preamble = Some(Duration::from_millis(250));
    assert!(bench.module.accepts(&packet));
    // Its UART is closed.
    bench.write(b"x");
    bench.pass(1_000 * MS);
    assert_eq!(
        (bench.packets().len(), bench.module.counts().closed),
        (0, 1)
    );
    // In sleep mode it receives nothing.
    bench.pins(true, true);
    bench.pass(20 * MS);
    assert!(!bench.module.accepts(&packet));
}

#[test]
fn wake_up_mode_puts_a_preamble_before_each_packet() {
    let mut bench = Bench::new(Parameters::from_bytes([0, 0, 0x1a, 0x17, 0x4c]));
    bench.pins(false, true);
    bench.pass(20 * MS);
    bench.write(b"hello");
    bench.pass(2_000 * MS);
    let (_, packet) = bench.packets().remove(0);
    assert_eq!(packet.preamble, Some(Duration::from_millis(500)));
    assert_eq!(
        packet.airtime(),
        Duration::from_millis(500) + AirRate::R2400.airtime(5, true)
    );
}
