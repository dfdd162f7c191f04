//! PTX text: lexer, syntax tree, parser.
//!
//! The parser handles the grammar, not the instruction set. For the parser, an instruction is a
//! dotted opcode with operands. The lowering decides what the opcode means, and whether it is
//! supported.

mod ast;
mod constant;
mod instruction;
mod lexer;
mod load_error;
mod names;
mod parser;
mod targets;
mod variables;

pub(crate) use ast::*;
pub use load_error::{LoadError, LoadErrorKind};
pub use names::Names;
pub(crate) use parser::parse;
pub use targets::version_of;
