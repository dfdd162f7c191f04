//! Variables of every launcher: complete, incomplete and contradictory.

use std::{thread, time::Duration};

use super::{Launch, Launcher};
use crate::error::Result;

const LIMIT: Duration = Duration::from_secs(20);

/// Reads variables in the form `NAME=value; NAME=value`. The last value of a name counts.
fn read(variables: &str) -> Result<Option<Launch>> {
    Launch::read(&|name| {
        let of_name = |one: &str| Some(one.strip_prefix(name)?.strip_prefix('=')?.to_owned());
        variables.split("; ").filter_map(of_name).last()
    })
}

#[track_caller]
fn launch(variables: &str) -> Launch {
    read(variables)
        .expect("no contradiction")
        .expect("a launcher")
}

/// Returns the error for these variables.
#[track_caller]
fn error(variables: &str) -> String {
    let error = read(variables).expect_err("an error").to_string();
    assert!(!error.is_empty());
    error
}

#[track_caller]
fn mentions(text: &str, words: &[&str]) {
    for word in words {
        assert!(text.contains(word), "no {word:?} in: {text}");
    }
}

/// Checks the error for these variables.
#[track_caller]
fn rejected(variables: &str, words: &[&str]) {
    mentions(&error(variables), words);
}

/// Checks the error of the address of these variables.
#[track_caller]
fn no_address(variables: &str, words: &[&str]) {
    let error = launch(variables).address().unwrap_err();
    mentions(&error.to_string(), words);
}

fn with(variables: &str, more: &str) -> String {
    format!("{variables}; {more}")
}

fn without(variables: &str, name: &str) -> String {
    let mut left: Vec<_> = variables.split("; ").collect();
    left.retain(|one| one.split_once('=').is_none_or(|(known, _)| known != name));
    left.join("; ")
}

const BY_HAND: &str = "CUDA_NCCL_RANK=3; CUDA_NCCL_SIZE=4; CUDA_NCCL_LOCAL_RANK=1; \
    CUDA_NCCL_ADDRESS=node1:29400; CUDA_NCCL_SECRET=0123456789abcdef";
const TORCHRUN: &str = "RANK=3; WORLD_SIZE=4; LOCAL_RANK=1; LOCAL_WORLD_SIZE=2; MASTER_ADDR=node1; \
    MASTER_PORT=29500; TORCHELASTIC_RUN_ID=none; TORCHELASTIC_RESTART_COUNT=0; \
    TORCHELASTIC_USE_AGENT_STORE=True";
const OPEN_MPI: &str = "OMPI_COMM_WORLD_RANK=1; OMPI_COMM_WORLD_SIZE=2; \
    OMPI_COMM_WORLD_LOCAL_RANK=1; OMPI_COMM_WORLD_LOCAL_SIZE=2; PMIX_RANK=1; \
    PMIX_NAMESPACE=prterun-node1-4711@1";
const HYDRA: &str =
    "PMI_RANK=1; PMI_SIZE=2; MPI_LOCALRANKID=1; MPI_LOCALNRANKS=2; (parent process)=4711";
const SLURM: &str = "SLURM_PROCID=5; SLURM_STEP_NUM_TASKS=7; SLURM_NTASKS=7; SLURM_LOCALID=1; \
    SLURM_NODEID=1; SLURM_STEP_TASKS_PER_NODE=4,3; SLURM_STEP_NODELIST=gpu[07-08]; \
    SLURM_JOB_NODELIST=gpu[01-08]; SLURM_JOB_ID=123456; SLURM_STEP_ID=0";

/// For each launcher, variables that must be set, and others. All are numbers.
const NUMBERS: [(&str, &str, &str); 5] = [
    (
        BY_HAND,
        "CUDA_NCCL_RANK CUDA_NCCL_SIZE CUDA_NCCL_LOCAL_RANK",
        "",
    ),
    (TORCHRUN, "RANK WORLD_SIZE LOCAL_RANK", "LOCAL_WORLD_SIZE"),
    (
        OPEN_MPI,
        "OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_SIZE OMPI_COMM_WORLD_LOCAL_RANK",
        "OMPI_COMM_WORLD_LOCAL_SIZE",
    ),
    (
        HYDRA,
        "PMI_RANK PMI_SIZE MPI_LOCALRANKID",
        "MPI_LOCALNRANKS",
    ),
    (
        SLURM,
        "SLURM_PROCID SLURM_LOCALID",
        "SLURM_STEP_NUM_TASKS SLURM_NODEID",
    ),
];

#[test]
fn no_launcher_gives_none() {
    assert_eq!(read("").unwrap(), None);
    // Variables set in many shells and batch scripts.
    let batch = "SLURM_PROCID=0; SLURM_LOCALID=0; SLURM_JOB_ID=1; MASTER_ADDR=node1";
    assert_eq!(read(batch).unwrap(), None);
    let batch = with(batch, "SLURM_NTASKS=4");
    rejected(&batch, &["SLURM_NTASKS=4", "srun", "unset"]);
    rejected("PMIX_RANK=0", &["PMIX_RANK=0", "CUDA_NCCL_SIZE"]);
}

#[test]
fn local_rank_overrides_the_launcher() {
    let chosen = with(OPEN_MPI, "CUDA_NCCL_LOCAL_RANK=7");
    assert_eq!(launch(&chosen).local_rank, 7);
    let wrong = with(OPEN_MPI, "OMPI_COMM_WORLD_LOCAL_RANK=7");
    rejected(&wrong, &["OMPI_COMM_WORLD_LOCAL_RANK=7"]);
}

#[test]
fn each_launcher_is_recognized() {
    for (variables, launcher, place, address) in [
        (
            BY_HAND,
            Launcher::Manual,
            (3, 4, 1, None),
            Some("node1:29400"),
        ),
        (
            TORCHRUN,
            Launcher::Torchrun,
            (3, 4, 1, Some(2)),
            Some("node1:29501"),
        ),
        (OPEN_MPI, Launcher::OpenMpi, (1, 2, 1, Some(2)), None),
        (HYDRA, Launcher::Hydra, (1, 2, 1, Some(2)), None),
        (SLURM, Launcher::Slurm, (5, 7, 1, Some(3)), None),
    ] {
        let launch = launch(variables);
        assert_eq!(launch.launcher, launcher);
        let (rank, size) = (launch.rank, launch.size);
        let found = (rank, size, launch.local_rank, launch.local_size);
        assert_eq!(found, place, "{launcher}");
        let found = launch.address().unwrap();
        match address {
            Some(address) => assert_eq!(found, address),
            None => {
                let (host, port) = found.rsplit_once(':').unwrap();
                let wanted = match launcher {
                    Launcher::Slurm => "gpu07",
                    _ => "127.0.0.1",
                };
                assert_eq!(host, wanted);
                let port: u16 = port.parse().unwrap();
                assert!((23_000..31_000).contains(&port), "{port}");
            }
        }
        assert!(launch.secret.is_ok());
        assert!(!format!("{launch:?}").contains("0123456789abcdef"));
        mentions(&launch.to_string(), &[&format!("rank {rank} of {size}")]);
    }
}

#[test]
fn missing_variables_are_named() {
    for (variables, needed, _) in NUMBERS {
        for name in needed.split(' ') {
            rejected(&without(variables, name), &[name, "not set"]);
        }
    }
    // Variables that only the exchange needs are reported by the exchange.
    for (variables, name, words) in [
        (
            BY_HAND,
            "CUDA_NCCL_ADDRESS",
            &["CUDA_NCCL_ADDRESS is not set", "29400"][..],
        ),
        (TORCHRUN, "MASTER_ADDR", &["MASTER_ADDR is not set"]),
        (TORCHRUN, "MASTER_PORT", &["MASTER_PORT is not set"]),
        (OPEN_MPI, "PMIX_NAMESPACE", &["CUDA_NCCL_ADDRESS"]),
        (
            OPEN_MPI,
            "OMPI_COMM_WORLD_LOCAL_SIZE",
            &["host of rank 0", "CUDA_NCCL_ADDRESS"],
        ),
        (HYDRA, "(parent process)", &["CUDA_NCCL_ADDRESS"]),
    ] {
        no_address(&without(variables, name), words);
    }
    let secretless = launch(&without(BY_HAND, "CUDA_NCCL_SECRET"));
    let rejected = secretless.share_bytes(LIMIT, || Ok(vec![])).unwrap_err();
    let words = ["CUDA_NCCL_SECRET is not set", "openssl"];
    mentions(&rejected.to_string(), &words);
}

#[test]
fn invalid_address_is_reported_before_a_missing_local_rank() {
    let two = "CUDA_NCCL_RANK=0; CUDA_NCCL_SIZE=2";
    for wrong in ["127.0.0.1", "127.0.0.1:0", "127.0.0.1:99999", "::1:29400"] {
        let variables = format!("{two}; CUDA_NCCL_ADDRESS={wrong}");
        let words = ["CUDA_NCCL_ADDRESS=", wrong, "is not a host and a port"];
        rejected(&variables, &words);
    }
    let text = error(&with(two, "CUDA_NCCL_ADDRESS=node1:29400"));
    let hint = "If all ranks are on this host, change CUDA_NCCL_ADDRESS from node1:29400 to 127.0.0.1:29400 instead";
    mentions(&text, &["CUDA_NCCL_LOCAL_RANK is not set", hint]);
    let same = launch(&with(two, "CUDA_NCCL_ADDRESS=[::1]:29400"));
    assert_eq!(same.local_rank, 0);
}

#[test]
fn variables_of_ranks_without_a_rank_are_rejected() {
    for variable in ["CUDA_NCCL_ADDRESS=node1:29400", "CUDA_NCCL_LOCAL_RANK=0"] {
        let name = variable.split('=').next().unwrap();
        rejected(
            variable,
            &[name, "CUDA_NCCL_RANK", "to run a single process"],
        );
    }
}

#[test]
fn invalid_numbers_are_named_and_shown() {
    for (variables, needed, others) in NUMBERS {
        for name in needed.split(' ').chain(others.split_whitespace()) {
            for value in ["one", "", "-1", "1.0", "99999999999", "2147483648"] {
                let changed = format!("{variables}; {name}={value}");
                rejected(&changed, &[&format!("{name}={value:?}"), "is not a number"]);
            }
        }
    }
}

#[test]
fn ranks_out_of_range_are_rejected() {
    for (variables, change, other) in [
        (BY_HAND, "CUDA_NCCL_RANK=4", "CUDA_NCCL_SIZE=4"),
        (BY_HAND, "CUDA_NCCL_SIZE=0", "CUDA_NCCL_RANK=3"),
        (BY_HAND, "CUDA_NCCL_LOCAL_RANK=4", "CUDA_NCCL_SIZE=4"),
        (TORCHRUN, "RANK=4", "WORLD_SIZE=4"),
        (TORCHRUN, "LOCAL_RANK=2", "LOCAL_WORLD_SIZE"),
        (TORCHRUN, "LOCAL_WORLD_SIZE=5", "WORLD_SIZE=4"),
        (
            OPEN_MPI,
            "OMPI_COMM_WORLD_LOCAL_SIZE=0",
            "OMPI_COMM_WORLD_SIZE=2",
        ),
        (HYDRA, "MPI_LOCALRANKID=2", "MPI_LOCALNRANKS"),
        (SLURM, "SLURM_NODEID=2", "SLURM_STEP_TASKS_PER_NODE"),
        (SLURM, "SLURM_LOCALID=3", "SLURM_STEP_TASKS_PER_NODE"),
    ] {
        rejected(&with(variables, change), &[change, other]);
    }
    for (change, fix) in [
        (
            "CUDA_NCCL_RANK=4",
            "CUDA_NCCL_RANK=4 is too large for CUDA_NCCL_SIZE=4: ranks are counted from 0. Fix: set CUDA_NCCL_SIZE to the \
             number of ranks, and CUDA_NCCL_RANK to a number below it",
        ),
        (
            "CUDA_NCCL_LOCAL_RANK=4",
            "CUDA_NCCL_LOCAL_RANK=4 is too large for CUDA_NCCL_SIZE=4: ranks are counted from 0. Fix: set it to at most 3",
        ),
    ] {
        rejected(&with(BY_HAND, change), &[fix]);
    }
    rejected(
        &with(TORCHRUN, "LOCAL_RANK=2"),
        &["counted from 0. Fix: set it to at most 1"],
    );
}

#[test]
fn innermost_launcher_counts() {
    // mpirun in a batch job: Slurm started one daemon per node.
    let daemon = with(
        SLURM,
        "SLURM_PROCID=0; SLURM_LOCALID=0; SLURM_STEP_NUM_TASKS=2; SLURM_STEP_TASKS_PER_NODE=1(x2)",
    );
    for mpi in [OPEN_MPI, HYDRA] {
        let inner = launch(&with(&daemon, mpi));
        assert_ne!(inner.launcher, Launcher::Slurm);
        assert_eq!(inner.rank, 1);
    }
    // srun with an MPI plugin sets both. Slurm's own variables contain more information.
    let plugin = with(SLURM, "PMI_RANK=5; PMI_SIZE=7; PMIX_RANK=5");
    assert_eq!(launch(&plugin).launcher, Launcher::Slurm);
    // torchrun on each node.
    assert_eq!(
        launch(&with(&daemon, TORCHRUN)).launcher,
        Launcher::Torchrun
    );
    // Variables set by hand come first.
    for other in [TORCHRUN, OPEN_MPI, HYDRA, SLURM] {
        assert_eq!(launch(&with(other, BY_HAND)).launcher, Launcher::Manual);
    }
    let corrected = launch(&with(SLURM, "CUDA_NCCL_LOCAL_RANK=0"));
    assert_eq!(
        (corrected.launcher, corrected.local_rank),
        (Launcher::Slurm, 0)
    );
}

#[test]
fn leftover_rank_that_contradicts_the_launcher_is_rejected() {
    let leftover = "RANK=0; WORLD_SIZE=2; LOCAL_RANK=0";
    let words = [
        "RANK=0",
        "OMPI_COMM_WORLD_RANK=1",
        "unset RANK and WORLD_SIZE",
    ];
    rejected(&with(OPEN_MPI, leftover), &words);
    let words = ["WORLD_SIZE=2", "SLURM_STEP_NUM_TASKS=7", "srun"];
    rejected(&with(SLURM, leftover), &words);
    // A script that copies the launcher's values is accepted.
    let copied = "RANK=5; WORLD_SIZE=7; LOCAL_RANK=1; MASTER_ADDR=gpu07; MASTER_PORT=4000";
    let same = launch(&with(SLURM, copied));
    assert_eq!(same.address().unwrap(), "gpu07:4000");
}

#[test]
fn addresses_are_parsed_and_derived() {
    let address = |text| launch(&with(BY_HAND, &format!("CUDA_NCCL_ADDRESS={text}"))).address();
    assert_eq!(address("10.0.0.1:1").unwrap(), "10.0.0.1:1");
    assert_eq!(address("[fe80::1]:29400").unwrap(), "[fe80::1]:29400");
    for text in [
        "node1",
        "node1:",
        "node1:0",
        "node1:70000",
        ":29400",
        "fe80::1:29400",
        "no de:1",
        "node1:x",
    ] {
        let variables = format!("{BY_HAND}; CUDA_NCCL_ADDRESS={text}");
        no_address(&variables, &["CUDA_NCCL_ADDRESS", text, "29400"]);
    }
    // The address can be set for any launcher.
    let other = launch(&with(SLURM, "CUDA_NCCL_ADDRESS=other:9"));
    assert_eq!(other.address().unwrap(), "other:9");
    let port = with(TORCHRUN, "MASTER_PORT=x");
    no_address(&port, &["MASTER_PORT=\"x\"", "65535"]);
    let last = launch(&with(TORCHRUN, "MASTER_PORT=65535"));
    assert_eq!(last.address().unwrap(), "node1:65534");
    let free = launch(&with(TORCHRUN, "TORCHELASTIC_USE_AGENT_STORE=False"));
    assert_eq!(free.address().unwrap(), "node1:29500");
    // The job's list is used without the step's list. A malformed list is an error.
    let job = launch(&without(SLURM, "SLURM_STEP_NODELIST"));
    assert!(job.address().unwrap().starts_with("gpu01:"));
    let broken = with(SLURM, "SLURM_STEP_NODELIST=gpu[");
    let words = ["SLURM_STEP_NODELIST=\"gpu[\"", "CUDA_NCCL_ADDRESS"];
    no_address(&broken, &words);
}

#[test]
fn jobs_differ_and_ranks_of_a_job_agree() {
    let first = launch(SLURM);
    let zero = "SLURM_PROCID=0; SLURM_NODEID=0; SLURM_LOCALID=0";
    let sibling = launch(&with(SLURM, zero));
    assert_eq!(first.address, sibling.address);
    assert_eq!(first.secret, sibling.secret);
    let other = launch(&with(SLURM, "SLURM_STEP_ID=1"));
    assert_ne!(first.secret, other.secret);
    assert_ne!(first.address, other.address);
    // A restart of torchrun counts as another job.
    let restart = launch(&with(TORCHRUN, "TORCHELASTIC_RESTART_COUNT=1"));
    assert_ne!(launch(TORCHRUN).secret, restart.secret);
}

#[test]
fn secrets_are_checked() {
    let short = launch(&with(SLURM, "CUDA_NCCL_SECRET=too short"));
    let error = short
        .share_bytes(LIMIT, || Ok(vec![]))
        .unwrap_err()
        .to_string();
    mentions(&error, &["CUDA_NCCL_SECRET has 9 characters", "16"]);
    assert!(!error.contains("too short"));
    // No secret is needed for processes on one host.
    let here = launch(&with(
        &without(BY_HAND, "CUDA_NCCL_SECRET"),
        "CUDA_NCCL_ADDRESS=localhost:29400",
    ));
    assert!(here.secret.is_ok());
    // Each rank uses the device with its number.
    let here = "CUDA_NCCL_RANK=1; CUDA_NCCL_SIZE=2; CUDA_NCCL_ADDRESS=[::1]:29400";
    assert_eq!(launch(here).local_rank, 1);
}

#[test]
fn single_rank_needs_no_address() {
    let alone = launch("CUDA_NCCL_RANK=0; CUDA_NCCL_SIZE=1");
    assert_eq!(alone.local_rank, 0);
    assert_eq!(alone.share_bytes(LIMIT, || Ok(vec![7])).unwrap(), [7]);
}

/// Three ranks with the variables that `mpirun -n 3` sets on one host.
#[test]
fn ranks_of_one_host_meet() {
    let ranks = [0, 1, 2].map(|rank| {
        launch(&format!(
            "OMPI_COMM_WORLD_RANK={rank}; OMPI_COMM_WORLD_SIZE=3; \
             OMPI_COMM_WORLD_LOCAL_RANK={rank}; OMPI_COMM_WORLD_LOCAL_SIZE=3; \
             PMIX_RANK=1; PMIX_NAMESPACE=prterun-{}@1",
            std::process::id()
        ))
    });
    thread::scope(|scope| {
        let started: Vec<_> = ranks
            .iter()
            .map(|launch| {
                scope.spawn(move || {
                    launch.share_bytes(LIMIT, || {
                        assert_eq!(launch.rank, 0, "only rank 0 calls `make`");
                        Ok(b"the first bytes".to_vec())
                    })
                })
            })
            .collect();
        for rank in started {
            assert_eq!(rank.join().unwrap().unwrap(), b"the first bytes");
        }
    });
}

#[test]
fn ports_of_jobs_are_spread_over_the_range() {
    let ports: std::collections::HashSet<u16> = (0..100)
        .map(|job| {
            let launch = launch(&format!("{SLURM}; SLURM_JOB_ID={job}"));
            launch.address.unwrap().port
        })
        .collect();
    assert!(ports.len() > 90, "{ports:?}");
    let (least, most) = (ports.iter().min().unwrap(), ports.iter().max().unwrap());
    assert!(*least < 25_000 && *most > 29_000, "{least} to {most}");
}

#[test]
fn ranks_by_hand_have_no_local_size() {
    // Slurm's list of tasks is for Slurm's ranks alone.
    assert_eq!(launch(&with(SLURM, BY_HAND)).local_size, None);
}

#[test]
fn a_missing_local_rank_is_explained() {
    let text = error("CUDA_NCCL_RANK=1; CUDA_NCCL_SIZE=2");
    assert_eq!(
        text,
        "CUDA_NCCL_LOCAL_RANK is not set, although CUDA_NCCL_RANK=1 is. Fix: set it to the rank's number on its host, counted \
         from 0, which selects the device. If all ranks are on this host, set CUDA_NCCL_ADDRESS to 127.0.0.1:29400 instead"
    );
    let text = error(&without(OPEN_MPI, "OMPI_COMM_WORLD_LOCAL_RANK"));
    assert_eq!(
        text,
        "OMPI_COMM_WORLD_LOCAL_RANK is not set, although OMPI_COMM_WORLD_RANK=1 is. Fix: set it, or CUDA_NCCL_LOCAL_RANK to the \
         rank's number on its host, counted from 0, which selects the device"
    );
}

#[cfg(unix)]
#[test]
fn the_parent_is_a_process() {
    let parent = std::os::unix::process::parent_id().to_string();
    assert_eq!(super::parent(), Some(parent));
}

#[test]
fn debug_output_hides_the_secret() {
    let text = format!("{:?}", launch(BY_HAND));
    assert!(text.contains("secret: Ok(Secret)"), "{text}");
}

#[test]
fn a_launch_is_described() {
    let texts =
        [BY_HAND, TORCHRUN, OPEN_MPI, HYDRA, SLURM].map(|variables| launch(variables).to_string());
    assert_eq!(
        texts,
        [
            "rank 3 of 4, 1 of its host, started by hand",
            "rank 3 of 4, 1 of its host, started by torchrun",
            "rank 1 of 2, 1 of its host, started by mpirun (Open MPI)",
            "rank 1 of 2, 1 of its host, started by mpirun (MPICH, Intel MPI)",
            "rank 5 of 7, 1 of its host, started by srun",
        ]
    );
}

#[test]
fn the_parent_distinguishes_hydra_jobs_only_on_one_host() {
    let secret = |variables: &str| launch(variables).secret;
    let other_parent = "(parent process)=99";
    assert_ne!(secret(HYDRA), secret(&with(HYDRA, other_parent)));
    // The ranks of several hosts have different parents, so the parent does not count.
    let hosts = with(HYDRA, "PMI_SIZE=4; PMI_JOBID=17");
    assert!(secret(&hosts).is_ok());
    assert_eq!(secret(&hosts), secret(&with(&hosts, other_parent)));
    assert!(secret(&without(&hosts, "PMI_JOBID")).is_err());
}

#[test]
fn each_variable_of_a_job_changes_its_secret() {
    for (variables, names) in [
        (
            TORCHRUN,
            "MASTER_ADDR MASTER_PORT TORCHELASTIC_RUN_ID TORCHELASTIC_RESTART_COUNT",
        ),
        (OPEN_MPI, "PMIX_NAMESPACE OMPI_MCA_ess_base_jobid"),
        (HYDRA, "PMI_JOBID SLURM_JOB_ID PBS_JOBID LSB_JOBID"),
        (SLURM, "SLURM_JOB_ID SLURM_STEP_ID"),
    ] {
        let secret = |variables: &str| launch(variables).secret.unwrap();
        // A secret that was set counts alone.
        let set = with(variables, "CUDA_NCCL_SECRET=0123456789abcdef");
        for name in names.split(' ') {
            let changed = format!("{name}=8");
            assert!(
                secret(variables) != secret(&with(variables, &changed)),
                "{name}"
            );
            assert!(secret(&set) == secret(&with(&set, &changed)), "{name}");
        }
    }
}

#[test]
fn the_shortest_secret_has_sixteen_characters() {
    let secret = |text| launch(&with(SLURM, &format!("CUDA_NCCL_SECRET={text}"))).secret;
    assert!(secret("0123456789abcdef").is_ok());
    let error = secret("0123456789abcde").unwrap_err();
    assert!(
        error.starts_with("CUDA_NCCL_SECRET has 15 characters"),
        "{error}"
    );
}
