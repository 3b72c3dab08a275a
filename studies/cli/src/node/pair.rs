//! Pairing at the node's side, with the operator.

use std::io::{Write, stderr, stdin};
use std::net::SocketAddr;
use std::sync::atomic::AtomicBool;

use selo_nodes::node::VirtualNode;
use selo_nodes::pairing::{Paired, pair};
use selo_nodes::records::Records;

/// Pairs the node. Returns false if the pairing failed.
pub fn run(
    nodes: &mut [VirtualNode],
    records: &mut Records,
    to: SocketAddr,
    stop: &AtomicBool,
) -> selo_base::report::Result<bool> {
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
        Paired::No => eprintln!("selo: the pairing failed; nothing was stored"),
        Paired::Stopped => eprintln!("selo: stopped; nothing was stored"),
    }
    Ok(ended == Paired::Yes)
}

/// Asks the operator after the gateway has judged the digits. The answer stands for a long press of
/// the button, so only a whole word confirms.
pub fn compare(digits: u32) -> bool {
    eprintln!("Digits here: {:03} {:03}", digits / 1000, digits % 1000);
    loop {
        eprint!("Type them at the gateway. If the gateway accepts them, type yes here, else r: ");
        let _ = stderr().flush();
        let mut line = String::new();
        // End of input: nobody has compared the digits.
        if !stdin().read_line(&mut line).is_ok_and(|bytes| bytes > 0) {
            eprintln!(
                "\nRejected: standard input is closed. A script must write yes to standard input."
            );
            return false;
        }
        match line.trim() {
            "yes" => return true,
            "r" => return false,
            _ => eprintln!("Type yes or r."),
        }
    }
}
