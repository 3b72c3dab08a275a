//! `selo setup`: certificates, passwords and configuration for a first start.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use selo_mqtt::certificate::Renewal;
use selo_mqtt::setup::{self, Setup};
use selo_mqtt::topic;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
What is in the folder stays as it is; run it again to renew the certificate or to make what
is missing. To bring certificates of your own: put server.pem (the chain), server.key (mode
0600) and ca.pem (the authority, for clients) there before, or in place of those it made, and
remove ca.key.

Examples:
  selo setup farm
  selo setup farm --name farm.example.org --name 192.0.2.10 --site farm")]
pub struct Args {
    /// The folder
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// A name or address by which others reach this machine, for the certificate; host name,
    /// localhost, 127.0.0.1 and ::1 are in it anyway
    #[arg(long, value_name = "NAME")]
    name: Vec<String>,
    /// Names this place in topics
    #[arg(long, value_name = "NAME", default_value = topic::DEFAULT_SITE)]
    site: String,
    /// Where the broker is to listen
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
            "The broker's certificate is new ({why}); it is for {}.",
            done.names.join(", ")
        ),
        Renewal::Kept { days } => eprintln!("The broker's certificate is good for {days} days."),
        Renewal::Foreign { days } => eprintln!(
            "The certificate is of another authority and good for {days} days; it was not touched."
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
Mosquitto in the broker's place: mosquitto -c {folder}/mosquitto.conf
Whoever has *.password, *.key or passwords can be a client, the broker or its authority.",
        listen = args.listen,
    );
    Ok(ExitCode::SUCCESS)
}
