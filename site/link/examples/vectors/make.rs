//! Runs the life of a node and its gateway with fixed secrets, and records everything.
//!
//! Frames come from the library's public functions. Intermediate values are recomputed step by
//! step as in [docs/protocol.md], and must give the same frames.

use selo_link::for_vectors::{hash, hkdf, seal, shared_secret};
use selo_link::frame::{Cookie, CookieEcho, Frame};
use selo_link::join::{JoinAttempt, JoinOpened, SessionKeys};
use selo_link::noise::{NNPSK0, SymmetricState};
use selo_link::pair::{GatewayPairing, NodePairing};
use selo_link::session::{SealOptions, SessionId};
use selo_link::{DeviceId, DeviceKey, EphemeralSecret, FRAME_MAX, Suite};

use crate::format::*;

pub const HEADER: &str = "\
# Made by `cargo run -p selo-link --example vectors`; a test holds the program to this file.
# Bytes are hexadecimal, numbers decimal. README.md beside it says what the fields are.
";

const READING: &[u8] = b"23.5 C, 1013 hPa";

/// Secrets that are different for each purpose and look like nothing.
pub fn secret(suite: Suite, purpose: &str) -> [u8; 32] {
    hash(
        Suite::AesGcmSha256,
        &[
            b"Selo test vector",
            suite.name().as_bytes(),
            purpose.as_bytes(),
        ],
    )
}

/// The node's generator [docs/protocol.md, What survives a power cut].
pub struct Generator {
    suite: Suite,
    state: [u8; 32],
    pub drawn: Vec<Draw>,
}

impl Generator {
    /// The generator of a node without a record: no key, no seed, next join counter 1.
    pub fn seed(suite: Suite, entropy: &[u8; 32]) -> Self {
        let counter = 1u32.to_le_bytes();
        let state = hash(
            suite,
            &[b"Selo seed 1", &[0; 32], &[0; 32], &counter, entropy],
        );
        Generator {
            suite,
            state,
            drawn: Vec::new(),
        }
    }

    pub fn draw(&mut self, purpose: &str) -> [u8; 32] {
        let output = hash(self.suite, &[&self.state, &[1]]);
        self.state = hash(self.suite, &[&self.state, &[2]]);
        self.drawn.push(Draw {
            purpose: purpose.to_owned(),
            output: output.into(),
        });
        output
    }
}

pub fn suite_file(suite: Suite) -> String {
    let entropy = secret(suite, "entropy");
    let mut generator = Generator::seed(suite, &entropy);
    generator.draw("the seed that the first start stores");
    let [a, b, c, d, ..] = generator.draw("device id");
    let device = DeviceId::from_bytes([a, b, c, d]);
    let (pair, key) = pair(suite, device, &mut generator);
    generator.draw("the seed that is stored with the device key");
    let join = vec![
        join(suite, device, &key, &mut generator, &NARROW),
        join(suite, device, &key, &mut generator, &WIDE),
    ];
    let file = SuiteFile {
        suite: suite.name().to_owned(),
        code: suite.code(),
        noise_name: suite.noise_name(),
        randomness: Randomness {
            entropy: entropy.into(),
            draw: generator.drawn,
        },
        pair,
        join,
    };
    format!(
        "{HEADER}\n{}",
        toml::to_string(&file).expect("the file is made of strings")
    )
}

fn pair(suite: Suite, device: DeviceId, generator: &mut Generator) -> (Pair, DeviceKey) {
    let node_secret = generator.draw("ephemeral secret of the pairing");
    let [r @ .., _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _] =
        generator.draw("r of the pairing");
    let gateway_secret = secret(suite, "gateway pairs");
    let (node, gateway) = (
        EphemeralSecret::new(node_secret),
        EphemeralSecret::new(gateway_secret),
    );

    let (node_pairing, commit) = NodePairing::start(suite, device, node.clone(), r);
    let Ok(Frame::PairCommit(parsed)) = Frame::parse(&commit) else {
        panic!("a PAIR-COMMIT")
    };
    let (gateway_pairing, pair_key) = GatewayPairing::start(&parsed, gateway.clone());
    let Ok(Frame::PairKey(parsed)) = Frame::parse(&pair_key) else {
        panic!("a PAIR-KEY")
    };
    let (at_node, reveal) = node_pairing.key(&parsed).expect("a good key");
    let Ok(Frame::PairReveal(parsed)) = Frame::parse(&reveal) else {
        panic!("a PAIR-REVEAL")
    };
    let at_gateway = gateway_pairing
        .reveal(&parsed)
        .expect("it opens the commitment");
    assert_eq!(at_node.digits(), at_gateway.digits());

    let id = device.to_bytes();
    let node_public = node.public_key();
    let commitment = hash(
        suite,
        &[
            b"Selo pair 1",
            &[0x10],
            &id,
            &[suite.code()],
            &node_public,
            &r,
        ],
    );
    let transcript = hash(suite, &[&commit, &pair_key, &reveal]);
    let shared = shared_secret(&gateway_secret, &node_public).expect("a good key");
    let [device_key, result_key, digest] = *hkdf(suite, &transcript, &*shared);
    let number = u32::from_le_bytes([digest[0], digest[1], digest[2], digest[3]]);
    let digits = format!("{:06}", number % 1_000_000);
    let result = |x: u8| {
        let header = [&[0x40 | x], &id[..]].concat();
        let tag = seal(suite, &result_key, x.into(), &header, &mut []);
        [&header[..], &tag].concat()
    };
    assert_eq!(at_node.device_key().expose(), &device_key);
    assert_eq!(at_gateway.device_key().expose(), &device_key);
    assert_eq!(at_gateway.digits().to_string(), digits);
    assert_eq!(at_gateway.result(true)[..], result(0));
    assert_eq!(at_gateway.result(false)[..], result(1));

    let pair = Pair {
        device: device.to_string(),
        node_secret: node_secret.into(),
        node_public: node_public.into(),
        r: r.into(),
        gateway_secret: gateway_secret.into(),
        gateway_public: gateway.public_key().into(),
        commitment: commitment.into(),
        pair_commit: commit.into(),
        pair_key: pair_key.into(),
        pair_reveal: reveal.into(),
        transcript: transcript.into(),
        shared: (*shared).into(),
        device_key: device_key.into(),
        result_key: result_key.into(),
        digest: digest.into(),
        digits,
        pair_result_confirmed: result(0).into(),
        pair_result_rejected: result(1).into(),
    };
    (pair, DeviceKey::new(device_key))
}

/// A join and the packets after it.
struct Script {
    counter: u32,
    session: u32,
    long_tags: bool,
    packets: &'static [Line],
}

/// A packet to seal. A payload of 1 byte stands for `fill` repetitions of it.
struct Line {
    up: bool,
    counter: u64,
    ack_request: bool,
    ack: Option<u16>,
    /// The gateway has restarted: use DOWN-RESUMED.
    resumed: bool,
    payload: &'static [u8],
    fill: usize,
}

/// The start nonce of resumed sessions.
const START: [u8; 4] = [0xa1, 0xb2, 0xc3, 0xd4];

const fn up(counter: u64, payload: &'static [u8]) -> Line {
    Line {
        up: true,
        counter,
        ack_request: false,
        ack: None,
        resumed: false,
        payload,
        fill: 1,
    }
}

const fn down(counter: u64, payload: &'static [u8]) -> Line {
    Line {
        up: false,
        ..up(counter, payload)
    }
}

impl Line {
    const fn ask(self) -> Self {
        Line {
            ack_request: true,
            ..self
        }
    }

    const fn resumed(self) -> Self {
        Line {
            resumed: true,
            ..self
        }
    }

    const fn ack(self, low: u16) -> Self {
        Line {
            ack: Some(low),
            ..self
        }
    }

    const fn fill(self, fill: usize) -> Self {
        Line { fill, ..self }
    }
}

/// Session 0x5e10, 8-byte tags: an exchange of node and gateway, then counters beyond 16 bits,
/// then the highest counters.
const NARROW: Script = Script {
    counter: 1,
    session: 0x5e10,
    long_tags: false,
    packets: &[
        up(0, READING),
        up(1, READING).ask(),
        down(0, b"").ack(1),
        down(1, b"on").ask(),
        up(2, b"").ack(1),
        up(3, b"").ask(),
        down(2, b"off").ack(3),
        down(3, b"later").ask(),
        up(4, READING).ack(3),
        up(5, b""),
        up(6, b"U").fill(43),
        down(4, b"D").fill(45),
        up(0xffff, READING),
        up(0x1_0000, READING),
        up(0x1_0001, READING).ask(),
        down(0x7fff, b"on"),
        down(0xfffe, b"on"),
        down(0xffff, b"on"),
        down(0x1_0000, b"off"),
        down(0x1_0001, b"").ack(1),
        down(0x1_0040, b"on").resumed(),
        down(0x1_0041, b"D").fill(41).resumed(),
        up(0xffff_ffff, READING),
        down(0xffff_ffff, b"off"),
    ],
};

/// A 4-byte session id, 16-byte tags.
const WIDE: Script = Script {
    counter: 2,
    session: 0x0001_0000,
    long_tags: true,
    packets: &[
        up(0, READING),
        up(1, READING).ask(),
        down(0, b"").ack(1),
        down(1, b"on").ask(),
        up(2, b"").ack(1),
        up(3, b"U").fill(33),
        down(2, b"D").fill(35),
        down(0x40, b"on").ask().resumed(),
        up(4, b"").ack(0x40),
        down(0x41, b"D").fill(31).resumed(),
    ],
};

fn join(
    suite: Suite,
    device: DeviceId,
    key: &DeviceKey,
    generator: &mut Generator,
    script: &Script,
) -> Join {
    let node_secret = generator.draw(&format!("ephemeral secret of join {}", script.counter));
    let gateway_secret = secret(suite, &format!("gateway joins {}", script.counter));
    let (node, gateway) = (
        EphemeralSecret::new(node_secret),
        EphemeralSecret::new(gateway_secret),
    );

    let (mut attempt, request) =
        JoinAttempt::start(suite, device, key, script.counter, false, &node);
    let Ok(Frame::JoinRequest(parsed)) = Frame::parse(&request) else {
        panic!("a JOIN-REQUEST")
    };
    let mark = parsed.mark();
    let opened = JoinOpened::open(suite, key, &parsed).expect("it is genuine");
    assert_eq!(opened.counter(), script.counter);
    let session = SessionId(script.session);
    let (accept, keys) = opened
        .accept(&gateway, session, script.long_tags)
        .expect("a good key");
    let Ok(Frame::JoinAccept(parsed)) = Frame::parse(&accept) else {
        panic!("a JOIN-ACCEPT")
    };
    let at_node = attempt.finish(&parsed).expect("it is genuine");
    assert_eq!((at_node.up, at_node.down), (keys.up, keys.down));

    let prologue = [b"Selo link 1", &[0x50][..], &device.to_bytes()].concat();
    let shared = shared_secret(&gateway_secret, &node.public_key()).expect("a good key");
    let accept_options = u8::from(script.long_tags);
    let mut step = Vec::new();
    let mut note = |after: &str, state: &SymmetricState| {
        let (h, ck) = (state.hash().into(), state.chaining_key().into());
        step.push(Step {
            after: after.to_owned(),
            h,
            ck,
        });
    };
    let mut state = SymmetricState::new(suite, NNPSK0, &prologue);
    note("prologue", &state);
    state.token_psk(key.expose());
    note("psk", &state);
    state.token_e(&node.public_key());
    note("e of the node", &state);
    let mut sealed = [&script.counter.to_le_bytes()[..], &[0]].concat();
    let tag = state.encrypt_and_hash(&mut sealed).expect("there is a key");
    note("payload of the request", &state);
    let expected = [
        &[0x50],
        &device.to_bytes()[..],
        &node.public_key(),
        &sealed,
        &tag,
    ]
    .concat();
    assert_eq!(request[..], expected);
    state.token_e(&gateway.public_key());
    note("e of the gateway", &state);
    let check = state.hash()[..4].to_vec();
    state.token_ee(&shared);
    note("ee", &state);
    let mut sealed = [&script.session.to_le_bytes()[..], &[accept_options]].concat();
    let tag = state.encrypt_and_hash(&mut sealed).expect("there is a key");
    note("payload of the accept", &state);
    let expected = [&[0x60], &check[..], &gateway.public_key(), &sealed, &tag].concat();
    assert_eq!(accept[..], expected);

    // The gateway may compute cookies in any way; the protocol defines only the frames.
    let purpose = format!("cookie of join {}", script.counter);
    let [a, b, c, d, e, f, g, h, ..] = secret(suite, &purpose);
    let cookie = [a, b, c, d, e, f, g, h];
    let cookie_frame = Cookie::encode(&mark, &cookie);
    assert_eq!(
        cookie_frame[..],
        [&[0xa0], &request[54..], &cookie].concat()
    );
    let cookie_echo = CookieEcho::encode(device, &cookie);
    assert_eq!(
        cookie_echo[..],
        [&[0xb0], &device.to_bytes()[..], &cookie].concat()
    );

    Join {
        counter: script.counter,
        request_options: 0,
        session: script.session,
        accept_options,
        node_secret: node_secret.into(),
        node_public: node.public_key().into(),
        gateway_secret: gateway_secret.into(),
        gateway_public: gateway.public_key().into(),
        prologue: prologue.into(),
        join_request: request.into(),
        cookie: cookie_frame.into(),
        cookie_echo: cookie_echo.into(),
        shared: (*shared).into(),
        check: check.into(),
        join_accept: accept.into(),
        up_key: keys.up.into(),
        down_key: keys.down.into(),
        step,
        packet: packets(suite, &keys, script),
    }
}

fn packets(suite: Suite, keys: &SessionKeys, script: &Script) -> Vec<Packet> {
    let (mut node, mut gateway) = (keys.node_session(), keys.gateway_session());
    let mut resumed = keys.gateway_session();
    resumed.resume(START);
    let packet = |line: &Line| {
        let payload = match line.payload {
            [byte] => vec![*byte; line.fill],
            bytes => bytes.to_vec(),
        };
        let (session, key) = if line.up {
            (&mut node, &keys.up)
        } else if line.resumed {
            (&mut resumed, &keys.down)
        } else {
            (&mut gateway, &keys.down)
        };
        let options = SealOptions {
            ack_request: line.ack_request,
            ack: line.ack,
        };
        let mut out = [0; FRAME_MAX];
        session.skip_sent(line.counter);
        let sealed = session.seal(&payload, options, &mut out).expect("it fits");
        assert_eq!(sealed.counter, line.counter);
        assert_eq!(sealed.frame, by_hand(suite, key, line, script, &payload));
        Packet {
            direction: if line.up { "up" } else { "down" }.to_owned(),
            counter: line.counter,
            ack_request: line.ack_request,
            ack: line.ack,
            start: line.resumed.then(|| START.into()),
            payload: payload.into(),
            frame: sealed.frame.into(),
        }
    };
    script.packets.iter().map(packet).collect()
}

/// Builds the packet step by step as in [docs/protocol.md, Data].
fn by_hand(suite: Suite, key: &[u8; 32], line: &Line, script: &Script, payload: &[u8]) -> Vec<u8> {
    let wide = script.session > 0xffff;
    let kind = match (line.up, line.resumed) {
        (true, _) => 0x70,
        (false, false) => 0x80,
        (false, true) => 0xd0,
    };
    let first = kind
        | u8::from(wide)
        | u8::from(script.long_tags) << 1
        | u8::from(line.ack_request) << 2
        | u8::from(line.ack.is_some()) << 3;
    let mut header = vec![first];
    header.extend(&script.session.to_le_bytes()[..if wide { 4 } else { 2 }]);
    let mut key = *key;
    if line.resumed {
        header.extend(START);
        key = hash(suite, &[&key, &START]);
    }
    header.extend(&line.counter.to_le_bytes()[..2]);
    let mut text: Vec<u8> = line.ack.iter().flat_map(|low| low.to_le_bytes()).collect();
    text.extend(payload);
    let tag = seal(suite, &key, line.counter, &header, &mut text);
    [
        &header[..],
        &text,
        &tag[..if script.long_tags { 16 } else { 8 }],
    ]
    .concat()
}
