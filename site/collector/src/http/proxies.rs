//! Addresses of clients behind proxies. Request headers about them are trusted only where nobody
//! can forge them.

use std::net::IpAddr;

use axum::http::HeaderMap;

use super::app::App;

/// Returns the client's address, and true if many clients may share it. Only our own proxies are
/// trusted to name their client: the last address that is not a proxy's is the client.
pub fn client(peer: IpAddr, headers: &HeaderMap, app: &App) -> (IpAddr, bool) {
    let ours = |address: IpAddr| app.proxies.iter().any(|proxy| proxy.has(address));
    let shared = |address: IpAddr| address.is_loopback() || (app.strict && address == peer);
    if !ours(peer) {
        return (peer, shared(peer));
    }
    let said = headers
        .get_all("x-forwarded-for")
        .iter()
        .flat_map(|value| value.to_str().unwrap_or("").split(','))
        .map(|word| word.trim().parse::<IpAddr>().ok());
    let said: Vec<Option<IpAddr>> = said.collect();
    let mut client = peer;
    for address in said.into_iter().rev() {
        // Our proxy did not write an unreadable address.
        let Some(address) = address else { break };
        client = address;
        if !ours(address) {
            return (client, false);
        }
    }
    (client, true)
}
