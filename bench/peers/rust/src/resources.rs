//! What a run takes of the system's memory, measured as bench/runner/resources.cpp does.

use std::{fs, mem::MaybeUninit};

/// From its making to `finish`: page faults and the most memory resident at once, of the whole process.
pub struct ResourceWatch {
    faults_before: i64,
    resident_before_kib: i64,
}

pub struct Resources {
    pub page_faults: i64,
    pub peak_resident_kib: i64,
    pub resident_growth_kib: i64,
}

impl ResourceWatch {
    pub fn start() -> Self {
        // Lets the high-water mark start anew. Where the system forbids it the mark is that of the whole life.
        let _ = fs::write("/proc/self/clear_refs", "5");
        let resident_before_kib = status_kib("VmRSS:");
        Self { faults_before: minor_faults(), resident_before_kib }
    }

    pub fn finish(&self) -> Resources {
        let page_faults = minor_faults() - self.faults_before;
        let peak_resident_kib = status_kib("VmHWM:");
        let resident_growth_kib = (peak_resident_kib - self.resident_before_kib).max(0);
        Resources { page_faults, peak_resident_kib, resident_growth_kib }
    }
}

/// A line such as "VmHWM:     1234 kB" of this process's status; 0 where there is none.
fn status_kib(name: &str) -> i64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

fn minor_faults() -> i64 {
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: all zeros is a valid rusage, and getrusage writes no more than one.
    unsafe {
        libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr());
        usage.assume_init().ru_minflt
    }
}
