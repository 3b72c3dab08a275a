//! Creates a folder with everything for a first start: certificates, users with random passwords,
//! rights, and configuration, for the embedded broker and for Mosquitto.

use std::net::SocketAddr;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use zeroize::Zeroizing;

use crate::access::password_line;
use crate::certificate::{self, Files, Renewal, write};
use crate::error::{Error, Result};
use crate::topic;

/// The users. Each has its own rights at a site.
pub const USERS: [&str; 4] = ["gateway", "collector", "viewer", "homeassistant"];

/// Parameters of a set-up.
#[derive(Debug, Clone)]
pub struct Setup {
    pub folder: PathBuf,
    /// Additional names and addresses of this machine.
    pub names: Vec<String>,
    pub site: String,
    /// Address on which the broker will listen.
    pub listen: SocketAddr,
}

/// Result of a set-up.
#[derive(Debug, Clone)]
pub struct Done {
    /// Created files. Existing files are unchanged.
    pub made: Vec<PathBuf>,
    pub certificate: Renewal,
    /// Names that the certificate must have.
    pub names: Vec<String>,
}

/// The file with a user's password, mode 0600.
pub fn password_file(folder: &Path, user: &str) -> PathBuf {
    folder.join(format!("{user}.password"))
}

/// Creates the missing files of the folder. Existing files are unchanged, except an access list
/// that is still as the release before wrote it: it gets the rights of this release.
pub fn run(setup: &Setup) -> Result<Done> {
    topic::check_name(&setup.site)?;
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(&setup.folder)
        .map_err(Error::write(&setup.folder))?;
    let folder = setup
        .folder
        .canonicalize()
        .map_err(Error::read(&setup.folder))?;
    let mut names = certificate::local_names();
    for name in &setup.names {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    let files = Files::of(&folder);
    let before: Vec<bool> = [&files.ca, &files.ca_key, &files.server, &files.server_key]
        .map(|path| path.exists())
        .into();
    let certificate = certificate::ensure(&files, &names)?;
    let mut made: Vec<PathBuf> = [&files.ca, &files.ca_key, &files.server, &files.server_key]
        .into_iter()
        .zip(before)
        .filter(|(path, before)| !before && path.exists())
        .map(|(path, _)| path.clone())
        .collect();
    users(&folder, &mut made)?;
    for (name, text) in [
        ("acl", acl(&setup.site)),
        ("selo.toml", configuration(&folder, setup)),
        ("mosquitto.conf", mosquitto(&folder, setup.listen)),
    ] {
        let path = folder.join(name);
        if !path.exists() {
            write(&path, text.as_bytes(), 0o644)?;
            made.push(path);
        }
    }
    renew_acl(&folder.join("acl"), &setup.site)?;
    Ok(Done {
        made,
        certificate,
        names,
    })
}

/// Creates passwords, and their hashes for the broker. Existing users keep their password.
fn users(folder: &Path, made: &mut Vec<PathBuf>) -> Result<()> {
    let path = folder.join("passwords");
    let old = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(Error::read(&path)(error)),
    };
    let mut lines = old.clone();
    for user in USERS {
        if old.lines().any(|line| line.split(':').next() == Some(user)) {
            continue;
        }
        let random = Zeroizing::new(
            selo_link::random_bytes::<24>().map_err(|error| Error::Internal(error.to_string()))?,
        );
        let password = Zeroizing::new(URL_SAFE_NO_PAD.encode(*random));
        let file = password_file(folder, user);
        write(&file, format!("{}\n", *password).as_bytes(), 0o600)?;
        made.push(file);
        lines += &password_line(user, &password)?;
    }
    if lines != old {
        write(&path, lines.as_bytes(), 0o600)?;
        if old.is_empty() {
            made.push(path);
        }
    }
    Ok(())
}

/// Rights of the collector that the first access lists did not give.
const ALARM_RIGHTS: &str =
    "topic write selo/+/alarms/+\ntopic write homeassistant/device/+/config\n";

/// The user that earlier access lists did not have. Home Assistant says on a topic of its own whether
/// it runs, and its integrations look for devices of many makers below other names. A refusal would
/// end its connection, or fill the log.
const HOME_ASSISTANT: &str = "
# Home Assistant, which also looks for devices of other makers.
user homeassistant
topic read #
topic write homeassistant/status
";

/// Adds new rights to an access list that nobody has changed.
fn renew_acl(path: &Path, site: &str) -> Result<()> {
    let acl = acl(site);
    let found = std::fs::read_to_string(path).map_err(Error::read(path))?;
    if earlier_acls(&acl).contains(&found) {
        write(path, acl.as_bytes(), 0o644)?;
        tracing::info!("{} has the rights of this release", path.display());
    }
    Ok(())
}

/// The access lists that earlier releases wrote for the same site, the newest first.
fn earlier_acls(acl: &str) -> [String; 2] {
    let without_user = acl.replace(HOME_ASSISTANT, "").replace(
        "# Programs that only read.",
        "# Home Assistant and other programs that only read.",
    );
    let without_alarms = without_user
        .replace(&format!("alarm/+/+\n{ALARM_RIGHTS}"), "alarm/+/+\n")
        .replace(
            ", raises alarms, and describes them to Home\n# Assistant.",
            ", and raises alarms.",
        );
    [without_user, without_alarms]
}

fn acl(site: &str) -> String {
    format!(
        "# Access list: which user may read and write which topics. The embedded broker and
# Mosquitto both read this file.

# A gateway publishes readings, and receives confirmations of stored ones.
user gateway
topic write selo/{site}/reading/+
topic write selo/{site}/state/+
topic write selo/{site}/status/+
topic read selo/{site}/stored/+
topic write homeassistant/device/+/config

# The collector stores the readings of every site, raises alarms, and describes them to Home
# Assistant.
user collector
topic read selo/+/reading/+
topic read selo/+/status/+
topic write selo/+/stored/+
topic write selo/+/alarm/+/+
{ALARM_RIGHTS}
# Programs that only read.
user viewer
topic read selo/#
topic read homeassistant/#
{HOME_ASSISTANT}"
    )
}

/// The file that `selo --config` reads: one section per command, one key per option.
fn configuration(folder: &Path, setup: &Setup) -> String {
    let at = |name: &str| format!("{:?}", folder.join(name).display().to_string());
    let Setup { site, listen, .. } = setup;
    let port = listen.port();
    format!(
        "# Selo's configuration, written by `selo setup`. `selo config init -` prints every key.
# Run `selo --config selo.toml broker`, `gateway` and `collect`, each in a terminal or service.

site = \"{site}\"

[broker]
folder = {folder}
listen = \"{listen}\"

[gateway]
mqtt = \"mqtts://gateway@localhost:{port}\"
mqtt-ca = {ca}
mqtt-password-file = {gateway}
until = \"stored\"

[collect]
mqtt = \"mqtts://collector@localhost:{port}\"
mqtt-ca = {ca}
mqtt-password-file = {collector}
http = \"0.0.0.0:7380\"
tls-cert = {certificate}
tls-key = {key}
",
        folder = at(""),
        ca = at("ca.pem"),
        gateway = at("gateway.password"),
        collector = at("collector.password"),
        certificate = at("server.pem"),
        key = at("server.key"),
    )
}

fn mosquitto(folder: &Path, listen: SocketAddr) -> String {
    let at = |name: &str| folder.join(name).display().to_string();
    format!(
        "# Mosquitto instead of the embedded broker: mosquitto -c mosquitto.conf
# To run it as a system service, copy this file and the files that it names to
# /etc/mosquitto, where the user mosquitto can read them. Do not copy ca.key.

per_listener_settings false
listener {} {}
certfile {}
keyfile {}
allow_anonymous false
password_file {}
acl_file {}

# Gateways publish many readings at once.
max_inflight_messages 1000
max_queued_messages 100000
# Limits on messages queued for offline clients: per client, in total, and in time. A
# reading that is dropped here stays in its gateway's journal and is published again.
max_queued_bytes 16777216
memory_limit 268435456
persistent_client_expiration 1d
persistence false
log_dest stderr
",
        listen.port(),
        listen.ip(),
        at("server.pem"),
        at("server.key"),
        at("passwords"),
        at("acl"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const OF_THE_FIRST_RELEASE: &str = "\
# Access list: which user may read and write which topics. The embedded broker and
# Mosquitto both read this file.

# A gateway publishes readings, and receives confirmations of stored ones.
user gateway
topic write selo/farm/reading/+
topic write selo/farm/state/+
topic write selo/farm/status/+
topic read selo/farm/stored/+
topic write homeassistant/device/+/config

# The collector stores the readings of every site, and raises alarms.
user collector
topic read selo/+/reading/+
topic read selo/+/status/+
topic write selo/+/stored/+
topic write selo/+/alarm/+/+

# Home Assistant and other programs that only read.
user viewer
topic read selo/#
topic read homeassistant/#
";

    #[test]
    fn an_access_list_gets_new_rights_unless_somebody_has_changed_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("acl");
        let renewed = |old: &str| {
            std::fs::write(&path, old).expect("writes");
            renew_acl(&path, "farm").expect("renews");
            std::fs::read_to_string(&path).expect("reads")
        };
        assert_eq!(renewed(OF_THE_FIRST_RELEASE), acl("farm"));
        let [with_alarms, first] = earlier_acls(&acl("farm"));
        assert_eq!(first, OF_THE_FIRST_RELEASE);
        assert!(with_alarms.contains("topic write selo/+/alarms/+\n"));
        assert_eq!(renewed(&with_alarms), acl("farm"));
        assert_eq!(renewed(&acl("farm")), acl("farm"));
        let own = format!("{OF_THE_FIRST_RELEASE}topic read other/#\n");
        assert_eq!(renewed(&own), own);
    }
}
