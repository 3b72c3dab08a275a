//! Request handlers. Each parses its request, queries the database and formats the answer.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use axum::Json;
use axum::body::Bytes;
use axum::extract::{ConnectInfo, FromRequest, Path, Query, Request, State};
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{AppendHeaders, IntoResponse, Response};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::answer::ApiError;
use super::app::{App, Peer};
use super::caller::{Admin, BROWSER, COOKIE, Person, Viewer, cookie_of, same_origin};
use super::proxies;
use crate::alarm::{self, Rule};
use crate::auth::{self, BROWSER_MS, Login, Origin, Refusal, Role, SESSION_MS, SITE, Scope, Token};
use crate::blocking::within;
use crate::db::{Database, Value as Column};
use crate::error::{Error, Result};
use crate::message::{is_name, time_text};
use crate::metrics::add;
use crate::query::{self, Before, Step};
use crate::rollup::Level;
use crate::sql;
use crate::store::Store;

/// Longest time that a request waits for the writer thread. The requested work may still be done
/// later.
const WRITE_DEADLINE: Duration = Duration::from_secs(30);
const HEALTH_DEADLINE: Duration = Duration::from_secs(5);
/// The API's description, served at `/api/v1/openapi.json`.
pub const OPENAPI: &str = include_str!("../../openapi.json");

type Answer = Result<Json<Value>, ApiError>;
type Shared = State<Arc<App>>;

/// A JSON body. Parse errors are reported in the format of all other errors.
#[derive(Debug)]
pub struct Body<T>(pub T);

impl<T: DeserializeOwned> FromRequest<Arc<App>> for Body<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, ApiError> {
        let bytes = Bytes::from_request(request, app)
            .await
            .map_err(|error| ApiError::new(error.status(), "invalid", error.body_text(), None))?;
        serde_json::from_slice(&bytes)
            .map(Body)
            .map_err(|error| ApiError::invalid(format!("invalid body: {error}")))
    }
}

/// A time range in Unix milliseconds: `from` inclusive, `to` exclusive.
#[derive(Debug, Clone, Copy)]
pub struct Range {
    pub from: i64,
    pub to: i64,
}

impl Range {
    /// Parses a range. Without `from` it begins `span` ms before `to`; a `span` of 0 means from
    /// the beginning.
    pub fn parse(from: Option<&str>, to: Option<&str>, now: i64, span: i64) -> Result<Range> {
        // Include messages that have just arrived.
        let to = to.map_or(Ok(now + 1), moment)?;
        let from = match from {
            Some(text) => moment(text)?,
            None if span == 0 => 0,
            None => to - span,
        };
        if from >= to {
            return Err(Error::Invalid("from must be before to".into()));
        }
        Ok(Range { from, to })
    }
}

/// Parses Unix milliseconds, or RFC 3339.
fn moment(text: &str) -> Result<i64> {
    // Bound that keeps every sum with a time from overflowing.
    const FURTHEST: i64 = 1 << 53;
    if let Ok(ms) = text.parse::<i64>() {
        if (0..=FURTHEST).contains(&ms) {
            return Ok(ms);
        }
    } else if let Ok(time) = humantime::parse_rfc3339_weak(text)
        && let Ok(since) = time.duration_since(std::time::UNIX_EPOCH)
    {
        return Ok(since.as_millis() as i64);
    }
    Err(Error::Invalid(format!(
        "'{text}' is not a valid time: Unix milliseconds, or RFC 3339"
    )))
}

/// `GET /openapi.json`.
pub async fn openapi() -> Response {
    ([(header::CONTENT_TYPE, "application/json")], OPENAPI).into_response()
}

/// Answers every unknown route with 404.
pub async fn no_such_route(uri: Uri) -> ApiError {
    ApiError::new(
        StatusCode::NOT_FOUND,
        "unknown",
        format!("there is no {}", uri.path()),
        Some("see /api/v1/openapi.json for the routes"),
    )
}

/// Answers every unknown method of a route with 405.
pub async fn no_such_method() -> ApiError {
    ApiError::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "method",
        "this route does not support that method",
        Some("see /api/v1/openapi.json for its methods"),
    )
}

/// Body of a login.
#[derive(Deserialize)]
pub struct Credentials {
    user: String,
    password: zeroize::Zeroizing<String>,
}

/// `POST /login`: sets the session cookie.
pub async fn login(
    State(app): Shared,
    ConnectInfo(Peer(peer)): ConnectInfo<Peer>,
    headers: HeaderMap,
    Body(login): Body<Credentials>,
) -> Result<Response, ApiError> {
    same_origin(&headers)?;
    let now = app.clock.now();
    let (address, shared) = proxies::client(peer.ip(), &headers, &app);
    let browser = cookie_of(&headers, BROWSER);
    let place = app.auth.place((address, shared), &login.user, browser, now);
    let known = matches!(place, Origin::Browser(_));
    let user = login.user.clone();
    let done = app
        .auth
        .login((address, place), login.user, login.password, now)
        .await;
    match done {
        Ok(login) => {
            add(&app.metrics.logins, 1);
            app.keep_login(&login).await;
            let secure = if app.secure { "; Secure" } else { "" };
            let cookie = |name: &str, value: &str, ms: i64| {
                let seconds = ms / 1000;
                let cookie = format!(
                    "{name}={value}; Path=/; HttpOnly; SameSite=Strict; Max-Age={seconds}{secure}"
                );
                (header::SET_COOKIE, cookie)
            };
            let mut cookies = vec![cookie(COOKIE, &login.secret, SESSION_MS)];
            if !known {
                let value = app.auth.browser_cookie(&user, now)?;
                cookies.push(cookie(BROWSER, &value, BROWSER_MS));
            }
            let body = Json(json!({"user": user, "role": login.role.name()}));
            Ok((AppendHeaders(cookies), body).into_response())
        }
        Err(refusal) => Err(app.refused(refusal)),
    }
}

impl App {
    /// Runs work on the writer thread, with a deadline for the request.
    pub async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut dyn Database, &mut Store) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        within("the database", WRITE_DEADLINE, self.ingest.write(work)).await
    }

    /// Stores a login so that it outlives this run, and deletes the sessions that it evicted.
    async fn keep_login(&self, login: &Login) {
        let session = &login.session;
        let kept: [Column; 4] = [
            session.id.to_vec().into(),
            session.user.as_str().into(),
            session.stamp.to_vec().into(),
            session.expires.into(),
        ];
        let ended = login.ended.clone();
        let work = move |db: &mut dyn Database, _: &mut Store| {
            for id in ended {
                db.execute(sql::DELETE_LOGIN, &[id.to_vec().into()])?;
            }
            db.execute(sql::INSERT_LOGIN, &kept)
        };
        if let Err(error) = self.write(work).await {
            tracing::warn!("a login was not stored and will end with this run: {error}");
        }
    }

    fn refused(&self, refusal: Refusal) -> ApiError {
        match refusal {
            Refusal::Failed(error) => error.into(),
            Refusal::Wrong => {
                add(&self.metrics.failed_logins, 1);
                ApiError::new(
                    StatusCode::UNAUTHORIZED,
                    "wrong-password",
                    "the user or the password is wrong",
                    Some("`selo collect user add NAME` sets a password"),
                )
            }
            Refusal::TooMany => ApiError::new(
                StatusCode::TOO_MANY_REQUESTS,
                "too-many",
                "too many failed logins to this account from this place",
                Some("wait a minute"),
            ),
            Refusal::Busy => {
                add(&self.metrics.busy_logins, 1);
                ApiError::new(
                    StatusCode::SERVICE_UNAVAILABLE,
                    "busy",
                    "too many logins at the same time",
                    Some("try again in a moment"),
                )
            }
        }
    }
}

/// `POST /logout`: ends the session.
pub async fn logout(State(app): Shared, headers: HeaderMap) -> Result<Response, ApiError> {
    same_origin(&headers)?;
    if let Some(secret) = cookie_of(&headers, COOKIE) {
        let id = app.auth.logout(secret).to_vec();
        // Otherwise the session would return at the next start.
        app.write(move |db, _| db.execute(sql::DELETE_LOGIN, &[id.into()]))
            .await?;
    }
    let cookie = format!("{COOKIE}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0");
    Ok(([(header::SET_COOKIE, cookie)], Json(json!({}))).into_response())
}

/// `GET /me`: name and role of the caller.
pub async fn me(Viewer(caller): Viewer) -> Json<Value> {
    Json(json!({"user": caller.name, "role": caller.role.name()}))
}

impl App {
    async fn find_stations(&self, station: Option<String>) -> Result<Vec<Value>> {
        let (now, silent_after) = (self.clock.now(), self.silent_after_ms);
        self.readers
            .read(move |db| query::stations(db, station.as_deref(), now, silent_after))
            .await
    }

    /// Resolves a station id. A device id is enough if only one site has that device.
    async fn station_id(&self, id: String) -> Result<String> {
        let find = move |db: &mut dyn Database| query::find_station(db, &id);
        self.readers.read(find).await
    }

    async fn find_station(&self, station: &str) -> Result<Value> {
        let mut found = self.find_stations(Some(station.into())).await?;
        found.pop().ok_or_else(|| Error::Unknown {
            what: format!("station '{station}'"),
        })
    }
}

/// `GET /stations`.
pub async fn stations(_: Viewer, State(app): Shared) -> Answer {
    let stations = app.find_stations(None).await?;
    let (held, behind) = (&app.metrics.prune_held, &app.metrics.prune_behind);
    Ok(Json(json!({
        "stations": stations,
        // Shown by the dashboard when old rows are not deleted.
        "retention": {
            "held": held.load(Relaxed) == 1,
            "behind_seconds": behind.load(Relaxed),
        },
    })))
}

/// `GET /stations/{station}`.
pub async fn station(_: Viewer, State(app): Shared, Path(id): Path<String>) -> Answer {
    let station = app.station_id(id).await?;
    Ok(Json(app.find_station(&station).await?))
}

/// Body of [`patch_station`]. Absent members stay unchanged.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Patch {
    name: Option<String>,
    latitude: Option<f64>,
    longitude: Option<f64>,
}

/// `PATCH /stations/{station}`: sets the name and the position.
pub async fn patch_station(
    _: Admin,
    State(app): Shared,
    Path(id): Path<String>,
    Body(patch): Body<Patch>,
) -> Answer {
    if let Some(name) = &patch.name
        && (name.trim().is_empty()
            || name.chars().count() > 64
            || name.chars().any(char::is_control))
    {
        return Err(ApiError::invalid("a name must have 1 to 64 characters"));
    }
    let within = |place: Option<f64>, most: f64| place.is_none_or(|at| at.abs() <= most);
    if !within(patch.latitude, 90.0) || !within(patch.longitude, 180.0) {
        return Err(ApiError::invalid(
            "latitude must be from -90 to 90, longitude from -180 to 180",
        ));
    }
    let station = app.station_id(id).await?;
    let parameters: [Column; 4] = [
        patch.name.into(),
        patch.latitude.into(),
        patch.longitude.into(),
        station.as_str().into(),
    ];
    app.write(move |db, _| db.execute(sql::PATCH_STATION, &parameters))
        .await?;
    let station = app.find_station(&station).await?;
    app.events.publish("station", station.to_string().into());
    Ok(Json(station))
}

/// Query parameters of [`series`] and [`rain`].
#[derive(Deserialize)]
pub struct Series {
    name: Option<String>,
    from: Option<String>,
    to: Option<String>,
    step: Option<String>,
}

/// `GET /stations/{station}/series`: a value over time, as columns.
pub async fn series(
    _: Viewer,
    State(app): Shared,
    Path(id): Path<String>,
    Query(asked): Query<Series>,
) -> Answer {
    let day = Level::Day.ms();
    let now = app.clock.now();
    let range = Range::parse(asked.from.as_deref(), asked.to.as_deref(), now, day)?;
    let step = Step::parse(asked.step.as_deref().unwrap_or("minute"))?;
    let name = asked
        .name
        .ok_or_else(|| ApiError::invalid("the parameter name is missing: it names the value"))?;
    let station = app.station_id(id).await?;
    let series = app
        .readers
        .read(move |db| query::series(db, &station, &name, (range.from, range.to), step))
        .await?;
    Ok(Json(series))
}

/// `GET /stations/{station}/rain`: rain per step.
pub async fn rain(
    _: Viewer,
    State(app): Shared,
    Path(id): Path<String>,
    Query(asked): Query<Series>,
) -> Answer {
    let day = Level::Day.ms();
    let now = app.clock.now();
    let range = Range::parse(asked.from.as_deref(), asked.to.as_deref(), now, day)?;
    let Step::Rollup(level) = Step::parse(asked.step.as_deref().unwrap_or("hour"))? else {
        return Err(ApiError::invalid("step must be minute, hour or day"));
    };
    let station = app.station_id(id).await?;
    let rain = app
        .readers
        .read(move |db| query::rain(db, &station, (range.from, range.to), level))
        .await?;
    Ok(Json(rain))
}

/// Query parameters of [`frames`].
#[derive(Deserialize)]
pub struct Frames {
    /// A station id or a device id.
    #[serde(alias = "station")]
    device: Option<String>,
    limit: Option<i64>,
    before: Option<String>,
}

/// `GET /frames`: a page of the frame log, newest first.
pub async fn frames(_: Viewer, State(app): Shared, Query(asked): Query<Frames>) -> Answer {
    let limit = asked.limit.unwrap_or(100);
    if !(1..=query::FRAMES_MAX).contains(&limit) {
        return Err(ApiError::invalid(format!(
            "limit must be from 1 to {}",
            query::FRAMES_MAX
        )));
    }
    let before = asked.before.as_deref().map(Before::parse).transpose()?;
    let before = before.unwrap_or(Before::END);
    let station = match asked.device {
        Some(id) => Some(app.station_id(id).await?),
        None => None,
    };
    let frames = app
        .readers
        .read(move |db| query::frames(db, station.as_deref(), &before, limit))
        .await?;
    Ok(Json(frames))
}

/// `GET /alarms`: active and past alarms.
pub async fn alarms(_: Viewer, State(app): Shared) -> Answer {
    let (active, past) = app
        .readers
        .read(|db| {
            let active = db.query(sql::ACTIVE_ALARMS, &[])?;
            let past = db.query(&sql::past_alarms(), &[500_i64.into()])?;
            Ok((active, past))
        })
        .await?;
    let json =
        |rows: Vec<crate::db::Row>| -> Vec<Value> { rows.iter().map(alarm::row_json).collect() };
    Ok(Json(json!({"active": json(active), "past": json(past)})))
}

/// `GET /rules`.
pub async fn rules(_: Viewer, State(app): Shared) -> Answer {
    let rules = app.readers.read(alarm::load_rules).await?;
    Ok(Json(json!({"rules": rules})))
}

/// Body of [`set_rules`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rules {
    rules: Vec<Rule>,
}

/// Replaces all rules.
pub async fn set_rules(_: Admin, State(app): Shared, Body(Rules { rules }): Body<Rules>) -> Answer {
    let now = app.clock.now();
    let changes = app
        .write(move |db, store| store.set_rules(db, &rules, now))
        .await?;
    app.ingest.tell(&changes);
    let rules = app.readers.read(alarm::load_rules).await?;
    Ok(Json(json!({"rules": rules})))
}

fn token_json(token: &Token, created: i64) -> Value {
    let mut json = json!({
        "id": token.id, "name": token.name, "role": token.role.name(),
        "created": time_text(created),
    });
    if token.role == Role::Device {
        json["site"] = token.scope.site.as_str().into();
        json["stations"] = token.scope.stations().into();
    }
    json
}

/// `GET /tokens`: the tokens without their secrets.
pub async fn tokens(_: Admin, State(app): Shared) -> Answer {
    let rows = app.readers.read(|db| db.query(sql::TOKENS, &[])).await?;
    let known = app.auth.tokens();
    let tokens: Vec<Value> = rows
        .iter()
        .filter_map(|row| Some(token_json(known.get(&row.int(0))?, row.int(4))))
        .collect();
    Ok(Json(json!({"tokens": tokens})))
}

/// Body of [`new_token`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewToken {
    name: String,
    role: Role,
    /// Site of the stations. Defaults to `site`.
    site: Option<String>,
    /// Stations that a device token may send for. Defaults to the station of the token's name.
    stations: Option<Vec<String>>,
}

/// `POST /tokens`: creates a token. Only this answer contains its secret.
pub async fn new_token(
    _: Admin,
    State(app): Shared,
    Body(asked): Body<NewToken>,
) -> Result<Response, ApiError> {
    if !is_name(&asked.name, 32) {
        return Err(ApiError::invalid(
            "a name must have 1 to 32 letters, digits, dots, underscores and hyphens",
        ));
    }
    let site = asked.site.unwrap_or_else(|| SITE.into());
    let stations = asked.stations.unwrap_or_else(|| vec![asked.name.clone()]);
    let scope = Arc::new(Scope::new(&site, stations)?);
    let (token, hash) = auth::new_token()?;
    let now = app.clock.now();
    let parameters: [Column; 6] = [
        asked.name.as_str().into(),
        asked.role.name().into(),
        hash.to_vec().into(),
        now.into(),
        scope.site.as_str().into(),
        scope.to_text().into(),
    ];
    let rows = app
        .write(move |db, _| db.query(sql::INSERT_TOKEN, &parameters))
        .await?;
    let made = Token {
        id: rows.first().map_or(0, |row| row.int(0)),
        name: asked.name,
        role: asked.role,
        scope,
    };
    app.auth.remember_token(hash, made.clone());
    let mut body = token_json(&made, now);
    body["token"] = token.as_str().into();
    Ok((StatusCode::CREATED, Json(body)).into_response())
}

/// Body of [`patch_token`]. Absent members stay unchanged.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TokenPatch {
    role: Option<Role>,
    site: Option<String>,
    stations: Option<Vec<String>>,
}

/// Changes a token's role or stations. Running requests of the token end if it no longer has the
/// right.
pub async fn patch_token(
    _: Admin,
    State(app): Shared,
    Path(id): Path<String>,
    Body(patch): Body<TokenPatch>,
) -> Answer {
    let unknown = || ApiError::unknown(&format!("token {id}"));
    let number: i64 = id.parse().map_err(|_| unknown())?;
    let mut token = app.auth.tokens().remove(&number).ok_or_else(unknown)?;
    let own = |stations: Vec<&str>| stations.into_iter().map(str::to_owned).collect();
    let site = patch.site.as_deref().unwrap_or(&token.scope.site);
    let stations = patch
        .stations
        .unwrap_or_else(|| own(token.scope.stations()));
    token.scope = Arc::new(Scope::new(site, stations)?);
    token.role = patch.role.unwrap_or(token.role);
    let parameters: [Column; 4] = [
        token.role.name().into(),
        token.scope.site.as_str().into(),
        token.scope.to_text().into(),
        number.into(),
    ];
    app.write(move |db, _| db.execute(sql::PATCH_TOKEN, &parameters))
        .await?;
    app.auth.change_token(number, token.role, &token.scope);
    let rows = app.readers.read(|db| db.query(sql::TOKENS, &[])).await?;
    let row = rows.iter().find(|row| row.int(0) == number);
    Ok(Json(token_json(&token, row.ok_or_else(unknown)?.int(4))))
}

/// `DELETE /tokens/{id}`: revokes a token.
pub async fn delete_token(_: Admin, State(app): Shared, Path(id): Path<String>) -> Answer {
    let unknown = || ApiError::unknown(&format!("token {id}"));
    let number: i64 = id.parse().map_err(|_| unknown())?;
    // Revoke the token at once, even if the database is unavailable. In that case it returns at
    // the next start.
    app.auth.forget_token(number);
    let gone = app
        .write(move |db, _| db.execute(sql::DELETE_TOKEN, &[number.into()]))
        .await?;
    if gone == 0 {
        return Err(unknown());
    }
    Ok(Json(json!({})))
}

/// Refuses gateway requests of a collector without a gateway.
pub async fn pairing(_: Admin, State(app): Shared, request: Request) -> Response {
    let Some(gateway) = app.gateway.clone() else {
        return ApiError::new(
            StatusCode::NOT_IMPLEMENTED,
            "no-gateway",
            "no gateway runs together with this collector",
            Some("`selo up` starts both; `selo device pair` works where the gateway runs"),
        )
        .into_response();
    };
    gateway.answer(request).await
}

/// Serves a device's label, which holds its key. Only a person who logged in recently may see it,
/// so neither a leaked token nor an unattended screen reveals it.
pub async fn label(
    Person(caller): Person,
    State(app): Shared,
    request: Request,
) -> Result<Response, ApiError> {
    if !caller.is_fresh(app.clock.now()) {
        return Err(ApiError::new(
            StatusCode::FORBIDDEN,
            "password-needed",
            "a label holds a device's key, so it is shown only shortly after a login",
            Some("log out, log in again, and open it within 15 minutes"),
        ));
    }
    Ok(pairing(Admin, State(app), request).await)
}

/// `GET /healthz`: 200 if readings are being stored, else 503.
pub async fn health(State(app): Shared) -> Response {
    let asked = app.readers.read(|db| db.query(sql::PING, &[]));
    let alive = within("the database", HEALTH_DEADLINE, asked).await;
    let stores = app
        .metrics
        .database_up
        .load(std::sync::atomic::Ordering::Relaxed)
        == 1;
    match alive {
        Ok(_) if stores => Json(json!({"status": "ok"})).into_response(),
        Ok(_) => {
            let body = json!({"status": "not-storing"});
            (StatusCode::SERVICE_UNAVAILABLE, Json(body)).into_response()
        }
        Err(error) => ApiError::from(error).into_response(),
    }
}

/// `GET /metrics` in the OpenMetrics format.
pub async fn metrics(State(app): Shared) -> Response {
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    let text = app.metrics.render(app.events.listeners());
    ([(header::CONTENT_TYPE, kind)], text).into_response()
}
