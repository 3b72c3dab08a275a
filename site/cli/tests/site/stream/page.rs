//! A browser at one of several collectors.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::Net;
use crate::gateway_support::{Lines, PATIENCE};

/// The password of all users of a test.
pub const PASSWORD: &str = "correct horse battery";

/// A browser or a program at one collector.
#[derive(Clone)]
pub struct Page {
    agent: ureq::Agent,
    pub base: String,
    /// `Cookie` or `Authorization`, and its value.
    pub proof: Option<(&'static str, String)>,
}

impl Page {
    /// Sends a request. Returns the status and the body.
    pub fn ask(&self, method: &str, path: &str, body: &Value) -> (u16, Value) {
        let mut request = ureq::http::Request::builder()
            .method(method)
            .uri(format!("{}/api/v1/{path}", self.base))
            .header("content-type", "application/json");
        if let Some((name, value)) = &self.proof {
            request = request.header(*name, value);
        }
        let body = if body.is_null() {
            String::new()
        } else {
            body.to_string()
        };
        let request = request.body(body).expect("a request");
        let mut answer = self.agent.run(request).expect("answers");
        let text = answer.body_mut().read_to_string().expect("text");
        let body = serde_json::from_str(&text).unwrap_or(Value::Null);
        (answer.status().as_u16(), body)
    }

    pub fn get(&self, path: &str) -> (u16, Value) {
        self.ask("GET", path, &Value::Null)
    }

    /// Who the collector says that this is, or the status without an answer.
    pub fn me(&self) -> Result<String, u16> {
        match self.get("me") {
            (200, body) => Ok(body["user"].as_str().expect("a name").to_owned()),
            (status, _) => Err(status),
        }
    }

    /// Waits until the collector answers with this status to the question who this is.
    pub fn waits_for(&self, status: u16, net: &Net) {
        let since = Instant::now();
        while self.get("me").0 != status {
            assert!(
                since.elapsed() < PATIENCE,
                "never {status}:\n{}",
                net.logs()
            );
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Logs in, and returns a page with the session.
    pub fn logged_in(&self, user: &str, password: &str) -> Result<Page, u16> {
        let body = json!({"user": user, "password": password}).to_string();
        let answer = self
            .agent
            .post(format!("{}/api/v1/login", self.base))
            .content_type("application/json")
            .send(body)
            .expect("answers");
        if answer.status() != 200 {
            return Err(answer.status().as_u16());
        }
        let cookies = answer.headers().get_all("set-cookie").iter();
        let session = cookies
            .filter_map(|one| one.to_str().ok()?.split(';').next())
            .find(|one| one.starts_with("selo_session="));
        let mut page = self.clone();
        page.proof = Some(("cookie", session.expect("a session").to_owned()));
        Ok(page)
    }

    /// Listens to the live events.
    pub fn listens(&self) -> Lines {
        let mut request = self.agent.get(format!("{}/api/v1/events", self.base));
        if let Some((name, value)) = &self.proof {
            request = request.header(*name, value);
        }
        let answer = request.call().expect("answers");
        assert_eq!(answer.status(), 200);
        Lines::of(answer.into_body().into_reader())
    }

    /// The same caller at another collector.
    pub fn at(&self, other: &Page) -> Page {
        Page {
            base: other.base.clone(),
            ..self.clone()
        }
    }

    pub fn with_token(&self, token: &Value) -> Page {
        let token = token.as_str().expect("a token");
        Page {
            proof: Some(("authorization", format!("Bearer {token}"))),
            ..self.clone()
        }
    }
}

impl Net {
    /// A stranger at a collector.
    pub fn page(&self, collector: usize) -> Page {
        let line = self.collector_says(collector, "listening on ");
        let (_, address) = line.rsplit_once("http://").expect("a URL");
        let config = ureq::Agent::config_builder().http_status_as_error(false);
        Page {
            agent: config.build().into(),
            base: format!("http://{}", address.trim()),
            proof: None,
        }
    }

    /// The first admin, logged in at a collector.
    pub fn admin(&self, collector: usize) -> Page {
        let files = self.homes.iter();
        let files = files.map(|home| home.state().join("collector/admin-password"));
        let mut found = files.filter_map(|file| std::fs::read_to_string(file).ok());
        let password = found.next().expect("the first password");
        assert!(found.next().is_none(), "only one collector made an admin");
        let page = self.page(collector);
        page.logged_in("admin", password.trim()).expect("logs in")
    }
}
