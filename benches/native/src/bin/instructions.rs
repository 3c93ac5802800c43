//! Calls every kernel on parts of some texts; `tests/tools/count_instructions.py` runs it under Callgrind.
//!
//! `instructions TEXTS SET...` prints a line for each call of `measured`: kernel, instruction set, text, bytes.

#[path = "../kernels.rs"]
mod kernels;

use std::{env, fs, hint};

use kernels::{Buffers, Entry, kernels};

/// Bytes of each text.
const TEXT_BYTES: usize = 64 << 10;
const TEXTS: [&str; 4] = ["english", "french", "russian", "chinese"];

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [directory, sets @ ..] = &arguments[..] else { panic!("usage: instructions TEXTS SET...") };
    for text in TEXTS {
        let whole = fs::read_to_string(format!("{directory}/{text}.txt")).expect("a text of texts.py");
        let part = &whole[..whole.floor_char_boundary(TEXT_BYTES)];
        let mut buffers = Buffers::new(part);
        for set in sets.iter().filter(|set| kernels::instruction_sets().contains(&set.as_str())) {
            for kernel in &kernels(set) {
                if buffers.call(kernel).is_some() {
                    println!("{},{set},{text},{}", kernel.0, part.len());
                    measured(&mut buffers, kernel);
                }
            }
        }
    }
}

/// Calls a kernel. Callgrind counts what runs in here.
#[inline(never)]
fn measured(buffers: &mut Buffers, kernel: &Entry) {
    hint::black_box(buffers.call(kernel));
}
