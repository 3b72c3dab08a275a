//! Settings of the site that an admin changes on the page: its name and its time zone. The
//! database keeps them; a copy in memory serves every thread.

use std::sync::{Arc, PoisonError, RwLock};

use jiff::tz::TimeZone;

use crate::db::{Database, Row};
use crate::error::{Error, Result};
use crate::public::Public;
use crate::sql;
use crate::titles::Titles;

/// Longest value of a short setting.
pub const TEXT_MAX: usize = 64;

/// The site's time zone. Copies share one value. It is UTC as long as nobody has chosen one.
#[derive(Debug, Clone, Default)]
pub struct Zone(Arc<RwLock<Option<(String, TimeZone)>>>);

/// Looks a zone up by its name in the IANA database.
fn find(name: &str) -> Result<TimeZone> {
    let unknown = || Error::Invalid(format!("'{name}' is not a known time zone, such as UTC"));
    if name.len() > TEXT_MAX {
        return Err(unknown());
    }
    TimeZone::get(name).map_err(|_| unknown())
}

impl Zone {
    /// The zone as of now.
    pub fn now(&self) -> TimeZone {
        self.chosen().map_or(TimeZone::UTC, |(_, zone)| zone)
    }

    /// Its name, if somebody has chosen it.
    pub fn name(&self) -> Option<String> {
        self.chosen().map(|(name, _)| name)
    }

    fn chosen(&self) -> Option<(String, TimeZone)> {
        let zone = self.0.read();
        zone.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Replaces it by the zone of this name.
    pub fn set(&self, name: &str) -> Result<()> {
        let zone = find(name)?;
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Some((name.into(), zone));
        Ok(())
    }
}

/// The site's settings.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    name: Arc<RwLock<String>>,
    tiles: Arc<RwLock<String>>,
    public: Arc<RwLock<Public>>,
    pub zone: Zone,
    /// Titles of values, from the codecs.
    pub titles: Arc<Titles>,
}

impl Settings {
    /// Reads the stored settings. A zone that this machine does not know becomes UTC.
    pub fn load(db: &mut dyn Database) -> Result<Settings> {
        let settings = Settings::default();
        settings.take(&db.query(sql::SETTINGS, &[])?);
        Ok(settings)
    }

    /// Takes the rows of [`sql::SETTINGS`].
    pub fn take(&self, rows: &[Row]) {
        for row in rows {
            match row.text(0) {
                "name" => self.set_name(row.text(1)),
                "tiles" => self.set_tiles(row.text(1)),
                "public" => {
                    self.set_public(serde_json::from_str(row.text(1)).unwrap_or_default());
                }
                "zone" => {
                    if let Err(error) = self.zone.set(row.text(1)) {
                        tracing::warn!("{error}: days are those of UTC");
                    }
                }
                _ => {}
            }
        }
    }

    /// The site's name; empty if nobody has named it.
    pub fn name(&self) -> String {
        self.name
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// What is public.
    pub fn public(&self) -> Public {
        let public = self.public.read();
        public.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Changes the copy in memory.
    pub fn set_public(&self, public: Public) {
        *self.public.write().unwrap_or_else(PoisonError::into_inner) = public;
    }

    /// The address of tiles; empty if the map has none.
    pub fn tiles(&self) -> String {
        self.tiles
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Changes the copy in memory.
    pub fn set_tiles(&self, tiles: &str) {
        *self.tiles.write().unwrap_or_else(PoisonError::into_inner) = tiles.into();
    }

    /// Changes the copy in memory.
    pub fn set_name(&self, name: &str) {
        *self.name.write().unwrap_or_else(PoisonError::into_inner) = name.into();
    }
}

/// The origin of an address of tiles, which the browser must be allowed to load pictures from.
pub fn tiles_origin(tiles: &str) -> Result<String> {
    let wrong = || {
        let what = "tiles are https://HOST/... with {z}, {x} and {y}; empty: none";
        Error::Invalid(what.into())
    };
    let has_all = ["{z}", "{x}", "{y}"]
        .iter()
        .all(|part| tiles.contains(part));
    let (scheme, rest) = tiles.split_once("://").ok_or_else(wrong)?;
    let host = rest.split('/').next().unwrap_or("");
    // The origin becomes part of a header.
    let good = |b: u8| b.is_ascii_alphanumeric() || b".-:".contains(&b);
    let is_plain = !host.is_empty() && host.bytes().all(good);
    let is_short = tiles.len() <= 256 && tiles.bytes().all(|b| b.is_ascii_graphic());
    if !has_all || !is_plain || !is_short || !matches!(scheme, "https" | "http") {
        return Err(wrong());
    }
    Ok(format!("{scheme}://{host}"))
}

/// Checks a name and a zone before they are stored.
pub fn check(name: Option<&str>, zone: Option<&str>) -> Result<()> {
    if let Some(name) = name
        && (name.chars().count() > TEXT_MAX || name.chars().any(char::is_control))
    {
        return Err(Error::Invalid(format!(
            "a site's name has at most {TEXT_MAX} characters"
        )));
    }
    zone.map_or(Ok(()), |zone| find(zone).map(|_| ()))
}

/// Stores a setting.
pub fn store(db: &mut dyn Database, name: &str, value: &str) -> Result<()> {
    db.execute(sql::SET_SETTING, &[name.into(), value.into()])?;
    Ok(())
}
