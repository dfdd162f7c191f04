//! Pauses between the checks of a wait.

use std::time::Duration;

const SHORTEST: Duration = Duration::from_micros(50);
const LONGEST: Duration = Duration::from_millis(1);

/// Returns the pause after a wait of this length. Long waits are checked less often, so that they
/// leave the processor to others. They end at most 50 µs or a thousandth late.
pub(crate) fn after(waited: Duration) -> Duration {
    (waited / 1000).clamp(SHORTEST, LONGEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_become_longer_up_to_a_limit() {
        let micros = |waited| after(Duration::from_micros(waited)).as_micros();
        assert_eq!(micros(0), 50);
        assert_eq!(micros(50_000), 50);
        assert_eq!(micros(300_000), 300);
        assert_eq!(micros(1_000_000), 1000);
        assert_eq!(after(Duration::MAX), LONGEST);
    }
}
