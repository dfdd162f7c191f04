//! Recipes: short sequences of operations on the same objects, which single random operations rarely form.

use super::{
    operation::{
        ARRAYS, BUFFERS, GRAPHS, Kind, Mode, Operation, POOLS, STREAMS, Start, TRANSFERS, Trap, Use,
    },
    program::Class,
    random::Random,
};

/// Returns the operations of a random recipe.
pub fn random(random: &mut Random, streams: &[usize], class: Class) -> Vec<Operation> {
    if class == Class::Faults && random.chance(60) {
        return match random.chance(50) {
            true => fault_beside_a_host_function(random, streams),
            false => fault_beside_another_context(random, streams),
        };
    }
    match random.below(5) {
        0 | 1 => graph(random, streams),
        2 => pool(random, streams),
        3 => buffer(random, streams),
        _ => array(random, streams),
    }
}

/// A graph is built, launched, changed and dropped.
fn graph(random: &mut Random, streams: &[usize]) -> Vec<Operation> {
    let (graph, stream) = (random.below(GRAPHS), random.choose(streams));
    let (value, microseconds) = (random.below(1000) as u32, random.choose(&[0, 100, 1000]));
    let made = match random.chance(50) {
        true => Operation::Build {
            graph,
            stream,
            value,
            microseconds,
        },
        false => Operation::Capture {
            graph,
            stream,
            joined: random.choose(streams),
            mode: Mode::ThreadLocal,
            value,
            microseconds,
        },
    };
    let mut all = vec![made, Operation::Launch { graph, stream }];
    for _ in 0..random.between(1, 4) {
        all.push(match random.below(6) {
            0 => Operation::Launch { graph, stream },
            1 => Operation::SetFunction {
                graph,
                microseconds,
            },
            2 => Operation::SetFill { graph, value: 7 },
            3 => Operation::Update { graph, value: 8 },
            4 => Operation::Rebuild { graph },
            _ => Operation::ReadGraph { graph },
        });
    }
    all.push(Operation::ReadGraph { graph });
    if random.chance(50) {
        all.push(Operation::DropGraph { graph });
    }
    all
}

/// A current pool is asked for, dropped and made current again.
fn pool(random: &mut Random, streams: &[usize]) -> Vec<Operation> {
    let (pool, stream) = (random.below(POOLS), random.choose(streams));
    let (other, context) = ((pool + 1) % POOLS, stream / STREAMS);
    vec![
        Operation::NewPool { pool, context },
        Operation::MakeCurrent { pool },
        Operation::CurrentPool {
            pool: other,
            context,
        },
        Operation::DropPool { pool },
        Operation::MakeCurrent { pool: other },
        new(random, stream, Kind::Pool(other)),
    ]
}

fn new(random: &mut Random, stream: usize, kind: Kind) -> Operation {
    Operation::New {
        buffer: random.below(BUFFERS),
        stream,
        kind,
        start: Start::FromSlice,
        value: random.below(1000) as u32,
    }
}

/// A buffer is written and read in several ways.
fn buffer(random: &mut Random, streams: &[usize]) -> Vec<Operation> {
    let stream = random.choose(streams);
    let kind = random.choose(&[Kind::Device, Kind::Mapped, Kind::Managed]);
    let new = new(random, stream, kind);
    let Operation::New { buffer, .. } = new else {
        return vec![new];
    };
    let (transfer, value) = (random.below(TRANSFERS), random.below(1000) as u32);
    let stream = random.choose(streams);
    vec![
        new,
        Operation::Upload {
            transfer,
            buffer,
            stream,
            value,
        },
        Operation::Kernel {
            buffer,
            stream: random.choose(streams),
            value,
        },
        Operation::Download {
            transfer,
            buffer,
            stream,
        },
        Operation::Wait { transfer },
        Operation::Read { buffer, stream },
        Operation::Drop { buffer },
    ]
}

/// Arrays come and go.
fn array(random: &mut Random, streams: &[usize]) -> Vec<Operation> {
    let (array, stream) = (random.below(ARRAYS), random.choose(streams));
    let value = random.below(1000) as u32;
    let mut all = Vec::new();
    for _ in 0..random.between(1, 4) {
        all.push(Operation::NewArray {
            array,
            stream,
            value,
        });
        all.push(Operation::DropArray { array });
    }
    all
}

fn in_same_context(random: &mut Random, stream: usize) -> usize {
    stream / STREAMS * STREAMS + random.below(STREAMS)
}

/// A kernel faults while the host function of a graph runs.
fn fault_beside_a_host_function(random: &mut Random, streams: &[usize]) -> Vec<Operation> {
    let (graph, stream) = (random.below(GRAPHS), random.choose(streams));
    let other = in_same_context(random, stream);
    let end = match random.below(4) {
        0 => Operation::Rebuild { graph },
        1 => Operation::SetFunction {
            graph,
            microseconds: 0,
        },
        2 => Operation::Update { graph, value: 1 },
        _ => Operation::DropGraph { graph },
    };
    vec![
        Operation::Build {
            graph,
            stream,
            value: 1,
            microseconds: 20_000,
        },
        Operation::Launch { graph, stream },
        // Lets the launch begin.
        Operation::Query { stream },
        Operation::Sleep { microseconds: 2000 },
        Operation::Fault {
            stream: other,
            trap: Trap::Instruction,
        },
        Operation::Synchronize { stream: other },
        end,
        Operation::DropGraph { graph },
    ]
}

/// A kernel faults while another context writes mapped memory.
fn fault_beside_another_context(random: &mut Random, streams: &[usize]) -> Vec<Operation> {
    let (stream, foreign) = (random.choose(streams), random.choose(streams));
    let other = in_same_context(random, stream);
    let new = new(random, foreign, Kind::Device);
    let Operation::New { buffer, .. } = new else {
        return vec![new];
    };
    vec![
        new,
        Operation::HostFunction {
            stream: other,
            microseconds: random.choose(&[1000, 3000]),
        },
        Operation::Fault {
            stream: other,
            trap: Trap::Address,
        },
        // Lets the function begin.
        Operation::Query { stream: other },
        Operation::Map {
            stream,
            other: foreign,
            from: buffer,
            by: Use::SlowCopy,
            value: 1,
            milliseconds: 20,
        },
    ]
}
