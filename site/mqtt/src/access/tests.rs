use super::*;

fn rights(acl: &str) -> Rights {
    Rights {
        users: HashMap::new(),
        rules: read_rules(acl).expect("rules"),
    }
}

#[test]
fn a_password_is_taken_and_another_one_is_not() {
    let file = password_line("a", "secret").expect("a line")
        + &password_line("b", "other").expect("a line");
    assert!(!file.contains("secret"));
    let rights = Rights {
        users: read_users(&file).expect("users"),
        rules: Vec::new(),
    };
    assert!(rights.authenticate("a", b"secret"));
    assert!(!rights.authenticate("a", b"secret "));
    assert!(!rights.authenticate("a", b""));
    assert!(!rights.authenticate("b", b"secret"));
    assert!(!rights.authenticate("c", b"secret"));
    // A second hash of the same password has another salt.
    let again = password_line("a", "secret").expect("a line");
    assert!(!file.contains(again.trim()));
}

#[test]
fn a_line_that_mosquitto_passwd_wrote_is_read() {
    // Output of `mosquitto_passwd -b -c FILE a secret`, version 2.0.11.
    let line = include_str!("../../tests/data/mosquitto_passwd.txt");
    let rights = Rights {
        users: read_users(line).expect("users"),
        rules: Vec::new(),
    };
    assert!(rights.authenticate("a", b"secret"));
    assert!(!rights.authenticate("a", b"wrong"));
}

#[test]
fn rights_are_those_of_the_user_and_of_everyone() {
    let rights = rights(
        "topic read public/#\nuser a\ntopic write x/+/y\ntopic read x/#\n\
             user b\ntopic x/b\ntopic deny x/b/secret\npattern write own/%u/#\n",
    );
    let write = |user, topic| rights.may_write(user, "c", topic);
    let read = |user, topic| rights.may_read(user, "c", topic);
    assert!(write("a", "x/1/y") && !write("a", "x/1/z") && !write("a", "x/1/2/y"));
    assert!(!write("a", "x/+/y"), "no topic");
    assert!(read("a", "x/#") && read("a", "x/+/y") && read("a", "x") && !read("a", "#"));
    assert!(read("b", "public/1") && read("nobody", "public/1"));
    assert!(read("b", "x/b") && write("b", "x/b") && !read("b", "x/a"));
    assert!(write("b", "own/b/1") && !write("b", "own/a/1") && write("a", "own/a/1"));
    assert!(!rights.may_write("+", "c", "own/a/1"));
    assert!(!read("a", "$share/group/x/+/y") && !read("a", "$share/group/z"));
    assert!(!read("a", "$share/x"));
}

#[test]
fn only_who_confirms_readings_shares_them() {
    let rights = rights(
        "user collector\ntopic read selo/+/reading/+\ntopic write selo/+/stored/+\n\
             user viewer\ntopic read selo/#\n\
             user north\ntopic read selo/#\ntopic write selo/north/stored/+\n\
             user other\ntopic read x/#\ntopic read $share/own/x/#\n",
    );
    let read = |user, filter| rights.may_read(user, "c", filter);
    assert!(read("collector", "$share/any/selo/+/reading/+"));
    assert!(
        !read("collector", "$share/any/selo/+/state/+"),
        "the user may not read that"
    );
    assert!(!read("viewer", "$share/any/selo/+/reading/+") && read("viewer", "selo/#"));
    assert!(read("north", "$share/any/selo/north/reading/+"));
    assert!(!read("north", "$share/any/selo/+/reading/+"));
    assert!(read("other", "$share/own/x/1") && !read("other", "$share/another/x/1"));
}

#[test]
fn a_filter_is_covered_or_not() {
    for (held, asked, covered) in [
        ("a/#", "a", true),
        ("a/#", "a/#", true),
        ("a/+", "a/#", false),
        ("a/+", "a/+", true),
        ("a/b", "a/+", false),
        ("+/b", "a/b", true),
        ("#", "a/b", true),
        ("#", "$SYS/x", false),
        ("$SYS/#", "$SYS/x", true),
        ("a", "a/b", false),
        ("a/b", "a", false),
    ] {
        assert_eq!(covers(held, asked), covered, "{held} {asked}");
    }
    let rights = rights("user a\ntopic read a/#\ntopic deny a/secret\n");
    assert!(
        !rights.may_read("a", "c", "a/#"),
        "the filter matches a denied topic"
    );
    assert!(rights.may_read("a", "c", "a/b"));
}

#[test]
fn a_file_that_is_none_is_refused_with_its_line() {
    for (text, line) in [
        ("user\n", 1),
        ("\n\nallow x\n", 3),
        ("topic read a/#/b", 1),
        ("topic a+", 1),
    ] {
        assert_eq!(
            read_rules(text).err().map(|(line, _)| line),
            Some(line),
            "{text}"
        );
    }
    for text in [
        "a",
        "a:plain",
        "a:$6$x$y",
        "a:$7$0$AA==$AA==",
        "a:$7$1$AA==$AA==",
    ] {
        assert!(read_users(text).is_err(), "{text}");
    }
}
