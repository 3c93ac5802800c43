//! What this CPU has, and that the best of it is used. It is a process of its own, as the suite chooses others.

use std::env;

/// Where the CPU is known, as under emulation, `LEADBYTE_EXPECTED` names the instruction set that must be active.
#[test]
fn the_best_implementation_is_active() {
    let info = leadbyte::cpu_info();
    println!("active: {}; implementations: {}", info.active, info.implementations.join(", "));
    if info.requested == Ok(None) {
        assert_eq!(Some(&info.active), info.implementations.last());
    }
    if let Some(expected) = env::var_os("LEADBYTE_EXPECTED") {
        assert_eq!(expected, info.active);
    }
}
