//! Settings of core dumps.

use cuda_safe::coredump::Coredump;

use super::*;

type Set = fn(&Coredump, bool) -> cuda_safe::Result<()>;
type Get = fn(&Coredump) -> cuda_safe::Result<bool>;

/// The switches with their numbers in the trace, and whether the emulator turns them on.
const SWITCHES: [(&str, Set, Get, bool); 4] = [
    (
        "attrib=1,",
        Coredump::set_enabled,
        Coredump::is_enabled,
        false,
    ),
    (
        "attrib=2,",
        Coredump::set_triggers_host,
        Coredump::triggers_host,
        true,
    ),
    (
        "attrib=3,",
        Coredump::set_lightweight,
        Coredump::is_lightweight,
        true,
    ),
    (
        "attrib=4,",
        Coredump::set_user_trigger,
        Coredump::has_user_trigger,
        false,
    ),
];

#[test]
fn core_dump_switches_are_set_and_read() {
    traced("", || {
        driver::init().unwrap();
        let process = Coredump::process();
        for (attribute, set, get, can_be_on) in SWITCHES {
            for value in [true, false, true, false] {
                let made = made("cuCoredumpSetAttributeGlobal", || {
                    assert_eq!(set(&process, value).is_ok(), can_be_on || !value);
                });
                assert!(made.len() == 1 && made[0].contains(attribute), "{made:?}");
                assert_eq!(get(&process).unwrap(), value && can_be_on, "{attribute}");
            }
        }
    });
    passes("cuCoredumpGetAttributeGlobal:1+:999", || {
        for (attribute, _, get, _) in SWITCHES {
            assert!(get(&Coredump::process()).is_err(), "{attribute}");
        }
    });
}

#[test]
fn core_dump_names_have_at_most_1023_bytes() {
    traced("", || {
        let process = Coredump::process();
        let longest = "x".repeat(1023);
        process.set_file(&longest).unwrap();
        assert_eq!(process.file().unwrap().as_os_str(), longest.as_str());
        failure(process.set_file("x".repeat(1024))).detail_contains("the path has 1024 bytes");
        failure(process.set_pipe("a\0b")).detail_contains("contains a NUL");
    });
}
