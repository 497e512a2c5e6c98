//! Which launches can be timed without slowing the program down?
//!
//! Timing a launch costs host time and about eight microseconds of GPU time. All of that together is kept below one part
//! in [`SHARE`] of the time for which the program has run. The first launches of every kernel are timed, and of the
//! others one per period; the period doubles while too much is spent and halves while little is. Pauses are random, so
//! that no pattern of launches can be in step with them.

use crate::format::Kernel;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU32, AtomicU64};

/// One part in this many of the running time may be spent: 1.6 %.
const SHARE: u64 = 64;
/// Allowance before any time has passed, in nanoseconds.
const ADVANCE: u64 = 4_000_000;
/// What two events cost a program of short launches, in nanoseconds: they keep the GPU from starting the next kernel early.
const ON_GPU: u64 = 8_000;
/// Number of launches of a kernel that are timed first, at up to twice the share.
const FIRST: u64 = 32;
/// The longest period, in launches.
const MAX_PERIOD: u32 = 1 << 14;

/// A cheap clock: ticks at a constant but unknown rate.
#[inline]
pub fn ticks() -> u64 {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 processor has the instruction.
    unsafe {
        std::arch::x86_64::_rdtsc()
    }
    #[cfg(not(target_arch = "x86_64"))]
    nanoseconds(libc::CLOCK_MONOTONIC)
}

/// A clock of the system, in nanoseconds.
pub fn nanoseconds(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the out parameter is valid; an unknown clock leaves it zero.
    unsafe { libc::clock_gettime(clock, &mut time) };
    (time.tv_sec as u64).wrapping_mul(1_000_000_000).wrapping_add(time.tv_nsec as u64)
}

/// What has been spent since the program began.
pub struct Budget {
    all: bool,
    start_ticks: u64,
    start_time: u64,
    spent_ticks: AtomicU64,
    /// Number of pairs of events.
    pairs: AtomicU64,
    period: AtomicU32,
    random: AtomicU64,
}

impl Budget {
    /// The budget of a process that starts now; `all` makes it unlimited.
    pub fn new(all: bool) -> Budget {
        Budget {
            all,
            start_ticks: ticks(),
            start_time: nanoseconds(libc::CLOCK_MONOTONIC),
            spent_ticks: AtomicU64::new(0),
            pairs: AtomicU64::new(0),
            period: AtomicU32::new(1),
            random: AtomicU64::new(0x9e37_79b9_7f4a_7c15),
        }
    }

    /// Records that the library has been working since `ticks() == since`.
    pub fn spend(&self, since: u64) {
        self.spent_ticks.fetch_add(ticks().saturating_sub(since), Relaxed);
    }

    /// Host time spent, in nanoseconds.
    pub fn spent(&self) -> u64 {
        let ran = ticks().saturating_sub(self.start_ticks).max(1);
        let time = nanoseconds(libc::CLOCK_MONOTONIC).saturating_sub(self.start_time);
        (self.spent_ticks.load(Relaxed) as f64 * (time as f64 / ran as f64)) as u64
    }

    /// Whether this launch should be timed.
    pub fn wants(&self, kernel: &Kernel, least_period: u32) -> bool {
        if self.all {
            return true;
        }
        let pause = kernel.pause.load(Relaxed);
        if pause > 0 {
            kernel.pause.store(pause - 1, Relaxed);
            return false;
        }
        let time = nanoseconds(libc::CLOCK_MONOTONIC).saturating_sub(self.start_time);
        let allowed = time / SHARE + ADVANCE;
        let spent = self.spent() + self.pairs.load(Relaxed) * ON_GPU;
        let is_first = kernel.timed.load(Relaxed) < FIRST && least_period == 1;
        let mut period = self.period.load(Relaxed);
        if is_first && spent < 2 * allowed {
            self.pairs.fetch_add(1, Relaxed);
            return true;
        }
        if spent > allowed {
            period = (period * 2).min(MAX_PERIOD);
        } else if spent < allowed / 2 {
            period = (period / 2).max(1);
        }
        self.period.store(period, Relaxed);
        let period = period.max(least_period);
        if period > 1 {
            kernel.pause.store(self.draw() % (2 * period - 1), Relaxed);
        }
        let is_affordable = spent <= allowed;
        if is_affordable {
            self.pairs.fetch_add(1, Relaxed);
        }
        is_affordable
    }

    /// A pseudo-random number.
    pub fn draw(&self) -> u32 {
        let mut x = self.random.load(Relaxed);
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        self.random.store(x, Relaxed);
        (x >> 32) as u32
    }
}
