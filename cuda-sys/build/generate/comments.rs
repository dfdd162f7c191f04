//! Converts the header's doxygen comments to Markdown that rustdoc accepts.

use std::collections::BTreeMap;

/// Marks a name that a comment refers to, until the declared names are known.
const OPEN: char = '⟪';
const CLOSE: char = '⟫';

/// Returns a comment as Markdown in which references are still marked.
pub fn markdown(comment: &str) -> String {
    // In a trailing comment, `/**< text */`, the arrow is not part of the text.
    let comment = comment.trim_start();
    let comment = comment
        .strip_prefix('<')
        .filter(|text| text.is_empty() || text.starts_with(char::is_whitespace))
        .unwrap_or(comment);
    let mut out = String::new();
    let mut code = false;
    let mut section = "";
    for raw in comment.lines() {
        let line = raw.trim();
        if code {
            if line.starts_with("\\endcode") || line.starts_with("\\endverbatim") {
                code = false;
                out.push_str("```\n");
            } else {
                out.push_str(raw.trim_end());
                out.push('\n');
            }
            continue;
        }
        let (command, rest) = match line.strip_prefix(['\\', '@']) {
            Some(command) => {
                let end = command
                    .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
                    .unwrap_or(command.len());
                (&command[..end], command[end..].trim_start())
            }
            None => ("", line),
        };
        // \param[in], \param[out]
        let rest = if command == "param" && rest.starts_with('[') {
            rest.split_once(']')
                .map_or(rest, |(_, rest)| rest.trim_start())
        } else {
            rest
        };
        let mut heading = |title: &'static str, out: &mut String| {
            if section != title {
                out.push_str("\n\n# ");
                out.push_str(title);
                out.push_str("\n\n");
                section = title;
            }
        };
        match command {
            "code" | "verbatim" => {
                code = true;
                out.push_str("\n```c\n");
            }
            "param" => {
                heading("Parameters", &mut out);
                let (name, text) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
                let text = text.trim_start().trim_start_matches(['-', ' ']);
                out.push_str(&format!("- `{name}`: {}\n", inline(text)));
            }
            "return" | "returns" | "retval" => {
                heading("Returns", &mut out);
                out.push_str(&inline(rest));
                out.push('\n');
            }
            "sa" | "see" => {
                heading("See also", &mut out);
                out.push_str(&inline(rest));
                out.push('\n');
            }
            "deprecated" => out.push_str(&format!("\n\n**Deprecated.** {}\n", inline(rest))),
            "brief" if rest.contains("___MANBRIEF___") => {}
            "note" | "warning" | "remark" | "remarks" => {
                out.push_str(&format!("\n\n**Note:** {}\n", inline(rest)))
            }
            "par" => out.push_str(&format!("\n\n**{}**\n\n", inline(rest))),
            "li" | "arg" => out.push_str(&format!("- {}\n", inline(rest))),
            "brief" | "details" | "result" => {
                out.push_str(&inline(rest));
                out.push('\n');
            }
            // Commands for the structure of the whole header, and placeholders for text in other
            // files.
            "notefnerr" | "endcode" | "endverbatim" | "ingroup" | "addtogroup" | "defgroup"
            | "file" | "typedef" | "cond" | "endcond" => {}
            _ if command.starts_with("note_") => {}
            _ => {
                if !line.contains("___")
                    && line != "{"
                    && line != "}"
                    && line != "@{"
                    && line != "@}"
                {
                    out.push_str(&inline(line));
                }
                out.push('\n');
            }
        }
    }
    if code {
        out.push_str("```\n");
    }
    while out.contains("\n\n\n") {
        out = out.replace("\n\n\n", "\n\n");
    }
    out.trim().to_owned()
}

/// Escapes characters that Markdown and rustdoc would read as markup, and marks names.
fn inline(line: &str) -> String {
    let mut out = String::with_capacity(line.len() + 16);
    for (i, word) in line.split(' ').enumerate() {
        if i > 0 {
            out.push(' ');
        }
        push_word(word, &mut out);
    }
    // `\p name` means name in code type.
    for command in [
        "\\\\p ", "\\\\c ", "\\\\a ", "\\\\e ", "\\\\b ", "\\\\ref ", "@p ",
    ] {
        out = out.replace(command, "");
    }
    out
}

fn push_word(word: &str, out: &mut String) {
    if let Some(start) = word.find("http://").or_else(|| word.find("https://")) {
        let (before, url) = word.split_at(start);
        let end = url.find(['(', ')', ',', ';', '>']).unwrap_or(url.len());
        let end = url[..end].trim_end_matches('.').len();
        push_word(before, out);
        out.push_str(&format!("<{}>", &url[..end]));
        push_word(&url[end..], out);
        return;
    }
    let mut rest = word;
    while let Some(c) = rest.chars().next() {
        if out.ends_with(CLOSE) && rest.starts_with("::") {
            // The enum and its constant.
            out.push_str("::");
        }
        let name = rest.strip_prefix("::").unwrap_or(rest);
        let end = name
            .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
            .unwrap_or(name.len());
        let at_start = !out.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        if at_start && (rest.starts_with("::") || is_api(name)) && end > 0 {
            out.push(OPEN);
            out.push_str(&name[..end]);
            out.push(CLOSE);
            rest = name[end..].strip_prefix("()").unwrap_or(&name[end..]);
            continue;
        }
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '[' | ']' | '*' | '_' | '`' | '\\' | '|' | '#' => {
                out.push('\\');
                out.push(c);
            }
            _ => out.push(c),
        }
        rest = &rest[c.len_utf8()..];
    }
}

/// Returns whether a word looks like an API name even without `::` before it.
fn is_api(word: &str) -> bool {
    let third = word.chars().nth(2);
    (word.starts_with("cu") && third.is_some_and(|c| c.is_ascii_uppercase()))
        || ["CU_", "CUDA_", "NVRTC_", "CUDAAPI"]
            .iter()
            .any(|p| word.starts_with(p) && word.len() > p.len())
        || (word.starts_with("nvrtc")
            && word.chars().nth(5).is_some_and(|c| c.is_ascii_uppercase()))
}

/// Replaces marked names by links if `targets` contains them, and otherwise by code type.
pub fn resolve(text: &str, targets: &BTreeMap<String, String>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(OPEN) {
        let Some((name, tail)) = after.split_once(CLOSE) else {
            break;
        };
        out.push_str(before);
        match targets.get(name) {
            // A call in an example outside of a code block.
            _ if tail.starts_with('(') => out.push_str(&format!("`{name}`")),
            Some(target) if target == name => out.push_str(&format!("[`{name}`]")),
            Some(target) => out.push_str(&format!("[`{name}`]({target})")),
            None => out.push_str(&format!("`{name}`")),
        }
        rest = tail;
    }
    out.push_str(rest);
    out
}
