//! Queries about the process's own pages.

use std::fs;

/// Returns whether a range is readable, and writable if `writable`. If the system does not provide
/// its map of the process, returns true.
pub fn are_accessible(address: u64, size: u64, writable: bool) -> bool {
    let Some(end) = address.checked_add(size) else {
        return false;
    };
    let Ok(maps) = fs::read_to_string("/proc/self/maps") else {
        return true;
    };
    let mut reached = address;
    // Lines are ordered by address: "start-end rwxp ...".
    for line in maps.lines() {
        let mut words = line.split(' ');
        let range = words.next().and_then(|range| range.split_once('-'));
        let number = |text: &str| u64::from_str_radix(text, 16).ok();
        let Some((start, stop)) = range.and_then(|(a, b)| Some((number(a)?, number(b)?))) else {
            continue;
        };
        if stop <= reached {
            continue;
        }
        let rights = words.next().unwrap_or("");
        if start > reached
            || !rights.starts_with('r')
            || writable && rights.as_bytes().get(1) != Some(&b'w')
        {
            return false;
        }
        reached = stop;
        if reached >= end {
            return true;
        }
    }
    false
}
