//! Ranks as processes: each launcher's variables, the exchange between the processes, and ranks
//! that end.

use std::{
    env,
    process::{Child, Command, Output, Stdio},
    sync::atomic::{AtomicU16, Ordering::Relaxed},
    thread,
    time::{Duration, Instant},
};

use cuda_nccl::Launch;

const ROLE: &str = "CUDA_NCCL_TEST_ROLE";
const BYTES: &[u8] = b"the first bytes";

/// All launcher variables. They are removed from the processes, so that the launcher of the tests
/// does not matter.
const KNOWN: &[&str] = &[
    "CUDA_NCCL_",
    "RANK",
    "WORLD_SIZE",
    "LOCAL_RANK",
    "LOCAL_WORLD_SIZE",
    "MASTER_",
    "TORCHELASTIC_",
    "OMPI_",
    "PMI",
    "MPI_",
    "SLURM_",
];

/// The program of the ranks, which other tests start as processes.
#[test]
fn rank() {
    let Ok(role) = env::var(ROLE) else { return };
    let launch = match Launch::from_env() {
        Ok(Some(launch)) => launch,
        other => {
            println!("REFUSED {other:?}");
            return;
        }
    };
    if role == "leaves" {
        return;
    }
    let limit = Duration::from_millis(role.parse().unwrap());
    match launch.share_bytes(limit, || Ok(BYTES.to_vec())) {
        Ok(bytes) => println!("GOT {} {}", launch.rank, String::from_utf8(bytes).unwrap()),
        Err(error) => println!("FAILED {error}"),
    }
}

/// Starts a process as a rank with these variables.
fn start(role: &str, variables: &[(&str, String)]) -> Child {
    let mut command = Command::new(env::current_exe().unwrap());
    for (name, _) in env::vars_os() {
        if KNOWN
            .iter()
            .any(|known| name.to_string_lossy().starts_with(known))
        {
            command.env_remove(name);
        }
    }
    command
        .args(["rank", "--exact", "--nocapture", "--test-threads=1"])
        .env(ROLE, role)
        .envs(variables.iter().map(|(name, value)| (name, value)))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

fn output_of(child: Child) -> String {
    let Output { stdout, .. } = child.wait_with_output().unwrap();
    String::from_utf8(stdout).unwrap()
}

/// Returns an address of this host that no other test uses.
fn address() -> String {
    static PLACES: AtomicU16 = AtomicU16::new(0);
    let process = std::process::id();
    format!(
        "127.1.{}.{}:{}",
        process / 250 % 250 + 1,
        process % 250 + 1,
        29_400 + PLACES.fetch_add(1, Relaxed)
    )
}

fn by_hand(rank: usize, size: usize, address: &str) -> Vec<(&'static str, String)> {
    vec![
        ("CUDA_NCCL_RANK", rank.to_string()),
        ("CUDA_NCCL_SIZE", size.to_string()),
        ("CUDA_NCCL_ADDRESS", address.to_owned()),
    ]
}

#[test]
fn processes_of_each_launcher_meet() {
    let launchers = ["by hand", "torchrun", "Open MPI", "Hydra", "Slurm"];
    let own = |launcher: &str, rank: usize, address: &str| {
        let number = |value: usize| value.to_string();
        let (host, port) = address.split_once(':').unwrap();
        let job = address.to_owned();
        match launcher {
            "by hand" => by_hand(rank, 3, address),
            "torchrun" => vec![
                ("RANK", number(rank)),
                ("WORLD_SIZE", number(3)),
                ("LOCAL_RANK", number(rank)),
                ("LOCAL_WORLD_SIZE", number(3)),
                ("MASTER_ADDR", host.to_owned()),
                ("MASTER_PORT", port.to_owned()),
                ("TORCHELASTIC_RUN_ID", "none".to_owned()),
            ],
            "Open MPI" => vec![
                ("OMPI_COMM_WORLD_RANK", number(rank)),
                ("OMPI_COMM_WORLD_SIZE", number(3)),
                ("OMPI_COMM_WORLD_LOCAL_RANK", number(rank)),
                ("OMPI_COMM_WORLD_LOCAL_SIZE", number(3)),
                ("PMIX_NAMESPACE", job),
            ],
            // This process is the common parent of all ranks, which distinguishes the job from
            // others.
            "Hydra" => vec![
                ("PMI_RANK", number(rank)),
                ("PMI_SIZE", number(3)),
                ("MPI_LOCALRANKID", number(rank)),
                ("MPI_LOCALNRANKS", number(3)),
            ],
            "Slurm" => vec![
                ("SLURM_PROCID", number(rank)),
                ("SLURM_STEP_NUM_TASKS", number(3)),
                ("SLURM_LOCALID", number(rank)),
                ("SLURM_NODEID", number(0)),
                ("SLURM_STEP_TASKS_PER_NODE", number(3)),
                ("SLURM_STEP_NODELIST", "localhost".to_owned()),
                ("SLURM_JOB_ID", job),
                ("SLURM_STEP_ID", number(0)),
            ],
            _ => unreachable!(),
        }
    };
    for launcher in launchers {
        let address = address();
        let ranks: Vec<_> = (0..3)
            .map(|rank| start("30000", &own(launcher, rank, &address)))
            .collect();
        for (rank, child) in ranks.into_iter().enumerate() {
            let output = output_of(child);
            assert!(
                output.contains(&format!("GOT {rank} the first bytes")),
                "{launcher}: {output}"
            );
        }
    }
}

/// Repeats the work with longer limits, because processes may start slowly. The last attempt
/// counts.
fn with_time(work: impl Fn(Duration) -> Result<(), String>) {
    for millis in [250, 1000, 4000] {
        if work(Duration::from_millis(millis)).is_ok() {
            return;
        }
    }
    work(Duration::from_secs(16)).unwrap();
}

fn expect(output: &str, parts: &[&str]) -> Result<(), String> {
    match parts.iter().find(|part| !output.contains(**part)) {
        None => Ok(()),
        Some(part) => Err(format!("{part:?} is not in: {output}")),
    }
}

#[test]
fn rank_that_ends_early_is_reported_within_the_limit() {
    with_time(|limit| {
        let address = address();
        let begin = Instant::now();
        let limited = limit.as_millis().to_string();
        let ranks: Vec<_> = [limited.as_str(), limited.as_str(), "leaves"]
            .iter()
            .enumerate()
            .map(|(rank, role)| start(role, &by_hand(rank, 3, &address)))
            .collect();
        let outputs: Vec<_> = ranks.into_iter().map(output_of).collect();
        assert!(begin.elapsed() < limit + Duration::from_secs(20));
        expect(
            &outputs[0],
            &["FAILED 1 of 3 ranks have not connected", "rank 2"],
        )?;
        expect(&outputs[1], &["FAILED rank 0 reports: 1 of 3 ranks"])
    });
}

#[test]
fn a_killed_rank_0_ends_the_wait_of_the_others() {
    with_time(|pause| {
        let address = address();
        let mut zero = start("60000", &by_hand(0, 3, &address));
        let waiting = start("30000", &by_hand(1, 3, &address));
        thread::sleep(pause); // until it waits for rank 2
        zero.kill().unwrap();
        zero.wait().unwrap();
        let begin = Instant::now();
        let output = output_of(waiting);
        expect(
            &output,
            &["FAILED rank 0 at", "ended before all ranks had arrived"],
        )?;
        assert!(begin.elapsed() < Duration::from_secs(10));
        Ok(())
    });
}

#[test]
fn a_killed_rank_ends_the_wait_of_rank_0() {
    with_time(|pause| {
        let address = address();
        let zero = start("30000", &by_hand(0, 4, &address));
        let waiting = start("30000", &by_hand(2, 4, &address));
        let mut killed = start("60000", &by_hand(1, 4, &address));
        thread::sleep(pause); // until all have arrived
        killed.kill().unwrap();
        killed.wait().unwrap();
        let (zero, waiting) = (output_of(zero), output_of(waiting));
        expect(&zero, &["FAILED rank 1, from", "ended before"])?;
        expect(&waiting, &["FAILED rank 0 reports: rank 1, from"])
    });
}

#[test]
fn wrong_variables_are_named() {
    let mut variables = by_hand(0, 2, "127.0.0.1:1");
    variables[0].1 = "first".to_owned();
    let output = output_of(start("1000", &variables));
    assert!(
        output.contains("REFUSED") && output.contains("CUDA_NCCL_RANK"),
        "{output}"
    );
    let output = output_of(start("1000", &[]));
    assert!(output.contains("REFUSED Ok(None)"), "{output}");
}

#[test]
fn port_in_use_is_reported() {
    let address = address();
    let taken = std::net::TcpListener::bind(&address).unwrap();
    let output = output_of(start("1000", &by_hand(0, 2, &address)));
    assert!(
        output.contains("FAILED rank 0 cannot listen at") && output.contains("CUDA_NCCL_ADDRESS"),
        "{output}"
    );
    drop(taken);
}
