//! Describes the measured machine, to accompany the figures.

use std::fs;

use serde::Serialize;

/// Description of a machine.
#[derive(Debug, Clone, Serialize)]
pub struct Machine {
    pub cpu: String,
    pub cores: usize,
    pub kernel: String,
}

impl Machine {
    /// Describes this machine from /proc and uname.
    pub fn this() -> Machine {
        let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let kernel = rustix::system::uname();
        Machine {
            cpu: model(&cpuinfo).unwrap_or("unknown CPU").to_owned(),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            kernel: format!(
                "{} {}",
                kernel.sysname().to_string_lossy(),
                kernel.release().to_string_lossy()
            ),
        }
    }
}

/// The CPU's name in the format of x86 (`model name`) and most others (`Model`, `Hardware`).
fn model(cpuinfo: &str) -> Option<&str> {
    ["model name", "Model", "Hardware"].iter().find_map(|key| {
        cpuinfo
            .lines()
            .filter_map(|line| line.split_once(':'))
            .find(|(name, _)| name.trim() == *key)
            .map(|(_, value)| value.trim())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cpu_has_a_name() {
        assert_eq!(model("processor\t: 0\nmodel name\t: X 9\n"), Some("X 9"));
        assert_eq!(model("processor\t: 0\nModel\t\t: Pi 3\n"), Some("Pi 3"));
        assert_eq!(model("flags : fpu"), None);
    }
}
