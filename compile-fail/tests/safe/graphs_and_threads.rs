//! Calls for one graph must not overlap, and host functions run on other threads.

use std::{rc::Rc, thread};

use cuda_safe::{Graph, Result, Stream};

fn shared_between_threads(graph: &Graph) {
    thread::scope(|scope| {
        scope.spawn(|| graph.nodes());
        scope.spawn(|| graph.edges());
    });
}

fn host_functions_that_can_not_be_sent(graph: &mut Graph) {
    let here = Rc::new(1);
    let _ = graph.add_host_function(&[], move || println!("{here}"));
}

fn host_functions_that_borrow(graph: &mut Graph) {
    let mut count = 0;
    let _ = graph.add_host_function(&[], || count += 1);
}

fn captured_without_a_promise(stream: &Stream) -> Result<Graph> {
    stream.capture(|_| -> Result<()> { Ok(()) })
}

fn main() {}
