//! The sandbox of a program that may be anybody's, on this machine. It has no network and an empty
//! home folder, can write, delete or empty no file, has 4 GiB of memory, few processes and an empty
//! environment. Nothing that it starts outlives it, and it does not outlive the lab, even if that is
//! killed.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// Programs of util-linux.
const UNSHARE: &str = "/usr/bin/unshare";
const PRLIMIT: &str = "/usr/bin/prlimit";
const SETPRIV: &str = "/usr/bin/setpriv";

/// The kernel kills what is run with these when the thread of the lab that started it ends. Without
/// them, a library that hangs would use a processor for ever after the lab was killed.
const WITH_THE_LAB: [&str; 3] = ["--pdeathsig", "KILL", "--"];

/// Namespaces of its own: a network without interfaces, processes that end with the first, mounts.
/// Only a user's own namespace gives the right to make them.
const ALONE: [&str; 6] = [
    "--user",
    "--map-root-user",
    "--net",
    "--pid",
    "--fork",
    "--mount",
];

/// The first process, and all others with it, ends with the program that the lab started.
const ENDS: &str = "--kill-child";

/// Opens the program `$1`, makes all file systems read-only that the kernel lets a user change,
/// hides the home folder `$2`, which may hold the program, gives up all rights of the namespace, and
/// runs the program. A limit of 0 bytes for files does not stop a program from deleting or emptying
/// them.
const INSIDE: &str = "exec 9<\"$1\"
/bin/mount -o remount,bind,ro / || exit 126
while read -r _ target kind options _; do
  case $target:$kind:$options in
  /:* | *:proc:* | *:sysfs:* | *:cgroup*:* | *:devpts:* | *:ro,*) ;;
  *) /bin/mount -o remount,bind,ro \"$target\" 2>/dev/null ;;
  esac
done </proc/mounts
[ -d \"$2\" ] && [ \"$2\" != / ] && { /bin/mount -t tmpfs -o ro none \"$2\" || exit 126; }
cd / && exec /usr/bin/setpriv --bounding-set=-all --inh-caps=-all --no-new-privs \\
  /usr/bin/prlimit --fsize=0 --core=0 --as=4294967296 --nproc=64 -- /proc/self/fd/9";

/// The limits where the machine gives no namespaces.
const LIMITS: [&str; 3] = ["--fsize=0", "--core=0", "--as=4294967296"];

/// The command that runs a program in the sandbox.
pub(super) fn command(image: &Path) -> Command {
    let mut command = if isolates() {
        isolated(image)
    } else if Path::new(PRLIMIT).is_file() && Path::new(SETPRIV).is_file() {
        let mut command = Command::new(SETPRIV);
        command.args(WITH_THE_LAB).arg(PRLIMIT);
        command.args(LIMITS).arg("--").arg(image);
        command
    } else {
        Command::new(image)
    };
    command.env_clear();
    // All that it starts is in its group, and ends with it.
    command.process_group(0);
    command
}

fn isolated(image: &Path) -> Command {
    let home = std::env::var_os("HOME").unwrap_or_default();
    let mut command = Command::new(SETPRIV);
    command.args(WITH_THE_LAB).arg(UNSHARE);
    command.args(ALONE).arg(ENDS).args(["--", "/bin/sh", "-c"]);
    command.arg(INSIDE).arg("sh").arg(image).arg(home);
    command
}

/// True if this machine lets a user make namespaces for a program. Says once if not.
fn isolates() -> bool {
    static ISOLATES: OnceLock<bool> = OnceLock::new();
    *ISOLATES.get_or_init(|| {
        let tried = isolated(Path::new("/bin/true"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        let works = tried.is_ok_and(|status| status.success());
        if !works {
            eprintln!(
                "selo: this machine does not let a user separate a program from the network and \
                 the files; native programs run with limits of memory and of writing only"
            );
        }
        works
    })
}
