//! Variables of every launcher: complete, incomplete and contradictory.

use std::{thread, time::Duration};

use super::{Launch, Launcher};
use crate::error::Result;

const LIMIT: Duration = Duration::from_secs(20);

fn read(variables: &[(&str, &str)]) -> Result<Option<Launch>> {
    Launch::read(&|name| {
        let found = variables.iter().rev().find(|(known, _)| *known == name);
        found.map(|(_, value)| (*value).to_owned())
    })
}

#[track_caller]
fn launch(variables: &[(&str, &str)]) -> Launch {
    read(variables)
        .expect("no contradiction")
        .expect("a launcher")
}

/// Returns the error for these variables.
#[track_caller]
fn error(variables: &[(&str, &str)]) -> String {
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

fn with<'a>(
    variables: &[(&'a str, &'a str)],
    more: &[(&'a str, &'a str)],
) -> Vec<(&'a str, &'a str)> {
    [variables, more].concat()
}

fn without<'a>(variables: &[(&'a str, &'a str)], name: &str) -> Vec<(&'a str, &'a str)> {
    let mut left = variables.to_vec();
    left.retain(|(known, _)| *known != name);
    left
}

const BY_HAND: &[(&str, &str)] = &[
    ("CUDA_NCCL_RANK", "3"),
    ("CUDA_NCCL_SIZE", "4"),
    ("CUDA_NCCL_LOCAL_RANK", "1"),
    ("CUDA_NCCL_ADDRESS", "node1:29400"),
    ("CUDA_NCCL_SECRET", "0123456789abcdef"),
];

const TORCHRUN: &[(&str, &str)] = &[
    ("RANK", "3"),
    ("WORLD_SIZE", "4"),
    ("LOCAL_RANK", "1"),
    ("LOCAL_WORLD_SIZE", "2"),
    ("MASTER_ADDR", "node1"),
    ("MASTER_PORT", "29500"),
    ("TORCHELASTIC_RUN_ID", "none"),
    ("TORCHELASTIC_RESTART_COUNT", "0"),
    ("TORCHELASTIC_USE_AGENT_STORE", "True"),
];

const OPEN_MPI: &[(&str, &str)] = &[
    ("OMPI_COMM_WORLD_RANK", "1"),
    ("OMPI_COMM_WORLD_SIZE", "2"),
    ("OMPI_COMM_WORLD_LOCAL_RANK", "1"),
    ("OMPI_COMM_WORLD_LOCAL_SIZE", "2"),
    ("PMIX_RANK", "1"),
    ("PMIX_NAMESPACE", "prterun-node1-4711@1"),
];

const HYDRA: &[(&str, &str)] = &[
    ("PMI_RANK", "1"),
    ("PMI_SIZE", "2"),
    ("MPI_LOCALRANKID", "1"),
    ("MPI_LOCALNRANKS", "2"),
    (super::find::PARENT, "4711"),
];

const SLURM: &[(&str, &str)] = &[
    ("SLURM_PROCID", "5"),
    ("SLURM_STEP_NUM_TASKS", "7"),
    ("SLURM_NTASKS", "7"),
    ("SLURM_LOCALID", "1"),
    ("SLURM_NODEID", "1"),
    ("SLURM_STEP_TASKS_PER_NODE", "4,3"),
    ("SLURM_STEP_NODELIST", "gpu[07-08]"),
    ("SLURM_JOB_NODELIST", "gpu[01-08]"),
    ("SLURM_JOB_ID", "123456"),
    ("SLURM_STEP_ID", "0"),
];

#[test]
fn no_launcher_gives_none() {
    assert_eq!(read(&[]).unwrap(), None);
    // Variables set in many shells and batch scripts.
    let batch = [
        ("SLURM_PROCID", "0"),
        ("SLURM_LOCALID", "0"),
        ("SLURM_JOB_ID", "1"),
        ("MASTER_ADDR", "node1"),
    ];
    assert_eq!(read(&batch).unwrap(), None);
    let batch = with(&batch, &[("SLURM_NTASKS", "4")]);
    mentions(&error(&batch), &["SLURM_NTASKS=4", "srun", "unset"]);
    mentions(
        &error(&[("PMIX_RANK", "0")]),
        &["PMIX_RANK=0", "CUDA_NCCL_SIZE"],
    );
}

#[test]
fn local_rank_overrides_the_launcher() {
    let chosen = with(OPEN_MPI, &[("CUDA_NCCL_LOCAL_RANK", "7")]);
    assert_eq!(launch(&chosen).local_rank, 7);
    let wrong = with(OPEN_MPI, &[("OMPI_COMM_WORLD_LOCAL_RANK", "7")]);
    mentions(&error(&wrong), &["OMPI_COMM_WORLD_LOCAL_RANK=7"]);
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
        let Launch {
            rank,
            size,
            local_rank,
            local_size,
            ..
        } = launch;
        assert_eq!((rank, size, local_rank, local_size), place, "{launcher}");
        let found = launch.address().unwrap();
        match address {
            Some(address) => assert_eq!(found, address),
            None => {
                let (host, port) = found.rsplit_once(':').unwrap();
                assert_eq!(
                    host,
                    if launcher == Launcher::Slurm {
                        "gpu07"
                    } else {
                        "127.0.0.1"
                    }
                );
                let port: u16 = port.parse().unwrap();
                assert!((23_000..31_000).contains(&port), "{port}");
            }
        }
        assert!(launch.secret.is_ok());
        assert!(!format!("{launch:?}").contains("0123456789abcdef"));
        assert!(
            launch
                .to_string()
                .contains(&format!("rank {rank} of {size}"))
        );
    }
}

#[test]
fn missing_variables_are_named() {
    for (variables, needed) in [
        (
            BY_HAND,
            &["CUDA_NCCL_RANK", "CUDA_NCCL_SIZE", "CUDA_NCCL_LOCAL_RANK"][..],
        ),
        (TORCHRUN, &["RANK", "WORLD_SIZE", "LOCAL_RANK"]),
        (
            OPEN_MPI,
            &[
                "OMPI_COMM_WORLD_RANK",
                "OMPI_COMM_WORLD_SIZE",
                "OMPI_COMM_WORLD_LOCAL_RANK",
            ],
        ),
        (HYDRA, &["PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"]),
        (SLURM, &["SLURM_PROCID", "SLURM_LOCALID"]),
    ] {
        for name in needed {
            mentions(&error(&without(variables, name)), &[name, "not set"]);
        }
    }
    // Variables that only the exchange needs are reported by the exchange.
    let no_address = |variables: &[_], name: &str| {
        launch(&without(variables, name))
            .address()
            .unwrap_err()
            .to_string()
    };
    mentions(
        &no_address(BY_HAND, "CUDA_NCCL_ADDRESS"),
        &["CUDA_NCCL_ADDRESS is not set", "29400"],
    );
    mentions(
        &no_address(TORCHRUN, "MASTER_ADDR"),
        &["MASTER_ADDR is not set"],
    );
    mentions(
        &no_address(TORCHRUN, "MASTER_PORT"),
        &["MASTER_PORT is not set"],
    );
    mentions(
        &no_address(OPEN_MPI, "PMIX_NAMESPACE"),
        &["CUDA_NCCL_ADDRESS"],
    );
    mentions(
        &no_address(OPEN_MPI, "OMPI_COMM_WORLD_LOCAL_SIZE"),
        &["host of rank 0", "CUDA_NCCL_ADDRESS"],
    );
    mentions(
        &no_address(HYDRA, super::find::PARENT),
        &["CUDA_NCCL_ADDRESS"],
    );
    let secretless = launch(&without(BY_HAND, "CUDA_NCCL_SECRET"));
    let rejected = secretless.share_bytes(LIMIT, || Ok(vec![])).unwrap_err();
    mentions(
        &rejected.to_string(),
        &["CUDA_NCCL_SECRET is not set", "openssl"],
    );
}

#[test]
fn invalid_address_is_reported_before_a_missing_local_rank() {
    let two = [("CUDA_NCCL_RANK", "0"), ("CUDA_NCCL_SIZE", "2")];
    for wrong in ["127.0.0.1", "127.0.0.1:0", "127.0.0.1:99999", "::1:29400"] {
        let text = error(&with(&two, &[("CUDA_NCCL_ADDRESS", wrong)]));
        mentions(
            &text,
            &["CUDA_NCCL_ADDRESS=", wrong, "is not a host and a port"],
        );
    }
    let text = error(&with(&two, &[("CUDA_NCCL_ADDRESS", "node1:29400")]));
    let hint = "If all ranks are on this host, change CUDA_NCCL_ADDRESS from node1:29400 to 127.0.0.1:29400 instead";
    mentions(&text, &["CUDA_NCCL_LOCAL_RANK is not set", hint]);
    let same = launch(&with(&two, &[("CUDA_NCCL_ADDRESS", "[::1]:29400")]));
    assert_eq!(same.local_rank, 0);
}

#[test]
fn variables_of_ranks_without_a_rank_are_rejected() {
    for (name, value) in [
        ("CUDA_NCCL_ADDRESS", "node1:29400"),
        ("CUDA_NCCL_LOCAL_RANK", "0"),
    ] {
        let text = error(&[(name, value)]);
        mentions(&text, &[name, "CUDA_NCCL_RANK", "to run a single process"]);
    }
}

#[test]
fn invalid_numbers_are_named_and_shown() {
    for (variables, numbers) in [
        (
            BY_HAND,
            &["CUDA_NCCL_RANK", "CUDA_NCCL_SIZE", "CUDA_NCCL_LOCAL_RANK"][..],
        ),
        (
            TORCHRUN,
            &["RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"],
        ),
        (
            OPEN_MPI,
            &[
                "OMPI_COMM_WORLD_RANK",
                "OMPI_COMM_WORLD_SIZE",
                "OMPI_COMM_WORLD_LOCAL_RANK",
                "OMPI_COMM_WORLD_LOCAL_SIZE",
            ],
        ),
        (
            HYDRA,
            &["PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"],
        ),
        (
            SLURM,
            &[
                "SLURM_PROCID",
                "SLURM_STEP_NUM_TASKS",
                "SLURM_LOCALID",
                "SLURM_NODEID",
            ],
        ),
    ] {
        for name in numbers {
            for value in ["one", "", "-1", "1.0", "99999999999", "2147483648"] {
                let text = error(&with(variables, &[(name, value)]));
                mentions(&text, &[&format!("{name}={value:?}"), "is not a number"]);
            }
        }
    }
}

#[test]
fn ranks_out_of_range_are_rejected() {
    for (variables, change, words) in [
        (
            BY_HAND,
            ("CUDA_NCCL_RANK", "4"),
            ["CUDA_NCCL_RANK=4", "CUDA_NCCL_SIZE=4"],
        ),
        (
            BY_HAND,
            ("CUDA_NCCL_SIZE", "0"),
            ["CUDA_NCCL_RANK=3", "CUDA_NCCL_SIZE=0"],
        ),
        (
            BY_HAND,
            ("CUDA_NCCL_LOCAL_RANK", "4"),
            ["CUDA_NCCL_LOCAL_RANK=4", "CUDA_NCCL_SIZE=4"],
        ),
        (TORCHRUN, ("RANK", "4"), ["RANK=4", "WORLD_SIZE=4"]),
        (
            TORCHRUN,
            ("LOCAL_RANK", "2"),
            ["LOCAL_RANK=2", "LOCAL_WORLD_SIZE"],
        ),
        (
            TORCHRUN,
            ("LOCAL_WORLD_SIZE", "5"),
            ["LOCAL_WORLD_SIZE=5", "WORLD_SIZE=4"],
        ),
        (
            OPEN_MPI,
            ("OMPI_COMM_WORLD_LOCAL_SIZE", "0"),
            ["OMPI_COMM_WORLD_LOCAL_SIZE=0", "OMPI_COMM_WORLD_SIZE=2"],
        ),
        (
            HYDRA,
            ("MPI_LOCALRANKID", "2"),
            ["MPI_LOCALRANKID=2", "MPI_LOCALNRANKS"],
        ),
        (
            SLURM,
            ("SLURM_NODEID", "2"),
            ["SLURM_STEP_TASKS_PER_NODE", "SLURM_NODEID=2"],
        ),
        (
            SLURM,
            ("SLURM_LOCALID", "3"),
            ["SLURM_LOCALID=3", "SLURM_STEP_TASKS_PER_NODE"],
        ),
    ] {
        mentions(&error(&with(variables, &[change])), &words);
    }
}

#[test]
fn innermost_launcher_counts() {
    // mpirun in a batch job: Slurm started one daemon per node.
    let daemon = with(
        SLURM,
        &[
            ("SLURM_PROCID", "0"),
            ("SLURM_LOCALID", "0"),
            ("SLURM_STEP_NUM_TASKS", "2"),
            ("SLURM_STEP_TASKS_PER_NODE", "1(x2)"),
        ],
    );
    for mpi in [OPEN_MPI, HYDRA] {
        let inner = launch(&with(&daemon, mpi));
        assert_ne!(inner.launcher, Launcher::Slurm);
        assert_eq!(inner.rank, 1);
    }
    // srun with an MPI plugin sets both. Slurm's own variables contain more information.
    let plugin = with(
        SLURM,
        &[("PMI_RANK", "5"), ("PMI_SIZE", "7"), ("PMIX_RANK", "5")],
    );
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
    let corrected = launch(&with(SLURM, &[("CUDA_NCCL_LOCAL_RANK", "0")]));
    assert_eq!(
        (corrected.launcher, corrected.local_rank),
        (Launcher::Slurm, 0)
    );
}

#[test]
fn leftover_rank_that_contradicts_the_launcher_is_rejected() {
    let leftover = [("RANK", "0"), ("WORLD_SIZE", "2"), ("LOCAL_RANK", "0")];
    let text = error(&with(OPEN_MPI, &leftover));
    mentions(
        &text,
        &[
            "RANK=0",
            "OMPI_COMM_WORLD_RANK=1",
            "unset RANK and WORLD_SIZE",
        ],
    );
    mentions(
        &error(&with(SLURM, &leftover)),
        &["WORLD_SIZE=2", "SLURM_STEP_NUM_TASKS=7", "srun"],
    );
    // A script that copies the launcher's values is accepted.
    let copied = [
        ("RANK", "5"),
        ("WORLD_SIZE", "7"),
        ("LOCAL_RANK", "1"),
        ("MASTER_ADDR", "gpu07"),
        ("MASTER_PORT", "4000"),
    ];
    let same = launch(&with(SLURM, &copied));
    assert_eq!(same.address().unwrap(), "gpu07:4000");
}

#[test]
fn addresses_are_parsed_and_derived() {
    let address = |text| launch(&with(BY_HAND, &[("CUDA_NCCL_ADDRESS", text)])).address();
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
        mentions(
            &address(text).unwrap_err().to_string(),
            &["CUDA_NCCL_ADDRESS", text, "29400"],
        );
    }
    // The address can be set for any launcher.
    let other = launch(&with(SLURM, &[("CUDA_NCCL_ADDRESS", "other:9")]));
    assert_eq!(other.address().unwrap(), "other:9");
    let port = launch(&with(TORCHRUN, &[("MASTER_PORT", "x")]))
        .address()
        .unwrap_err();
    mentions(&port.to_string(), &["MASTER_PORT=\"x\"", "65535"]);
    let last = launch(&with(TORCHRUN, &[("MASTER_PORT", "65535")]));
    assert_eq!(last.address().unwrap(), "node1:65534");
    let free = launch(&with(
        TORCHRUN,
        &[("TORCHELASTIC_USE_AGENT_STORE", "False")],
    ));
    assert_eq!(free.address().unwrap(), "node1:29500");
    // The job's list is used without the step's list. A malformed list is an error.
    let job = launch(&without(SLURM, "SLURM_STEP_NODELIST"));
    assert!(job.address().unwrap().starts_with("gpu01:"));
    let broken = launch(&with(SLURM, &[("SLURM_STEP_NODELIST", "gpu[")]))
        .address()
        .unwrap_err();
    mentions(
        &broken.to_string(),
        &["SLURM_STEP_NODELIST=\"gpu[\"", "CUDA_NCCL_ADDRESS"],
    );
}

#[test]
fn jobs_differ_and_ranks_of_a_job_agree() {
    let first = launch(SLURM);
    let sibling = launch(&with(
        SLURM,
        &[
            ("SLURM_PROCID", "0"),
            ("SLURM_NODEID", "0"),
            ("SLURM_LOCALID", "0"),
        ],
    ));
    assert_eq!(first.address, sibling.address);
    assert_eq!(first.secret, sibling.secret);
    let other = launch(&with(SLURM, &[("SLURM_STEP_ID", "1")]));
    assert_ne!(first.secret, other.secret);
    assert_ne!(first.address, other.address);
    // A restart of torchrun counts as another job.
    let restart = launch(&with(TORCHRUN, &[("TORCHELASTIC_RESTART_COUNT", "1")]));
    assert_ne!(launch(TORCHRUN).secret, restart.secret);
}

#[test]
fn secrets_are_checked() {
    let short = launch(&with(SLURM, &[("CUDA_NCCL_SECRET", "too short")]));
    let error = short
        .share_bytes(LIMIT, || Ok(vec![]))
        .unwrap_err()
        .to_string();
    mentions(&error, &["CUDA_NCCL_SECRET has 9 characters", "16"]);
    assert!(!error.contains("too short"));
    // No secret is needed for processes on one host.
    let here = launch(&with(
        &without(BY_HAND, "CUDA_NCCL_SECRET"),
        &[("CUDA_NCCL_ADDRESS", "localhost:29400")],
    ));
    assert!(here.secret.is_ok());
    // Each rank uses the device with its number.
    let here = [
        ("CUDA_NCCL_RANK", "1"),
        ("CUDA_NCCL_SIZE", "2"),
        ("CUDA_NCCL_ADDRESS", "[::1]:29400"),
    ];
    assert_eq!(launch(&here).local_rank, 1);
}

#[test]
fn single_rank_needs_no_address() {
    let alone = launch(&[("CUDA_NCCL_RANK", "0"), ("CUDA_NCCL_SIZE", "1")]);
    assert_eq!(alone.local_rank, 0);
    assert_eq!(alone.share_bytes(LIMIT, || Ok(vec![7])).unwrap(), [7]);
}

/// Three ranks with the variables that `mpirun -n 3` sets on one host.
#[test]
fn ranks_of_one_host_meet() {
    let job = format!("prterun-{}@1", std::process::id());
    let ranks: Vec<_> = ["0", "1", "2"]
        .map(|rank| {
            launch(&with(
                OPEN_MPI,
                &[
                    ("OMPI_COMM_WORLD_RANK", rank),
                    ("OMPI_COMM_WORLD_SIZE", "3"),
                    ("OMPI_COMM_WORLD_LOCAL_RANK", rank),
                    ("OMPI_COMM_WORLD_LOCAL_SIZE", "3"),
                    ("PMIX_NAMESPACE", &job),
                ],
            ))
        })
        .into();
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
            let job = job.to_string();
            let launch = launch(&with(SLURM, &[("SLURM_JOB_ID", job.as_str())]));
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
    let text = error(&[("CUDA_NCCL_RANK", "1"), ("CUDA_NCCL_SIZE", "2")]);
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

#[test]
fn the_parent_is_a_process() {
    assert_eq!(
        super::parent(),
        std::os::unix::process::parent_id().to_string()
    );
    assert!(super::parent().parse::<u32>().is_ok());
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
    let secret = |variables: &[(&str, &str)]| launch(variables).secret;
    let other_parent = (super::find::PARENT, "99");
    assert_ne!(secret(HYDRA), secret(&with(HYDRA, &[other_parent])));
    // The ranks of several hosts have different parents, so the parent does not count.
    let hosts = with(HYDRA, &[("PMI_SIZE", "4"), ("PMI_JOBID", "17")]);
    assert!(secret(&hosts).is_ok());
    assert_eq!(secret(&hosts), secret(&with(&hosts, &[other_parent])));
    assert!(secret(&without(&hosts, "PMI_JOBID")).is_err());
}

#[test]
fn each_variable_of_a_job_changes_its_secret() {
    for (variables, names) in [
        (
            TORCHRUN,
            &[
                "MASTER_ADDR",
                "MASTER_PORT",
                "TORCHELASTIC_RUN_ID",
                "TORCHELASTIC_RESTART_COUNT",
            ][..],
        ),
        (OPEN_MPI, &["PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid"]),
        (
            HYDRA,
            &["PMI_JOBID", "SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID"],
        ),
        (SLURM, &["SLURM_JOB_ID", "SLURM_STEP_ID"]),
    ] {
        let secret = launch(variables).secret.unwrap();
        for name in names {
            let other = launch(&with(variables, &[(name, "8")])).secret.unwrap();
            assert!(secret != other, "{name}");
        }
        // A secret that was set counts alone.
        let set = ("CUDA_NCCL_SECRET", "0123456789abcdef");
        let set = [&[set][..], &[set, (names[0], "8")]]
            .map(|more| launch(&with(variables, more)).secret.unwrap());
        assert!(set[0] == set[1]);
    }
}

#[test]
fn the_shortest_secret_has_sixteen_characters() {
    let secret = |text| launch(&with(SLURM, &[("CUDA_NCCL_SECRET", text)])).secret;
    assert!(secret("0123456789abcdef").is_ok());
    let error = secret("0123456789abcde").unwrap_err();
    assert!(
        error.starts_with("CUDA_NCCL_SECRET has 15 characters"),
        "{error}"
    );
}
