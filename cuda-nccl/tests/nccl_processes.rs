//! Ranks as processes, over NCCL. Each has its own device. On a machine with one GPU two of them
//! share it, and NCCL treats them as ranks of two hosts. Without NCCL, the tests check the error of
//! the ranks.

use std::{
    env,
    io::{BufRead, BufReader, Read},
    process::{Child, Command, Stdio},
    sync::atomic::{AtomicU16, Ordering::Relaxed},
    time::{Duration, Instant},
};

use cuda_nccl::{
    Collectives, CommunicatorOptions, Error, Library, Reduction,
    spread::{FilePass, FileVector},
};
use cuda_safe::{Device, DeviceBuffer, Stream};

const ROLE: &str = "CUDA_NCCL_TEST_ROLE";
const FILE: &str = "CUDA_NCCL_TEST_FILE";
/// The end of a rank must be noticed within this time.
const LIMIT: Duration = Duration::from_secs(8);
/// The role without NCCL. Rank 0 waits only shortly for the others, which end before they connect.
const MISSING: &str = "missing";

/// The program of the ranks, which other tests start as processes.
#[test]
fn rank() {
    let Ok(role) = env::var(ROLE) else { return };
    match work(&role) {
        Ok(output) => println!("DONE {output}"),
        Err(Error::Lost(text)) => println!("LOST {text}"),
        Err(Error::Missing(text)) => println!("MISSING {text}"),
        Err(error) => println!("FAILED {error}"),
    }
}

fn work(role: &str) -> cuda_nccl::Result<String> {
    let limit = match role {
        MISSING => Duration::from_millis(100),
        _ => LIMIT,
    };
    let group = cuda_nccl::start(CommunicatorOptions::default().timeout(limit))?;
    let stream = Stream::new(group.context())?;
    let (rank, size) = (Collectives::rank(&group), Collectives::size(&group));
    if role == "file" {
        let vector = FileVector::<f32>::open(env::var(FILE).unwrap())?;
        let pass = || FilePass::new().piece_bytes(64 << 10);
        let sum = vector.sum(&group, pass())?;
        let largest = vector.max(&group, pass())?;
        return Ok(format!("{sum} {largest:?}"));
    }
    let mut x = DeviceBuffer::from_slice(&stream, &[1.0f32, rank as f32])?;
    group.all_reduce(&stream, &mut x, Reduction::Sum)?;
    Collectives::wait(&group, &stream)?;
    let sums = x.to_vec(&stream)?;
    assert_eq!(sums, [size as f32, (size * (size - 1) / 2) as f32]);
    if role == "killed" {
        println!("READY");
        if rank == 1 {
            // Until it is killed.
            std::thread::sleep(Duration::from_secs(60));
        }
        group.all_reduce(&stream, &mut x, Reduction::Sum)?;
        Collectives::wait(&group, &stream)?;
    }
    Ok(format!("{sums:?}"))
}

/// Starts `size` processes by hand on this host.
fn start(role: &str, size: usize, file: &str) -> Vec<Child> {
    let shared = (Device::count().unwrap() as usize) < size;
    static PORTS: AtomicU16 = AtomicU16::new(0);
    let port = 24_000 + std::process::id() as u16 % 5000 + PORTS.fetch_add(1, Relaxed);
    (0..size)
        .map(|rank| {
            let mut command = Command::new(env::current_exe().unwrap());
            if shared {
                // Each rank appears to be on a different host.
                command
                    .env("NCCL_HOSTID", format!("host {rank}"))
                    .env("CUDA_NCCL_LOCAL_RANK", "0");
            } else {
                command.env_remove("CUDA_NCCL_LOCAL_RANK");
            }
            command
                .args(["rank", "--exact", "--nocapture", "--test-threads=1"])
                .env(ROLE, role)
                .env(FILE, file)
                .env("CUDA_NCCL_RANK", rank.to_string())
                .env("CUDA_NCCL_SIZE", size.to_string())
                .env("CUDA_NCCL_ADDRESS", format!("127.0.0.1:{port}"))
                .env_remove("CUDA_NCCL_SECRET")
                .env_remove("NCCL_COMM_ID")
                .stdout(Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect()
}

fn output_of(child: Child) -> String {
    String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
}

/// Returns the possible number of ranks. Without NCCL, checks that each rank reports this, and
/// returns `None`.
fn ranks() -> Option<usize> {
    let size = Device::count().unwrap().clamp(2, 4) as usize;
    match Library::get() {
        Ok(_) => Some(size),
        Err(missing) => {
            assert!(matches!(missing, Error::Missing(_)), "{missing}");
            for child in start(MISSING, 2, "") {
                let output = output_of(child);
                assert!(output.contains(&format!("MISSING {missing}")), "{output}");
            }
            None
        }
    }
}

#[test]
fn processes_reduce_together() {
    let Some(size) = ranks() else { return };
    for child in start("reduce", size, "") {
        let output = output_of(child);
        assert!(output.contains("DONE ["), "{output}");
    }
}

#[test]
fn processes_share_a_file() {
    let Some(size) = ranks() else { return };
    let numbers: Vec<f32> = (0..1_000_003).map(|i| (i % 1000) as f32 - 300.0).collect();
    let path = env::temp_dir().join(format!("cuda-nccl-processes-{}", std::process::id()));
    std::fs::write(&path, cuda_safe::bytemuck::cast_slice(&numbers)).unwrap();
    let expected: f64 = numbers.iter().map(|&x| f64::from(x)).sum();
    for child in start("file", size, path.to_str().unwrap()) {
        let output = output_of(child);
        assert!(
            output.contains(&format!("DONE {expected} Some(699.0)")),
            "{output}, and not {expected}"
        );
    }
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn a_killed_rank_is_an_error_within_the_limit() {
    let Some(size) = ranks() else { return };
    let mut children = start("killed", size, "");
    let mut outputs = Vec::new();
    for child in &mut children {
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        while !line.contains("READY") {
            line.clear();
            assert!(
                output.read_line(&mut line).unwrap() > 0,
                "ended before it was ready"
            );
        }
        outputs.push(output);
    }
    children[1].kill().unwrap();
    let begin = Instant::now();
    for (rank, (mut child, mut stdout)) in children.into_iter().zip(outputs).enumerate() {
        let mut output = String::new();
        stdout.read_to_string(&mut output).unwrap();
        child.wait().unwrap();
        assert!(
            rank == 1 || output.contains("LOST"),
            "rank {rank}: {output}"
        );
    }
    assert!(
        begin.elapsed() < LIMIT + Duration::from_secs(10),
        "{:?}",
        begin.elapsed()
    );
}
