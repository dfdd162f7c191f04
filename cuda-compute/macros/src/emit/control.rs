//! Statements, branches and loops.

use syn::{Error, Result};

use super::{Emitter, Value, binds};
use crate::{
    tree::{Block, For, Node, Operator, Statement, What},
    types::Scalar,
};

impl Emitter<'_> {
    /// Writes an expression with control flow, and returns its value.
    pub(super) fn control(&mut self, node: &Node) -> Result<Value> {
        match &node.what {
            What::Block(block) => return self.block(block),
            What::If(condition, then, other) => {
                let condition = self.value(condition)?;
                return self.branch(node, &condition, then, other.as_deref());
            }
            What::Loop(body) => return self.endless(node, body),
            What::While(condition, body) => self.repeat(condition, body)?,
            What::For(whole) => self.count(whole)?,
            What::Break(value) => {
                if let Some(value) = value {
                    let text = self.value(value)?.text;
                    // Without a variable for it, the loop's value is never a number, and this code
                    // is unreachable.
                    if let Some(Some(place)) = self.loops.last().cloned() {
                        self.line(&format!("{place} = {text};"));
                    }
                }
                self.line("break;");
            }
            What::Continue => self.line("continue;"),
            What::Return(value) => {
                let value = self.value(value)?;
                self.line(&format!("return {};", value.text));
            }
            What::Assign(variable, value) => {
                self.declared(*variable)?;
                let value = self.value(value)?;
                let name = &self.variables[*variable].name;
                self.line(&format!("{name} = {};", value.text));
            }
            What::AssignWith(operator, variable, value) => {
                let scalar = self.declared(*variable)?;
                let right = self.value(value)?;
                let left = Value::name(&self.variables[*variable].name, false);
                let result = self.combine(*operator, scalar, &left, &right, value)?;
                let text = match short(*operator) {
                    Some(sign) if result.binds != binds::PRIMARY => {
                        format!("{} {sign}= {};", left.text, right.text)
                    }
                    _ => format!("{} = {};", left.text, result.text),
                };
                self.line(&text);
            }
            _ => return Err(Error::new(node.span, "this is not supported on the device")),
        }
        Ok(Value::none())
    }

    /// Writes a block without braces, because all names are unique.
    fn block(&mut self, block: &Block) -> Result<Value> {
        for statement in &block.statements {
            match statement {
                Statement::Let(variable, value) => {
                    let ty = self.declared(*variable)?.device();
                    let name = &self.variables[*variable].name;
                    let text = match value {
                        Some(value) => format!("{ty} {name} = {};", self.value(value)?.text),
                        None => format!("{ty} {name};"),
                    };
                    self.line(&text);
                }
                // The expression's value has no effect beyond its statements.
                Statement::Expression(node) => {
                    self.value(node)?;
                }
            }
        }
        match &block.value {
            Some(value) => self.value(value),
            None => Ok(Value::none()),
        }
    }

    fn branch(
        &mut self,
        node: &Node,
        condition: &Value,
        then: &Block,
        other: Option<&Node>,
    ) -> Result<Value> {
        let (then_lines, then_value) = self.inside(|emitter| emitter.block(then))?;
        let (other_lines, other_value) = self.inside(|emitter| match other {
            Some(other) => emitter.value(other),
            None => Ok(Value::none()),
        })?;
        let scalar = self.types.decided(node.ty);
        if scalar.is_some() && then_lines.is_empty() && other_lines.is_empty() {
            let text = format!(
                "{} ? {} : {}",
                condition.within(binds::OR),
                then_value.within(binds::CHOICE + 1),
                other_value.within(binds::CHOICE)
            );
            let stable = condition.stable && then_value.stable && other_value.stable;
            return Ok(Value::new(text, binds::CHOICE, stable));
        }
        let place = scalar.map(|scalar| self.place(scalar));
        let ends = |reached: bool, value: Value| match &place {
            Some(place) if reached => Some(format!("    {place} = {};", value.text)),
            _ => None,
        };
        let then_end = ends(self.types.decided(then.ty).is_some(), then_value);
        let other_end = ends(
            other.is_some_and(|other| self.has_value(other)),
            other_value,
        );
        self.line(&format!("if ({}) {{", condition.text));
        self.lines.extend(then_lines);
        then_end.iter().for_each(|line| self.line(line));
        if !other_lines.is_empty() || other_end.is_some() {
            self.line("} else {");
            self.lines.extend(other_lines);
            other_end.iter().for_each(|line| self.line(line));
        }
        self.line("}");
        Ok(place.map_or_else(Value::none, |place| Value::name(&place, true)))
    }

    /// Declares a new variable without a value.
    fn place(&mut self, scalar: Scalar) -> String {
        let name = self.names.temporary();
        self.line(&format!("{} {name};", scalar.device()));
        name
    }

    /// Writes a loop's body, indented once. Its value is assigned to `place`.
    fn body(&mut self, body: &Block, place: Option<String>) -> Result<Vec<String>> {
        self.loops.push(place);
        let written = self.inside(|emitter| emitter.block(body));
        self.loops.pop();
        Ok(written?.0)
    }

    fn endless(&mut self, node: &Node, body: &Block) -> Result<Value> {
        let place = self.types.decided(node.ty).map(|scalar| self.place(scalar));
        let lines = self.body(body, place.clone())?;
        self.line("while (true) {");
        self.line("    rs_turn();");
        self.lines.extend(lines);
        self.line("}");
        Ok(place.map_or_else(Value::none, |place| Value::name(&place, true)))
    }

    fn repeat(&mut self, condition: &Node, body: &Block) -> Result<()> {
        let (lines, condition) = self.inside(|emitter| emitter.value(condition))?;
        let body = self.body(body, None)?;
        if lines.is_empty() {
            self.line(&format!("while ({}) {{", condition.text));
            self.line("    rs_turn();");
        } else {
            self.line("while (true) {");
            self.line("    rs_turn();");
            self.lines.extend(lines);
            self.line(&format!("    if (!{}) {{", condition.within(binds::UNARY)));
            self.line("        break;");
            self.line("    }");
        }
        self.lines.extend(body);
        self.line("}");
        Ok(())
    }

    fn count(&mut self, whole: &For) -> Result<()> {
        let scalar = self.declared(whole.variable)?;
        if !scalar.is_integer() {
            return Err(Error::new(whole.start.span, "`for` counts in integers"));
        }
        let ty = scalar.device();
        let values = self.values([&whole.start, &whole.end])?;
        let (start, mut end) = (&values[0], values[1].clone());
        if !(end.simple && end.stable) {
            let (line, aside) = self.put_aside(scalar, &end);
            self.line(&line);
            end = aside;
        }
        let body = self.body(&whole.body, None)?;
        let declared = &self.variables[whole.variable];
        let (name, end) = (&declared.name, end.text);
        // The counter must not exceed the highest value. With a literal end, it can't.
        let close = match &whole.end.what {
            What::Integer { value, .. } => *value < scalar.highest(),
            _ => false,
        };
        let counter = match (whole.inclusive, declared.mutable) {
            (false, false) => {
                self.line(&format!(
                    "for ({ty} {name} = {}; {name} < {end}; ++{name}) {{",
                    start.text
                ));
                None
            }
            (true, false) if close => {
                self.line(&format!(
                    "for ({ty} {name} = {}; {name} <= {end}; ++{name}) {{",
                    start.text
                ));
                None
            }
            (false, true) => {
                let counter = self.names.temporary();
                self.line(&format!(
                    "for ({ty} {counter} = {}; {counter} < {end}; ++{counter}) {{",
                    start.text
                ));
                Some(counter)
            }
            (true, _) => {
                let (line, counter) = self.put_aside(scalar, start);
                self.line(&line);
                let (counter, more) = (counter.text, self.names.temporary());
                self.line(&format!(
                    "for (bool {more} = {counter} <= {end}; {more}; {more} = {counter} < {end}, {counter} += {more}) {{"
                ));
                Some(counter)
            }
        };
        if let Some(counter) = counter {
            self.line(&format!("    {ty} {name} = {counter};"));
        }
        self.lines.extend(body);
        self.line("}");
        Ok(())
    }
}

/// Returns the sign of an operator that has a compound assignment in C++.
fn short(operator: Operator) -> Option<&'static str> {
    match operator {
        Operator::Add => Some("+"),
        Operator::Sub => Some("-"),
        Operator::Mul => Some("*"),
        Operator::Div => Some("/"),
        Operator::BitAnd => Some("&"),
        Operator::BitOr => Some("|"),
        Operator::BitXor => Some("^"),
        _ => None,
    }
}
