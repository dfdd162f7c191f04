//! The filter of the command line: `cargo bench --bench sum -- '2^20'`.

/// Criterion's options that take a value as the next argument.
const WITH_VALUE: [&str; 19] = [
    "-c",
    "--color",
    "-s",
    "--save-baseline",
    "-b",
    "--baseline",
    "--baseline-lenient",
    "--load-baseline",
    "--sample-size",
    "--warm-up-time",
    "--measurement-time",
    "--nresamples",
    "--noise-threshold",
    "--confidence-level",
    "--significance-level",
    "--profile-time",
    "--format",
    "--output-format",
    "--plotting-backend",
];

/// Returns the filter: the first argument that is neither an option nor the value of one.
pub fn filter(mut arguments: impl Iterator<Item = String>) -> Option<String> {
    while let Some(argument) = arguments.next() {
        if WITH_VALUE.contains(&argument.as_str()) {
            arguments.next();
        } else if !argument.starts_with('-') {
            return Some(argument);
        }
    }
    None
}

/// Returns whether a filter selects a workload: if it is a part of the workload's name or of criterion's name
/// `id`, or if it is the name of a measurement of `id`.
pub fn selects(filter: &str, work: &str, id: &str) -> bool {
    work.contains(filter) || id.contains(filter) || filter.contains(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filter_is_the_first_argument_that_is_no_option() {
        let of = |line: &str| filter(line.split(' ').map(String::from));
        assert_eq!(of("--bench").as_deref(), None);
        assert_eq!(of("--bench 2^20").as_deref(), Some("2^20"));
        assert_eq!(
            of("--noplot --save-baseline main 2^20 --bench").as_deref(),
            Some("2^20")
        );
        assert_eq!(of("--sample-size 10 --bench").as_deref(), None);
        assert_eq!(of("--sample-size=10 sum").as_deref(), Some("sum"));
    }

    #[test]
    fn filter_selects_rows_by_name() {
        let selected = |filter| selects(filter, "sum of 2^20 f32", "sum/2^20");
        assert!(selected("2^20") && selected("sum of") && selected("sum/2^20/GPU device time"));
        assert!(!selected("2^24") && !selected("GPU"));
    }
}
