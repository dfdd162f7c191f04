//! Launch attributes: clusters, programmatic launches, events and hints.

use cuda_safe::{
    Context, DeviceBuffer, ErrorKind, Event, EventOptions, Function, LaunchConfig, Module, Out,
    Stream,
    launch::{ClusterScheduling, LaunchAttributes, LaunchEvents},
    module::FunctionAttribute,
    stream::{AccessPolicyWindow, AccessProperty, MemSyncDomain, MemSyncDomainMap},
};

use super::device;

const SOURCE: &str = r#"
    #include <cooperative_groups.h>
    // Each block writes its number to the next block of its cluster.
    extern "C" __global__ void around(unsigned *x) {
        __shared__ unsigned from;
        auto cluster = cooperative_groups::this_cluster();
        const unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
        const unsigned me = blockIdx.x + gridDim.x * blockIdx.y;
        cluster.sync(); // the next block has started
        *cluster.map_shared_rank(&from, next) = me;
        cluster.sync();
        x[me] = from;
    }
    extern "C" __global__ void __cluster_dims__(2, 1, 1) pairs(unsigned *x) {
        x[blockIdx.x] = cooperative_groups::this_cluster().block_rank();
    }
    extern "C" __global__ void first(unsigned *x, unsigned n) {
        asm volatile("griddepcontrol.launch_dependents;");
        const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) x[i] = 3 * i;
    }
    extern "C" __global__ void second(unsigned *x, unsigned n) {
        const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
        asm volatile("griddepcontrol.wait;" ::: "memory");
        if (i < n) x[i] += 1;
    }
"#;

fn kernel(context: &Context, name: &str) -> Function {
    let module = Module::compile(context, SOURCE).unwrap();
    module.function(name).unwrap()
}

fn launched(function: &Function, stream: &Stream, config: LaunchConfig) -> Vec<u32> {
    let mut x = vec![u32::MAX; config.grid.count() as usize];
    // SAFETY: each block writes one number.
    unsafe { function.launch(stream, config, (Out(&mut x),)) }.unwrap();
    x
}

#[test]
fn cluster_blocks_share_memory() {
    let (context, stream) = device();
    let around = kernel(&context, "around");
    for size in [1, 2, 4, 8] {
        let x = launched(&around, &stream, LaunchConfig::new(16, 32).cluster(size));
        let expected = |i: u32| i / size * size + (i % size + size - 1) % size;
        assert_eq!(x, (0..16).map(expected).collect::<Vec<_>>(), "{size}");
    }
    // In clusters of 2 x 2 blocks, ranks go along x first.
    let x = launched(
        &around,
        &stream,
        LaunchConfig::new((2, 2), 1).cluster((2, 2)),
    );
    assert_eq!(x, [3, 0, 1, 2]);
    // The kernel itself declares its cluster size.
    let pairs = kernel(&context, "pairs");
    let width = pairs
        .attribute(FunctionAttribute::REQUIRED_CLUSTER_WIDTH)
        .unwrap();
    assert_eq!(width, 2);
    assert_eq!(
        launched(&pairs, &stream, LaunchConfig::new(4, 1)),
        [0, 1, 0, 1]
    );
}

#[test]
fn invalid_clusters_are_rejected() {
    let (context, stream) = device();
    let (around, pairs) = (kernel(&context, "around"), kernel(&context, "pairs"));
    let mut x = [0u32; 32];
    for (function, config) in [
        (&around, LaunchConfig::new(3, 1).cluster(2)),
        (&around, LaunchConfig::new(32, 1).cluster(16)),
        (&around, LaunchConfig::new(4, 1).cluster((2, 0))),
        (&pairs, LaunchConfig::new(4, 1).cluster(4)),
        (&pairs, LaunchConfig::new(3, 1)),
    ] {
        // SAFETY: the launch fails.
        let rejected = unsafe { function.launch(&stream, config, (Out(&mut x),)) }.unwrap_err();
        assert_eq!(*rejected.kind(), ErrorKind::LaunchArguments, "{rejected}");
        assert!(rejected.to_string().contains("cluster"), "{rejected}");
    }
    // More than eight blocks, if the kernel allows it.
    let attribute = FunctionAttribute::NON_PORTABLE_CLUSTER_SIZE_ALLOWED;
    around.set_attribute(attribute, 1).unwrap();
    assert_eq!(
        around.max_cluster_size(LaunchConfig::new(16, 32)).unwrap(),
        16
    );
    let x = launched(&around, &stream, LaunchConfig::new(16, 32).cluster(16));
    assert_eq!(x[..3], [15, 0, 1]);
}

#[test]
fn occupancy_accounts_for_clusters() {
    let (context, _stream) = device();
    let around = kernel(&context, "around");
    let config = LaunchConfig::new(64, 128);
    assert_eq!(around.max_cluster_size(config).unwrap(), 8);
    let of = |size: u32| around.max_active_clusters(config.cluster(size)).unwrap();
    let blocks = around.max_active_blocks(128, 0).unwrap();
    let multiprocessors = context.device().multiprocessor_count().unwrap();
    assert!(of(1) > of(2) && of(2) >= of(4) && of(8) > 0);
    assert!(of(8) * 8 <= blocks * multiprocessors);
    assert!(around.max_active_clusters(config.cluster(16)).is_err());
    let most = around.available_dynamic_shared(2, 128).unwrap();
    let less = around.available_dynamic_shared(blocks, 128).unwrap();
    assert!(less < most);
    assert!(around.available_dynamic_shared(blocks + 1, 128).is_err());
}

#[test]
fn programmatic_launch_starts_early_and_waits_for_memory() {
    let (context, stream) = device();
    let (first, second) = (kernel(&context, "first"), kernel(&context, "second"));
    const N: u32 = 100_000;
    let mut x = DeviceBuffer::<u32>::zeroed(&stream, N as usize).unwrap();
    let plain = LaunchConfig::for_elements(N);
    let early = plain.attributes(LaunchAttributes::default().programmatic_serialization(true));
    for _ in 0..10 {
        // SAFETY: the kernels use n numbers, and the second kernel waits for the first.
        unsafe {
            first.launch(&stream, plain, (&mut x, N)).unwrap();
            second.launch(&stream, early, (&mut x, N)).unwrap();
        }
    }
    let values = x.to_vec(&stream).unwrap();
    assert!((0..).zip(values).all(|(i, value)| value == 3 * i + 1));
}

#[test]
fn hints_do_not_change_results() {
    let (context, stream) = device();
    let around = kernel(&context, "around");
    let (_, most_urgent) = context.stream_priority_range().unwrap();
    let none = LaunchAttributes::default();
    let memory = DeviceBuffer::<u32>::zeroed(&stream, 1 << 16).unwrap();
    let window = AccessPolicyWindow::over(&memory).hit(AccessProperty::PERSISTING);
    for attributes in [
        none.access_policy(window),
        none.access_policy(window.hit_ratio(0.5).miss(AccessProperty::STREAMING)),
        none.priority(most_urgent),
        none.priority(1000),
        none.cluster_scheduling(ClusterScheduling::SPREAD),
        none.cluster_scheduling(ClusterScheduling::LOAD_BALANCING),
        none.memory_domain(MemSyncDomain::REMOTE),
        none.memory_domain_map(MemSyncDomainMap {
            default: 0,
            remote: 1,
        }),
        none.shared_memory_carveout(50),
        none.priority(0)
            .memory_domain(MemSyncDomain::DEFAULT)
            .shared_memory_carveout(100),
    ] {
        let config = LaunchConfig::new(4, 32).cluster(2).attributes(attributes);
        assert_eq!(
            launched(&around, &stream, config),
            [1, 0, 3, 2],
            "{attributes:?}"
        );
    }
    let cooperative = LaunchConfig::new(4, 32).cluster(2).cooperative(true);
    assert_eq!(launched(&around, &stream, cooperative), [1, 0, 3, 2]);
    for attributes in [
        none.shared_memory_carveout(101),
        none.access_policy(window.hit_ratio(1.5)),
        none.access_policy(window.miss(AccessProperty::PERSISTING)),
        none.memory_domain(MemSyncDomain(2)),
        none.memory_domain_map(MemSyncDomainMap {
            default: 0,
            remote: 99,
        }),
        none.cluster_scheduling(ClusterScheduling(77)),
    ] {
        let config = LaunchConfig::new(4, 32).attributes(attributes);
        let mut x = [0u32; 4];
        // SAFETY: the launch fails.
        let rejected = unsafe { around.launch(&stream, config, (Out(&mut x),)) };
        let rejected = rejected.unwrap_err();
        assert_eq!(
            *rejected.kind(),
            ErrorKind::LaunchArguments,
            "{attributes:?}: {rejected}"
        );
        assert!(rejected.to_string().contains("attribute"), "{rejected}");
    }
}

/// Waits for a stream that uses memory of another stream, before that memory is dropped.
struct WaitOnDrop<'a>(&'a Stream);

impl Drop for WaitOnDrop<'_> {
    fn drop(&mut self) {
        let _ = self.0.settle();
    }
}

#[test]
fn launch_events_are_recorded() {
    let (context, stream) = device();
    let (first, second) = (kernel(&context, "first"), kernel(&context, "second"));
    const N: u32 = 10_000;
    let mut x = DeviceBuffer::<u32>::zeroed(&stream, N as usize).unwrap();
    let untimed = EventOptions::default().disable_timing(true);
    let started = Event::with_options(&context, untimed).unwrap();
    let triggered = Event::with_options(&context, untimed).unwrap();
    let config = LaunchConfig::for_elements(N);
    let other = Stream::new(&context).unwrap();
    let _wait = WaitOnDrop(&other);
    let events = LaunchEvents::default()
        .started(&started)
        .triggered(&triggered);
    let early = config.attributes(LaunchAttributes::default().programmatic_serialization(true));
    // SAFETY: the kernels use n numbers. The second kernel waits for the first, on the other
    // stream.
    unsafe {
        first
            .launch_with_events(&stream, config, events, (&mut x, N))
            .unwrap();
        other.wait_event(&triggered).unwrap();
        second.launch(&other, early, (&mut x, N)).unwrap();
    }
    started.synchronize().unwrap();
    other.synchronize().unwrap();
    let values = x.to_vec(&stream).unwrap();
    assert!((0..).zip(values).all(|(i, value)| value == 3 * i + 1));

    // Rejected: an event with timing, no blocks, an event of another context, and host slices.
    let timed = Event::new(&context).unwrap();
    let with_timing = LaunchEvents::default().started(&timed);
    // SAFETY: the launch fails.
    let rejected = unsafe { first.launch_with_events(&stream, config, with_timing, (&mut x, N)) };
    assert!(rejected.is_err());
    let none = LaunchConfig::for_elements_in_blocks(0, 32);
    // SAFETY: the launch fails.
    let rejected = unsafe { first.launch_with_events(&stream, none, events, (&mut x, N)) };
    assert_eq!(*rejected.unwrap_err().kind(), ErrorKind::InvalidArgument);
    let mut host = vec![0u32; N as usize];
    // SAFETY: the launch fails.
    let rejected =
        unsafe { first.launch_with_events(&stream, config, events, (Out(&mut host), N)) };
    assert_eq!(*rejected.unwrap_err().kind(), ErrorKind::InvalidArgument);
    let elsewhere = Context::create(context.device(), Default::default()).unwrap();
    let foreign = Event::with_options(&elsewhere, untimed).unwrap();
    let foreign = LaunchEvents::default().started(&foreign);
    // SAFETY: the launch fails.
    let rejected = unsafe { first.launch_with_events(&stream, config, foreign, (&mut x, N)) };
    assert_eq!(*rejected.unwrap_err().kind(), ErrorKind::InvalidArgument);
    assert_eq!(x.to_vec(&stream).unwrap()[1], 4);
}
