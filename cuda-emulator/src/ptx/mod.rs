//! PTX text: lexer, syntax tree, parser.
