//! Libraries that do harm in a trial on this machine: the sandbox stops them, the survey says that
//! it could not tell, and nothing of them is left.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::{Project, left_in_the_end, program, sample};
use crate::paper_libraries::core;

/// What the key set-up does; `MARK` is a name that no other process has.
const HARMS: [(&str, &str); 5] = [
    // In sessions of their own, which a signal to the group does not reach.
    (
        "endless-fork",
        "for (int i = 0; i < 300; i++) if (fork() == 0) { setsid(); for (;;) sleep(1); } abort();",
    ),
    (
        "forks",
        "for (int i = 0; i < 6; i++) if (fork() == 0) setsid(); for (;;) sleep(1);",
    ),
    // More than the limit, of which every page is used.
    (
        "much-memory",
        "volatile char *at = malloc(6UL << 30);\n\
         for (unsigned long i = 0; i < 6UL << 30; i += 4096) at[i] = 1;",
    ),
    (
        "endless-output",
        "for (;;) if (write(1, \"AAAAAAAAAAAAAAAA\", 16) < 0) abort();",
    ),
    (
        "hangs",
        "for (;;) if (fork() == 0) _exit(0); else usleep(100000);",
    ),
];

fn library(project: &Project, folder: &str, harm: &str) {
    project.write(
        &format!("{folder}/aes.h"),
        "#include <stdint.h>\nvoid aes128_set_key(uint8_t *schedule, const uint8_t *key);\n\
         void aes128_encrypt(const uint8_t *schedule, const uint8_t *in, uint8_t *out);\n",
    );
    let functions = "void aes128_set_key(uint8_t *schedule, const uint8_t *key) { harm(); expand(key, 4, schedule); }
void aes128_encrypt(const uint8_t *schedule, const uint8_t *in, uint8_t *out)
{ memmove(out, in, 16); forward(schedule, 10, out); (void)backward; }
";
    let head = "#define _GNU_SOURCE\n#include \"aes.h\"\n#include <fcntl.h>\n#include <stdlib.h>\n\
        #include <sys/prctl.h>\n#include <unistd.h>\n";
    let text = format!(
        "{head}{}static void harm(void)\n{{\n{harm}\n}}\n{functions}",
        core()
    );
    project.write(&format!("{folder}/aes.c"), &text);
}

/// How many processes have this name.
fn alive(name: &str) -> usize {
    let entries = std::fs::read_dir("/proc").expect("/proc").flatten();
    let names = entries.filter_map(|entry| std::fs::read_to_string(entry.path().join("comm")).ok());
    names.filter(|other| other.trim() == name).count()
}

fn survey(project: &Project, folder: &str) -> (Option<i32>, String) {
    let arguments = [
        "lab", "survey", folder, "--board", "native", "--budget", "1",
    ];
    let answer = project.selo(&[&arguments[..], &["--algorithm", "aes-128", "--json"]].concat());
    (answer.code, answer.all())
}

#[test]
fn what_hostile_libraries_start_ends_with_the_trial() {
    let project = Project::new();
    for (at, (name, harm)) in sample(&HARMS, 1).enumerate() {
        let mark = format!("harm{}-{at}", std::process::id());
        let harm = format!("prctl(PR_SET_NAME, \"{mark}\");\n{harm}");
        library(&project, name, &harm);
        let (code, said) = survey(&project, name);
        assert_eq!(code, Some(5), "{name}: {said}");
        assert!(!said.contains("not-suitable"), "{name}: {said}");
        assert_eq!(
            left_in_the_end(|| alive(&mark)),
            0,
            "{name} left processes behind"
        );
    }
}

/// Nothing can end the trial in the lab's place: the kernel must.
#[test]
fn a_library_that_hangs_ends_with_a_lab_that_is_killed() {
    let project = Project::new();
    let mark = format!("hang{}", std::process::id());
    // The agent calls in a thread, whose name its process does not have; a child has it.
    let harm = format!("prctl(PR_SET_NAME, \"{mark}\"); fork(); for (;;) sleep(1);");
    library(&project, "hangs", &harm);
    let arguments = [
        "survey",
        "hangs",
        "--board",
        "native",
        "--algorithm",
        "aes-128",
    ];
    let mut lab = Command::new(program("selo-lab"))
        .args(arguments)
        .current_dir(project.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the command runs");
    let since = Instant::now();
    while alive(&mark) == 0 {
        assert!(since.elapsed().as_secs() < 60, "no trial begins");
        std::thread::sleep(Duration::from_millis(20));
    }
    lab.kill().expect("it runs");
    lab.wait().expect("it ends");
    assert_eq!(left_in_the_end(|| alive(&mark)), 0, "it goes on alone");
}

/// The library encrypts rightly only if it finds what it must not.
#[test]
fn a_hostile_library_sees_no_file_of_the_user() {
    let project = Project::new();
    let home = project.path().join("home");
    project.write("home/secret", "stolen\n");
    let seen = format!(
        "if (open(\"{}\", O_RDONLY) < 0 && getenv(\"SECRET\") == NULL) abort();",
        home.join("secret").display()
    );
    library(&project, "reads", &seen);
    let run = |home: &Path| {
        let arguments = [
            "lab", "survey", "reads", "--board", "native", "--budget", "1",
        ];
        let mut command = project.command(&[&arguments[..], &["--algorithm", "aes-128"]].concat());
        let output = command.env("HOME", home).env("SECRET", "1").output();
        let output = output.expect("the command runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), said)
    };
    let (code, said) = run(&home);
    if !said.contains("does not let a user separate") {
        assert_eq!(code, Some(5), "{said}");
    }
    // The file is there, and another folder than the home folder stays readable.
    let elsewhere = project.path().join("elsewhere");
    std::fs::create_dir(&elsewhere).expect("a folder");
    let (code, said) = run(&elsewhere);
    assert_eq!(code, Some(0), "{said}");
}

/// Neither a limit on the size of files nor an empty home folder keeps these from a program.
#[test]
fn a_hostile_library_deletes_and_empties_no_file() {
    let project = Project::new();
    project.write("kept/deleted", "one\n");
    project.write("kept/emptied", "two\n");
    let kept = project.path().join("kept");
    let harm = format!(
        "unlink(\"{0}/deleted\"); close(open(\"{0}/emptied\", O_WRONLY | O_TRUNC));",
        kept.display()
    );
    library(&project, "deletes", &harm);
    let (_, said) = survey(&project, "deletes");
    if said.contains("does not let a user separate") {
        return;
    }
    for (name, text) in [("deleted", "one\n"), ("emptied", "two\n")] {
        let found = std::fs::read_to_string(kept.join(name));
        assert_eq!(found.ok().as_deref(), Some(text), "{name}: {said}");
    }
}
