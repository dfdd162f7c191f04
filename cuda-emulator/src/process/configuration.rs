//! The values of the environment variables `CUDA_EMULATOR_*`, read once.

use std::ffi::{CStr, CString};
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;

use super::architecture::{self, Architecture};
use super::failure_injection::Failure;
use super::name_suggestions;

const PREFIX: &str = "CUDA_EMULATOR_";

/// Names of the variables without the prefix.
const VARIABLES: [&str; 13] = [
    "CHECK", "DEVICE", "DEVICES", "FAIL", "HOLD", "LINKS", "MEMORY", "QUIET", "REPORT", "SEED",
    "THREADS", "TIMEOUT", "TRACE",
];

/// The configuration of the process.
#[derive(Debug)]
pub struct Config {
    /// Destination of the call trace.
    pub trace: Option<Sink>,
    /// Whether the trace includes queries of the current context.
    pub every: bool,
    /// Whether the trace identifies the callers of each call.
    pub callers: bool,
    /// Destination of the listings of loaded modules.
    pub code: Option<Sink>,
    /// Whether notices are suppressed.
    pub quiet: bool,
    /// Failures to inject.
    pub fail: Vec<Failure>,
    /// Bytes of device memory.
    pub memory: Option<u64>,
    /// Worker threads per launch.
    pub threads: usize,
    /// The emulated architecture.
    pub device: &'static Architecture,
    /// Number of devices.
    pub devices: usize,
    /// Pairs of devices that can use each other's memory, smaller ordinal first. `None` means all
    /// pairs.
    pub links: Option<Vec<(usize, usize)>>,
    /// Seed that permutes warp and block order.
    pub seed: Option<u64>,
    /// Report reads of uninitialized memory.
    pub check_uninit: bool,
    /// Report races on shared and global memory.
    pub check_race: bool,
    /// Report divergent barriers.
    pub check_barrier: bool,
    /// Report allocations that a kernel writes only in part.
    pub check_unwritten: bool,
    /// Report leaks at exit.
    pub check_leak: bool,
    /// Report page-locked memory that is freed while queued work uses it.
    pub check_host: bool,
    /// Report work that accesses memory of another context on the same device.
    pub check_context: bool,
    /// Report queued work on the same memory that nothing orders.
    pub check_stream: bool,
    /// How long a stream delays its work if nothing waits for it.
    pub hold: Option<Duration>,
    /// Time limit of a launch.
    pub timeout: Option<Duration>,
    /// File to which fault reports are appended.
    pub report: Option<PathBuf>,
}

/// Destination of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sink {
    /// Standard error.
    Stderr,
    /// A file, in append mode.
    File(PathBuf),
}

/// The parts of `CUDA_EMULATOR_TRACE`.
#[derive(Debug, Default)]
struct Trace {
    calls: Option<Sink>,
    code: Option<Sink>,
    every: bool,
    callers: bool,
}

/// Parses `CUDA_EMULATOR_TRACE`.
///
/// The value is `1` or a file, followed by `code`, `every` and `callers`, separated by commas.
fn trace(value: &str) -> Trace {
    let (mut rest, mut code) = (value, false);
    let mut trace = Trace::default();
    while !rest.is_empty() {
        let (before, word) = rest.rsplit_once(',').unwrap_or(("", rest));
        match word {
            "code" => code = true,
            "every" => trace.every = true,
            "callers" => trace.callers = true,
            _ => break,
        }
        rest = before;
    }
    trace.calls = match rest {
        "" if !trace.every && !trace.callers => None,
        "" | "1" => Some(Sink::Stderr),
        path => Some(Sink::File(path.into())),
    };
    trace.code = code.then(|| trace.calls.clone().unwrap_or(Sink::Stderr));
    trace
}

/// Checks the names of the environment variables.
///
/// # Errors
/// Returns a message with the known names if a variable has the prefix but is not one of the
/// emulator's.
fn check_names(names: impl Iterator<Item = String>) -> Result<(), String> {
    let mut unknown: Vec<String> = names
        .filter(|name| {
            name.strip_prefix(PREFIX)
                .is_some_and(|rest| !VARIABLES.contains(&rest))
        })
        .collect();
    unknown.sort();
    let Some(name) = unknown.first() else {
        return Ok(());
    };
    let meant = name_suggestions::nearest(&name[PREFIX.len()..], VARIABLES.into_iter())
        .map(|meant| format!(" (did you mean {PREFIX}{meant}?)"));
    Err(format!(
        "{name} is not a variable of the emulator{}. Valid names are {PREFIX} followed by {}",
        meant.unwrap_or_default(),
        VARIABLES.join(", ")
    ))
}

impl Config {
    /// Returns whether any check is enabled.
    pub fn has_checks(&self) -> bool {
        self.check_uninit
            || self.check_race
            || self.check_barrier
            || self.check_unwritten
            || self.check_leak
            || self.check_host
            || self.check_context
            || self.check_stream
    }

    /// Reads the variables through `get`.
    fn read(get: impl Fn(&str) -> Option<String>) -> Result<Config, String> {
        let raw = |name: &str| get(name);
        let get = |name: &str| raw(name).filter(|value| !value.is_empty());
        let number = |name: &str, low: u64, high: u64| match get(name) {
            None => Ok(None),
            Some(text) => match text.parse::<u64>() {
                Ok(value) if (low..=high).contains(&value) => Ok(Some(value)),
                _ => Err(format!(
                    "{name}={text}: expected a number from {low} to {high}"
                )),
            },
        };
        let value = get("CUDA_EMULATOR_TRACE").filter(|value| value != "0");
        let trace = value.map_or_else(Trace::default, |value| trace(&value));
        let mut config = Config {
            trace: trace.calls,
            every: trace.every,
            callers: trace.callers,
            code: trace.code,
            quiet: number("CUDA_EMULATOR_QUIET", 0, 1)? == Some(1),
            fail: Vec::new(),
            memory: None,
            threads: std::thread::available_parallelism().map_or(1, |n| n.get()),
            devices: number("CUDA_EMULATOR_DEVICES", 0, 64)?.unwrap_or(1) as usize,
            links: None,
            device: &architecture::DEFAULT,
            seed: number("CUDA_EMULATOR_SEED", 0, u64::MAX)?,
            check_uninit: false,
            check_race: false,
            check_barrier: false,
            check_unwritten: false,
            check_leak: false,
            check_host: false,
            check_context: false,
            check_stream: false,
            hold: number("CUDA_EMULATOR_HOLD", 1, 3_600_000)?.map(Duration::from_millis),
            timeout: None,
            report: get("CUDA_EMULATOR_REPORT").map(PathBuf::from),
        };
        config.links = links(get("CUDA_EMULATOR_LINKS"), config.devices)?;
        if let Some(list) = raw("CUDA_VISIBLE_DEVICES") {
            config.devices = visible(&list, config.devices);
        }
        if let Some(name) = get("CUDA_EMULATOR_DEVICE") {
            config.device = Architecture::named(&name).ok_or_else(|| {
                let names = Architecture::names();
                format!("CUDA_EMULATOR_DEVICE={name}: expected one of {names}")
            })?;
        }
        if let Some(threads) = number("CUDA_EMULATOR_THREADS", 1, 1024)? {
            config.threads = threads as usize;
        }
        if let Some(text) = get("CUDA_EMULATOR_MEMORY") {
            config.memory = Some(parse_size(&text).ok_or(format!(
                "CUDA_EMULATOR_MEMORY={text}: expected a number of bytes, optionally followed by K, M or G, such as 64M"
            ))?);
        }
        if let Some(text) = get("CUDA_EMULATOR_TIMEOUT") {
            let seconds = text.parse::<f64>().ok();
            config.timeout = match seconds.map(Duration::try_from_secs_f64) {
                Some(Ok(limit)) if !limit.is_zero() => Some(limit),
                _ => {
                    return Err(format!(
                        "CUDA_EMULATOR_TIMEOUT={text}: expected a number of seconds"
                    ));
                }
            };
        }
        for item in list(get("CUDA_EMULATOR_CHECK")) {
            let mut known = false;
            for (name, on) in config.checks() {
                // A kernel that leaves memory unwritten need not be wrong.
                let chosen = item == name || item == "all" && name != "unwritten";
                *on |= chosen;
                known |= chosen;
            }
            if !known {
                let names = config.checks().map(|(name, _)| name).join(", ");
                return Err(format!(
                    "CUDA_EMULATOR_CHECK: unknown check `{item}`, expected {names} or all"
                ));
            }
        }
        for item in list(get("CUDA_EMULATOR_FAIL")) {
            config.fail.push(Failure::parse(&item)?);
        }
        Ok(config)
    }

    /// Returns the checks by their names in `CUDA_EMULATOR_CHECK`.
    fn checks(&mut self) -> [(&'static str, &mut bool); 8] {
        [
            ("uninit", &mut self.check_uninit),
            ("race", &mut self.check_race),
            ("barrier", &mut self.check_barrier),
            ("unwritten", &mut self.check_unwritten),
            ("leak", &mut self.check_leak),
            ("context", &mut self.check_context),
            ("host", &mut self.check_host),
            ("stream", &mut self.check_stream),
        ]
    }
}

/// Returns how many of `count` devices a `CUDA_VISIBLE_DEVICES` list makes visible.
///
/// Like the driver, it stops at the first entry that does not exist or is repeated. All devices are
/// alike, so their order does not matter.
fn visible(list: &str, count: usize) -> usize {
    let mut seen = Vec::new();
    for item in list.split(',') {
        match item.trim().parse::<usize>() {
            Ok(ordinal) if ordinal < count && !seen.contains(&ordinal) => seen.push(ordinal),
            _ => break,
        }
    }
    seen.len()
}

/// Parses pairs of devices: `0-1,2-3`, `none` or `all`. A missing text means `all`.
fn links(text: Option<String>, devices: usize) -> Result<Option<Vec<(usize, usize)>>, String> {
    match text.as_deref() {
        None | Some("all") => return Ok(None),
        Some("none") => return Ok(Some(Vec::new())),
        Some(_) => {}
    }
    let pair = |item: &String| {
        let (one, other) = item.split_once('-')?;
        let (one, other) = (one.trim().parse().ok()?, other.trim().parse().ok()?);
        let (low, high) = (std::cmp::min(one, other), std::cmp::max(one, other));
        (low < high && high < devices).then_some((low, high))
    };
    let wrong = |item: &String| {
        format!(
            "CUDA_EMULATOR_LINKS={item}: expected pairs of the {devices} devices (CUDA_EMULATOR_DEVICES) such as 0-1, or none, or all"
        )
    };
    let pairs = list(text)
        .iter()
        .map(|item| pair(item).ok_or_else(|| wrong(item)))
        .collect::<Result<Vec<_>, _>>()?;
    Ok(Some(pairs))
}

fn list(text: Option<String>) -> Vec<String> {
    let text = text.unwrap_or_default();
    text.split(',')
        .map(str::trim)
        .filter(|item| !item.is_empty())
        .map(String::from)
        .collect()
}

/// Parses `512`, `64K`, `2M` or `8G` into bytes. `MB` and `MiB` mean the same as `M`.
fn parse_size(text: &str) -> Option<u64> {
    let text = text.trim().to_ascii_uppercase();
    let short = text.strip_suffix("IB").or(text.strip_suffix('B'));
    let unit = short.unwrap_or(&text);
    let (digits, shift) = match unit.chars().last()? {
        'K' => (&unit[..unit.len() - 1], 10),
        'M' => (&unit[..unit.len() - 1], 20),
        'G' => (&unit[..unit.len() - 1], 30),
        _ if short.is_some() => return None,
        _ => (unit, 0),
    };
    digits.parse::<u64>().ok()?.checked_mul(1 << shift)
}

static CONFIG: OnceLock<(Config, Option<CString>)> = OnceLock::new();

fn load() -> &'static (Config, Option<CString>) {
    CONFIG.get_or_init(|| {
        let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
        let config =
            check_names(names).and_then(|()| Config::read(|name| std::env::var(name).ok()));
        match config {
            Ok(config) => (config, None),
            Err(message) => {
                eprintln!("[cuda-emulator] {message}. cuInit fails until this is fixed.");
                let plain = Config::read(|_| None).expect("the defaults are valid");
                (plain, Some(CString::new(message).unwrap_or_default()))
            }
        }
    })
}

/// Returns the configuration of this process.
pub fn get() -> &'static Config {
    &load().0
}

/// Returns the message about invalid variables, which has already been printed, or `None` if all
/// are valid.
pub fn complaint() -> Option<&'static CStr> {
    load().1.as_deref()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pairs: &[(&str, &str)]) -> Result<Config, String> {
        Config::read(|name| pairs.iter().find(|p| p.0 == name).map(|p| p.1.to_string()))
    }

    #[test]
    fn visible_devices_end_at_the_first_invalid_entry() {
        for (list, left) in [
            ("", 0),
            ("-1", 0),
            ("0", 1),
            ("1, 0", 2),
            ("0,9,1", 1),
            ("0,0", 1),
            ("2", 0),
            ("0,2,1", 1),
            ("1,1,0", 1),
            ("x", 0),
        ] {
            assert_eq!(visible(list, 2), left, "{list:?}");
        }
    }

    #[test]
    fn defaults_are_quiet() {
        let config = read(&[]).unwrap();
        assert!(config.trace.is_none() && config.fail.is_empty() && config.memory.is_none());
        assert!(!config.has_checks() && config.seed.is_none());
        assert_eq!(config.devices, 1);
    }

    #[test]
    fn every_variable_is_read() {
        let config = read(&[
            ("CUDA_EMULATOR_TRACE", "/tmp/trace"),
            (
                "CUDA_EMULATOR_FAIL",
                "cuMemAlloc:2:CUDA_ERROR_OUT_OF_MEMORY, *:9:999",
            ),
            ("CUDA_EMULATOR_MEMORY", "3M"),
            ("CUDA_EMULATOR_THREADS", "5"),
            ("CUDA_EMULATOR_DEVICES", "2"),
            ("CUDA_EMULATOR_SEED", "7"),
            ("CUDA_EMULATOR_CHECK", "race,leak"),
            ("CUDA_EMULATOR_TIMEOUT", "0.5"),
            ("CUDA_EMULATOR_HOLD", "250"),
            ("CUDA_EMULATOR_QUIET", "1"),
        ])
        .unwrap();
        assert_eq!(config.trace, Some(Sink::File("/tmp/trace".into())));
        assert_eq!(config.fail.len(), 2);
        assert_eq!(config.memory, Some(3 << 20));
        assert_eq!(
            (config.threads, config.devices, config.seed),
            (5, 2, Some(7))
        );
        assert!(config.check_race && config.check_leak && !config.check_uninit);
        assert_eq!(config.timeout, Some(Duration::from_millis(500)));
        assert_eq!(config.hold, Some(Duration::from_millis(250)));
        assert!(config.quiet && !read(&[]).unwrap().quiet);
    }

    #[test]
    fn each_check_sets_only_its_own_flag() {
        let names = read(&[]).unwrap().checks().map(|(name, _)| name);
        for check in names {
            let mut config = read(&[("CUDA_EMULATOR_CHECK", check)]).unwrap();
            for (other, on) in config.checks() {
                assert_eq!(*on, other == check, "{check}, {other}");
            }
        }
        for all in ["all", "leak,all"] {
            let mut config = read(&[("CUDA_EMULATOR_CHECK", all)]).unwrap();
            for (name, on) in config.checks() {
                assert_eq!(*on, name != "unwritten", "{all}: {name}");
            }
        }
        let text = read(&[("CUDA_EMULATOR_CHECK", "race,al")]).err().unwrap();
        let expected = "unknown check `al`, expected uninit, race, barrier, unwritten, leak, context, host, stream or all";
        assert_eq!(text, format!("CUDA_EMULATOR_CHECK: {expected}"));
        let config = read(&[("CUDA_EMULATOR_CHECK", "race,, leak,")]).unwrap();
        assert!(config.check_race && config.check_leak && !config.check_host);
    }

    #[test]
    fn trace_destinations_are_parsed() {
        let sink = |value| read(&[("CUDA_EMULATOR_TRACE", value)]).unwrap().trace;
        let sinks = |value| {
            let trace = super::trace(value);
            assert!(!trace.every && !trace.callers, "{value}");
            (trace.calls, trace.code)
        };
        assert_eq!(sink("0"), None);
        assert_eq!(sink(""), None);
        assert_eq!(sink("1"), Some(Sink::Stderr));
        assert_eq!(sink("11"), Some(Sink::File("11".into())));
        let file = |path: &str| Some(Sink::File(path.into()));
        assert_eq!(sinks("code"), (None, Some(Sink::Stderr)));
        assert_eq!(sinks("1,code"), (Some(Sink::Stderr), Some(Sink::Stderr)));
        assert_eq!(sinks("/tmp/t,code"), (file("/tmp/t"), file("/tmp/t")));
        assert_eq!(sinks("/tmp/code"), (file("/tmp/code"), None));
        for (value, calls, code) in [
            ("every", Some(Sink::Stderr), None),
            ("1,every", Some(Sink::Stderr), None),
            ("/tmp/t,every", file("/tmp/t"), None),
            ("/tmp/t,code,every", file("/tmp/t"), file("/tmp/t")),
            ("every,code", Some(Sink::Stderr), Some(Sink::Stderr)),
        ] {
            let trace = super::trace(value);
            assert!(trace.every && !trace.callers, "{value}");
            assert_eq!((trace.calls, trace.code), (calls, code), "{value}");
        }
        let trace = super::trace("/tmp/t,every,callers");
        assert!(trace.every && trace.callers && trace.calls == file("/tmp/t"));
    }

    #[test]
    fn numbers_out_of_range_are_rejected() {
        for (name, low, high) in [
            ("CUDA_EMULATOR_THREADS", 1u64, 1024u64),
            ("CUDA_EMULATOR_DEVICES", 0, 64),
            ("CUDA_EMULATOR_HOLD", 1, 3_600_000),
        ] {
            for value in [low, high] {
                assert!(
                    read(&[(name, &value.to_string())]).is_ok(),
                    "{name}={value}"
                );
            }
            let mut beyond = vec![high + 1];
            beyond.extend(low.checked_sub(1));
            for value in beyond {
                let text = read(&[(name, &value.to_string())]).unwrap_err();
                assert!(text.contains(&format!("from {low} to {high}")), "{text}");
            }
        }
    }

    #[test]
    fn bad_values_name_the_variable() {
        for (name, value) in [
            ("CUDA_EMULATOR_MEMORY", "lots"),
            ("CUDA_EMULATOR_THREADS", "0"),
            ("CUDA_EMULATOR_CHECK", "everything"),
            ("CUDA_EMULATOR_TIMEOUT", "-1"),
            ("CUDA_EMULATOR_TIMEOUT", "0"),
            ("CUDA_EMULATOR_HOLD", "0"),
            ("CUDA_EMULATOR_FAIL", "cuMemAlloc"),
            ("CUDA_EMULATOR_QUIET", "yes"),
            ("CUDA_EMULATOR_LINKS", "1-2"),
            ("CUDA_EMULATOR_LINKS", "0-0"),
        ] {
            assert!(read(&[(name, value)]).unwrap_err().contains(name), "{name}");
        }
    }

    #[test]
    fn links_must_be_pairs_of_existing_devices() {
        let links = |devices, text| {
            let variables = [
                ("CUDA_EMULATOR_DEVICES", devices),
                ("CUDA_EMULATOR_LINKS", text),
            ];
            read(&variables).map(|config| config.links)
        };
        assert_eq!(links("3", "2-0,1-2").unwrap(), Some(vec![(0, 2), (1, 2)]));
        assert_eq!(links("2", "all").unwrap(), None);
        assert_eq!(links("2", "none").unwrap(), Some(Vec::new()));
        let text = links("2", "0-1,1-2").unwrap_err();
        assert!(
            text.contains("LINKS=1-2: expected pairs of the 2 devices"),
            "{text}"
        );
    }

    #[test]
    fn unknown_variables_are_rejected_with_the_known_ones() {
        let check = |names: &[&str]| check_names(names.iter().map(ToString::to_string));
        assert_eq!(check(&[]), Ok(()));
        // Without the underscore it is the variable that the build reads.
        assert_eq!(
            check(&["CUDA_EMULATOR", "CUDA_VISIBLE_DEVICES", "PATH"]),
            Ok(())
        );
        for name in VARIABLES {
            assert_eq!(check(&[&format!("CUDA_EMULATOR_{name}")]), Ok(()));
        }
        let text = check(&["HOME", "CUDA_EMULATOR_CHEK"]).unwrap_err();
        assert!(
            text.starts_with(
                "CUDA_EMULATOR_CHEK is not a variable of the emulator (did you mean CUDA_EMULATOR_CHECK?)"
            ),
            "{text}"
        );
        assert!(text.contains("CHECK, DEVICE, DEVICES, FAIL,"), "{text}");
        let text = check(&["CUDA_EMULATOR_"]).unwrap_err();
        assert!(!text.contains("did you mean"), "{text}");
    }

    #[test]
    fn every_variable_is_in_the_guide() {
        let guide = include_str!("../../docs/guide.md");
        for name in VARIABLES {
            assert!(
                guide.contains(&format!("| `CUDA_EMULATOR_{name}` |")),
                "{name}"
            );
        }
    }

    #[test]
    fn sizes_are_parsed_with_their_units() {
        for text in ["64M", "64m", "64MB", "64MiB", "64mb", " 64 "] {
            let expected = if text == " 64 " { 64 } else { 64 << 20 };
            assert_eq!(parse_size(text), Some(expected), "{text}");
        }
        for text in ["64B", "64iB", "MB", "B", "64MM", "64 M", "-1K"] {
            assert_eq!(parse_size(text), None, "{text}");
        }
        assert_eq!(parse_size("10"), Some(10));
        assert_eq!(parse_size("2k"), Some(2048));
        assert_eq!(parse_size("1G"), Some(1 << 30));
        assert_eq!(parse_size("3M"), Some(3 << 20));
        assert_eq!(parse_size(" 12K "), Some(12 << 10));
        assert_eq!(parse_size("K"), None);
        assert_eq!(parse_size("99999999999999G"), None);
        assert_eq!(parse_size(""), None);
    }
}
