//! Certificates for a first start: a private authority, and a server certificate that it signs
//! and renews. To use certificates of another authority, leave out `ca.key`; they are then never
//! changed.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose,
};
use time::{Duration, OffsetDateTime};
use x509_parser::extensions::GeneralName;
use x509_parser::prelude::{FromDer as _, X509Certificate};

use crate::client::{certificates, check_private};
use crate::error::{Error, Result};

/// Validity of the authority and of the server certificate, in days.
const AUTHORITY_DAYS: i64 = 3650;
const SERVER_DAYS: i64 = 397;
/// A certificate is renewed when its remaining validity is below this.
const RENEW_DAYS: i64 = 60;
/// Certificates are valid from a little before their creation, because clocks differ.
const BEFORE: Duration = Duration::days(1);

/// The files of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Files {
    pub ca: PathBuf,
    pub ca_key: PathBuf,
    pub server: PathBuf,
    pub server_key: PathBuf,
}

impl Files {
    /// The standard file names in a folder.
    pub fn of(folder: &Path) -> Files {
        Files {
            ca: folder.join("ca.pem"),
            ca_key: folder.join("ca.key"),
            server: folder.join("server.pem"),
            server_key: folder.join("server.key"),
        }
    }
}

/// Result of [`ensure`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Renewal {
    /// The server certificate was created or renewed, for this reason.
    Made(String),
    /// The certificate was kept. It is valid for this many more days.
    Kept { days: i64 },
    /// The certificate is of another authority and was not changed. It is valid for this many
    /// more days.
    Foreign { days: i64 },
}

/// The names of this machine: its host name, `localhost`, `127.0.0.1` and `::1`.
pub fn local_names() -> Vec<String> {
    let host = rustix::system::uname();
    let host = host.nodename().to_string_lossy().into_owned();
    let mut names = vec![host, "localhost".into(), "127.0.0.1".into(), "::1".into()];
    names.dedup();
    names.retain(|name| !name.is_empty());
    names
}

/// Creates missing files, and renews a certificate that is about to expire or lacks a name.
pub fn ensure(files: &Files, names: &[String]) -> Result<Renewal> {
    let there = |path: &Path| path.symlink_metadata().is_ok();
    if there(&files.ca) != there(&files.ca_key) || !there(&files.ca) && there(&files.server) {
        if there(&files.server) && there(&files.server_key) {
            check_private(&files.server_key)?;
            let days = read(&files.server)?.days_left;
            return Ok(Renewal::Foreign { days });
        }
        let missing = [&files.ca, &files.ca_key, &files.server, &files.server_key]
            .into_iter()
            .find(|path| !there(path))
            .unwrap_or(&files.ca);
        return Err(Error::File {
            path: missing.clone(),
            why: "the file is missing, but other certificate files are present".into(),
            hint: "to use your own certificates, provide server.pem, server.key and ca.pem \
                without ca.key; or remove all of them to create new ones"
                .into(),
        });
    }
    if !there(&files.ca) {
        make_authority(files)?;
    }
    let why = if !there(&files.server) || !there(&files.server_key) {
        "there was no certificate".to_owned()
    } else {
        let current = read(&files.server)?;
        let lacks = names.iter().find(|name| !current.names.contains(name));
        match lacks {
            _ if current.days_left < RENEW_DAYS => {
                format!(
                    "the old one was valid for only {} more days",
                    current.days_left.max(0)
                )
            }
            Some(name) => format!("the old one did not include the name {name}"),
            None => {
                return Ok(Renewal::Kept {
                    days: current.days_left,
                });
            }
        }
    };
    make_server(files, names)?;
    Ok(Renewal::Made(why))
}

/// Contents of a certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    pub names: Vec<String>,
    /// Whole days of remaining validity; negative if it has expired.
    pub days_left: i64,
}

/// Reads the first certificate of a file.
pub fn read(path: &Path) -> Result<Facts> {
    let chain = certificates(path)?;
    let wrong = |why: String| Error::File {
        path: path.into(),
        why,
        hint: "the file must contain a certificate in PEM format".into(),
    };
    let (_, certificate) = X509Certificate::from_der(&chain[0])
        .map_err(|error| wrong(format!("not a valid certificate: {error}")))?;
    let end = certificate.validity().not_after.timestamp();
    let left = end - OffsetDateTime::now_utc().unix_timestamp();
    let mut names = Vec::new();
    if let Ok(Some(extension)) = certificate.subject_alternative_name() {
        for name in &extension.value.general_names {
            match name {
                GeneralName::DNSName(name) => names.push((*name).to_owned()),
                GeneralName::IPAddress(bytes) => {
                    if let Ok(bytes) = <[u8; 4]>::try_from(*bytes) {
                        names.push(std::net::Ipv4Addr::from(bytes).to_string());
                    } else if let Ok(bytes) = <[u8; 16]>::try_from(*bytes) {
                        names.push(std::net::Ipv6Addr::from(bytes).to_string());
                    }
                }
                _ => {}
            }
        }
    }
    Ok(Facts {
        names,
        days_left: left.div_euclid(86_400),
    })
}

fn failed(error: rcgen::Error) -> Error {
    Error::Internal(format!("cannot create a certificate: {error}"))
}

fn make_authority(files: &Files) -> Result<()> {
    let host = local_names().remove(0);
    let mut params = CertificateParams::new(Vec::new()).map_err(failed)?;
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    params
        .distinguished_name
        .push(DnType::CommonName, format!("Selo's authority on {host}"));
    let now = OffsetDateTime::now_utc();
    params.not_before = now - BEFORE;
    params.not_after = now + Duration::days(AUTHORITY_DAYS);
    let key = KeyPair::generate().map_err(failed)?;
    let certificate = params.self_signed(&key).map_err(failed)?;
    // Write the key first: a certificate without its key would be taken for another authority's.
    write(&files.ca_key, key.serialize_pem().as_bytes(), 0o600)?;
    write(&files.ca, certificate.pem().as_bytes(), 0o644)
}

fn make_server(files: &Files, names: &[String]) -> Result<()> {
    check_private(&files.ca_key)?;
    let text = |path: &PathBuf| std::fs::read_to_string(path).map_err(Error::read(path));
    let wrong = |error: rcgen::Error| Error::File {
        path: files.ca_key.clone(),
        why: format!("not usable as an authority: {error}"),
        hint: "provide ca.pem and its key ca.key; or remove both and give clients the new ca.pem"
            .into(),
    };
    let key = KeyPair::from_pem(&text(&files.ca_key)?).map_err(wrong)?;
    let issuer = Issuer::from_ca_cert_pem(&text(&files.ca)?, key).map_err(wrong)?;
    let mut params = CertificateParams::new(names.to_vec()).map_err(|error| {
        let what = format!(
            "cannot create a certificate for {}: {error}",
            names.join(", ")
        );
        Error::Invalid(what, "use host names or addresses as names")
    })?;
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    params.use_authority_key_identifier_extension = true;
    let first = names.first().map_or("localhost", String::as_str);
    params.distinguished_name.push(DnType::CommonName, first);
    let now = OffsetDateTime::now_utc();
    params.not_before = now - BEFORE;
    params.not_after = now + Duration::days(SERVER_DAYS);
    let key = KeyPair::generate().map_err(failed)?;
    let certificate = params.signed_by(&key, &issuer).map_err(failed)?;
    write(&files.server_key, key.serialize_pem().as_bytes(), 0o600)?;
    write(&files.server, certificate.pem().as_bytes(), 0o644)
}

/// Replaces a file atomically, with this mode.
pub(crate) fn write(path: &Path, bytes: &[u8], mode: u32) -> Result<()> {
    let new = path.with_extension("new");
    _ = std::fs::remove_file(&new);
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(mode)
        .open(&new)
        .and_then(|mut file: File| {
            file.write_all(bytes)?;
            file.sync_all()
        })
        .and_then(|()| std::fs::rename(&new, path));
    written.map_err(Error::write(path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::MetadataExt;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn a_first_start_makes_them_and_a_second_one_keeps_them() {
        let folder = tempfile::tempdir().expect("a folder");
        let files = Files::of(folder.path());
        let made = ensure(&files, &local_names()).expect("makes");
        assert_eq!(made, Renewal::Made("there was no certificate".into()));
        let mode = |path: &Path| std::fs::metadata(path).expect("there").mode() & 0o777;
        // A file that all users may read, subject to the umask.
        let any = folder.path().join("any");
        std::fs::write(&any, b"").expect("writes");
        let public = 0o644 & mode(&any);
        for (path, expected) in [
            (&files.ca, public),
            (&files.ca_key, 0o600),
            (&files.server, public),
            (&files.server_key, 0o600),
        ] {
            assert_eq!(mode(path), expected, "{}", path.display());
        }
        let facts = read(&files.server).expect("reads");
        assert_eq!(facts.names, local_names());
        assert!((390..=397).contains(&facts.days_left), "{facts:?}");
        let before = std::fs::read(&files.server).expect("there");
        let kept = ensure(&files, &local_names()).expect("keeps");
        assert!(matches!(kept, Renewal::Kept { days } if days > 300));
        assert_eq!(std::fs::read(&files.server).expect("there"), before);
    }

    #[test]
    fn it_is_renewed_before_it_expires_and_when_it_lacks_a_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let files = Files::of(folder.path());
        ensure(&files, &names(&["a"])).expect("makes");
        let made = ensure(&files, &names(&["a", "b.example"])).expect("renews");
        assert_eq!(
            made,
            Renewal::Made("the old one did not include the name b.example".into())
        );
        let ca = std::fs::read(&files.ca).expect("there");
        let key = KeyPair::generate().expect("a key");
        let mut old = CertificateParams::new(names(&["a"])).expect("params");
        old.not_after = OffsetDateTime::now_utc() + Duration::days(RENEW_DAYS - 1);
        let old = old.self_signed(&key).expect("signs");
        write(&files.server, old.pem().as_bytes(), 0o644).expect("writes");
        let made = ensure(&files, &names(&["a"])).expect("renews");
        assert!(matches!(made, Renewal::Made(why) if why.contains("valid for only")));
        assert!(read(&files.server).expect("reads").days_left > 300);
        assert_eq!(
            std::fs::read(&files.ca).expect("there"),
            ca,
            "the authority is unchanged"
        );
    }

    #[test]
    fn certificates_of_another_authority_are_not_touched() {
        let folder = tempfile::tempdir().expect("a folder");
        let files = Files::of(folder.path());
        ensure(&files, &names(&["a"])).expect("makes");
        std::fs::remove_file(&files.ca_key).expect("removes");
        let before = std::fs::read(&files.server).expect("there");
        let found = ensure(&files, &names(&["other"])).expect("looks");
        assert!(matches!(found, Renewal::Foreign { days } if days > 300));
        assert_eq!(std::fs::read(&files.server).expect("there"), before);
        std::fs::remove_file(&files.server_key).expect("removes");
        let error = ensure(&files, &names(&["a"])).expect_err("refused");
        assert!(
            error.to_string().contains("ca.key: the file is missing"),
            "{error}"
        );
    }
}
