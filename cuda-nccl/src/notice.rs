//! Notices on standard error about ranks that wait long for others.

use std::time::Duration;

/// The shortest wait with a notice.
const SHORTEST: Duration = Duration::from_secs(1);

/// Returns after how long a notice is printed: a sixth of the limit, if that is not too short to be
/// worth a notice.
pub(crate) fn due(limit: Duration) -> Option<Duration> {
    let due = limit / 6;
    (due >= SHORTEST).then_some(due)
}

/// Rounds a duration for a message: to tenths of a second, and below a second down to milliseconds.
pub(crate) fn rounded(time: Duration) -> Duration {
    let unit = if time < Duration::from_secs(1) {
        1
    } else {
        100
    };
    match u64::try_from((time.as_millis() + unit / 2) / unit * unit) {
        Ok(0) | Err(_) => time, // below a millisecond, or too long for 64 bits
        Ok(millis) => Duration::from_millis(millis),
    }
}

/// Prints a line that begins with the name of this crate.
pub(crate) fn print(text: &str) {
    eprintln!("cuda-nccl: {text}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notice_comes_well_before_the_limit() {
        let due = |millis| due(Duration::from_millis(millis));
        assert_eq!(due(60_000), Some(Duration::from_secs(10)));
        assert_eq!(due(6000), Some(Duration::from_secs(1)));
        assert_eq!(due(5999), None);
    }

    #[test]
    fn durations_are_rounded() {
        let text = |nanos| format!("{:?}", rounded(Duration::from_nanos(nanos)));
        assert_eq!(text(6_666_666_666), "6.7s");
        assert_eq!(text(1_166_666_666), "1.2s");
        assert_eq!(text(10_000_000_000), "10s");
        assert_eq!(text(80_000_000), "80ms");
        assert_eq!(text(80_400_000), "80ms");
        assert_eq!(text(999_600_000), "999ms");
        assert_eq!(text(400_000), "400µs");
        assert_eq!(rounded(Duration::MAX), Duration::MAX);
    }
}
