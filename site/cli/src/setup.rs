//! `selo setup`: certificates, passwords and configuration for a first start.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use selo_mqtt::certificate::Renewal;
use selo_mqtt::setup::{self, Setup};
use selo_mqtt::topic;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Existing files stay unchanged. Run the command again to renew the certificate, or to create
missing files. To use your own certificates, put server.pem (the chain), server.key (mode 0600)
and ca.pem (the authority, for clients) into the folder, before or after the first run, and
remove ca.key.

Examples:
  selo setup farm
  selo setup farm --name farm.example.org --name 192.0.2.10 --site farm")]
pub struct Args {
    /// The folder to create or complete
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// A name or address of this machine, for the certificate; host name, localhost, 127.0.0.1
    /// and ::1 are always included; may be given more than once
    #[arg(long, value_name = "NAME")]
    name: Vec<String>,
    /// Name of this site in topics
    #[arg(long, value_name = "NAME", default_value = topic::DEFAULT_SITE)]
    site: String,
    /// Address and port on which the broker will listen
    #[arg(long, value_name = "ADDR:PORT", default_value = "0.0.0.0:8883")]
    listen: SocketAddr,
}

pub fn run(args: &Args) -> selo_base::report::Result<ExitCode> {
    let done = setup::run(&Setup {
        folder: args.folder.clone(),
        names: args.name.clone(),
        site: args.site.clone(),
        listen: args.listen,
    })?;
    for path in &done.made {
        println!("{}", path.display());
    }
    match &done.certificate {
        Renewal::Made(why) => eprintln!(
            "Created a certificate for the broker ({why}), for the names {}.",
            done.names.join(", ")
        ),
        Renewal::Kept { days } => {
            eprintln!("The broker's certificate is valid for {days} more days.")
        }
        Renewal::Foreign { days } => eprintln!(
            "The certificate of another authority is valid for {days} more days; it was not changed."
        ),
    }
    if done.made.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    let folder = args.folder.display();
    let port = args.listen.port();
    let site = &args.site;
    eprintln!(
        "
Next:
  selo broker {folder} --listen {listen}
  selo gateway --mqtt mqtts://gateway@localhost:{port} --mqtt-ca {folder}/ca.pem \\
      --mqtt-password-file {folder}/gateway.password --site {site}
  mosquitto_sub -h localhost -p {port} --cafile {folder}/ca.pem -V mqttv5 \\
      -u viewer -P \"$(cat {folder}/viewer.password)\" -t 'selo/#' -v
Mosquitto instead of selo broker: mosquitto -c {folder}/mosquitto.conf
Keep *.password, *.key and passwords secret: with them, anyone can impersonate a client, the
broker or its authority.",
        listen = args.listen,
    );
    Ok(ExitCode::SUCCESS)
}
