//! How is the CUDA driver called without linking it? `libcuda.so.1` is looked up when the counters are read, after the
//! program itself has loaded it.

use libc::{RTLD_LAZY, RTLD_LOCAL, c_char, c_int, c_void, dlopen, dlsym};
use std::ffi::CStr;
use std::mem::transmute_copy;

type Status = c_int;
type Context = *mut c_void;

macro_rules! driver {
    ($($field:ident = $name:literal ($($argument:ty),*);)*) => {
        /// The driver functions that are needed here. A status of zero means success.
        pub struct Driver {
            $($field: unsafe extern "C" fn($($argument),*) -> Status,)*
        }

        impl Driver {
            /// The driver, if there is one and it has been initialised.
            pub fn open() -> Result<Driver, String> {
                // SAFETY: a constant name; loading the driver has no effect that the program did not want anyway.
                let library = unsafe { dlopen(c"libcuda.so.1".as_ptr(), RTLD_LAZY | RTLD_LOCAL) };
                if library.is_null() {
                    return Err("there is no CUDA driver (libcuda.so.1)".to_owned());
                }
                let find = |name: &CStr| {
                    // SAFETY: the library is open and the name a constant.
                    let address = unsafe { dlsym(library, name.as_ptr()) };
                    let missing = || format!("the CUDA driver has no {}", name.to_string_lossy());
                    if address.is_null() { Err(missing()) } else { Ok(address) }
                };
                // SAFETY: the driver's function of each name has the type of the field it is stored in.
                Ok(Driver { $($field: unsafe { transmute_copy(&find($name)?) },)* })
            }
        }
    };
}

driver! {
    device_count = c"cuDeviceGetCount" (*mut c_int);
    device_get = c"cuDeviceGet" (*mut c_int, c_int);
    primary_state = c"cuDevicePrimaryCtxGetState" (c_int, *mut u32, *mut c_int);
    primary_retain = c"cuDevicePrimaryCtxRetain" (*mut Context, c_int);
    primary_release = c"cuDevicePrimaryCtxRelease_v2" (c_int);
    push = c"cuCtxPushCurrent_v2" (Context);
    pop = c"cuCtxPopCurrent_v2" (*mut Context);
    current_device = c"cuCtxGetDevice" (*mut c_int);
    synchronize = c"cuCtxSynchronize" ();
    copy_out = c"cuMemcpyDtoH_v2" (*mut c_void, u64, usize);
    error_name = c"cuGetErrorName" (Status, *mut *const c_char);
}

impl Driver {
    fn check(&self, what: &str, status: Status) -> Result<(), String> {
        if status == 0 {
            return Ok(());
        }
        let mut name = std::ptr::null();
        // SAFETY: the driver writes a pointer to a constant name.
        let known = unsafe { (self.error_name)(status, &mut name) } == 0 && !name.is_null();
        // SAFETY: the driver's names are NUL-terminated and live as long as it does.
        let name = if known { unsafe { CStr::from_ptr(name) }.to_string_lossy() } else { "unknown error".into() };
        Err(format!("{what}: {name}"))
    }

    /// GPUs on which the program has created the primary context, which is the one that the CUDA runtime uses.
    pub fn active_devices(&self) -> Vec<c_int> {
        let mut count = 0;
        // SAFETY: out parameters are valid; an error leaves the count at zero.
        unsafe { (self.device_count)(&mut count) };
        let mut devices = Vec::new();
        for ordinal in 0..count {
            let (mut device, mut flags, mut active) = (0, 0, 0);
            // SAFETY: out parameters are valid.
            let known = unsafe {
                (self.device_get)(&mut device, ordinal) == 0
                    && (self.primary_state)(device, &mut flags, &mut active) == 0
            };
            if known && active != 0 {
                devices.push(device);
            }
        }
        devices
    }

    /// The GPU of the calling thread's context.
    pub fn current_device(&self) -> Option<c_int> {
        let mut device = 0;
        // SAFETY: the out parameter is valid.
        (unsafe { (self.current_device)(&mut device) } == 0).then_some(device)
    }

    /// Calls `body` while a GPU's primary context is current and idle.
    pub fn with_device<T>(&self, device: c_int, body: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
        let mut context = std::ptr::null_mut();
        // SAFETY: the device is one that the driver named; the context is released below.
        self.check("cuDevicePrimaryCtxRetain", unsafe { (self.primary_retain)(&mut context, device) })?;
        // SAFETY: the context was just retained.
        let pushed = self.check("cuCtxPushCurrent", unsafe { (self.push)(context) });
        let result = pushed.and_then(|()| {
            // SAFETY: a context is current.
            let result = self.check("cuCtxSynchronize", unsafe { (self.synchronize)() }).and_then(|()| body());
            let mut popped = std::ptr::null_mut();
            // SAFETY: the context pushed above is on top.
            unsafe { (self.pop)(&mut popped) };
            result
        });
        // SAFETY: retained above.
        unsafe { (self.primary_release)(device) };
        result
    }

    /// Copies bytes from the memory of the current GPU.
    pub fn read(&self, address: u64, length: usize) -> Result<Vec<u8>, String> {
        let mut bytes = vec![0u8; length];
        // SAFETY: the buffer has `length` bytes; the driver checks the address.
        let status = unsafe { (self.copy_out)(bytes.as_mut_ptr().cast(), address, length) };
        self.check("cuMemcpyDtoH", status)?;
        Ok(bytes)
    }
}
