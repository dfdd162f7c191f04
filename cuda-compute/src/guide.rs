//! How to use this crate, by subject.

#[doc = include_str!("guide/accuracy.md")]
pub mod accuracy {}

#[doc = include_str!("guide/from_pycuda.md")]
pub mod from_pycuda {}

#[doc = include_str!("guide/from_cupy.md")]
pub mod from_cupy {}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    /// Returns the rows of the tables of functions in the guide for CuPy users: names, status and
    /// counterparts.
    fn functions() -> Vec<[&'static str; 3]> {
        let page = include_str!("guide/from_cupy.md");
        let (_, tables) = page.split_once("\n# Functions by name\n").unwrap();
        let (tables, _) = tables.split_once("\n# Same name, other result\n").unwrap();
        let rows = tables.lines().filter(|line| line.starts_with("| `"));
        rows.map(|row| {
            let cells: Vec<&str> = row.trim_matches(['|', ' ']).splitn(3, " | ").collect();
            cells.try_into().unwrap()
        })
        .collect()
    }

    #[test]
    fn functions_with_another_result_are_not_the_same() {
        let page = include_str!("guide/from_cupy.md");
        let (_, table) = page.split_once("\n# Same name, other result\n").unwrap();
        let (table, _) = table.split_once("\n# Custom kernels\n").unwrap();
        let cells: Vec<&str> = (table.lines().filter(|line| line.starts_with("| `")))
            .map(|line| line.split(" | ").next().unwrap())
            .collect();
        assert!(cells.len() > 20, "{} rows", cells.len());
        for [name, status, _] in functions() {
            // The cell names the function at its start, as in "`average` with weights whose sum is 0".
            let differs = cells
                .iter()
                .any(|cell| cell.starts_with(&format!("| {name}")));
            assert!(
                !differs || status != "same",
                "{name} is `same`, and differs"
            );
        }
    }

    /// rustdoc checks that all linked names exist: `make check` fails on a broken link.
    #[test]
    fn every_function_has_a_status_and_a_counterpart() {
        let rows = functions();
        assert!(rows.len() > 200, "{} rows", rows.len());
        let mut known = HashSet::new();
        for [name, status, here] in rows {
            assert!(known.insert(name), "{name} has two rows");
            let own = name.trim_matches('`');
            let link = here.split_once("](crate::").map(|(_, link)| link);
            let fits = match status {
                "same" => link.is_some_and(|link| {
                    let path = link.split(')').next().unwrap();
                    path.rsplit("::").next() == Some(own)
                }),
                "renamed" | "other result" => !here.is_empty() && here != "–",
                "written out" => here.contains('`'),
                "missing" => here == "–",
                _ => false,
            };
            assert!(
                fits,
                "{name} is `{status}`, but its counterpart is {here:?}"
            );
        }
    }
}
