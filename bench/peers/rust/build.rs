//! Tells the programs which compiler made them.
use std::{env, process::Command};

fn main() {
    let compiler = env::var("RUSTC").expect("cargo names the compiler");
    let output = Command::new(compiler).arg("--version").output().expect("the compiler starts");
    println!("cargo:rustc-env=NOPAL_BUILD_COMPILER={}", String::from_utf8_lossy(&output.stdout).trim());
    println!("cargo:rerun-if-changed=build.rs");
}
