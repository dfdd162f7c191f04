//! Operands of video instructions: registers with selectors, `%r1.b0`, `%r1.h10`, `%r1.b7654`.

use super::emit::New;
use super::function::{Lower, Result};
use crate::instructions::video::{
    MASK, NEGATE_C, NEGATE_PRODUCT, PLUS_ONE, SECOND, SELECT_A, SELECT_B, SELECT_D,
};
use crate::ir::Opcode;
use crate::ptx::{Operand, Type};

/// A register and its selector.
fn split(name: &str) -> (&str, Option<&str>) {
    match name.rsplit_once('.') {
        Some((register, selector)) if is_selector(selector) => (register, Some(selector)),
        _ => (name, None),
    }
}

/// `b` or `h`, then digits.
fn is_selector(text: &str) -> bool {
    text.strip_prefix(['b', 'h'])
        .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|c| c.is_ascii_digit()))
}

impl<'a> Lower<'_, 'a> {
    /// [`Form::Video`](crate::ir::Form::Video)
    pub(super) fn video(
        &mut self,
        opcode: &'static Opcode,
        imm: u64,
        o: &[Operand<'a>],
    ) -> Result<()> {
        let mut new = New {
            imm,
            ..New::of(opcode)
        };
        let [Operand::Name(d), a, b, rest @ ..] = o else {
            return Err(self.syntax("a destination register and sources are needed"));
        };
        let (d, written) = split(d);
        let count = match opcode.mnemonic().as_bytes().last() {
            Some(b'2') => 2,
            Some(b'4') => 4,
            _ => 1,
        };
        let (a, chosen_a, minus_a) = self.part(a)?;
        let (b, chosen_b, minus_b) = self.part(b)?;
        let third = match rest {
            [] => None,
            [c] => Some(self.part(c)?),
            _ => return Err(self.syntax("there are too many operands")),
        };
        let minus_c = third.as_ref().is_some_and(|c| c.2);
        if third.as_ref().is_some_and(|c| c.1.is_some()) {
            return Err(self.syntax("the last operand has no selector"));
        }
        if count == 1 {
            let second = imm >> SECOND & 3 != 0;
            let product = opcode.mnemonic() == "vmad";
            if written.is_some() && (second || product) {
                return Err(self.syntax("a selector of the destination is not allowed here"));
            }
            if third.is_none() && (written.is_some() || second || product) {
                return Err(self.syntax("a third source is needed"));
            }
            for (selector, at) in [
                (written, SELECT_D),
                (chosen_a, SELECT_A),
                (chosen_b, SELECT_B),
            ] {
                new.imm |= self.scalar_selector(selector)? << at;
            }
        } else {
            if third.is_none() {
                return Err(self.syntax("a third source is needed"));
            }
            new.imm |= self.mask(written, count)? << MASK;
            new.imm |= self.selector(chosen_a, count, 0)? << SELECT_A;
            new.imm |= self.selector(chosen_b, count, count)? << SELECT_B;
        }
        if minus_a || minus_b || minus_c {
            let plus_one = imm >> PLUS_ONE & 1 != 0;
            if opcode.mnemonic() != "vmad" || plus_one {
                return Err(self.syntax("this instruction doesn't negate its operands"));
            }
            if minus_c && (minus_a ^ minus_b) {
                return Err(self.syntax("either the product or the last operand can be negated"));
            }
            new.imm |= u64::from(minus_a ^ minus_b) << NEGATE_PRODUCT;
            new.imm |= u64::from(minus_c) << NEGATE_C;
        }
        new.a = self.src(&a, Type::U32)?;
        new.b = self.src(&b, Type::U32)?;
        new.c = match third {
            Some((c, ..)) => self.src(&c, Type::U32)?,
            None => new.b,
        };
        new.d = self.dst(&Operand::Name(d), Type::U32)?;
        self.emit(new);
        Ok(())
    }

    /// Returns a source without its selector, the selector, and whether it is negated.
    fn part(&self, operand: &Operand<'a>) -> Result<(Operand<'a>, Option<&'a str>, bool)> {
        Ok(match operand {
            Operand::Name(name) | Operand::Minus(name) => {
                let (name, selector) = split(name);
                (
                    Operand::Name(name),
                    selector,
                    matches!(operand, Operand::Minus(_)),
                )
            }
            other => (other.clone(), None, false),
        })
    }

    /// Returns the selector of a scalar instruction: 0 for all, 1 to 4 for a byte, 5 and 6 for a
    /// half.
    fn scalar_selector(&self, selector: Option<&str>) -> Result<u64> {
        Ok(match selector {
            None => 0,
            Some("b0") => 1,
            Some("b1") => 2,
            Some("b2") => 3,
            Some("b3") => 4,
            Some("h0") => 5,
            Some("h1") => 6,
            Some(other) => {
                return Err(self.syntax(format!("the selector `.{other}` does not exist")));
            }
        })
    }

    /// Returns the digits of a selector.
    fn digits(&self, selector: &str, count: u64) -> Result<Vec<u64>> {
        let letter = if count == 2 { 'h' } else { 'b' };
        match selector.strip_prefix(letter) {
            Some(digits) => Ok(digits.bytes().map(|c| u64::from(c - b'0')).collect()),
            None => Err(self.syntax(format!("the selector `.{selector}` is not allowed here"))),
        }
    }

    /// Returns the mask of written elements. Digits are ordered from high to low.
    fn mask(&self, selector: Option<&str>, count: u64) -> Result<u64> {
        let Some(text) = selector else {
            return Ok((1 << count) - 1);
        };
        let digits = self.digits(text, count)?;
        if digits.iter().any(|&d| d >= count) || !digits.is_sorted_by(|a, b| a > b) {
            return Err(self.syntax(format!("the mask `.{text}` does not exist")));
        }
        Ok(digits.iter().fold(0, |mask, d| mask | 1 << d))
    }

    /// Returns the selected elements of both sources, four bits each. By default, those from
    /// `first` on.
    fn selector(&self, selector: Option<&str>, count: u64, first: u64) -> Result<u64> {
        let Some(text) = selector else {
            return Ok((0..count).rev().fold(0, |s, i| s << 4 | (first + i)));
        };
        let digits = self.digits(text, count)?;
        if digits.len() as u64 != count || digits.iter().any(|&d| d >= 2 * count) {
            return Err(self.syntax(format!("the selector `.{text}` does not exist")));
        }
        Ok(digits.iter().fold(0, |s, d| s << 4 | d))
    }
}
