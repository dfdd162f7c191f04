//! Injected failures: `CUDA_EMULATOR_FAIL`.

use std::sync::atomic::{AtomicU64, Ordering};

use super::exported_names::{self, NAMES, documented_name};
use super::name_suggestions;
use crate::abi::status::Code;

/// A rule that makes the n-th call of a function, or every call from the n-th on, return a code
/// instead of running.
#[derive(Debug)]
pub struct Failure {
    /// The rule's text in the variable.
    text: String,
    /// Documented name, exported name, or `*` for every call.
    function: String,
    /// Counted from 1.
    nth: u64,
    /// Whether later calls fail too.
    onwards: bool,
    code: Code,
    seen: AtomicU64,
}

impl Failure {
    /// Parses `cuMemAlloc:3:CUDA_ERROR_OUT_OF_MEMORY`, or `cuMemAlloc:3+:CUDA_ERROR_OUT_OF_MEMORY`.
    ///
    /// # Errors
    /// Returns a message if the text has another form, or if the driver has no such function.
    pub fn parse(text: &str) -> Result<Failure, String> {
        let fail = || {
            format!(
                "CUDA_EMULATOR_FAIL: `{text}` must have the form function:n:code or function:n+:code, such as \
                 cuMemAlloc:1:CUDA_ERROR_OUT_OF_MEMORY"
            )
        };
        let mut parts = text.split(':');
        let (Some(function), Some(nth), Some(code), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(fail());
        };
        let (nth, onwards) = match nth.strip_suffix('+') {
            Some(nth) => (nth, true),
            None => (nth, false),
        };
        let nth = nth
            .parse::<u64>()
            .ok()
            .filter(|&n| n > 0 && !nth.starts_with('+'))
            .ok_or_else(fail)?;
        let code = Code::parse(code)
            .filter(|&c| c != Code::SUCCESS)
            .ok_or_else(fail)?;
        let documented = || NAMES.iter().map(|name| documented_name(name));
        let known = function == "*"
            || exported_names::contains(function)
            || documented().any(|name| name == function);
        if !known {
            let meant = name_suggestions::nearest(function, documented())
                .map(|meant| format!(" (did you mean {meant}?)"));
            return Err(format!(
                "CUDA_EMULATOR_FAIL: `{text}`: the driver has no function `{function}`{}",
                meant.unwrap_or_default()
            ));
        }
        Ok(Failure {
            text: text.into(),
            function: function.into(),
            nth,
            onwards,
            code,
            seen: AtomicU64::new(0),
        })
    }

    /// Counts a call, and returns the code if this call must fail.
    pub fn count(&self, exported: &str) -> Option<Code> {
        let this = self.function == "*"
            || self.function == exported
            || self.function == documented_name(exported);
        if !this {
            return None;
        }
        let number = self.seen.fetch_add(1, Ordering::Relaxed) + 1;
        (number == self.nth || self.onwards && number > self.nth).then_some(self.code)
    }

    /// Returns a message if no call has failed by this rule.
    pub fn unfired(&self) -> Option<String> {
        let seen = self.seen.load(Ordering::Relaxed);
        let times = match seen {
            _ if seen >= self.nth => return None,
            0 => "0 times".to_owned(),
            1 => "once".to_owned(),
            _ => format!("{seen} times"),
        };
        let function = match self.function.as_str() {
            "*" => "the driver",
            name => name,
        };
        Some(format!(
            "CUDA_EMULATOR_FAIL: `{}` never fired: {function} was called {times}",
            self.text
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documented_names_have_no_suffixes() {
        assert_eq!(documented_name("cuMemAlloc_v2"), "cuMemAlloc");
        assert_eq!(documented_name("cuMemcpyHtoD_v2_ptds"), "cuMemcpyHtoD");
        assert_eq!(documented_name("cuLaunchKernel_ptsz"), "cuLaunchKernel");
        assert_eq!(documented_name("cuInit"), "cuInit");
        assert_eq!(documented_name("cuGet_value"), "cuGet_value", "no version");
    }

    #[test]
    fn rule_fails_only_the_nth_call() {
        let failure = Failure::parse("cuMemAlloc:2:CUDA_ERROR_OUT_OF_MEMORY").unwrap();
        assert_eq!(failure.count("cuMemAlloc_v2"), None);
        assert_eq!(failure.count("cuMemFree_v2"), None);
        assert_eq!(
            failure.count("cuMemAlloc_v2"),
            Some(Code::ERROR_OUT_OF_MEMORY)
        );
        assert_eq!(failure.count("cuMemAlloc_v2"), None);
        let exact = Failure::parse("cuMemAlloc_v2:1:1").unwrap();
        assert_eq!(exact.count("cuMemAlloc"), None, "another form of it");
        assert_eq!(exact.count("cuMemAlloc_v2"), Some(Code(1)));
        let every = Failure::parse("*:3:700").unwrap();
        assert_eq!(
            ["a", "b", "c", "d"].map(|f| every.count(f).is_some()),
            [false, false, true, false]
        );
    }

    #[test]
    fn plus_also_fails_every_later_call() {
        let failure = Failure::parse("cuMemAlloc:2+:CUDA_ERROR_UNKNOWN").unwrap();
        assert_eq!(failure.count("cuMemAlloc_v2"), None);
        assert_eq!(failure.count("cuMemFree_v2"), None);
        for _ in 0..3 {
            assert_eq!(failure.count("cuMemAlloc_v2"), Some(Code::ERROR_UNKNOWN));
        }
        assert_eq!(failure.count("cuMemFree_v2"), None);
    }

    #[test]
    fn unfired_rules_are_reported() {
        let failure = Failure::parse("cuMemAlloc:3:CUDA_ERROR_OUT_OF_MEMORY").unwrap();
        let message = "CUDA_EMULATOR_FAIL: `cuMemAlloc:3:CUDA_ERROR_OUT_OF_MEMORY` never fired: cuMemAlloc was called";
        assert_eq!(failure.unfired(), Some(format!("{message} 0 times")));
        failure.count("cuMemAlloc_v2");
        assert_eq!(failure.unfired(), Some(format!("{message} once")));
        failure.count("cuMemAlloc_v2");
        failure.count("cuInit");
        assert_eq!(failure.unfired(), Some(format!("{message} 2 times")));
        failure.count("cuMemAlloc_v2");
        assert_eq!(failure.unfired(), None);
        let every = Failure::parse("*:2+:1").unwrap();
        every.count("cuInit");
        let text = every.unfired().unwrap();
        assert!(
            text.ends_with("`*:2+:1` never fired: the driver was called once"),
            "{text}"
        );
        every.count("cuInit");
        assert_eq!(every.unfired(), None);
    }

    #[test]
    fn unknown_functions_are_rejected() {
        for name in [
            "cuMemAlloc",
            "cuMemAlloc_v2",
            "cuMemcpyHtoD_v2_ptds",
            "cuGraphCreate",
            "*",
        ] {
            assert!(Failure::parse(&format!("{name}:1:1")).is_ok(), "{name}");
        }
        let text = Failure::parse("cuLaunchKernal:1:1").unwrap_err();
        assert_eq!(
            text,
            "CUDA_EMULATOR_FAIL: `cuLaunchKernal:1:1`: the driver has no function `cuLaunchKernal` \
             (did you mean cuLaunchKernel?)"
        );
        let text = Failure::parse("printf:1:1").unwrap_err();
        assert!(
            text.ends_with("the driver has no function `printf`"),
            "{text}"
        );
    }

    #[test]
    fn malformed_rules_are_rejected() {
        for text in [
            "",
            "cuInit",
            "cuInit:0:1",
            "cuInit:0+:1",
            "cuInit:+1:1",
            "cuInit:+:1",
            "cuInit:1++:1",
            "cuInit:+1+:1",
            "cuInit:1:CUDA_SUCCESS",
            "cuInit:1:CUDA_ERROR_NO",
            "a:1:2:3",
        ] {
            assert!(Failure::parse(text).is_err(), "{text}");
        }
    }
}
