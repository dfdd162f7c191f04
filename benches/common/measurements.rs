//! Measurements by criterion, which run only with arguments such as `--verbose`.

use std::time::Duration;

use criterion::{Bencher, BenchmarkGroup, Criterion, Throughput, measurement::WallTime};
use cuda_direct_benches::summary::filter::filter;

/// Criterion, if the command line asks for it. Without it, groups run nothing and print nothing.
pub struct Measurements(Option<Criterion>);

/// A group of benchmarks with common settings.
pub struct Group<'a>(Option<BenchmarkGroup<'a, WallTime>>);

impl Measurements {
    /// Creates criterion with few and short samples, because there are many sizes.
    pub fn new() -> Self {
        Self(is_detailed().then(|| {
            let criterion = Criterion::default()
                .configure_from_args()
                .sample_size(10)
                .warm_up_time(Duration::from_millis(100))
                .measurement_time(Duration::from_millis(500));
            match command_line_filter().filter(|filter| filter.contains('^')) {
                // Criterion's filter is a regular expression, in which "2^20" would match nothing.
                Some(filter) => criterion.with_filter(filter.replace('^', r"\^")),
                None => criterion,
            }
        }))
    }

    /// Begins a group.
    pub fn group(&mut self, name: impl Into<String>) -> Group<'_> {
        Group(self.0.as_mut().map(|it| it.benchmark_group(name)))
    }

    /// Prints criterion's summary.
    pub fn finish(self) {
        if let Some(criterion) = self.0 {
            criterion.final_summary();
        }
    }
}

impl Group<'_> {
    /// Sets the amount of work of each call.
    pub fn throughput(&mut self, throughput: Throughput) {
        if let Some(group) = &mut self.0 {
            group.throughput(throughput);
        }
    }

    /// Measures a function.
    pub fn bench_function(&mut self, name: impl Into<String>, run: impl FnMut(&mut Bencher<'_>)) {
        if let Some(group) = &mut self.0 {
            group.bench_function(name.into(), run);
        }
    }
}

/// Returns whether the command line has options for criterion, such as `--verbose`.
pub fn is_detailed() -> bool {
    std::env::args()
        .skip(1)
        .any(|argument| argument != "--bench" && argument.starts_with('-'))
}

/// Returns the filter of the command line, if there is one.
pub fn command_line_filter() -> Option<String> {
    filter(std::env::args().skip(1))
}
