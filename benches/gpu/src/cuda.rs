//! How is the NVIDIA driver called? A thin safe wrapper, loaded at run time, of the few driver functions that a
//! benchmark needs. Everything runs on one thread, with the device's primary context current; handles live as long as
//! the process, which is one worker.

#![allow(unsafe_code)] // calls into the driver's library

use anyhow::{Context, Result, bail};
use libloading::Library;
use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::ptr::null_mut;

type Code = c_int;

/// Declares the table of entry points and loads it.
macro_rules! entry_points {
    ($($field:ident = $symbol:literal : fn($($arg:ty),*);)*) => {
        struct EntryPoints { $($field: unsafe extern "C" fn($($arg),*) -> Code,)* }
        impl EntryPoints {
            fn load(library: &'static Library) -> Result<EntryPoints> {
                Ok(EntryPoints { $($field: {
                    // SAFETY: the signature is the one cuda.h declares for this symbol.
                    let symbol = unsafe { library.get::<unsafe extern "C" fn($($arg),*) -> Code>($symbol.as_bytes()) };
                    *symbol.with_context(|| format!("the NVIDIA driver lacks {}", $symbol))?
                },)* })
            }
        }
    };
}

entry_points! {
    init = "cuInit": fn(c_uint);
    driver_version = "cuDriverGetVersion": fn(*mut c_int);
    device_get = "cuDeviceGet": fn(*mut c_int, c_int);
    device_name = "cuDeviceGetName": fn(*mut c_char, c_int, c_int);
    device_attribute = "cuDeviceGetAttribute": fn(*mut c_int, c_int, c_int);
    context_retain = "cuDevicePrimaryCtxRetain": fn(*mut *mut c_void, c_int);
    context_set = "cuCtxSetCurrent": fn(*mut c_void);
    context_limit = "cuCtxSetLimit": fn(c_int, usize);
    synchronize = "cuCtxSynchronize": fn();
    module_load = "cuModuleLoadData": fn(*mut *mut c_void, *const c_void);
    module_unload = "cuModuleUnload": fn(*mut c_void);
    module_function = "cuModuleGetFunction": fn(*mut *mut c_void, *mut c_void, *const c_char);
    module_global = "cuModuleGetGlobal_v2": fn(*mut u64, *mut usize, *mut c_void, *const c_char);
    function_attribute = "cuFuncGetAttribute": fn(*mut c_int, c_int, *mut c_void);
    function_set_attribute = "cuFuncSetAttribute": fn(*mut c_void, c_int, c_int);
    occupancy = "cuOccupancyMaxActiveBlocksPerMultiprocessor": fn(*mut c_int, *mut c_void, c_int, usize);
    alloc = "cuMemAlloc_v2": fn(*mut u64, usize);
    free = "cuMemFree_v2": fn(u64);
    upload = "cuMemcpyHtoD_v2": fn(u64, *const c_void, usize);
    download = "cuMemcpyDtoH_v2": fn(*mut c_void, u64, usize);
    copy = "cuMemcpyDtoDAsync_v2": fn(u64, u64, usize, *mut c_void);
    fill = "cuMemsetD8Async": fn(u64, u8, usize, *mut c_void);
    launch = "cuLaunchKernel": fn(*mut c_void, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, *mut c_void, *mut *mut c_void, *mut *mut c_void);
    event_create = "cuEventCreate": fn(*mut *mut c_void, c_uint);
    event_record = "cuEventRecord": fn(*mut c_void, *mut c_void);
    event_synchronize = "cuEventSynchronize": fn(*mut c_void);
    event_elapsed = "cuEventElapsedTime": fn(*mut f32, *mut c_void, *mut c_void);
    error_name = "cuGetErrorName": fn(Code, *mut *const c_char);
    error_string = "cuGetErrorString": fn(Code, *mut *const c_char);
}

const LIBRARY: &str = "libcuda.so.1";
const LIMIT_STACK_SIZE: c_int = 0;
const DEVICE_MULTIPROCESSORS: c_int = 16;
const DEVICE_MAJOR: c_int = 75;
const DEVICE_MINOR: c_int = 76;
const FUNCTION_MAX_THREADS: c_int = 0;
const FUNCTION_LOCAL_BYTES: c_int = 3;
const FUNCTION_MAX_DYNAMIC_SHARED: c_int = 8;

/// A device, ready.
pub struct Device {
    calls: EntryPoints,
    pub name: String,
    pub driver: String,
    pub multiprocessors: i32,
    /// Compute capability.
    pub capability: (i32, i32),
    start: Event,
    stop: Event,
}

#[derive(Clone, Copy)]
struct Event(*mut c_void);

/// A kernel of a loaded cubin.
#[derive(Clone, Copy)]
pub struct Function(*mut c_void);

/// A loaded cubin.
#[derive(Clone, Copy)]
pub struct Module(*mut c_void);

/// Device memory, freed by hand: [`Device::free`].
#[derive(Clone, Copy, Debug)]
pub struct Buffer {
    pub address: u64,
    pub bytes: usize,
}

/// Grid, block and dynamic shared memory.
#[derive(Clone, Copy)]
pub struct Shape {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub shared: u32,
}

impl Device {
    /// Opens the driver and the first device.
    pub fn open() -> Result<Device> {
        // SAFETY: the driver's initialisers are meant to run in any process.
        let library = unsafe { Library::new(LIBRARY) };
        let library =
            library.map_err(|error| anyhow::anyhow!("no NVIDIA driver found: {LIBRARY}: {}", plain(&error)))?;
        // the library stays loaded: its functions are called until the process ends
        let calls = EntryPoints::load(Box::leak(Box::new(library)))?;
        let mut device = Device {
            calls,
            name: String::new(),
            driver: String::new(),
            multiprocessors: 0,
            capability: (0, 0),
            start: Event(null_mut()),
            stop: Event(null_mut()),
        };
        device.start_up()?;
        Ok(device)
    }

    fn start_up(&mut self) -> Result<()> {
        let calls = &self.calls;
        let (mut version, mut ordinal, mut context) = (0, 0, null_mut());
        let mut name = [0u8; 256];
        let (mut start, mut stop) = (null_mut(), null_mut());
        let attribute = |which| {
            let mut value = 0;
            // SAFETY: `value` is valid for writes; device 0 exists once `device_get` has answered.
            self.check(unsafe { (calls.device_attribute)(&raw mut value, which, 0) }, "asking for an attribute")?;
            anyhow::Ok(value)
        };
        // SAFETY: every pointer is to a local that is valid for writes; the name's length is passed with it.
        unsafe {
            self.check((calls.init)(0), "starting the driver")?;
            self.check((calls.driver_version)(&raw mut version), "asking for the version")?;
            self.check((calls.device_get)(&raw mut ordinal, 0), "opening the first GPU")?;
            self.check((calls.device_name)(name.as_mut_ptr().cast(), 256, ordinal), "asking for the name")?;
            self.check((calls.context_retain)(&raw mut context, ordinal), "making a context")?;
            self.check((calls.context_set)(context), "entering the context")?;
            self.check((calls.event_create)(&raw mut start, 0), "making an event")?;
            self.check((calls.event_create)(&raw mut stop, 0), "making an event")?;
        }
        let (multiprocessors, capability) =
            (attribute(DEVICE_MULTIPROCESSORS)?, (attribute(DEVICE_MAJOR)?, attribute(DEVICE_MINOR)?));
        self.name = CStr::from_bytes_until_nul(&name)?.to_string_lossy().into_owned();
        self.driver = format!("CUDA {}.{}", version / 1000, version % 1000 / 10);
        (self.multiprocessors, self.capability) = (multiprocessors, capability);
        (self.start, self.stop) = (Event(start), Event(stop));
        Ok(())
    }

    /// Gives every thread a stack of so many bytes, for calls whose depth ptxas does not know.
    pub fn set_stack(&self, bytes: usize) -> Result<()> {
        // SAFETY: a context is current.
        self.check(unsafe { (self.calls.context_limit)(LIMIT_STACK_SIZE, bytes) }, "asking for stacks")
    }

    /// Loads a cubin and finds a kernel in it.
    pub fn function(&self, cubin: &[u8], entry: &str, shared: u32) -> Result<Function> {
        Ok(self.load(cubin, entry, shared)?.1)
    }

    /// The same with the module, if its variables are needed, too.
    pub fn load(&self, cubin: &[u8], entry: &str, shared: u32) -> Result<(Module, Function)> {
        let module = self.module(cubin)?;
        Ok((module, self.entry(module, entry, shared)?))
    }

    /// Loads a cubin with several kernels.
    pub fn module(&self, cubin: &[u8]) -> Result<Module> {
        let mut module = null_mut();
        // SAFETY: a cubin is an ELF image that carries its own length; `module` is valid for writes.
        let code = unsafe { (self.calls.module_load)(&raw mut module, cubin.as_ptr().cast()) };
        self.check(code, "loading the cubin")?;
        Ok(Module(module))
    }

    /// Unloads a cubin, whose kernels are gone then.
    pub fn unload(&self, module: Module) -> Result<()> {
        // SAFETY: the module came from `module`.
        self.check(unsafe { (self.calls.module_unload)(module.0) }, "unloading the cubin")
    }

    /// Finds a kernel of a cubin.
    pub fn entry(&self, module: Module, entry: &str, shared: u32) -> Result<Function> {
        let mut function = null_mut();
        let entry = CString::new(entry)?;
        // SAFETY: the module is loaded; the other pointers are valid for the call.
        unsafe {
            let found = (self.calls.module_function)(&raw mut function, module.0, entry.as_ptr());
            self.check(found, "looking for the kernel")?;
            if shared > 0 {
                let set = (self.calls.function_set_attribute)(function, FUNCTION_MAX_DYNAMIC_SHARED, shared as c_int);
                self.check(set, "asking for dynamic shared memory")?;
            }
        }
        Ok(Function(function))
    }

    /// Address and size of a global variable.
    pub fn global(&self, module: Module, name: &str) -> Result<Buffer> {
        let (mut address, mut bytes) = (0, 0);
        let symbol = CString::new(name)?;
        // SAFETY: the module is loaded; the other pointers are valid for the call.
        let code = unsafe { (self.calls.module_global)(&raw mut address, &raw mut bytes, module.0, symbol.as_ptr()) };
        self.check(code, &format!("looking for {name}"))?;
        Ok(Buffer { address, bytes })
    }

    /// Blocks of a kernel that fit on a multiprocessor.
    pub fn occupancy(&self, function: Function, shape: Shape) -> Result<u32> {
        let mut blocks = 0;
        let threads = shape.block.iter().product::<u32>() as c_int;
        // SAFETY: `blocks` is valid for writes and the function is loaded.
        let code = unsafe { (self.calls.occupancy)(&raw mut blocks, function.0, threads, shape.shared as usize) };
        self.check(code, "asking for the occupancy")?;
        Ok(blocks as u32)
    }

    /// Bytes of local memory of a thread.
    pub fn local_bytes(&self, function: Function) -> Result<u32> {
        self.attribute(function, FUNCTION_LOCAL_BYTES, "asking for the local memory")
    }

    /// Threads of the largest block with which a kernel can be launched.
    pub fn max_threads(&self, function: Function) -> Result<u32> {
        self.attribute(function, FUNCTION_MAX_THREADS, "asking for the largest block")
    }

    fn attribute(&self, function: Function, which: c_int, what: &str) -> Result<u32> {
        let mut value = 0;
        // SAFETY: `value` is valid for writes and the function is loaded.
        self.check(unsafe { (self.calls.function_attribute)(&raw mut value, which, function.0) }, what)?;
        Ok(value as u32)
    }

    pub fn alloc(&self, bytes: usize) -> Result<Buffer> {
        let mut address = 0;
        // SAFETY: `address` is valid for writes.
        self.check(unsafe { (self.calls.alloc)(&raw mut address, bytes) }, "allocating memory")?;
        Ok(Buffer { address, bytes })
    }

    pub fn free(&self, buffer: Buffer) -> Result<()> {
        // SAFETY: the address came from `alloc`; the driver refuses one that was freed before.
        self.check(unsafe { (self.calls.free)(buffer.address) }, "freeing memory")
    }

    pub fn upload(&self, to: Buffer, from: &[u8]) -> Result<()> {
        assert_eq!(to.bytes, from.len());
        // SAFETY: `from` is that long, and so is the device's buffer.
        self.check(unsafe { (self.calls.upload)(to.address, from.as_ptr().cast(), from.len()) }, "copying to the GPU")
    }

    pub fn download(&self, from: Buffer) -> Result<Vec<u8>> {
        let mut bytes = vec![0u8; from.bytes];
        // SAFETY: `bytes` is as long as the device's buffer.
        let code = unsafe { (self.calls.download)(bytes.as_mut_ptr().cast(), from.address, from.bytes) };
        self.check(code, "copying from the GPU")?;
        Ok(bytes)
    }

    pub fn copy(&self, to: Buffer, from: Buffer) -> Result<()> {
        assert_eq!(to.bytes, from.bytes);
        // SAFETY: both are device buffers of that length.
        self.check(unsafe { (self.calls.copy)(to.address, from.address, to.bytes, null_mut()) }, "copying on the GPU")
    }

    pub fn fill(&self, buffer: Buffer, byte: u8) -> Result<()> {
        // SAFETY: the device's buffer has that length.
        self.check(unsafe { (self.calls.fill)(buffer.address, byte, buffer.bytes, null_mut()) }, "filling memory")
    }

    /// Queues a launch; `params` holds the kernel's parameters, each as its bytes.
    pub fn launch(&self, function: Function, shape: Shape, params: &mut [Vec<u8>]) -> Result<()> {
        let mut pointers: Vec<*mut c_void> = params.iter_mut().map(|p| p.as_mut_ptr().cast()).collect();
        let ([gx, gy, gz], [bx, by, bz]) = (shape.grid, shape.block);
        // SAFETY: the builder checked number and size of the parameters against the kernel's; the driver copies them
        // before it returns.
        let code = unsafe {
            (self.calls.launch)(
                function.0,
                gx,
                gy,
                gz,
                bx,
                by,
                bz,
                shape.shared,
                null_mut(),
                pointers.as_mut_ptr(),
                null_mut(),
            )
        };
        self.check(code, "launching")
    }

    pub fn synchronize(&self) -> Result<()> {
        // SAFETY: no arguments.
        self.check(unsafe { (self.calls.synchronize)() }, "running")
    }

    /// Time of a launch on the device, in milliseconds.
    pub fn time(&self, function: Function, shape: Shape, params: &mut [Vec<u8>]) -> Result<f64> {
        self.record(self.start)?;
        self.launch(function, shape, params)?;
        self.record(self.stop)?;
        let mut ms = 0.0f32;
        // SAFETY: both events were made in `start_up` and recorded above; `ms` is valid for writes.
        unsafe {
            self.check((self.calls.event_synchronize)(self.stop.0), "running")?;
            self.check((self.calls.event_elapsed)(&raw mut ms, self.start.0, self.stop.0), "reading the time")?;
        }
        Ok(ms.into())
    }

    fn record(&self, event: Event) -> Result<()> {
        // SAFETY: the event was made in `start_up`; the null stream is the context's own.
        self.check(unsafe { (self.calls.event_record)(event.0, null_mut()) }, "recording an event")
    }

    fn check(&self, code: Code, what: &str) -> Result<()> {
        if code == 0 {
            return Ok(());
        }
        let text = |call: unsafe extern "C" fn(Code, *mut *const c_char) -> Code| {
            let mut text = std::ptr::null();
            // SAFETY: the driver stores a pointer to a string of its own, or null for a code it does not know.
            unsafe {
                call(code, &raw mut text);
                if text.is_null() { format!("{code}") } else { CStr::from_ptr(text).to_string_lossy().into_owned() }
            }
        };
        bail!("{what}: {}: {}", text(self.calls.error_name), text(self.calls.error_string))
    }
}

/// The loader's message without the name of the library, which our message already contains.
fn plain(error: &libloading::Error) -> String {
    let text = error.to_string();
    text.strip_prefix(&format!("{LIBRARY}: ")).map_or_else(|| text.clone(), str::to_owned)
}
