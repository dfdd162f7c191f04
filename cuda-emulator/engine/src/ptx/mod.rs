//! PTX text: lexer, syntax tree, parser.
//!
//! The parser knows the grammar, not the instruction set: for it an instruction is its dotted opcode and its
//! operands. What the opcode means, and whether it can be run, is decided by the engine's lowering.

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
