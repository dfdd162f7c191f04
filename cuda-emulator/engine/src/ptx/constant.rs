//! Numbers and constant expressions.

use super::ast::Operand;
use super::lexer::Kind;
use super::parser::{Parser, Result};

/// Maximum nesting of parentheses and unary operators in a constant expression.
const MAX_DEPTH: u32 = 64;

impl<'a> Parser<'a> {
    /// Parses an integer constant expression, and returns its low 64 bits.
    pub(super) fn integer(&mut self) -> Result<u64> {
        match self.constant()? {
            Operand::Int(value) => Ok(value),
            _ => Err(self.error("an integer constant is needed here")),
        }
    }

    /// Parses an unsigned 32-bit constant.
    pub(super) fn small(&mut self) -> Result<u32> {
        let value = self.integer()?;
        u32::try_from(value).map_err(|_| self.error("the number does not fit into 32 bits"))
    }

    /// Parses the number of registers in `%r<3>`. It is not an expression, since `>` ends it.
    pub(super) fn count(&mut self) -> Result<u32> {
        match self.unary(0)? {
            Operand::Int(value) => {
                u32::try_from(value).map_err(|_| self.error("the number does not fit into 32 bits"))
            }
            _ => Err(self.error("a whole number is needed here")),
        }
    }

    /// Parses a constant expression: an integer or a floating-point number.
    pub(super) fn constant(&mut self) -> Result<Operand<'a>> {
        self.choice(0)
    }

    /// Parses `condition ? one : other`, or an expression.
    fn choice(&mut self, depth: u32) -> Result<Operand<'a>> {
        let condition = self.binary(0, depth)?;
        if self.kind() != Kind::Punct(b'?') {
            return Ok(condition);
        }
        let Operand::Int(condition) = condition else {
            return Err(self.error("a condition must be an integer"));
        };
        if depth >= MAX_DEPTH {
            return Err(self.error("the expression is nested too deeply"));
        }
        self.advance();
        let one = self.choice(depth + 1)?;
        self.expect(b':')?;
        let other = self.choice(depth + 1)?;
        Ok(if condition != 0 { one } else { other })
    }

    fn binary(&mut self, weakest: u8, depth: u32) -> Result<Operand<'a>> {
        let mut left = self.unary(depth)?;
        loop {
            // An operator of two characters is encoded as the first character and a mark.
            let (strength, operator, length) = match (self.kind(), self.kind_at(1)) {
                (Kind::Punct(b'|'), Kind::Punct(b'|')) => (1, b'o', 2),
                (Kind::Punct(b'&'), Kind::Punct(b'&')) => (2, b'a', 2),
                (Kind::Punct(b'='), Kind::Punct(b'=')) => (6, b'=', 2),
                (Kind::Punct(b'!'), Kind::Punct(b'=')) => (6, b'!', 2),
                (Kind::Punct(b'<'), Kind::Punct(b'<')) => (8, b'l', 2),
                (Kind::Punct(b'>'), Kind::Punct(b'>')) => (8, b'r', 2),
                (Kind::Punct(b'<'), Kind::Punct(b'=')) => (7, b'{', 2),
                (Kind::Punct(b'>'), Kind::Punct(b'=')) => (7, b'}', 2),
                (Kind::Punct(c @ (b'<' | b'>')), _) => (7, c, 1),
                (Kind::Punct(b'|'), _) => (3, b'|', 1),
                (Kind::Punct(b'^'), _) => (4, b'^', 1),
                (Kind::Punct(b'&'), _) => (5, b'&', 1),
                (Kind::Punct(c @ (b'+' | b'-')), _) => (9, c, 1),
                (Kind::Punct(c @ (b'*' | b'/' | b'%')), _) => (10, c, 1),
                _ => return Ok(left),
            };
            if strength <= weakest {
                return Ok(left);
            }
            for _ in 0..length {
                self.advance();
            }
            if depth >= MAX_DEPTH {
                return Err(self.error("the expression is nested too deeply"));
            }
            let right = self.binary(strength, depth + 1)?;
            left = match (left, right) {
                (Operand::Int(a), Operand::Int(b)) => Operand::Int(match operator {
                    b'|' => a | b,
                    b'^' => a ^ b,
                    b'&' => a & b,
                    b'o' => u64::from(a != 0 || b != 0),
                    b'a' => u64::from(a != 0 && b != 0),
                    b'=' => u64::from(a == b),
                    b'!' => u64::from(a != b),
                    b'<' => u64::from((a as i64) < b as i64),
                    b'>' => u64::from(a as i64 > b as i64),
                    b'{' => u64::from(a as i64 <= b as i64),
                    b'}' => u64::from(a as i64 >= b as i64),
                    b'l' => a.checked_shl(b.min(64) as u32).unwrap_or(0),
                    b'r' => a.checked_shr(b.min(64) as u32).unwrap_or(0),
                    b'+' => a.wrapping_add(b),
                    b'-' => a.wrapping_sub(b),
                    b'*' => a.wrapping_mul(b),
                    b'/' | b'%' if b == 0 => {
                        return Err(self.error("a constant is divided by zero"));
                    }
                    b'/' => (a as i64).wrapping_div(b as i64) as u64,
                    // The assembler's remainder is unsigned, but its quotient is signed.
                    _ => a % b,
                }),
                (Operand::Float(a), Operand::Float(b)) => Operand::Float(match operator {
                    b'+' => a + b,
                    b'-' => a - b,
                    b'*' => a * b,
                    b'/' => a / b,
                    _ => {
                        return Err(
                            self.error("this operator does not apply to floating-point constants")
                        );
                    }
                }),
                _ => return Err(self.error("integer and floating-point constants are mixed")),
            };
        }
    }

    fn unary(&mut self, depth: u32) -> Result<Operand<'a>> {
        if depth >= MAX_DEPTH {
            return Err(self.error("the expression is nested too deeply"));
        }
        match self.kind() {
            Kind::Punct(c @ (b'-' | b'~' | b'!' | b'+')) => {
                self.advance();
                match (c, self.unary(depth + 1)?) {
                    (b'-', Operand::Int(v)) => Ok(Operand::Int(v.wrapping_neg())),
                    (b'~', Operand::Int(v)) => Ok(Operand::Int(!v)),
                    (b'!', Operand::Int(v)) => Ok(Operand::Int(u64::from(v == 0))),
                    (b'-', Operand::Float(v)) => Ok(Operand::Float(-v)),
                    (b'-', Operand::Single(v)) => Ok(Operand::Single(v ^ 1 << 31)),
                    (b'-', Operand::Double(v)) => Ok(Operand::Double(v ^ 1 << 63)),
                    (b'+', v) => Ok(v),
                    _ => Err(self.error("this operator does not apply to this constant")),
                }
            }
            Kind::Punct(b'(') => {
                self.advance();
                // `(.s64)` and `(.u64)` casts do not change the 64 bits.
                if self.kind() == Kind::Dot && matches!(self.text(), ".s64" | ".u64") {
                    self.advance();
                    self.expect(b')')?;
                    return self.unary(depth + 1);
                }
                let value = self.choice(depth + 1)?;
                self.expect(b')')?;
                Ok(value)
            }
            Kind::Number => {
                let text = self.text();
                let value =
                    number(text).ok_or_else(|| self.error("this is not a valid PTX number"))?;
                self.advance();
                Ok(value)
            }
            Kind::Word if self.text() == "WARP_SZ" => {
                self.advance();
                Ok(Operand::Int(32))
            }
            _ => Err(self.error("a constant is needed here")),
        }
    }
}

/// Decodes a number token.
fn number<'a>(text: &str) -> Option<Operand<'a>> {
    let bytes = text.as_bytes();
    if bytes.len() > 2 && bytes[0] == b'0' {
        let rest = &text[2..];
        match bytes[1] {
            b'f' | b'F' => {
                return (rest.len() == 8)
                    .then(|| u32::from_str_radix(rest, 16).ok().map(Operand::Single))?;
            }
            b'd' | b'D' => {
                return (rest.len() == 16)
                    .then(|| u64::from_str_radix(rest, 16).ok().map(Operand::Double))?;
            }
            b'x' | b'X' => {
                let rest = rest.strip_suffix(['U', 'u']).unwrap_or(rest);
                return u64::from_str_radix(rest, 16).ok().map(Operand::Int);
            }
            b'b' | b'B' => {
                let rest = rest.strip_suffix(['U', 'u']).unwrap_or(rest);
                return u64::from_str_radix(rest, 2).ok().map(Operand::Int);
            }
            _ => {}
        }
    }
    let digits = text.strip_suffix(['U', 'u']).unwrap_or(text);
    if digits.bytes().all(|c| c.is_ascii_digit()) {
        if digits.len() > 1 && digits.starts_with('0') {
            return u64::from_str_radix(digits, 8).ok().map(Operand::Int);
        }
        return digits.parse().ok().map(Operand::Int);
    }
    if text
        .bytes()
        .all(|c| c.is_ascii_digit() || matches!(c, b'.' | b'e' | b'E' | b'+' | b'-'))
    {
        return text.parse().ok().map(Operand::Float);
    }
    None
}
