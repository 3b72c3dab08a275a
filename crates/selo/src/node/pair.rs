//! The operator at the node's side of a pairing.

use std::io::{Write, stderr, stdin};
use std::net::SocketAddr;
use std::sync::atomic::AtomicBool;

use selo_nodes::node::VirtualNode;
use selo_nodes::pairing::{Paired, pair};
use selo_nodes::records::Records;

fn parse_digits(text: &str) -> Result<u32, String> {
    let digits: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    if digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        digits.parse().map_err(|_| "six digits".into())
    } else {
        Err("six digits".into())
    }
}

/// Pairs the node; false if nothing came of it.
pub fn run(
    nodes: &mut [VirtualNode],
    records: &mut Records,
    to: SocketAddr,
    stop: &AtomicBool,
) -> anyhow::Result<bool> {
    let Some(node) = nodes.first_mut() else {
        return Ok(false);
    };
    eprintln!(
        "Node {:08x} pairs with {to}; at the gateway: selo device pair",
        node.node().id()
    );
    let ended = pair(node, 0, records, to, stop, compare)?;
    match ended {
        Paired::Yes => eprintln!("Paired."),
        Paired::No => eprintln!("selo: the pairing came to nothing; nothing was stored"),
        Paired::Stopped => eprintln!("selo: stopped; nothing was stored"),
    }
    Ok(ended == Paired::Yes)
}

/// The operator's word: whether the gateway shows the same digits.
pub fn compare(digits: u32) -> bool {
    eprintln!("Digits here: {:03} {:03}", digits / 1000, digits % 1000);
    loop {
        eprint!("Type the digits that the gateway shows, or r to reject: ");
        let _ = stderr().flush();
        let mut line = String::new();
        // Nobody there: nobody has compared.
        if !stdin().read_line(&mut line).is_ok_and(|bytes| bytes > 0) {
            eprintln!("\nNobody to ask here: rejected. A script types them on standard input.");
            return false;
        }
        match (line.trim(), parse_digits(&line)) {
            ("r", _) => return false,
            (_, Ok(typed)) if typed == digits => return true,
            (_, Ok(_)) => eprintln!("These are not the node's. If the gateway does show them: r"),
            (_, Err(_)) => eprintln!("Six digits, or r."),
        }
    }
}
