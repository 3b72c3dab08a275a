//! `selo lab publish` as a user runs it: two publications with changed rows, every link of the
//! site, names that are taken, damaged runs, and folders that cannot be written.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};

use crate::common::{Answer, Project, TINY};
use serde_json::{Value, json};

/// A project with the rows of a small cipher on two boards.
fn measured() -> Project {
    let project = Project::new();
    for board in ["uno", "native"] {
        let run = [
            &["lab", "run", "--board", board][..],
            &TINY,
            &["--metric", "cycles,time,flash,stack"],
        ];
        let answer = project.selo(&run.concat());
        assert_eq!(answer.code, Some(0), "{}", answer.all());
    }
    project
}

fn publish(project: &Project, more: &[&str]) -> Answer {
    project.selo(&[&["lab", "publish", "site"], more].concat())
}

fn published(project: &Project, more: &[&str]) -> Value {
    let answer = publish(project, &[more, &["--json"]].concat());
    assert_eq!(answer.code, Some(0), "{}", answer.all());
    serde_json::from_str(&answer.stdout).expect("one line of JSON")
}

/// Changes the rows of the Uno.
fn change(project: &Project, change: impl Fn(&mut Value) -> bool) {
    let path = "out/lab/uno/rows.jsonl";
    let text = std::fs::read_to_string(project.path().join(path)).expect("rows");
    let lines = text.lines().filter_map(|line| {
        let mut row: Value = serde_json::from_str(line).expect("a row");
        change(&mut row).then(|| format!("{row}\n"))
    });
    project.write(path, &lines.collect::<String>());
}

/// Every file below a folder, with its content.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let content = std::fs::read(&path).expect("a file");
                found.insert(path, content);
            }
        }
    }
    found
}

/// The values of an attribute.
fn attributes<'a>(page: &'a str, name: &str) -> Vec<&'a str> {
    let start = format!(" {name}=\"");
    let parts = page.split(start.as_str()).skip(1);
    parts.filter_map(|part| part.split('"').next()).collect()
}

/// Follows every link of every page, and returns how many there are. A link leads to a file of the
/// site, and to an element of it if it names one; no page loads anything.
fn follow_links(site: &Path) -> usize {
    let files = files(site);
    let page = |path: &Path| std::str::from_utf8(&files[path]).expect("text");
    let pages: Vec<&PathBuf> = files
        .keys()
        .filter(|path| path.extension().is_some_and(|kind| kind == "html"))
        .collect();
    let anchors: BTreeMap<&Path, BTreeSet<&str>> = pages
        .iter()
        .map(|path| {
            let ids = attributes(page(path), "id");
            let distinct: BTreeSet<&str> = ids.iter().copied().collect();
            assert_eq!(ids.len(), distinct.len(), "{}: an id twice", path.display());
            (path.as_path(), distinct)
        })
        .collect();
    let mut links = 0;
    for from in pages {
        let text = page(from);
        assert!(
            text.len() < 300_000,
            "{}: {} bytes",
            from.display(),
            text.len()
        );
        assert!(
            !text.contains(" src="),
            "{} loads something",
            from.display()
        );
        for link in attributes(text, "href") {
            if link == "data:," {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = match file {
                "" => from.clone(),
                file => resolved(&from.parent().expect("a folder").join(file)),
            };
            let at = format!("{}: {link}", from.display());
            assert!(target.starts_with(site), "{at} leaves the site");
            assert!(files.contains_key(&target), "{at} leads nowhere");
            if !anchor.is_empty() {
                assert!(
                    anchors[target.as_path()].contains(anchor),
                    "{at} has no such anchor"
                );
            }
            links += 1;
        }
    }
    links
}

/// A path without `..`.
fn resolved(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                out.pop();
            }
            part => out.push(part),
        }
    }
    out
}

/// The command that the site gives for the figure.
const AGAIN: &str = "selo lab run --board uno --runner simavr --library selo --algorithm aes-128 --variant tiny --operation encrypt --metric cycles --fresh --out out/again";

const FIGURE: &str = "figures/uno/selo/aes-128/tiny/index.html";

#[test]
fn figures_keep_their_addresses_and_show_what_changed() {
    let project = measured();
    let site = project.path().join("site");
    let first = published(&project, &["--name", "one"]);
    assert_eq!(
        (&first["run"]["name"], &first["is_new"]),
        (&json!("one"), &json!(true))
    );
    follow_links(&site);
    let old = files(&site.join("runs/one"));

    // One figure is worse, one is better, one is gone.
    change(&project, |row| {
        let factor = match (row["operation"].as_str(), row["metric"].as_str()) {
            (Some("encrypt"), Some("cycles")) => 1.1,
            (Some("encrypt"), Some("stack")) => 0.5,
            (Some("key-setup"), Some("stack")) => return false,
            _ => return true,
        };
        row["value"] = json!((row["value"].as_f64().expect("a value") * factor).round());
        true
    });
    let answer = publish(&project, &["--name", "two"]);
    assert_eq!(answer.code, Some(0), "{}", answer.all());
    let said = "since the run before: 1 worse, 1 gone, 1 better";
    assert!(answer.stdout.contains(said), "{}", answer.stdout);
    assert!(
        answer.stdout.contains("2 runs in the site"),
        "{}",
        answer.stdout
    );
    assert!(follow_links(&site) > 300);
    assert_eq!(
        files(&site.join("runs/one")),
        old,
        "a published run stays as it is"
    );

    let read = |path: &str| std::fs::read_to_string(site.join(path)).expect("a page");
    let page = read(&format!("latest/{FIGURE}"));
    for part in [
        "id=\"encrypt-16-cycles\"",
        "cycle-exact",
        "+10 %",
        AGAIN,
        "&quot;schema&quot;:&quot;selo.measurement/2&quot;",
        // The figure that is gone keeps its address.
        "id=\"key-setup-stack\"",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let changes = read("latest/changes/index.html");
    let place = |part: &str| {
        changes
            .find(part)
            .unwrap_or_else(|| panic!("{part}: {changes}"))
    };
    assert!(place("Worse: 1") < place("Gone: 1") && place("Gone: 1") < place("Better: 1"));
    assert!(read("latest/changes/changes.csv").contains("regressed,uno,selo,aes-128,tiny"));
    // The command measures the figure of the first run again.
    let words: Vec<&str> = AGAIN.split(' ').skip(1).collect();
    let answer = project.selo(&words);
    assert_eq!(answer.code, Some(0), "{}", answer.all());
    let value = |path: &str| {
        let text = std::fs::read_to_string(project.path().join(path)).expect("rows");
        let rows = text
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).expect("a row"));
        let mut rows =
            rows.filter(|row| row["metric"] == "cycles" && row["operation"] == "encrypt");
        rows.next_back().expect("the figure")["value"].clone()
    };
    assert_eq!(
        value("out/again/rows.jsonl"),
        value(&format!(
            "site/runs/one/{}",
            FIGURE.replace("index.html", "rows.jsonl")
        ))
    );
    // Nothing compares a run with a later one.
    assert!(!read("runs/one/changes/index.html").contains("Worse"));
}

#[test]
fn the_same_rows_are_published_once() {
    let project = measured();
    let first = published(&project, &[]);
    let before = files(&project.path().join("site"));
    let again = published(&project, &[]);
    assert_eq!(
        (&first["is_new"], &again["is_new"]),
        (&json!(true), &json!(false))
    );
    assert_eq!(first["run"], again["run"]);
    assert!(
        files(&project.path().join("site")) == before,
        "the same site"
    );
    let name = first["run"]["name"].as_str().expect("a name");
    assert!(name.contains("-rows2-"), "{name}");

    // Another run, then the first one again: the newest stays the newest.
    published(&project, &["--name", "two", "--rows", "out/lab/uno"]);
    let before = files(&project.path().join("site"));
    let again = published(&project, &["--name", name]);
    assert_eq!(again["is_new"], json!(false));
    assert!(
        files(&project.path().join("site")) == before,
        "the same site"
    );
}

#[test]
fn a_published_run_is_never_replaced() {
    let project = measured();
    published(&project, &["--name", "one"]);
    let before = files(&project.path().join("site"));
    let answer = publish(&project, &["--name", "one", "--rows", "out/lab/uno"]);
    assert_eq!(answer.code, Some(2), "{}", answer.all());
    for part in [
        "the run 'one' in site/runs/one",
        "with other rows",
        "--name one-2",
    ] {
        assert!(answer.stderr.contains(part), "{part}: {}", answer.all());
    }
    for name in ["../two", "", "a/b", ".git", "é"] {
        let answer = publish(&project, &["--name", name]);
        assert_eq!(answer.code, Some(2), "{name}: {}", answer.all());
    }
    assert!(
        files(&project.path().join("site")) == before,
        "the same site"
    );

    // A page of something else is not replaced either.
    project.write("other/index.html", "<p>my page</p>");
    let answer = project.selo(&["lab", "publish", "other"]);
    assert_eq!(answer.code, Some(2), "{}", answer.all());
    assert!(
        answer.stderr.contains("not a page of selo lab publish"),
        "{}",
        answer.all()
    );
    assert_eq!(files(&project.path().join("other")).len(), 1);
}

#[test]
fn a_damaged_run_is_named_and_left_out() {
    let project = measured();
    for name in ["whole", "cut", "edited", "foreign", "linked", "piped"] {
        published(&project, &["--name", name]);
    }
    let run = |name: &str, file: &str| project.path().join("site/runs").join(name).join(file);
    let rows = std::fs::read_to_string(run("cut", "rows.jsonl")).expect("rows");
    let (rest, _) = rows.trim_end().rsplit_once('\n').expect("lines");
    std::fs::write(run("cut", "rows.jsonl"), rest).expect("written");
    let edited = rows.replacen("\"metric\":\"", "\"metric\":\"<b>", 1);
    std::fs::write(run("edited", "rows.jsonl"), edited).expect("written");
    std::fs::write(run("foreign", "run.json"), b"\xff{[<script>").expect("written");
    std::fs::remove_file(run("linked", "rows.jsonl")).expect("removed");
    std::os::unix::fs::symlink("/dev/zero", run("linked", "rows.jsonl")).expect("a link");
    std::fs::remove_file(run("piped", "rows.jsonl")).expect("removed");
    let made = std::process::Command::new("mkfifo")
        .arg(run("piped", "rows.jsonl"))
        .status();
    assert!(made.expect("mkfifo").success());
    project.write("site/runs/<script>alert(1)</note", "");
    std::fs::remove_dir_all(run("whole", "figures")).expect("removed");

    change(&project, |row| row["metric"] != "stack");
    let answer = publish(&project, &["--name", "last", "--json"]);
    assert_eq!(answer.code, Some(0), "{}", answer.all());
    for name in [
        "cut",
        "edited",
        "foreign",
        "linked",
        "piped",
        "<script>alert(1)<",
    ] {
        let note = format!("left out the run '{name}'");
        assert!(answer.stderr.contains(&note), "{note}: {}", answer.all());
    }
    let line: Value = serde_json::from_str(&answer.stdout).expect("JSON");
    assert_eq!(line["runs"], json!(["last", "whole"]));
    let front = std::fs::read_to_string(project.path().join("site/index.html")).expect("a page");
    assert!(
        front.contains("Left out") && !front.contains("<script>alert"),
        "{front}"
    );

    // Its name stays taken.
    let answer = publish(&project, &["--name", "cut"]);
    assert_eq!(answer.code, Some(2), "{}", answer.all());
    assert!(answer.stderr.contains("site/runs/cut"), "{}", answer.all());
}

#[test]
fn a_site_that_cannot_be_written_stays_whole() {
    let project = measured();
    published(&project, &["--name", "one"]);
    let site = project.path().join("site");
    follow_links(&site);
    let before = files(&site);
    change(&project, |row| row["metric"] != "stack");

    // The process is ended in the middle of a file, as by a crash or a full disk.
    let selo = crate::common::program("selo");
    let limited = format!(
        "ulimit -f 8; exec {} lab publish site --name two",
        selo.display()
    );
    let output = std::process::Command::new("bash")
        .args(["-c", &limited])
        .current_dir(project.path())
        .output()
        .expect("bash");
    assert!(!output.status.success());
    assert!(
        site.join(".publish").exists(),
        "it was ended while it wrote: {output:?}"
    );
    let visible = || {
        let mut files = files(&site);
        files.retain(|path, _| !path.starts_with(site.join(".publish")));
        files
    };
    assert!(visible() == before, "the old site is whole");

    // The next publication succeeds, and clears the remains.
    published(&project, &["--name", "two"]);
    assert!(!site.join(".publish").exists());
    follow_links(&site);
}

#[test]
fn an_error_says_where_and_what_to_do() {
    let project = measured();
    project.write("file", "not a folder");
    let answer = project.selo(&["lab", "publish", "file"]);
    assert_eq!(answer.code, Some(4), "{}", answer.all());
    assert!(
        answer.stderr.contains("cannot write file"),
        "{}",
        answer.all()
    );
    assert!(
        answer.stderr.contains("nothing was published"),
        "{}",
        answer.all()
    );

    // Root may write everywhere.
    let locked = project.path().join("locked");
    std::fs::create_dir(&locked).expect("a folder");
    std::fs::set_permissions(&locked, PermissionsExt::from_mode(0o500)).expect("rights");
    if std::fs::write(locked.join("probe"), "").is_err() {
        let answer = project.selo(&["lab", "publish", "locked"]);
        assert_eq!(answer.code, Some(4), "{}", answer.all());
        assert!(
            answer.stderr.contains("cannot write locked"),
            "{}",
            answer.all()
        );
    }

    let empty = Project::new();
    let answer = publish(&empty, &[]);
    assert_eq!(answer.code, Some(3), "{}", answer.all());
    assert!(!empty.path().join("site").exists());
}
