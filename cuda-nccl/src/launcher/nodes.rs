//! Parsing of Slurm's lists of nodes and tasks.

/// Returns the first host of a list such as `gpu[07-10,12],login1`, or `None` if the list is
/// malformed.
pub(super) fn first_node(list: &str) -> Option<String> {
    let end = list
        .char_indices()
        .scan(0u32, |depth, (at, letter)| {
            match letter {
                '[' => *depth += 1,
                ']' => *depth = depth.checked_sub(1)?,
                _ => {}
            }
            Some((at, letter, *depth))
        })
        .find(|&(_, letter, depth)| letter == ',' && depth == 0)
        .map_or(list.len(), |(at, ..)| at);
    let mut rest = &list[..end];
    let mut host = String::new();
    // A name may have several brackets: `rack[1-2]node[01-16]`.
    while let Some((before, after)) = rest.split_once('[') {
        let (numbers, after) = after.split_once(']')?;
        let first = numbers.split([',', '-']).next()?;
        if first.is_empty() || !first.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        host.push_str(before);
        // Keep the digits as written: leading zeros belong to the name.
        host.push_str(first);
        rest = after;
    }
    host.push_str(rest);
    let fits = |letter: char| letter.is_ascii_alphanumeric() || "-._".contains(letter);
    (!host.is_empty() && host.chars().all(fits)).then_some(host)
}

/// Returns the number of tasks on a node from a list such as `4(x2),3`. Returns `None` if the list
/// is malformed or too short.
pub(super) fn tasks_of_node(list: &str, node: usize) -> Option<usize> {
    let mut before = 0usize;
    for part in list.split(',') {
        let (tasks, nodes) = match part.split_once("(x") {
            Some((tasks, nodes)) => (tasks, nodes.strip_suffix(')')?.parse().ok()?),
            None => (part, 1usize),
        };
        let tasks = tasks.parse().ok()?;
        before = before.checked_add(nodes)?;
        if node < before {
            return Some(tasks);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{first_node, tasks_of_node};

    #[test]
    fn first_node_expands_the_first_name() {
        let first = |list| first_node(list);
        for (list, host) in [
            ("gpu1", "gpu1"),
            ("gpu1,gpu2", "gpu1"),
            ("node[01-04,7]", "node01"),
            ("node[7]", "node7"),
            (
                "node[007,009-012].cluster.example",
                "node007.cluster.example",
            ),
            ("a[3,5],b[1-2]", "a3"),
            ("rack[1-2]node[01-16],other", "rack1node01"),
            ("10.0.0.7", "10.0.0.7"),
        ] {
            assert_eq!(first(list).as_deref(), Some(host), "{list}");
        }
        for list in [
            "",
            ",",
            "node[",
            "node]",
            "node[]",
            "node[a-b]",
            "node[-3]",
            "no de",
            "node[1",
        ] {
            assert_eq!(first(list), None, "{list}");
        }
    }

    #[test]
    fn tasks_of_node_expands_repetitions() {
        let all = |list| {
            (0..4)
                .map(|node| tasks_of_node(list, node))
                .collect::<Vec<_>>()
        };
        assert_eq!(all("2"), [Some(2), None, None, None]);
        assert_eq!(all("4(x2),3"), [Some(4), Some(4), Some(3), None]);
        assert_eq!(all("1,2(x3)"), [Some(1), Some(2), Some(2), Some(2)]);
        for list in ["", "x", "2(x", "2(x3", "2(xa)", "(x2)", "2,,"] {
            assert_eq!(tasks_of_node(list, 3), None, "{list}");
        }
        let huge = format!("1(x{0}),1(x{0})", usize::MAX);
        assert_eq!(tasks_of_node(&huge, usize::MAX), None);
    }
}
