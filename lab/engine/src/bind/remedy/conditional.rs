//! The conditionals of the preprocessor in which a line of a library's file stands, and the macros
//! with which the compiler takes another branch.

/// A conditional that is open at a line.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Open<'t> {
    /// The directives of its branches so far, such as `if defined(A)` and `elif defined(B)`.
    branches: Vec<&'t str>,
    /// The line of the first branch.
    at: usize,
    is_else: bool,
}

/// The conditionals that are open after the last of the lines, the outermost first.
fn open(lines: &[String]) -> Vec<Open<'_>> {
    let mut open: Vec<Open<'_>> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(directive) = line.trim().strip_prefix('#').map(str::trim) else {
            continue;
        };
        if directive.starts_with("if") {
            open.push(Open {
                branches: vec![directive],
                at,
                is_else: false,
            });
        } else if directive.starts_with("elif") {
            if let Some(last) = open.last_mut() {
                last.branches.push(directive);
            }
        } else if directive.starts_with("else") {
            if let Some(last) = open.last_mut() {
                last.is_else = true;
            }
        } else if directive.starts_with("endif") {
            open.pop();
        }
    }
    open
}

/// The macro that leaves the lines out: they stand after `#ifndef NAME`, and NAME is not what
/// guards the whole file.
pub(super) fn excluding(lines: &[String]) -> Option<String> {
    let open = open(lines);
    let last = open.last().filter(|last| !last.is_else)?;
    let [condition] = last.branches[..] else {
        return None;
    };
    let name = name(condition.strip_prefix("ifndef")?)?;
    let guards = |line: &String| {
        let words: Vec<&str> = line.split_whitespace().collect();
        words.first() == Some(&"#define") && words.get(1) == Some(&name.as_str())
    };
    (!lines[last.at + 1..].iter().any(guards)).then_some(name)
}

/// The macro with which another branch is taken than the `#else` in which the lines end.
pub(super) fn other_branch(lines: &[String]) -> Option<String> {
    let open = open(lines);
    let last = open.last().filter(|last| last.is_else)?;
    let [condition] = last.branches[..] else {
        return None;
    };
    name(condition.strip_prefix("ifdef")?)
}

/// The macros without which the end of the lines is left out: those of the conditionals that are
/// open there, if these only ask for a macro. Names that belong to the compiler say what it is.
pub(super) fn enclosing(lines: &[String]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for one in open(lines).iter().filter(|one| !one.is_else) {
        let [condition] = one.branches[..] else {
            continue;
        };
        let asked = match condition.strip_prefix("ifdef") {
            Some(rest) => name(rest),
            None => only_asks(condition),
        };
        let own = asked.filter(|name| !name.starts_with('_'));
        found.extend(own.filter(|name| !found.contains(name)));
    }
    found
}

/// The first macro of `if defined(A) || defined(B)`.
fn only_asks(condition: &str) -> Option<String> {
    let rest = condition.strip_prefix("if")?.trim_start();
    let first = rest.split("||").next()?.trim_matches([' ', '\t', '(', ')']);
    let asked = first.strip_prefix("defined")?;
    let asked = asked.trim_start_matches([' ', '(', '\t']);
    asked.chars().all(is_part).then(|| asked.to_owned())
}

/// The macros by which the usual tool for configuring a library says the size of a type, as far as
/// conditions test them, with what the compiler knows of its own: `SIZEOF_INT=__SIZEOF_INT__`.
pub(super) fn sizes(lines: &[String]) -> Vec<String> {
    const TYPES: [(&str, &str); 7] = [
        ("SHORT", "SHORT"),
        ("INT", "INT"),
        ("LONG", "LONG"),
        ("LONG_LONG", "LONG_LONG"),
        ("VOID_P", "POINTER"),
        ("SIZE_T", "SIZE_T"),
        ("CHAR", ""),
    ];
    let mut found: Vec<String> = Vec::new();
    let open = open(lines);
    let branches = open
        .last()
        .map(|last| &last.branches[..])
        .unwrap_or_default();
    for name in branches
        .iter()
        .flat_map(|branch| branch.split(|c| !is_part(c)))
    {
        let Some(of) = name.strip_prefix("SIZEOF_") else {
            continue;
        };
        // A type may be spelled with words that leave its size as it is.
        let of = of
            .trim_start_matches("UNSIGNED_")
            .trim_start_matches("SIGNED_");
        let of = match of.strip_suffix("_INT") {
            Some("SHORT" | "LONG" | "LONG_LONG") => of.trim_end_matches("_INT"),
            _ => of,
        };
        let Some((_, own)) = TYPES.iter().find(|(known, _)| *known == of) else {
            continue;
        };
        let value = match *own {
            "" => "1".to_owned(),
            own => format!("__SIZEOF_{own}__"),
        };
        let define = format!("{name}={value}");
        if !found.contains(&define) {
            found.push(define);
        }
    }
    found
}

/// The macro that must be defined for an `#error` at the end of the lines to be passed over, with
/// its value: `NAME` or `NAME=64`.
pub(super) fn demanded(lines: &[String]) -> Option<String> {
    let open = open(lines);
    let last = open.last()?;
    if last.is_else {
        return alternative(&last.branches);
    }
    let [condition] = last.branches[..] else {
        return None;
    };
    if let Some(rest) = condition.strip_prefix("ifndef") {
        return name(rest);
    }
    let absent = condition.split_once("!defined");
    let absent = absent.or_else(|| condition.split_once("! defined"))?;
    // Of two kinds of machine, each board of the lab is the little-endian one.
    let all = condition.split("defined").skip(1).filter_map(name);
    let little = all.into_iter().find(|name| is_little(name));
    little.or_else(|| name(absent.1))
}

/// The definition that takes one of several branches: what a number is compared to, or the first
/// macro that is not the compiler's own.
fn alternative(branches: &[&str]) -> Option<String> {
    let first = branches.first()?;
    if let Some((left, number)) = first
        .strip_prefix("if")
        .and_then(|rest| rest.split_once("=="))
    {
        let left = left.trim_matches([' ', '(', ')']);
        let number = number.trim_matches([' ', '(', ')']);
        let is_name = !left.is_empty() && left.chars().all(is_part);
        let is_number = !number.is_empty() && number.chars().all(|c| c.is_ascii_digit());
        return (is_name && is_number).then(|| format!("{left}={number}"));
    }
    let mut names = Vec::new();
    for branch in branches {
        if let Some(rest) = branch.strip_prefix("ifdef") {
            names.extend(name(rest));
        }
        let parts: Vec<&str> = branch.split("defined").collect();
        let wanted = parts
            .windows(2)
            .filter(|pair| !pair[0].trim_end().ends_with('!'));
        names.extend(wanted.filter_map(|pair| name(pair[1])));
    }
    // What begins with an underscore or names a system is true of another machine.
    const SYSTEMS: [&str; 5] = ["WIN32", "WIN64", "MSC", "APPLE", "WINDOWS"];
    let own = |name: &&String| {
        !name.starts_with('_') && !SYSTEMS.iter().any(|system| name.contains(system))
    };
    let mut own = names.iter().filter(own);
    let little = own.clone().find(|name| is_little(name));
    little.or_else(|| own.next()).cloned()
}

fn is_little(name: &str) -> bool {
    name.to_lowercase().contains("little")
}

fn is_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// The name at the beginning of a text, which may have a bracket before it.
fn name(text: &str) -> Option<String> {
    let text = text.trim_start_matches(['(', ' ', '\t']);
    let name: String = text.chars().take_while(|c| is_part(*c)).collect();
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn an_error_demands_a_macro() {
        let cases = [
            ("#ifndef SIZE\n#error x", Some("SIZE")),
            ("#if !defined(SIZE)\n#error x", Some("SIZE")),
            ("#if W == 64\n#elif W == 32\n#else\n#error x", Some("W=64")),
            (
                "#if defined(_MSC_VER) || defined(__MINGW32__)\n#include <a.h>\n\
                 #elif defined(HAVE_POSIX_MEMALIGN)\n#ifdef X\n#endif\n#elif defined(HAVE_MEMALIGN)\n#else\n#error x",
                Some("HAVE_POSIX_MEMALIGN"),
            ),
            (
                "#ifdef BIG\n#else\n#ifdef SMALL\n#endif\n#error x",
                Some("BIG"),
            ),
            (
                "#if defined(IS_BIG)\n#elif defined(IS_LITTLE)\n#else\n#error x",
                Some("IS_LITTLE"),
            ),
            (
                "#if !defined(IS_BIG) && !defined(IS_LITTLE)\n#error x",
                Some("IS_LITTLE"),
            ),
            ("#if defined(__AVR__) && !defined(X)\n#else\n#error x", None),
            ("#if SIZE < 4\n#error x", None),
            ("#error x", None),
        ];
        for (text, wanted) in cases {
            assert_eq!(demanded(&lines(text)).as_deref(), wanted, "{text}");
        }
    }

    #[test]
    fn a_source_may_be_empty_without_its_macro() {
        let text = "#ifdef ENABLE_SHA256\n#if defined(A) || defined(B)\n#ifdef __AVR__\n#ifdef X\n\
                    #endif\n#if !defined(C)\n#ifndef D\n#if E > 2\n#ifdef F\n#else\nvoid f(void)";
        assert_eq!(enclosing(&lines(text)), ["ENABLE_SHA256", "A"]);
    }

    #[test]
    fn sizes_of_types_are_the_compilers_own() {
        let text = "#if SIZEOF_UNSIGNED_LONG_INT == 4\n#elif (SIZEOF_INT == 4) && SIZEOF_VOID_P\n\
                    #elif SIZEOF_BOX == 1\n#else\n#error none";
        let wanted = [
            "SIZEOF_UNSIGNED_LONG_INT=__SIZEOF_LONG__",
            "SIZEOF_INT=__SIZEOF_INT__",
            "SIZEOF_VOID_P=__SIZEOF_POINTER__",
        ];
        assert_eq!(sizes(&lines(text)), wanted);
        assert!(sizes(&lines("#error none")).is_empty());
    }

    #[test]
    fn a_macro_takes_another_branch() {
        let text = "#ifndef A_H\n#define A_H\n#ifndef NO_CONFIG\n#include \"config.h\"";
        assert_eq!(excluding(&lines(text)).as_deref(), Some("NO_CONFIG"));
        assert_eq!(
            excluding(&lines("#ifndef A_H\n#define A_H\n#include <b>")),
            None
        );
        let text = "#ifdef HAVE_STDINT_H\n#include <stdint.h>\n#else\ntypedef __int8 int8_t;";
        assert_eq!(other_branch(&lines(text)).as_deref(), Some("HAVE_STDINT_H"));
    }
}
