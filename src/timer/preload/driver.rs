//! Which of the driver's functions does the library itself call? They are looked up in the `libcuda.so.1` that the
//! program has loaded, bypassing our own hooks.

use crate::lookup;
use crate::state::HAS_CAPTURES;
use libc::{c_char, c_int, c_uint};
use std::ffi::CStr;
use std::sync::OnceLock;
use std::sync::atomic::Ordering;

/// An object of the driver: a context, a stream, an event, a function or a graph.
pub type Handle = usize;

/// `CUDA_SUCCESS`.
pub const SUCCESS: c_int = 0;
/// `CUDA_ERROR_NOT_FOUND`.
pub const NOT_FOUND: c_int = 500;
/// `CUDA_ERROR_NOT_READY`: an event has not been reached.
pub const NOT_READY: c_int = 600;
/// `CUDA_ERROR_DEINITIALIZED`: the driver is shutting down.
pub const DEINITIALISED: c_int = 4;

macro_rules! driver {
    ($($field:ident = $name:literal ($($argument:ident: $type:ty),*);)*) => {
        /// Addresses of the driver's functions; 0 where this driver has none of that name.
        pub struct Driver {
            $($field: usize,)*
        }

        impl Driver {
            fn find() -> Driver {
                Driver { $($field: lookup::in_driver($name),)* }
            }

            $(
                /// The driver's function; [`NOT_FOUND`] where it has none.
                #[inline]
                pub fn $field(&self $(, $argument: $type)*) -> c_int {
                    if self.$field == 0 {
                        return NOT_FOUND;
                    }
                    // SAFETY: the driver's function of this name has this type; it checks the handles itself, and the
                    // program gave them to it or got them from it.
                    unsafe {
                        std::mem::transmute::<usize, unsafe extern "C" fn($($type),*) -> c_int>(self.$field)($($argument),*)
                    }
                }
            )*
        }
    };
}

driver! {
    version = c"cuDriverGetVersion" (version: &mut c_int);
    current_context = c"cuCtxGetCurrent" (context: &mut Handle);
    current_device = c"cuCtxGetDevice" (device: &mut c_int);
    device_attribute = c"cuDeviceGetAttribute" (value: &mut c_int, which: c_int, device: c_int);
    device_name = c"cuDeviceGetName" (name: &mut [u8; 64], length: c_int, device: c_int);
    event_create = c"cuEventCreate" (event: &mut Handle, flags: c_uint);
    event_record_legacy = c"cuEventRecord" (event: Handle, stream: Handle);
    event_record_per_thread = c"cuEventRecord_ptsz" (event: Handle, stream: Handle);
    event_query = c"cuEventQuery" (event: Handle);
    event_elapsed = c"cuEventElapsedTime" (milliseconds: &mut f32, start: Handle, end: Handle);
    is_capturing_legacy = c"cuStreamIsCapturing" (stream: Handle, status: &mut c_int);
    is_capturing_per_thread = c"cuStreamIsCapturing_ptsz" (stream: Handle, status: &mut c_int);
    exchange_capture_mode = c"cuThreadExchangeStreamCaptureMode" (mode: &mut c_int);
    function_attribute = c"cuFuncGetAttribute" (value: &mut c_int, which: c_int, function: Handle);
    function_name = c"cuFuncGetName" (name: &mut *const c_char, function: Handle);
    kernel_name = c"cuKernelGetName" (name: &mut *const c_char, kernel: Handle);
    kernel_function = c"cuKernelGetFunction" (function: &mut Handle, kernel: Handle);
    resident_blocks = c"cuOccupancyMaxActiveBlocksPerMultiprocessor"
        (blocks: &mut c_int, function: Handle, threads: c_int, dynamic: usize);
    pointer_attribute = c"cuPointerGetAttribute" (value: &mut c_uint, which: c_int, pointer: usize);
    graph_nodes = c"cuGraphGetNodes" (graph: Handle, nodes: *mut Handle, count: &mut usize);
    node_type = c"cuGraphNodeGetType" (node: Handle, kind: &mut c_int);
    kernel_node = c"cuGraphKernelNodeGetParams_v2" (node: Handle, parameters: &mut [u64; 16]);
    copy_node = c"cuGraphMemcpyNodeGetParams" (node: Handle, parameters: &mut [u64; 32]);
}

/// The driver, after the program has loaded it.
pub fn driver() -> &'static Driver {
    static DRIVER: OnceLock<Driver> = OnceLock::new();
    DRIVER.get_or_init(Driver::find)
}

impl Driver {
    /// Records an event on a stream as the calling thread sees that stream.
    #[inline]
    pub fn event_record(&self, event: Handle, stream: Handle, per_thread: bool) -> c_int {
        if per_thread { self.event_record_per_thread(event, stream) } else { self.event_record_legacy(event, stream) }
    }

    /// Whether the stream is being captured into a graph, or cannot be queried because another one is.
    pub fn is_capturing(&self, stream: Handle, per_thread: bool) -> bool {
        let mut status = 0;
        let answer = if per_thread {
            self.is_capturing_per_thread(stream, &mut status)
        } else {
            self.is_capturing_legacy(stream, &mut status)
        };
        answer != SUCCESS || status != 0
    }

    /// Whether a pointer refers to host memory; `None` if the driver does not know it at all (pageable memory).
    pub fn is_host(&self, pointer: usize) -> Option<bool> {
        /// `CU_POINTER_ATTRIBUTE_MEMORY_TYPE` and its value `CU_MEMORYTYPE_HOST`.
        const MEMORY_TYPE: c_int = 2;
        const HOST: c_uint = 1;
        let mut kind = 0;
        (self.pointer_attribute(&mut kind, MEMORY_TYPE, pointer) == SUCCESS && kind != 0).then_some(kind == HOST)
    }

    /// The name that the driver keeps for a function or kernel.
    pub fn name_of(&self, handle: Handle, is_kernel: bool) -> Option<Vec<u8>> {
        let mut name: *const c_char = std::ptr::null();
        let answer =
            if is_kernel { self.kernel_name(&mut name, handle) } else { self.function_name(&mut name, handle) };
        // SAFETY: the driver's names end in a NUL and live as long as the function.
        (answer == SUCCESS && !name.is_null()).then(|| unsafe { CStr::from_ptr(name) }.to_bytes().to_vec())
    }
}

/// While this exists, the calling thread may make driver calls that are otherwise forbidden while another thread
/// captures a stream.
pub struct Relaxed {
    before: c_int,
}

impl Relaxed {
    /// Begins it; it ends when the result is dropped. Costs nothing in programs that never capture.
    pub fn enter() -> Option<Relaxed> {
        /// `CU_STREAM_CAPTURE_MODE_RELAXED`.
        const RELAXED: c_int = 2;
        let mut mode = RELAXED;
        (HAS_CAPTURES.load(Ordering::Relaxed) && driver().exchange_capture_mode(&mut mode) == SUCCESS)
            .then(|| Relaxed { before: mode })
    }
}

impl Drop for Relaxed {
    fn drop(&mut self) {
        driver().exchange_capture_mode(&mut self.before);
    }
}
