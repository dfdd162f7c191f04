//! Shrinking: from a failing program to a short one that still fails.

use std::time::Instant;

/// Removes whole threads, then smaller and smaller groups of steps, while `fails` returns true for the rest. `groups` holds
/// the steps of each thread. Returns the shortest program found before the deadline.
pub fn shrink(
    groups: &[Vec<usize>],
    deadline: Instant,
    mut fails: impl FnMut(&[usize]) -> bool,
) -> Vec<usize> {
    let mut kept: Vec<usize> = groups.concat();
    let mut without = |kept: &mut Vec<usize>, left_out: &[usize]| {
        let steps = kept.iter().copied();
        let rest: Vec<usize> = steps.filter(|step| !left_out.contains(step)).collect();
        let is_shorter = rest.len() < kept.len();
        if is_shorter && Instant::now() < deadline && fails(&rest) {
            *kept = rest;
            return true;
        }
        false
    };
    for group in groups {
        without(&mut kept, group);
    }
    let mut size = kept.len().div_ceil(2);
    while size > 0 && Instant::now() < deadline {
        let mut at = 0;
        let mut shorter = false;
        while at < kept.len() {
            let group = kept[at..(at + size).min(kept.len())].to_vec();
            match without(&mut kept, &group) {
                true => shorter = true,
                false => at += size,
            }
        }
        // Single steps are tried again until none can be removed.
        match size {
            1 if shorter => {}
            _ => size /= 2,
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn later() -> Instant {
        Instant::now() + Duration::from_secs(60)
    }

    #[test]
    fn shrink_keeps_only_needed_steps() {
        let groups = [
            (0..20).collect(),
            (20..35).collect(),
            (35..50).collect::<Vec<_>>(),
        ];
        for needed in [
            vec![3],
            vec![0, 49],
            vec![7, 8, 21],
            vec![1, 19, 20, 34, 35],
        ] {
            let mut tries = 0;
            let kept = shrink(&groups, later(), |steps| {
                tries += 1;
                needed.iter().all(|step| steps.contains(step))
            });
            assert_eq!(kept, needed);
            assert!(tries < 120, "{tries} tries");
        }
    }

    #[test]
    fn shrink_of_a_constant_failure_is_empty() {
        assert!(shrink(&[vec![1, 2], vec![3]], later(), |_| true).is_empty());
    }

    #[test]
    fn shrink_keeps_all_steps_if_all_are_needed() {
        let groups = [vec![1, 2, 3], vec![4, 5]];
        assert_eq!(
            shrink(&groups, later(), |steps| steps.len() == 5),
            [1, 2, 3, 4, 5]
        );
    }

    #[test]
    fn shrink_stops_at_the_deadline() {
        let groups = [vec![1, 2], vec![3]];
        let kept = shrink(&groups, Instant::now(), |_| panic!("too late"));
        assert_eq!(kept, [1, 2, 3]);
    }
}
