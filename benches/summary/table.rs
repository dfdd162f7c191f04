//! The table that a bench prints at its end.

/// A row of the summary.
pub struct Row {
    /// The workload, such as "sum of 2^20 f32".
    pub work: String,
    /// The implementation, such as "GPU, device time".
    pub by: String,
    /// Its time in microseconds.
    pub us: f64,
    /// The rate that it reached, for instance.
    pub note: String,
}

/// Returns a table of these columns: texts of `by`. It has a row for each workload, the ratio of the times of
/// the last column and the first, and the note of the first if `reached` is set.
pub fn table(rows: &[Row], columns: &[String], reached: bool) -> String {
    // "GPU, device time" is divided into two lines.
    let heads = columns
        .iter()
        .map(|by| by.split_once(", ").unwrap_or((by.as_str(), "")));
    let (mut upper, mut lower) = (vec![String::new()], vec![String::new()]);
    for (first, second) in heads.chain([("", "ratio"), ("", if reached { "reached" } else { "" })])
    {
        upper.push(first.to_owned());
        lower.push(second.to_owned());
    }
    let mut lines = vec![upper, lower];
    let mut works: Vec<&str> = Vec::new();
    for row in rows {
        if !works.contains(&row.work.as_str()) {
            works.push(&row.work);
        }
    }
    for work in works {
        let find = |by: &String| rows.iter().find(|row| row.work == work && row.by == *by);
        let found: Vec<Option<&Row>> = columns.iter().map(find).collect();
        if found.iter().all(Option::is_none) {
            continue;
        }
        let (first, last) = (
            found.first().copied().flatten(),
            found.last().copied().flatten(),
        );
        let mut line = vec![work.to_owned()];
        let time = |row: &Option<&Row>| row.map_or("-".into(), |row| time_name(row.us));
        line.extend(found.iter().map(time));
        let ratio = first.zip(last).map(|(first, last)| last.us / first.us);
        line.push(ratio.map_or("-".into(), ratio_name));
        let note = first.filter(|_| reached);
        line.push(note.map_or(String::new(), |row| row.note.clone()));
        lines.push(line);
    }
    let width = |column: usize| {
        let cells = lines.iter().map(|line| line[column].chars().count());
        cells.max().unwrap_or(0)
    };
    let mut text = String::new();
    for line in &lines {
        let mut shown = format!("{:1$}", line[0], width(0));
        for (column, cell) in line.iter().enumerate().skip(1) {
            shown += &format!("  {cell:>0$}", width(column));
        }
        text += shown.trim_end();
        text.push('\n');
    }
    text
}

/// Returns a text such as "6.50 µs" for a number of microseconds.
pub fn time_name(us: f64) -> String {
    let (value, unit) = match us {
        _ if us < 1.0 => (us * 1e3, "ns"),
        _ if us < 1e3 => (us, "µs"),
        _ if us < 1e6 => (us / 1e3, "ms"),
        _ => (us / 1e6, "s"),
    };
    format!("{} {unit}", three_digits(value))
}

/// Returns a text such as "646 GB/s" for a number of gigabytes per second.
pub fn rate_name(rate: f64) -> String {
    match rate < 1.0 {
        true => format!("{} MB/s", three_digits(rate * 1e3)),
        false => format!("{} GB/s", three_digits(rate)),
    }
}

fn ratio_name(ratio: f64) -> String {
    format!("{} x", three_digits(ratio))
}

/// Returns a number with about three digits.
fn three_digits(value: f64) -> String {
    match value {
        _ if value < 9.995 => format!("{value:.2}"),
        _ if value < 99.95 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(work: &str, by: &str, us: f64, note: &str) -> Row {
        Row {
            work: work.into(),
            by: by.into(),
            us,
            note: note.into(),
        }
    }

    #[test]
    fn table_has_the_names_of_the_pages() {
        let columns = ["GPU, device time", "CPU, all cores vectorised"].map(String::from);
        let rows = [
            row(
                "sum of 2^16 f32",
                &columns[0],
                5.0,
                "50 GB/s, 1.1 % of read",
            ),
            row("sum of 2^16 f32", "GPU, waited for", 9.0, "not shown"),
            row("sum of 2^16 f32", &columns[1], 1.5, "175 GB/s"),
            row("4096² by 5 x 5", &columns[0], 2000.0, "1 GB/s"),
            row("4096² by 7 x 7", "GPU, waited for", 9.0, "no column"),
        ];
        let with = "                         GPU                   CPU
                 device time  all cores vectorised   ratio                 reached
sum of 2^16 f32      5.00 µs               1.50 µs  0.30 x  50 GB/s, 1.1 % of read
4096² by 5 x 5       2.00 ms                     -       -                  1 GB/s
";
        assert_eq!(table(&rows, &columns, true), with);
        let without = "                         GPU                   CPU
                 device time  all cores vectorised   ratio
sum of 2^16 f32      5.00 µs               1.50 µs  0.30 x
";
        assert_eq!(table(&rows[..3], &columns, false), without);
    }
}
