//! Which of the driver's functions does the program call through us?
//!
//! Each hook has the name and type of the driver's function, calls it with the program's arguments and returns its
//! result. [`ROWS`] lists under which name and for which versions `cuGetProcAddress` returns the hook.
#![allow(non_snake_case, clippy::too_many_arguments, reason = "the driver's names and parameters")]

use crate::copies::{self, Region};
use crate::driver::{Handle, NOT_FOUND, SUCCESS};
use crate::format::{CLUSTER, COOPERATIVE, GRAPH, PROGRAMMATIC};
use crate::functions;
use crate::graphs;
use crate::launch::{Launch, launch};
use crate::lookup::{self, Slot};
use crate::state::{HAS_CAPTURES, State, state};
use libc::{c_char, c_int, c_uint, c_ulonglong, c_void};
use std::cell::Cell;
use std::ffi::CStr;
use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;

/// One hook.
pub struct Row {
    /// The name for `cuGetProcAddress`, without version and stream suffix.
    pub symbol: &'static CStr,
    /// The CUDA versions for which this variant is returned.
    pub versions: Range<c_int>,
    /// Whether this is the variant in which stream 0 is the calling thread's own.
    pub per_thread: bool,
    pub function: *const c_void,
    pub slot: &'static Slot,
}

// SAFETY: addresses of functions and of statics.
unsafe impl Sync for Row {}

/// End of the range of CUDA versions for functions that have not been superseded.
const EVER: c_int = c_int::MAX;

thread_local! {
    static IS_INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// The driver may call its own functions through our hooks, and so do we: only the outermost call of a thread counts.
struct Outermost;

impl Outermost {
    #[inline]
    fn enter() -> Option<Outermost> {
        (!IS_INSIDE.replace(true)).then(|| Outermost)
    }
}

impl Drop for Outermost {
    fn drop(&mut self) {
        IS_INSIDE.set(false);
    }
}

/// Defines one hook, with its slot in a module of the same name. `real` calls the driver; `own` says whether stream 0 is
/// the calling thread's own.
macro_rules! hook {
    ($name:ident $is_own:literal ($($argument:ident: $type:ty),*) $real:ident $own:tt $body:block) => {
        mod $name {
            use super::*;
            pub static SLOT: Slot = Slot::new(match CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                Ok(name) => name,
                Err(_) => c"",
            });
        }

        /// Called instead of the driver's function of this name.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($argument: $type),*) -> c_int {
            let address = $name::SLOT.get();
            if address == 0 {
                return NOT_FOUND;
            }
            // SAFETY: the driver's function of this name has this type, and these are the program's arguments.
            let $real = || unsafe {
                std::mem::transmute::<usize, unsafe extern "C" fn($($type),*) -> c_int>(address)($($argument),*)
            };
            let Some(_outermost) = Outermost::enter() else { return $real() };
            let $own = $is_own;
            $body
        }
    };
}

macro_rules! row {
    ($name:ident $is_own:literal $symbol:literal $from:tt $to:tt) => {
        Row {
            symbol: $symbol,
            versions: $from..$to,
            per_thread: $is_own,
            function: $name as *const c_void,
            slot: &$name::SLOT,
        }
    };
}

/// Defines hooks and [`ROWS`]: under which name of the driver, in which versions of CUDA, and with whose stream 0 each
/// function of one type is found.
macro_rules! hooks {
    ($($symbol:literal: $($name:ident $is_own:literal $from:tt..$to:tt),+; $arguments:tt $real:ident $own:tt $body:block)*) => {
        $($(hook!($name $is_own $arguments $real $own $body);)+)*

        /// Every hook.
        pub static ROWS: &[Row] = &[
            $($(row!($name $is_own $symbol $from $to),)+)*
            // found under a second name
            row!(cuGraphInstantiateWithFlags false c"cuGraphInstantiateWithFlags" 11040 EVER),
        ];
    };
}

fn kernel(
    function: Handle,
    grid: [u32; 3],
    block: [u32; 3],
    dynamic: u32,
    stream: Handle,
    per_thread: bool,
    flags: u32,
) -> Launch {
    Launch { function, grid, block, dynamic, stream, per_thread, flags, cluster: 0 }
}

fn graph(executable: Handle, stream: Handle, per_thread: bool) -> Launch {
    kernel(executable, [0; 3], [0; 3], 0, stream, per_thread, GRAPH)
}

/// The driver's `CUlaunchConfig`.
#[repr(C)]
pub struct Config {
    grid: [c_uint; 3],
    block: [c_uint; 3],
    dynamic: c_uint,
    stream: Handle,
    attributes: *const Attribute,
    count: c_uint,
}

/// The driver's `CUlaunchAttribute`.
#[repr(C)]
struct Attribute {
    id: c_uint,
    pad: c_uint,
    value: [c_uint; 16],
}

/// SAFETY: `config` is what the program hands to the driver: null or a whole configuration.
unsafe fn configured(config: *const Config, function: Handle, per_thread: bool) -> Option<Launch> {
    // SAFETY: as promised.
    let config = unsafe { config.as_ref() }?;
    let mut launch = kernel(function, config.grid, config.block, config.dynamic, config.stream, per_thread, 0);
    if !config.attributes.is_null() {
        // SAFETY: as promised, so many attributes are there.
        for attribute in unsafe { std::slice::from_raw_parts(config.attributes, config.count as usize) } {
            match (attribute.id, attribute.value) {
                (2, [on, ..]) if on != 0 => launch.flags |= COOPERATIVE,
                (4, [x, y, z, ..]) if x * y * z > 1 => {
                    launch.flags |= CLUSTER;
                    launch.cluster = x * y * z;
                }
                (6 | 7, _) => launch.flags |= PROGRAMMATIC,
                _ => {}
            }
        }
    }
    Some(launch)
}

fn waits(real: impl FnOnce() -> c_int) -> c_int {
    let answer = real();
    if let (SUCCESS, Some(state)) = (answer, state()) {
        state.after_wait();
    }
    answer
}

/// A synchronous copy; `region` is only evaluated if copies are recorded.
fn copied(real: impl FnOnce() -> c_int, region: impl FnOnce() -> Option<Region>) -> c_int {
    let answer = real();
    if let (SUCCESS, Some(state)) = (answer, state()) {
        state.after_wait();
        if state.mode.hash {
            copies::done(region());
        }
    }
    answer
}

/// An asynchronous copy.
fn copying(
    real: impl FnOnce() -> c_int,
    region: impl FnOnce() -> Option<Region>,
    stream: Handle,
    per_thread: bool,
) -> c_int {
    let answer = real();
    if answer == SUCCESS && state().is_some_and(|state| state.mode.hash) {
        copies::begun(region(), stream, per_thread);
    }
    answer
}

/// SAFETY: `from` is null or points to what `T` is.
unsafe fn read<T: Copy>(from: *const c_void) -> Option<T> {
    // SAFETY: as promised.
    (!from.is_null()).then(|| unsafe { from.cast::<T>().read_unaligned() })
}

/// The host memory filled by a `CUDA_MEMCPY2D` that the driver has accepted.
fn of_2d(from: *const c_void) -> Option<Region> {
    // SAFETY: it has 16 words.
    unsafe { read(from) }.and_then(|words| Region::of_2d(&words))
}

/// The host memory filled by a `CUDA_MEMCPY3D` that the driver has accepted.
fn of_3d(from: *const c_void) -> Option<Region> {
    let mut words = [0; 32];
    // SAFETY: it has 25 words.
    words[..25].copy_from_slice(&unsafe { read::<[u64; 25]>(from) }?);
    Region::of_3d(&words)
}

/// SAFETY: `found` and `name` are what a look-up of the driver with this answer took.
unsafe fn named(answer: c_int, found: *const Handle, name: *const c_char, is_kernel: bool) -> c_int {
    if let Some(state) = state().filter(|_| answer == SUCCESS && !found.is_null() && !name.is_null()) {
        // SAFETY: as promised.
        let (handle, text) = unsafe { (*found, CStr::from_ptr(name)) };
        functions::note_name(state, handle, text.to_bytes(), is_kernel);
    }
    answer
}

/// SAFETY: `executable` is what a successful instantiation of `graph` wrote.
unsafe fn instantiated(answer: c_int, executable: *const Handle, graph: Handle) -> c_int {
    if let (SUCCESS, Some(state), false) = (answer, state(), executable.is_null()) {
        // SAFETY: as promised.
        graphs::note(state, unsafe { *executable }, graph);
    }
    answer
}

/// SAFETY: the others are the arguments of a look-up with this answer.
unsafe fn looked_up(
    answer: c_int,
    symbol: *const c_char,
    found: *mut *mut c_void,
    version: c_int,
    flags: u64,
) -> c_int {
    if answer == SUCCESS {
        // SAFETY: as promised.
        unsafe { lookup::replace(symbol, found, version, flags) };
    }
    answer
}

fn capturing(real: impl FnOnce() -> c_int) -> c_int {
    HAS_CAPTURES.store(true, Relaxed);
    real()
}

fn before(act: impl FnOnce(&State), real: impl FnOnce() -> c_int) -> c_int {
    if let Some(state) = state() {
        act(state);
    }
    real()
}

hooks! {
    c"cuGetProcAddress": cuGetProcAddress false 0..12000;
    (symbol: *const c_char, found: *mut *mut c_void, version: c_int, flags: u64) real _ {
        // SAFETY: the program's own arguments.
        unsafe { looked_up(real(), symbol, found, version, flags) }
    }
    c"cuGetProcAddress": cuGetProcAddress_v2 false 12000..EVER;
    (symbol: *const c_char, found: *mut *mut c_void, version: c_int, flags: u64, status: *mut c_int) real _ {
        // SAFETY: the program's own arguments.
        unsafe { looked_up(real(), symbol, found, version, flags) }
    }

    c"cuLaunchKernel": cuLaunchKernel false 4000..EVER, cuLaunchKernel_ptsz true 7000..EVER;
    (f: Handle, gx: c_uint, gy: c_uint, gz: c_uint, x: c_uint, y: c_uint, z: c_uint, shared: c_uint, stream: Handle,
        parameters: *mut *mut c_void, extra: *mut *mut c_void) real own {
        launch(&kernel(f, [gx, gy, gz], [x, y, z], shared, stream, own, 0), real)
    }
    c"cuLaunchCooperativeKernel": cuLaunchCooperativeKernel false 9000..EVER, cuLaunchCooperativeKernel_ptsz true 9000..EVER;
    (f: Handle, gx: c_uint, gy: c_uint, gz: c_uint, x: c_uint, y: c_uint, z: c_uint, shared: c_uint, stream: Handle,
        parameters: *mut *mut c_void) real own {
        launch(&kernel(f, [gx, gy, gz], [x, y, z], shared, stream, own, COOPERATIVE), real)
    }
    c"cuLaunchKernelEx": cuLaunchKernelEx false 11060..EVER, cuLaunchKernelEx_ptsz true 11060..EVER;
    (config: *const Config, f: Handle, parameters: *mut *mut c_void, extra: *mut *mut c_void) real own {
        // SAFETY: the program's own argument.
        match unsafe { configured(config, f, own) } { Some(what) => launch(&what, real), None => real() }
    }
    c"cuGraphLaunch": cuGraphLaunch false 10000..EVER, cuGraphLaunch_ptsz true 10000..EVER;
    (executable: Handle, stream: Handle) real own {
        let answer = launch(&graph(executable, stream, own), real);
        if answer == SUCCESS { copies::of_graph(executable, stream, own) }
        answer
    }

    c"cuGraphInstantiate": cuGraphInstantiate false 10000..11000, cuGraphInstantiate_v2 false 11000..12000;
    (executable: *mut Handle, graph: Handle, node: usize, log: usize, size: usize) real _ {
        // SAFETY: the driver's answer.
        unsafe { instantiated(real(), executable, graph) }
    }
    c"cuGraphInstantiate": cuGraphInstantiateWithFlags false 12000..EVER;
    (executable: *mut Handle, graph: Handle, flags: c_ulonglong) real _ {
        // SAFETY: the driver's answer.
        unsafe { instantiated(real(), executable, graph) }
    }
    c"cuGraphInstantiateWithParams": cuGraphInstantiateWithParams false 12000..EVER,
        cuGraphInstantiateWithParams_ptsz true 12000..EVER;
    (executable: *mut Handle, graph: Handle, parameters: *mut c_void) real _ {
        // SAFETY: the driver's answer.
        unsafe { instantiated(real(), executable, graph) }
    }
    c"cuStreamBeginCapture": cuStreamBeginCapture false 10000..10010, cuStreamBeginCapture_ptsz true 10000..10010;
    (stream: Handle) real _ { capturing(real) }
    c"cuStreamBeginCapture": cuStreamBeginCapture_v2 false 10010..EVER, cuStreamBeginCapture_v2_ptsz true 10010..EVER;
    (stream: Handle, mode: c_int) real _ { capturing(real) }
    c"cuStreamBeginCaptureToGraph": cuStreamBeginCaptureToGraph false 12030..EVER,
        cuStreamBeginCaptureToGraph_ptsz true 12030..EVER;
    (stream: Handle, graph: Handle, nodes: usize, edges: usize, count: usize, mode: c_int) real _ { capturing(real) }

    c"cuModuleGetFunction": cuModuleGetFunction false 2000..EVER;
    (found: *mut Handle, module: Handle, name: *const c_char) real _ {
        // SAFETY: the driver's answer.
        unsafe { named(real(), found, name, false) }
    }
    c"cuLibraryGetKernel": cuLibraryGetKernel false 12000..EVER;
    (found: *mut Handle, library: Handle, name: *const c_char) real _ {
        // SAFETY: the driver's answer.
        unsafe { named(real(), found, name, true) }
    }

    c"cuCtxSynchronize": cuCtxSynchronize false 2000..13000; () real _ { waits(real) }
    c"cuCtxSynchronize": cuCtxSynchronize_v2 false 13000..EVER; (context: Handle) real _ { waits(real) }
    c"cuStreamSynchronize": cuStreamSynchronize false 2000..EVER, cuStreamSynchronize_ptsz true 7000..EVER;
    (stream: Handle) real _ { waits(real) }
    c"cuStreamQuery": cuStreamQuery false 2000..EVER, cuStreamQuery_ptsz true 7000..EVER;
    (stream: Handle) real _ { waits(real) }
    c"cuEventSynchronize": cuEventSynchronize false 2000..EVER; (event: Handle) real _ { waits(real) }
    c"cuEventQuery": cuEventQuery false 2000..EVER; (event: Handle) real _ { waits(real) }
    c"cuMemFree": cuMemFree_v2 false 3020..EVER; (pointer: u64) real _ { waits(real) }
    c"cuMemFreeHost": cuMemFreeHost false 2000..EVER;
    (pointer: usize) real _ { before(|_| copies::forget_memory(pointer), real) }
    c"cuMemHostUnregister": cuMemHostUnregister false 4000..EVER;
    (pointer: usize) real _ { before(|_| copies::forget_memory(pointer), real) }
    c"cuMemAllocManaged": cuMemAllocManaged false 6000..EVER;
    (pointer: *mut u64, bytes: usize, flags: c_uint) real _ {
        before(|state| { state.table.header.managed_bytes.fetch_add(bytes as u64, Relaxed); }, real)
    }
    c"cuCtxDestroy": cuCtxDestroy_v2 false 4000..EVER;
    (context: Handle) real _ { before(|state| state.forget_contexts(|of, _| of == context), real) }
    c"cuDevicePrimaryCtxReset": cuDevicePrimaryCtxReset false 7000..11000, cuDevicePrimaryCtxReset_v2 false 11000..EVER;
    (device: c_int) real _ { before(|state| state.forget_contexts(|_, of| of == device), real) }
    c"cuDevicePrimaryCtxRelease": cuDevicePrimaryCtxRelease false 7000..11000,
        cuDevicePrimaryCtxRelease_v2 false 11000..EVER;
    (device: c_int) real _ { before(|state| state.forget_contexts(|_, of| of == device), real) }

    c"cuMemcpyDtoH": cuMemcpyDtoH_v2 false 3020..EVER, cuMemcpyDtoH_v2_ptds true 7000..EVER;
    (to: usize, from: u64, bytes: usize) real _ { copied(real, || Some(Region::flat(to, bytes))) }
    c"cuMemcpyDtoHAsync": cuMemcpyDtoHAsync_v2 false 3020..EVER, cuMemcpyDtoHAsync_v2_ptsz true 7000..EVER;
    (to: usize, from: u64, bytes: usize, stream: Handle) real own {
        copying(real, || Some(Region::flat(to, bytes)), stream, own)
    }
    c"cuMemcpyAtoH": cuMemcpyAtoH_v2 false 3020..EVER, cuMemcpyAtoH_v2_ptds true 7000..EVER;
    (to: usize, from: Handle, offset: usize, bytes: usize) real _ { copied(real, || Some(Region::flat(to, bytes))) }
    c"cuMemcpy": cuMemcpy false 4000..EVER, cuMemcpy_ptds true 7000..EVER;
    (to: u64, from: u64, bytes: usize) real _ { copied(real, || copies::of_unified(to, from, bytes)) }
    c"cuMemcpyAsync": cuMemcpyAsync false 4000..EVER, cuMemcpyAsync_ptsz true 7000..EVER;
    (to: u64, from: u64, bytes: usize, stream: Handle) real own {
        copying(real, || copies::of_unified(to, from, bytes), stream, own)
    }
    c"cuMemcpy2D": cuMemcpy2D_v2 false 3020..EVER, cuMemcpy2D_v2_ptds true 7000..EVER;
    (copy: *const c_void) real _ { copied(real, || of_2d(copy)) }
    c"cuMemcpy2DUnaligned": cuMemcpy2DUnaligned_v2 false 3020..EVER, cuMemcpy2DUnaligned_v2_ptds true 7000..EVER;
    (copy: *const c_void) real _ { copied(real, || of_2d(copy)) }
    c"cuMemcpy2DAsync": cuMemcpy2DAsync_v2 false 3020..EVER, cuMemcpy2DAsync_v2_ptsz true 7000..EVER;
    (copy: *const c_void, stream: Handle) real own { copying(real, || of_2d(copy), stream, own) }
    c"cuMemcpy3D": cuMemcpy3D_v2 false 3020..EVER, cuMemcpy3D_v2_ptds true 7000..EVER;
    (copy: *const c_void) real _ { copied(real, || of_3d(copy)) }
    c"cuMemcpy3DAsync": cuMemcpy3DAsync_v2 false 3020..EVER, cuMemcpy3DAsync_v2_ptsz true 7000..EVER;
    (copy: *const c_void, stream: Handle) real own { copying(real, || of_3d(copy), stream, own) }
}
