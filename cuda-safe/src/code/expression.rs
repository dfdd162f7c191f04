//! C++ name expressions, with which kernels and variables are looked up.

/// Returns whether two name expressions are equal except for white space.
pub(crate) fn same_expression(a: &str, b: &str) -> bool {
    fn words(text: &str) -> impl Iterator<Item = char> {
        // White space is significant only between two names.
        let of_name = |c: char| c.is_alphanumeric() || c == '_';
        let mut last = None;
        let mut apart = false;
        text.chars()
            .flat_map(move |c| {
                if c.is_whitespace() {
                    apart = true;
                    return [None, None];
                }
                let space = (apart && last.is_some_and(of_name) && of_name(c)).then_some(' ');
                (last, apart) = (Some(c), false);
                [space, Some(c)]
            })
            .flatten()
    }
    words(a).eq(words(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_expressions_are_compared_without_white_space() {
        for (a, b) in [
            ("f<float>", "f< float >"),
            ("f<A<int>>", " f <A<int> >\n"),
            ("f<unsigned int>", "f<unsigned   int>"),
            ("&ns::v", "& ns :: v"),
            ("f<1,2>", "f<1, 2>"),
        ] {
            assert!(same_expression(a, b) && same_expression(b, a), "{a} {b}");
        }
        for (a, b) in [
            ("f<unsigned int>", "f<unsignedint>"),
            ("f<1 2>", "f<12>"),
            ("f<float>", "f<double>"),
            ("f", "f<1>"),
            ("f", ""),
        ] {
            assert!(!same_expression(a, b) && !same_expression(b, a), "{a} {b}");
        }
    }
}
