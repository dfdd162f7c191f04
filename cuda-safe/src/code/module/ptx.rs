//! Reads the names of kernels and variables from PTX.

/// Returns the kernels that PTX defines.
pub(super) fn entries(ptx: &str) -> Vec<String> {
    ptx.match_indices(".entry")
        .filter_map(|(at, word)| {
            let rest = ptx[at + word.len()..].trim_start();
            let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || "_$%".contains(c)))?;
            (end > 0).then(|| rest[..end].to_owned())
        })
        .collect()
}

/// Returns the variables that PTX defines in module scope.
pub(super) fn variables(ptx: &str) -> Vec<String> {
    ptx.lines()
        .filter_map(|line| {
            let line = line.trim_start();
            let (before, _) = line.split_once(['=', ';']).unwrap_or((line, ""));
            let mut words = before.split_whitespace();
            let space = words.find(|word| !matches!(*word, ".visible" | ".weak" | ".common"))?;
            if !matches!(space, ".global" | ".const") {
                return None;
            }
            let (name, _) = before.split_once('[').unwrap_or((before, ""));
            Some(name.split_whitespace().last()?.to_owned())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_found_in_ptx() {
        let ptx = ".visible .global .align 4 .u32 counter = 5;\n.visible .const .align 4 .b8 table[16];\n\
            .global .align 1 .b8 $str[3] = {37, 102, 0};\n\tst.global.u32 [%rd1], %r1;\n.extern .global .f32 other;";
        assert_eq!(variables(ptx), ["counter", "table", "$str"]);
        let ptx = "\t.weak .global .u32 a;\n.common .const .u32 b[2];\n.shared .u32 c;\n.local .u32 d;\n\n;";
        assert_eq!(variables(ptx), ["a", "b"]);
    }

    #[test]
    fn entries_are_found_in_ptx() {
        let ptx = ".visible .entry add(\n.param .u64 p)\n{ ret; }\n.entry\t_Z1fv()\n{ ret; }";
        assert_eq!(entries(ptx), ["add", "_Z1fv"]);
        assert_eq!(entries(".entry a$1%_b ("), ["a$1%_b"]);
        assert!(entries(".entry").is_empty());
        assert!(entries(".entry ()").is_empty());
        assert!(entries(".func f()").is_empty());
    }
}
