//! Random choices of operations.

use super::{
    operation::{
        ARRAYS, BUFFERS, EVENTS, GRAPHS, Kind, Mode, Operation, POOLS, Page, STREAMS, Start,
        TRANSFERS, Trap, Use,
    },
    random::Random,
};

impl Operation {
    /// Returns a random operation on one or two of the streams.
    pub fn random(random: &mut Random, streams: &[usize]) -> Self {
        let stream = random.choose(streams);
        let other = random.choose(streams);
        let buffer = random.below(BUFFERS);
        let from = random.below(BUFFERS);
        let transfer = random.below(TRANSFERS);
        let graph = random.below(GRAPHS);
        let event = random.below(EVENTS);
        let pool = random.below(POOLS);
        let array = random.below(ARRAYS);
        let context = stream / STREAMS;
        let value = random.below(1 << 16) as u32 + 1;
        let microseconds = random.choose(&[0, 0, 20, 100, 300, 1000, 3000]);
        let milliseconds = random.choose(&[0, 1, 4, 10]);
        let forget = false;
        match random.below(110) {
            0..=9 => Self::new_buffer(random, buffer, stream, value),
            10..=12 => Self::Drop { buffer },
            13..=17 => Self::Write {
                buffer,
                stream,
                value,
            },
            18..=23 => Self::Read { buffer, stream },
            24..=26 => Self::Fill {
                buffer,
                stream,
                value,
                half: random.chance(40),
            },
            27..=29 => Self::Copy {
                to: buffer,
                from,
                stream,
            },
            30..=31 => Self::Kernel {
                buffer,
                stream,
                value,
            },
            32 => Self::Host { buffer, value },
            33 => Self::Region {
                buffer,
                stream,
                value,
            },
            34 => Self::Batch {
                to: buffer,
                from,
                stream,
                value,
            },
            35..=38 => Self::Scope {
                stream,
                to: buffer,
                from,
                value,
                microseconds,
            },
            39..=41 => Self::Upload {
                transfer,
                buffer,
                stream,
                value,
            },
            42..=43 => Self::Download {
                transfer,
                buffer,
                stream,
            },
            44..=45 => Self::Wait { transfer },
            46 => Self::DropTransfer { transfer },
            47..=49 => {
                let by = random.choose(&[Use::None, Use::Copy, Use::SlowCopy, Use::SlowCopy]);
                Self::Map {
                    stream,
                    other,
                    from,
                    by,
                    value,
                    milliseconds,
                }
            }
            50 => Self::PageLock {
                stream,
                buffer,
                value,
            },
            51 => Self::Register {
                stream,
                other,
                from,
                value,
            },
            52 => Self::Pinned { stream, value },
            53 => {
                let pages = [Page::Pinned, Page::Mapped, Page::Managed, Page::Device];
                Self::Aligned {
                    stream,
                    page: random.choose(&pages),
                }
            }
            54..=55 => Self::HostFunction {
                stream,
                microseconds,
            },
            56 => Self::Record { event, stream },
            57 => Self::WaitEvent { event, stream },
            58 => Self::QueryEvent { event },
            59..=60 => Self::WaitStream { stream, other },
            61 => Self::Query { stream },
            62..=63 => Self::Synchronize { stream },
            64 => Self::SynchronizeContext { context },
            65 => Self::Finished { stream, forget },
            66 => Self::Signal { stream, other },
            67 => Self::Sleep { microseconds },
            68..=75 => {
                let modes = [
                    Mode::Relaxed,
                    Mode::ThreadLocal,
                    Mode::ThreadLocal,
                    Mode::Global,
                ];
                let mode = random.choose(&modes);
                Self::Capture {
                    graph,
                    stream,
                    joined: other,
                    mode,
                    value,
                    microseconds,
                }
            }
            76..=78 => Self::Build {
                graph,
                stream,
                value,
                microseconds,
            },
            79..=82 => Self::Launch { graph, stream },
            83 => Self::ReadGraph { graph },
            84 => Self::SetFunction {
                graph,
                microseconds,
            },
            85 => Self::SetFill { graph, value },
            86 => Self::Update { graph, value },
            87 => Self::Rebuild { graph },
            88 => Self::DropGraph { graph },
            89 => Self::NewPool { pool, context },
            90 => Self::MakeCurrent { pool },
            91 => Self::CurrentPool { pool, context },
            92 => Self::DefaultPool { context },
            93 => Self::DropPool { pool },
            94 => Self::NewArray {
                array,
                stream,
                value,
            },
            95 => Self::ReadArray { array, stream },
            96 => Self::DropArray { array },
            97 => Self::Module { context },
            98 => Self::FillArray {
                array,
                buffer,
                stream,
                back: random.chance(50),
            },
            99..=100 => Self::PassSlice { stream, value },
            101 => Self::Stage {
                stream,
                on: random.chance(60),
            },
            102 => Self::Current { context, forget },
            103 | 104 => Self::EmptyCaptures {
                stream,
                count: random.choose(&[1, 30, 200]),
            },
            106 => Self::CaptureInScope {
                stream,
                buffer,
                value,
            },
            105 => Self::DropArrays {
                stream,
                count: random.choose(&[1, 30, 200]),
            },
            _ => Self::Peer {
                buffer,
                stream,
                value,
                forget,
            },
        }
    }

    fn new_buffer(random: &mut Random, buffer: usize, stream: usize, value: u32) -> Self {
        let pool = random.below(POOLS);
        let kinds = [
            Kind::Device,
            Kind::Device,
            Kind::Pool(pool),
            Kind::Mapped,
            Kind::Managed,
        ];
        let starts = [Start::Zeroed, Start::FromSlice, Start::Filled];
        let (kind, start) = (random.choose(&kinds), random.choose(&starts));
        Self::New {
            buffer,
            stream,
            kind,
            start,
            value,
        }
    }

    /// Returns a random operation that leaks something on purpose.
    pub fn random_forget(random: &mut Random, streams: &[usize]) -> Self {
        let (buffer, graph) = (random.below(BUFFERS), random.below(GRAPHS));
        let (stream, value, forget) = (random.choose(streams), 3, true);
        match random.below(6) {
            0 => Self::Forget { buffer },
            1 => Self::ForgetTransfer {
                transfer: random.below(TRANSFERS),
            },
            2 => Self::ForgetGraph { graph },
            3 => Self::Finished { stream, forget },
            4 => Self::Current {
                context: stream / STREAMS,
                forget,
            },
            _ => Self::Peer {
                buffer,
                stream,
                value,
                forget,
            },
        }
    }

    pub fn random_fault(random: &mut Random, streams: &[usize]) -> Self {
        let trap = random.choose(&[Trap::Instruction, Trap::Address]);
        Self::Fault {
            stream: random.choose(streams),
            trap,
        }
    }
}
