//! Finds the places in a file that can be changed.

use std::ops::Range;

use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Block, ReturnType, Signature, Stmt};

use crate::attributes::compiled;
use crate::mutant::{self, Mutant, shown};
use crate::values;

/// A range of bytes in a file.
pub type Bytes = Range<usize>;

/// A place, and its mutants as indices into [`Found::mutants`].
#[derive(Debug)]
pub enum Place {
    /// A function body that returns a value immediately.
    Body {
        /// The start of the body, after the brace.
        at: usize,
        /// The last expression, if the function returns an iterator. Both must have the same type.
        iterator: Option<Bytes>,
        /// The values.
        values: Vec<(usize, String)>,
    },
    /// An expression that is replaced by another.
    Choice {
        /// The expression.
        expression: Bytes,
        /// The replacements.
        alternatives: Vec<(usize, String)>,
    },
    /// An arm that is removed. Its pattern ends at `at`.
    Arm {
        /// The pattern's end.
        at: usize,
        /// The mutant.
        mutant: usize,
    },
    /// The condition of an arm, which becomes always true or always false.
    Guard {
        /// The condition.
        expression: Bytes,
        /// The mutant for always true.
        always: usize,
        /// The mutant for always false.
        never: usize,
    },
}

/// A place and the function that contains it.
#[derive(Debug)]
pub struct Site {
    /// The change.
    pub place: Place,
    /// The innermost function that contains it.
    pub function: Bytes,
}

/// A function that must lose its `const` if something in it is changed.
#[derive(Debug)]
pub struct ConstFunction {
    /// The word `const`.
    pub keyword: Bytes,
    /// Its name.
    pub name: String,
    /// The mutants in it.
    pub mutants: Range<usize>,
}

/// The mutants of a file, and related items.
#[derive(Debug, Default)]
pub struct Found {
    /// The mutants in source order.
    pub mutants: Vec<Mutant>,
    /// Their places.
    pub sites: Vec<Site>,
    /// Constant functions with mutants.
    pub const_functions: Vec<ConstFunction>,
    /// Modules in separate files that are only for tests or for other systems.
    pub modules_left_out: Vec<String>,
    /// Skipped places: line and reason.
    pub passed_over: Vec<(usize, String)>,
}

/// Searches a file.
///
/// # Errors
/// Returns an error if the file can't be parsed.
pub fn search(file: &str, text: &str) -> Result<Found, String> {
    let parsed = syn::parse_file(text).map_err(|error| format!("{file}: {error}"))?;
    let mut finder = Finder::new(file, text);
    if compiled(&parsed.attrs) {
        finder.visit_file(&parsed);
    }
    let mut found = finder.found;
    mutant::number(&mut found.mutants);
    Ok(found)
}

/// A function's return type.
pub struct Output {
    /// The text with the arrow, or empty for `()`.
    pub shown: String,
    /// Values to return instead. For an iterator, these are options with its items.
    pub values: Vec<String>,
    /// Whether it is an iterator whose type has no name.
    pub iterates: bool,
}

/// Walks through a file.
pub struct Finder<'a> {
    file: &'a str,
    pub(crate) text: &'a str,
    pub(crate) found: Found,
    /// The enclosing modules, types and functions.
    names: Vec<String>,
    /// The enclosing functions.
    functions: Vec<Bytes>,
    /// Whether this is inside `impl Default`, in which `Default::default()` as a value would
    /// recurse.
    pub(crate) of_default: bool,
}

impl<'a> Finder<'a> {
    fn new(file: &'a str, text: &'a str) -> Self {
        Self {
            file,
            text,
            found: Found::default(),
            names: Vec::new(),
            functions: Vec::new(),
            of_default: false,
        }
    }

    pub(crate) fn source(&self, node: &impl Spanned) -> &'a str {
        &self.text[node.span().byte_range()]
    }

    pub(crate) fn add(&mut self, at: usize, change: String) -> usize {
        let before = &self.text[..at];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        self.found.mutants.push(Mutant {
            file: self.file.to_string(),
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            function: self.names.join("::"),
            change,
            ordinal: 0,
        });
        self.found.mutants.len() - 1
    }

    pub(crate) fn site(&mut self, place: Place) {
        let function = self.functions.last().cloned();
        let function = function.unwrap_or(0..self.text.len());
        self.found.sites.push(Site { place, function });
    }

    /// Records that something is skipped.
    pub(crate) fn pass_over(&mut self, at: usize, reason: String) {
        let line = self.text[..at].matches('\n').count() + 1;
        self.found.passed_over.push((line, reason));
    }

    /// Calls `work` inside a named item.
    pub(crate) fn within(&mut self, name: String, work: impl FnOnce(&mut Self)) {
        self.names.push(name);
        work(self);
        self.names.pop();
    }

    /// Handles a function: first its return value, then its contents.
    pub(crate) fn function(&mut self, name: String, whole: Bytes, output: &Output, block: &Block) {
        self.functions.push(whole);
        self.within(name, |this| {
            this.body(output, block);
            visit::visit_block(this, block);
        });
        self.functions.pop();
    }

    pub(crate) fn signed(&mut self, signature: &Signature, whole: Bytes, block: &Block) {
        let first = self.found.mutants.len();
        let output = self.output(&signature.output);
        self.function(signature.ident.to_string(), whole, &output, block);
        let mutants = first..self.found.mutants.len();
        if let (Some(keyword), false) = (signature.constness, mutants.is_empty()) {
            self.found.const_functions.push(ConstFunction {
                keyword: keyword.span.byte_range(),
                name: signature.ident.to_string(),
                mutants,
            });
        }
    }

    fn output(&self, output: &ReturnType) -> Output {
        let shown = match output {
            ReturnType::Default => String::new(),
            ReturnType::Type(_, ty) => format!(" -> {}", shown(self.source(ty))),
        };
        let item = values::item_of_iterator(output);
        let values = match item {
            None => values::of_return_type(output),
            Some(item) => {
                let some = values::of_type(item).into_iter();
                let none = String::from("::std::option::Option::None");
                let some = some.map(|value| format!("Some({value})"));
                std::iter::once(none).chain(some).collect()
            }
        };
        Output {
            shown,
            values,
            iterates: item.is_some(),
        }
    }

    fn body(&mut self, output: &Output, block: &Block) {
        let (Some(first), Some(last)) = (block.stmts.first(), block.stmts.last()) else {
            return;
        };
        if self.of_default {
            return;
        }
        let (at, end) = (
            first.span().byte_range().start,
            last.span().byte_range().end,
        );
        let brace = block.brace_token.span.open().byte_range().end;
        let inner_attributes = self.text[brace..at].contains("#!");
        let open = if inner_attributes { at } else { brace };
        let iterator = only_tail(block).filter(|_| output.iterates);
        if output.iterates && iterator.is_none() {
            self.pass_over(
                at,
                "the value of a function that returns an iterator early".into(),
            );
            return;
        }
        let plain = |text: &str| text.split_whitespace().collect::<String>();
        let now = plain(&self.text[at..end]);
        let mut values = Vec::new();
        for value in output.values.iter().filter(|value| plain(value) != now) {
            let change = format!("returns{}: {value}", output.shown);
            values.push((self.add(at, change), value.clone()));
        }
        if !values.is_empty() {
            self.site(Place::Body {
                at: open,
                iterator,
                values,
            });
        }
    }

    /// Adds an expression with alternatives, each with its name and text.
    pub(crate) fn choice(
        &mut self,
        node: &impl Spanned,
        at: usize,
        alternatives: Vec<(String, String)>,
    ) {
        let alternatives: Vec<_> = alternatives
            .into_iter()
            .map(|(change, text)| (self.add(at, change), text))
            .collect();
        if !alternatives.is_empty() {
            let expression = node.span().byte_range();
            self.site(Place::Choice {
                expression,
                alternatives,
            });
        }
    }
}

/// Returns the last expression of a body without other returns.
fn only_tail(block: &Block) -> Option<Bytes> {
    struct Returns(bool);
    impl Visit<'_> for Returns {
        fn visit_expr_return(&mut self, _: &syn::ExprReturn) {
            self.0 = true;
        }
        fn visit_expr_closure(&mut self, _: &syn::ExprClosure) {}
        fn visit_item(&mut self, _: &syn::Item) {}
    }
    let mut returns = Returns(false);
    returns.visit_block(block);
    match block.stmts.last()? {
        Stmt::Expr(tail, None) if !returns.0 => Some(tail.span().byte_range()),
        _ => None,
    }
}
