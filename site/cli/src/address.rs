//! Addresses on the command line. One may contain a password by mistake, and what a service writes to
//! its standard error stays in the system's log. An error therefore never repeats the address.

use std::ffi::OsStr;

use clap::builder::TypedValueParser;
use clap::error::ErrorKind;
use clap::{Arg, Command};
use selo_mqtt::client::BrokerUrl;
use selo_mqtt::error::Result;

/// Reads addresses by this function.
#[derive(Clone)]
pub struct Address(pub fn(&str) -> Result<BrokerUrl>);

impl TypedValueParser for Address {
    type Value = BrokerUrl;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> std::result::Result<BrokerUrl, clap::Error> {
        let wrong = |why: String| {
            let of = argument.map(|argument| format!(" for '{argument}'"));
            let text = format!("invalid value{}: {why}\n", of.unwrap_or_default());
            clap::Error::raw(ErrorKind::ValueValidation, text).with_cmd(command)
        };
        let text = value.to_str();
        let text = text.ok_or_else(|| wrong("the address is not UTF-8".into()))?;
        (self.0)(text).map_err(|error| {
            wrong(match error.hint() {
                Some(hint) => format!("{error}; {hint}"),
                None => error.to_string(),
            })
        })
    }
}
