//! What does the library know of the running process?
//!
//! One [`State`], made when the program first asks for the driver, so that processes without CUDA leave no trace. A
//! forked child starts with none: its parent's events are not its own, and it writes a table of its own.

use crate::budget::{Budget, ticks};
use crate::copies::Copies;
use crate::driver::{Handle, SUCCESS, driver};
use crate::format::Table;
use crate::functions::Functions;
use crate::launch::Pending;
use crate::table::{self, Mode};
use std::cell::Cell;
use std::collections::HashMap;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32};
use std::sync::{Mutex, MutexGuard, Once, TryLockError};

/// Everything of one process.
pub struct State {
    pub table: &'static Table,
    pub mode: Mode,
    pub budget: Budget,
    pub functions: Functions,
    pub streams: crate::launch::Streams,
    inner: Mutex<Inner>,
    /// Launches whose end events have not been read: a glance without the lock.
    pub waiting: AtomicU32,
}

/// What one thread at a time may touch.
#[derive(Default)]
pub struct Inner {
    pub names: HashMap<Handle, Name>,
    pub pools: HashMap<Handle, Pool>,
    pub graph_copies: HashMap<Handle, Vec<crate::copies::Region>>,
    pub copies: Copies,
}

/// How a function was called when the program looked it up.
pub struct Name {
    pub text: Vec<u8>,
    /// A kernel of a library, which stands for one function in each context.
    pub is_kernel: bool,
}

/// The events of one context.
#[derive(Default)]
pub struct Pool {
    pub device: i32,
    pub free: Vec<(Handle, Handle)>,
    pub pending: Vec<Pending>,
    pub made: usize,
}

/// Whether any stream was ever captured here.
pub static HAS_CAPTURES: AtomicBool = AtomicBool::new(false);

static STATE: AtomicPtr<State> = AtomicPtr::new(std::ptr::null_mut());
/// There is no folder to write to: everything goes through untimed.
static IS_OFF: AtomicBool = AtomicBool::new(false);
static MAKING: Mutex<()> = Mutex::new(());

/// The state, if the program has asked for the driver and there is a table.
#[inline]
pub fn state() -> Option<&'static State> {
    let state = STATE.load(Acquire);
    if state.is_null() {
        return if IS_OFF.load(Relaxed) { None } else { make() };
    }
    // SAFETY: a leaked box that is never written through this pointer.
    Some(unsafe { &*state })
}

/// Makes the state, as the program asks for the driver.
pub fn wake() {
    state();
}

#[cold]
fn make() -> Option<&'static State> {
    static HANDLERS: Once = Once::new();
    let _only = MAKING.lock().unwrap_or_else(|broken| broken.into_inner());
    let state = STATE.load(Acquire);
    if !state.is_null() {
        // SAFETY: as in `state`.
        return Some(unsafe { &*state });
    }
    let mode = Mode::wanted();
    let Some(table) = table::create(mode) else {
        IS_OFF.store(true, Relaxed);
        return None;
    };
    // SAFETY: the handler only stores to atomics.
    HANDLERS.call_once(|| unsafe {
        libc::pthread_atfork(None, None, Some(in_child));
    });
    let state: &'static State = Box::leak(Box::new(State {
        table,
        mode,
        budget: Budget::new(mode.all),
        functions: Functions::new(),
        streams: crate::launch::Streams::new(),
        inner: Mutex::default(),
        waiting: AtomicU32::new(0),
    }));
    STATE.store(std::ptr::from_ref(state).cast_mut(), Release);
    Some(state)
}

extern "C" fn in_child() {
    STATE.store(std::ptr::null_mut(), Release);
    HAS_CAPTURES.store(false, Relaxed);
}

/// Reads what is done when the program exits by itself. Registered at the first launch, after the runtime's own handlers,
/// so that it runs before them and the driver is still there.
pub fn at_exit() {
    static REGISTERED: Once = Once::new();
    extern "C" fn finish() {
        let state = STATE.load(Acquire);
        if !state.is_null() {
            // SAFETY: as in `state`.
            let state = unsafe { &*state };
            // A thread that is in the middle of something may never go on.
            if let Some(mut inner) = (0..100).find_map(|turn| {
                std::thread::sleep(std::time::Duration::from_micros(if turn == 0 { 0 } else { 100 }));
                state.try_lock()
            }) {
                crate::launch::collect(state, &mut inner);
                crate::copies::collect(state, &mut inner);
            }
        }
    }
    // SAFETY: a function without arguments that stays loaded.
    REGISTERED.call_once(|| unsafe {
        libc::atexit(finish);
    });
}

impl State {
    /// The part that one thread at a time may touch.
    pub fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(|broken| broken.into_inner())
    }

    fn try_lock(&self) -> Option<MutexGuard<'_, Inner>> {
        match self.inner.try_lock() {
            Ok(inner) => Some(inner),
            Err(TryLockError::Poisoned(broken)) => Some(broken.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Notes what was spent since then.
    pub fn spend(&self, since: u64) {
        self.budget.spend(since);
        if self.budget.draw().is_multiple_of(64) {
            self.table.header.own_time.store(self.budget.spent(), Relaxed);
        }
    }

    /// After a call that waited for the GPU: reads all that is done.
    #[inline]
    pub fn after_wait(&self) {
        if self.waiting.load(Relaxed) == 0 && !self.mode.hash {
            return;
        }
        let since = ticks();
        let mut inner = self.lock();
        crate::launch::collect(self, &mut inner);
        crate::copies::collect(self, &mut inner);
        drop(inner);
        self.spend(since);
        self.table.header.own_time.store(self.budget.spent(), Relaxed);
    }

    /// Before contexts go away: reads what is done and forgets the events, which go with them.
    pub fn forget_contexts(&self, is_gone: impl Fn(Handle, i32) -> bool) {
        let mut inner = self.lock();
        crate::launch::collect(self, &mut inner);
        crate::copies::collect(self, &mut inner);
        inner.pools.retain(|context, pool| !is_gone(*context, pool.device));
        inner.copies.forget();
        self.functions.forget();
    }
}

thread_local! {
    static LATEST: Cell<(Handle, i32)> = const { Cell::new((0, 0)) };
}

/// The context and the device of the calling thread.
#[inline]
pub fn current() -> Option<(Handle, i32)> {
    let (mut context, mut device) = (0, 0);
    if driver().current_context(&mut context) != SUCCESS || context == 0 {
        return None;
    }
    let latest = LATEST.get();
    if latest.0 == context {
        return Some(latest);
    }
    if driver().current_device(&mut device) != SUCCESS {
        return None;
    }
    LATEST.set((context, device));
    Some((context, device))
}
