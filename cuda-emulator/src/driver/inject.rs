//! Failures on demand: `CUDA_EMULATOR_FAIL`.

use std::sync::atomic::{AtomicU64, Ordering};

use super::status::Code;

/// "The n-th call of this function gives this code instead of being made." Or the n-th and every later one.
#[derive(Debug)]
pub struct Failure {
    /// Documentation name, exported name, or `*` for every call.
    function: String,
    /// From 1.
    nth: u64,
    /// The later calls fail too.
    onwards: bool,
    code: Code,
    seen: AtomicU64,
}

impl Failure {
    /// Parses `cuMemAlloc:3:CUDA_ERROR_OUT_OF_MEMORY`, or `cuMemAlloc:3+:CUDA_ERROR_OUT_OF_MEMORY`.
    pub fn parse(text: &str) -> Result<Failure, String> {
        let fail = || {
            format!(
                "CUDA_EMULATOR_FAIL: `{text}` isn't of the form function:n:code or function:n+:code, such as \
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
        Ok(Failure {
            function: function.into(),
            nth,
            onwards,
            code,
            seen: AtomicU64::new(0),
        })
    }

    /// Counts a call; the code if this is the one that must fail.
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
}

/// The name in the documentation of an exported function: `cuMemcpyHtoD` for `cuMemcpyHtoD_v2_ptds`.
pub fn documented_name(exported: &str) -> &str {
    let plain = exported
        .strip_suffix("_ptsz")
        .or(exported.strip_suffix("_ptds"))
        .unwrap_or(exported);
    match plain.rsplit_once("_v") {
        Some((name, version)) if version.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_their_suffixes() {
        assert_eq!(documented_name("cuMemAlloc_v2"), "cuMemAlloc");
        assert_eq!(documented_name("cuMemcpyHtoD_v2_ptds"), "cuMemcpyHtoD");
        assert_eq!(documented_name("cuLaunchKernel_ptsz"), "cuLaunchKernel");
        assert_eq!(documented_name("cuInit"), "cuInit");
        assert_eq!(documented_name("cuGet_value"), "cuGet_value", "no version");
    }

    #[test]
    fn only_the_nth_call_fails() {
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
    fn a_plus_means_every_later_call_too() {
        let failure = Failure::parse("cuMemAlloc:2+:CUDA_ERROR_UNKNOWN").unwrap();
        assert_eq!(failure.count("cuMemAlloc_v2"), None);
        assert_eq!(failure.count("cuMemFree_v2"), None);
        for _ in 0..3 {
            assert_eq!(failure.count("cuMemAlloc_v2"), Some(Code::ERROR_UNKNOWN));
        }
        assert_eq!(failure.count("cuMemFree_v2"), None);
    }

    #[test]
    fn nonsense_is_refused() {
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
