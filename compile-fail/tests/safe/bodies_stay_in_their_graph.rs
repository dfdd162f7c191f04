//! The body of a conditional node belongs to its graph and cannot be moved out or swapped.

use cuda_safe::{
    Graph, Result,
    graph::{Body, Condition},
};

fn taken_away<'a>(graph: &'a mut Graph, condition: Condition) -> Result<()> {
    let mut kept: Option<&'a mut Body<'a>> = None;
    graph.add_if(&[], condition, |body| {
        kept = Some(body);
        Ok(())
    })?;
    Ok(())
}

fn exchanged(one: &mut Graph, other: &mut Graph, condition: Condition) -> Result<()> {
    one.add_if(&[], condition, |first| {
        other.add_if(&[], condition, |second| {
            std::mem::swap(first, second);
            Ok(())
        })?;
        Ok(())
    })?;
    Ok(())
}

fn changed_meanwhile(graph: &mut Graph, condition: Condition) -> Result<()> {
    graph.add_while(&[], condition, |_| graph.add_empty(&[]).map(drop))?;
    Ok(())
}

fn main() {}
