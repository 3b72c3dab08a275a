//! A test's collector, and an HTTP client for it.
#![allow(dead_code)] // each test uses what it needs

pub mod counting;
pub mod farm;
#[path = "../../../../../tests/command/postgres.rs"]
pub mod postgres;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use selo_collector::clock::Clock;
use selo_collector::db::Location;
use selo_collector::{Collector, Config};
use serde_json::{Value, json};

/// 2026-11-21T12:00:00Z
pub const NOON: i64 = 1_795_262_400_000;

/// Where the database of a cluster is.
pub fn place(cluster: &postgres::Cluster) -> Location {
    Location::parse(&cluster.url())
}

pub struct Site {
    pub folder: tempfile::TempDir,
    pub collector: Option<Collector>,
    pub client: Client,
    pub now: Arc<AtomicI64>,
    pub config: Config,
}

impl Site {
    pub fn start() -> Site {
        Self::start_with(|_| {})
    }

    pub fn start_with(change: impl FnOnce(&mut Config)) -> Site {
        Self::start_for(change, |collector| {
            Client::new(&format!("http://{}", collector.address()))
        })
    }

    /// Starts with TLS, and with a client that trusts `ca`.
    pub fn start_over_tls(ca: &Path, change: impl FnOnce(&mut Config)) -> Site {
        Self::start_for(change, |collector| Client::trusting(&collector.url(), ca))
    }

    fn start_for(
        change: impl FnOnce(&mut Config),
        client: impl FnOnce(&Collector) -> Client,
    ) -> Site {
        let folder = tempfile::tempdir().expect("a folder");
        let now = Arc::new(AtomicI64::new(NOON));
        let mut config = Config::new(folder.path().join("state"));
        config.http = "127.0.0.1:0".parse().expect("an address");
        config.clock = Clock::Manual(now.clone());
        change(&mut config);
        let collector = Collector::start(config.clone()).expect("starts");
        let mut client = client(&collector);
        client.log_in(folder.path());
        Site {
            folder,
            collector: Some(collector),
            client,
            now,
            config,
        }
    }

    /// Runs SQL on the writer's connection.
    pub fn script(&self, sql: &str) {
        let sql = sql.to_owned();
        let work = move |db: &mut dyn selo_collector::db::Database, _: &mut _| db.script(&sql);
        self.blocking(async move |ingest| ingest.write(work).await)
            .expect("runs");
    }

    /// Runs what a task of the collector would.
    pub fn blocking<T>(&self, work: impl AsyncFnOnce(selo_collector::ingest::Ingest) -> T) -> T {
        let ingest = self.collector.as_ref().expect("runs").ingest();
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        runtime.expect("a runtime").block_on(work(ingest))
    }

    pub fn pass(&self, ms: i64) {
        self.now.fetch_add(ms, Ordering::SeqCst);
    }

    /// Checks the time-dependent alarms now.
    pub fn watch_clock(&self) {
        let ingest = self.collector.as_ref().expect("runs").ingest();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .expect("a runtime");
        let now = self.now.load(Ordering::SeqCst);
        runtime
            .block_on(selo_collector::watch_clock(&ingest, now))
            .expect("watched");
    }

    /// Stops the collector and starts another one in its place.
    pub fn restart(&mut self) {
        self.collector.take().expect("runs").stop();
        let collector = Collector::start(self.config.clone()).expect("starts again");
        self.client = Client::new(&format!("http://{}", collector.address()));
        self.collector = Some(collector);
        self.client.log_in(self.folder.path());
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        if let Some(collector) = self.collector.take() {
            collector.stop();
        }
    }
}

/// Runs `work` with a collector on each database. Only SQLite if PostgreSQL is not installed.
pub fn on_each_database(work: impl Fn(Site)) {
    work(Site::start());
    if let Some(cluster) = postgres::Cluster::start() {
        work(Site::start_with(|config| config.database = place(&cluster)));
    }
}

#[derive(Debug, Clone)]
pub struct Answer {
    pub status: u16,
    pub headers: ureq::http::HeaderMap,
    pub text: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("JSON: {}", self.text))
    }

    pub fn ok(&self) -> Value {
        assert_eq!(self.status, 200, "{}", self.text);
        self.json()
    }
}

#[derive(Debug, Clone)]
pub struct Client {
    pub base: String,
    pub cookie: Option<String>,
    pub token: Option<String>,
    /// The cookie of the login, with its attributes.
    pub set_cookie: String,
    agent: ureq::Agent,
}

impl Client {
    pub fn new(base: &str) -> Client {
        let agent = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .build()
            .into();
        Client {
            base: base.into(),
            cookie: None,
            token: None,
            set_cookie: String::new(),
            agent,
        }
    }

    /// An HTTPS client that trusts this authority.
    pub fn trusting(base: &str, ca: &Path) -> Client {
        let pem = std::fs::read(ca).expect("an authority");
        let ca = ureq::tls::Certificate::from_pem(&pem).expect("a certificate");
        let tls = ureq::tls::TlsConfig::builder()
            .root_certs(ureq::tls::RootCerts::new_with_certs(&[ca]))
            .build();
        let agent = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .tls_config(tls)
            .build()
            .into();
        Client {
            agent,
            ..Client::new(base)
        }
    }

    /// The same client for a restarted site.
    pub fn at(mut self, site: &Site) -> Client {
        self.base.clone_from(&site.client.base);
        self
    }

    /// Logs in as the admin of a first start.
    pub fn log_in(&mut self, folder: &Path) {
        let file = folder.join("state/admin-password");
        let password = std::fs::read_to_string(file).expect("a password");
        let answer = self.post(
            "/api/v1/login",
            &json!({"user": "admin", "password": password.trim()}).to_string(),
        );
        assert_eq!(answer.status, 200, "{}", answer.text);
        let cookie = answer.headers["set-cookie"].to_str().expect("text");
        self.set_cookie = cookie.to_owned();
        self.cookie = cookie.split(';').next().map(str::to_string);
    }

    pub fn request(&self, method: &str, path: &str, more: &[(&str, &str)], body: &str) -> Answer {
        let mut request = ureq::http::Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.base));
        if let Some(cookie) = &self.cookie {
            request = request.header("cookie", cookie);
        }
        if let Some(token) = &self.token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        for (name, value) in more {
            request = request.header(*name, *value);
        }
        let request = request.body(body.to_string()).expect("a request");
        let answer = self.agent.run(request).expect("an answer");
        let (parts, body) = answer.into_parts();
        let text = body
            .into_with_config()
            .limit(1 << 30)
            .read_to_string()
            .expect("a body");
        Answer {
            status: parts.status.as_u16(),
            headers: parts.headers,
            text,
        }
    }

    pub fn get(&self, path: &str) -> Answer {
        self.request("GET", path, &[], "")
    }

    pub fn post(&self, path: &str, body: &str) -> Answer {
        self.request("POST", path, &[], body)
    }

    /// Sends readings. Returns true if they were confirmed; never panics.
    pub fn try_send(&self, messages: &[Value]) -> bool {
        let cookie = self.cookie.clone().unwrap_or_default();
        let answer = self
            .agent
            .post(format!("{}/api/v1/readings", self.base))
            .header("cookie", cookie)
            .send(Value::from(messages).to_string());
        let Ok(answer) = answer else { return false };
        let body = answer.into_body().read_to_string();
        body.is_ok_and(|text| {
            text.matches("\"result\":\"rejected\"").count() == 0 && text.contains("results")
        })
    }

    /// Sends readings. Returns the outcome of each.
    pub fn send(&self, messages: &[Value]) -> Vec<String> {
        let body = Value::from(messages).to_string();
        let answer = self.post("/api/v1/readings", &body).ok();
        let results = answer["results"].as_array().expect("a list");
        let result = |one: &Value| one["result"].as_str().expect("text").to_string();
        results.iter().map(result).collect()
    }
}

/// A reading of a rain gauge.
pub fn message(device: &str, session: u64, counter: u32, received: i64, rain: f64) -> Value {
    json!({
        "schema": "selo.reading/1", "device": device, "name": "garden",
        "session": format!("{session:016x}"), "counter": counter,
        "received": selo_collector::message::time_text(received),
        "payload": "00112233", "source": "192.0.2.7:5000", "rssi": -90,
        "authenticated": true, "redelivered": false, "gateway": "north",
        "codec": "rain-gauge",
        "values": {
            "rain_total": {"value": rain, "unit": "mm"},
            "temperature": {"value": f64::from(counter) / 10.0, "unit": "Cel"},
            "battery": {"value": 3.9, "unit": "V"},
        },
    })
}
