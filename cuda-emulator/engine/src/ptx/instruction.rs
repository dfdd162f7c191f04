//! Statements of a function's body.

use super::ast::{Instruction, Operand, StateSpace, Statement, Type};
use super::lexer::Kind;
use super::parser::{Parser, Result};
use super::{LoadError, LoadErrorKind};

/// Maximum nesting of braces in an operand.
const MAX_DEPTH: u32 = 4;

impl<'a> Parser<'a> {
    /// Parses a body after its `{`, including the closing `}`.
    pub(super) fn body(&mut self) -> Result<Vec<Statement<'a>>> {
        let mut out = Vec::new();
        // The number of arrays in scope at the start of each block.
        let mut scopes = vec![self.arrays.len()];
        loop {
            match self.kind() {
                Kind::Punct(b'}') => {
                    self.advance();
                    self.arrays.truncate(scopes.pop().unwrap_or(0));
                    if scopes.is_empty() {
                        return Ok(out);
                    }
                    out.push(Statement::Leave);
                }
                Kind::Punct(b'{') => {
                    self.advance();
                    scopes.push(self.arrays.len());
                    out.push(Statement::Enter);
                }
                Kind::Punct(b';') => self.advance(),
                Kind::Dot => self.body_directive(&mut out)?,
                Kind::Punct(b'@') => {
                    self.advance();
                    let negated = self.take(b'!');
                    let name = self.word()?;
                    self.instruction(Some((name, negated)), &mut out)?;
                }
                Kind::Word if self.kind_at(1) == Kind::Punct(b':') => {
                    let line = self.line();
                    let name = self.word()?;
                    self.advance();
                    if self.kind() == Kind::Dot
                        && matches!(
                            self.text(),
                            ".branchtargets" | ".calltargets" | ".callprototype"
                        )
                    {
                        self.targets(name, &mut out)?;
                    } else {
                        out.push(Statement::Label(name, line));
                    }
                }
                Kind::Word => self.instruction(None, &mut out)?,
                _ => {
                    return Err(self.error("an instruction, a label or a directive is needed here"));
                }
            }
        }
    }

    fn body_directive(&mut self, out: &mut Vec<Statement<'a>>) -> Result<()> {
        match self.text() {
            ".reg" => {
                self.advance();
                let (_, ty, vector) = self.shape()?;
                let vector = vector as u32;
                if vector > 1 && (ty == Type::Pred || ty.size() * vector > 16) {
                    return Err(self.error("a vector has at most 16 bytes, and no predicates"));
                }
                loop {
                    let line = self.line();
                    let name = self.word()?;
                    let mut count = None;
                    if self.take(b'<') {
                        count = Some(self.count()?);
                        self.expect(b'>')?;
                    }
                    out.push(Statement::Registers {
                        name,
                        ty,
                        vector,
                        count,
                        line,
                    });
                    if !self.take(b',') {
                        break;
                    }
                }
                self.expect(b';')
            }
            ".local" | ".shared" | ".param" | ".global" | ".const" => {
                let mut list = Vec::new();
                self.variables(super::ast::Linkage::Internal, &mut list)?;
                out.extend(list.into_iter().map(Statement::Variable));
                Ok(())
            }
            ".loc" => {
                self.advance();
                let at = [self.small()?, self.small()?, self.small()?];
                let mut inlined_at = None;
                // `, function_name label[+n], inlined_at file line column`
                while self.kind() == Kind::Punct(b',') {
                    self.advance();
                    match self.word()? {
                        "function_name" => {
                            self.word()?;
                            if self.take(b'+') {
                                self.integer()?;
                            }
                        }
                        "inlined_at" => {
                            inlined_at = Some([self.small()?, self.small()?, self.small()?]);
                        }
                        _ => return Err(self.error("unknown part of .loc")),
                    }
                }
                out.push(Statement::Location { at, inlined_at });
                Ok(())
            }
            ".pragma" => {
                self.advance();
                while !matches!(self.kind(), Kind::Punct(b';') | Kind::End) {
                    if self.kind() == Kind::String {
                        let line = self.line();
                        out.push(Statement::Pragma(self.text().trim_matches('"'), line));
                    }
                    self.advance();
                }
                self.expect(b';')
            }
            ".section" => self.section(),
            _ => {
                Err(self.unsupported("the emulator does not support this directive in a function"))
            }
        }
    }

    fn targets(&mut self, name: &'a str, out: &mut Vec<Statement<'a>>) -> Result<()> {
        let directive = self.text();
        self.advance();
        if directive == ".callprototype" {
            if self.kind() == Kind::Punct(b'(') {
                self.params()?;
            }
            self.word()?;
            if self.kind() == Kind::Punct(b'(') {
                self.params()?;
            }
            while self.kind() == Kind::Dot {
                self.advance(); // .noreturn, .abi_preserve n
                while self.kind() == Kind::Number {
                    self.advance();
                }
            }
            out.push(Statement::CallPrototype(name));
            return self.expect(b';');
        }
        let mut names = Vec::new();
        loop {
            names.push(self.word()?);
            if !self.take(b',') {
                break;
            }
        }
        out.push(if directive == ".branchtargets" {
            Statement::BranchTargets(name, names)
        } else {
            Statement::CallPrototype(name)
        });
        self.expect(b';')
    }

    fn instruction(
        &mut self,
        guard: Option<(&'a str, bool)>,
        out: &mut Vec<Statement<'a>>,
    ) -> Result<()> {
        let line = self.line();
        let start = self.offset();
        let opcode = self.word()?;
        let operands = self
            .operands(opcode)
            .map_err(|error| self.quoting(error, start))?;
        let end = self.offset();
        self.expect(b';')?;
        out.push(Statement::Instruction(Instruction {
            line,
            guard,
            opcode,
            operands,
            span: (start, end),
        }));
        Ok(())
    }

    fn operands(&mut self, opcode: &str) -> Result<Vec<Operand<'a>>> {
        let mut operands = Vec::new();
        if self.kind() != Kind::Punct(b';') {
            loop {
                let operand = self.operand(0)?;
                let indexed = self.index(opcode, operand)?;
                operands.push(indexed);
                // The list of targets or prototype after a call's arguments is an ordinary operand.
                if !self.take(b',') {
                    break;
                }
            }
        }
        Ok(operands)
    }

    /// Changes an error in valid PTX to quote the whole instruction, not the current character.
    fn quoting(&self, error: LoadError, start: u32) -> LoadError {
        if error.kind != LoadErrorKind::Unsupported {
            return error;
        }
        let (text, _) = self.rest(start).split_once(';').unwrap_or_default();
        LoadError {
            instruction: text.split_whitespace().collect::<Vec<_>>().join(" "),
            ..error
        }
    }

    /// Parses an array element, if an index follows the name. The result is the address as a value
    /// or a memory operand, depending on the instruction.
    fn index(&mut self, opcode: &str, operand: Operand<'a>) -> Result<Operand<'a>> {
        let Operand::Name(name) = operand else {
            return Ok(operand);
        };
        if !self.take(b'[') {
            return Ok(operand);
        }
        let found = self.arrays.iter().rev().find(|(array, _)| *array == name);
        let Some(&(_, size)) = found else {
            return Err(self.error(&format!("`{name}` is not an array")));
        };
        if self.kind() == Kind::Word && self.text() != "WARP_SZ" {
            return Err(self.unsupported(
                "a register as the index of an array is not supported. Fix: compute the address",
            ));
        }
        // The unit is the type, even for an array of vectors.
        let offset = (self.integer()? as i64).wrapping_mul(i64::from(size));
        self.expect(b']')?;
        match opcode.split('.').next() {
            Some("mov" | "cvta") => Ok(Operand::NameOffset(name, offset)),
            Some("ld" | "st") => Ok(Operand::Address(Some(name), offset)),
            _ => Err(self.error("only ld, st, mov and cvta accept an element of an array")),
        }
    }

    fn operand(&mut self, depth: u32) -> Result<Operand<'a>> {
        if depth > MAX_DEPTH {
            return Err(self.error("the operand is nested too deeply"));
        }
        match self.kind() {
            Kind::Word if self.text() == "_" => {
                self.advance();
                if self.take(b'|') {
                    return Ok(Operand::Pair("_", self.word()?));
                }
                Ok(Operand::Sink)
            }
            Kind::Word if self.text() != "WARP_SZ" => {
                let name = self.word()?;
                match self.kind() {
                    Kind::Punct(b'|') => {
                        self.advance();
                        Ok(Operand::Pair(name, self.word()?))
                    }
                    Kind::Punct(b'+' | b'-') => {
                        let offset = self.integer()? as i64;
                        Ok(Operand::NameOffset(name, offset))
                    }
                    _ => Ok(Operand::Name(name)),
                }
            }
            Kind::Punct(b'!') if self.kind_at(1) == Kind::Word => {
                self.advance();
                Ok(Operand::Not(self.word()?))
            }
            Kind::Punct(b'-') if self.kind_at(1) == Kind::Word => {
                self.advance();
                Ok(Operand::Minus(self.word()?))
            }
            Kind::Punct(b'[') => {
                self.advance();
                let address = if self.kind() == Kind::Word && self.text() != "WARP_SZ" {
                    let name = self.word()?;
                    let offset = if matches!(self.kind(), Kind::Punct(b'+' | b'-')) {
                        self.integer()? as i64
                    } else {
                        0
                    };
                    Operand::Address(Some(name), offset)
                } else {
                    Operand::Address(None, self.integer()? as i64)
                };
                if self.take(b',') {
                    let coordinates = self.operand(depth + 1)?;
                    let (Operand::Address(Some(name), offset), Operand::Vector(coordinates)) =
                        (address, coordinates)
                    else {
                        return Err(
                            self.error("a name, and coordinates in braces, are needed here")
                        );
                    };
                    self.expect(b']')?;
                    return Ok(Operand::Tensor(name, offset, coordinates));
                }
                self.expect(b']')?;
                Ok(address)
            }
            Kind::Punct(open @ (b'{' | b'(')) => {
                // A parenthesis may also start a constant expression.
                if open == b'('
                    && matches!(
                        self.kind_at(1),
                        Kind::Number | Kind::Punct(b'(' | b'-' | b'~')
                    )
                    && (depth > 0 || self.operator_follows_parentheses())
                {
                    return self.constant();
                }
                self.advance();
                let close = if open == b'{' { b'}' } else { b')' };
                let mut list = Vec::new();
                if !self.take(close) {
                    loop {
                        list.push(self.operand(depth + 1)?);
                        if !self.take(b',') {
                            break;
                        }
                    }
                    self.expect(close)?;
                }
                Ok(if open == b'{' && depth == 0 && self.take(b'|') {
                    Operand::Marked(list, self.word()?)
                } else if open == b'{' {
                    Operand::Vector(list)
                } else {
                    Operand::List(list)
                })
            }
            _ => self.constant(),
        }
    }

    /// Returns whether an operator follows the parentheses that open here. They are then part of an
    /// expression, otherwise a list of arguments.
    fn operator_follows_parentheses(&self) -> bool {
        let mut open = 0;
        for at in 0.. {
            match self.kind_at(at) {
                Kind::Punct(b'(') => open += 1,
                Kind::Punct(b')') if open == 1 => {
                    return matches!(
                        self.kind_at(at + 1),
                        Kind::Punct(
                            b'+' | b'-'
                                | b'*'
                                | b'/'
                                | b'%'
                                | b'&'
                                | b'|'
                                | b'^'
                                | b'<'
                                | b'>'
                                | b'?'
                                | b'='
                                | b'!'
                        )
                    );
                }
                Kind::Punct(b')') => open -= 1,
                Kind::Punct(b';') | Kind::End => break,
                _ => {}
            }
        }
        false
    }

    /// Returns the state space of a parameter or variable declaration, if one begins here.
    pub(super) fn space(&self) -> Option<StateSpace> {
        Some(match self.text() {
            ".global" => StateSpace::Global,
            ".const" => StateSpace::Const,
            ".shared" | ".shared::cta" => StateSpace::Shared,
            ".local" => StateSpace::Local,
            ".param" => StateSpace::Param,
            _ => return None,
        })
    }
}
