// Kernels in Rust, y = a*x + y and a branch with like sides, with the little of `core` that they need: so they compile with a bare rustc, whether or not
// the standard library for nvptx64 is installed. With it (`rustup target add nvptx64-nvidia-cuda`), `core` comes from there.
#![feature(no_core, lang_items, abi_ptx, abi_unadjusted, link_llvm_intrinsics, arbitrary_self_types, intrinsics, rustc_attrs)]
#![allow(internal_features)]
#![no_core]

#[lang = "pointee_sized"]
pub trait PointeeSized {}
#[lang = "meta_sized"]
pub trait MetaSized: PointeeSized {}
#[lang = "sized"]
pub trait Sized: MetaSized {}
#[lang = "copy"]
pub trait Copy {}
impl Copy for i32 {}
impl Copy for isize {}
impl Copy for f32 {}
impl<T: PointeeSized> Copy for *const T {}
impl<T: PointeeSized> Copy for *mut T {}
#[lang = "legacy_receiver"]
pub trait LegacyReceiver {}
impl<T: PointeeSized> LegacyReceiver for &T {}
#[lang = "add"]
pub trait Add<R = Self> {
    type Output;
    fn add(self, r: R) -> Self::Output;
}
#[lang = "mul"]
pub trait Mul<R = Self> {
    type Output;
    fn mul(self, r: R) -> Self::Output;
}
impl Add for f32 {
    type Output = f32;
    fn add(self, r: f32) -> f32 {
        self + r
    }
}
impl Mul for f32 {
    type Output = f32;
    fn mul(self, r: f32) -> f32 {
        self * r
    }
}
#[lang = "partial_ord"]
pub trait PartialOrd<R: PointeeSized = Self>: PointeeSized {
    fn lt(&self, r: &R) -> bool;
}
impl PartialOrd for i32 {
    fn lt(&self, r: &i32) -> bool {
        *self < *r
    }
}
#[rustc_intrinsic]
pub const unsafe fn arith_offset<T>(from: *const T, by: isize) -> *const T;

unsafe extern "unadjusted" {
    #[link_name = "llvm.nvvm.read.ptx.sreg.tid.x"]
    fn thread_x() -> i32;
}

/// y = a*x + y, one element a thread.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn saxpy(n: i32, a: f32, x: *const f32, y: *mut f32) {
    unsafe {
        let i = thread_x();
        if i < n {
            let x = arith_offset(x, i as isize);
            let y = arith_offset(y as *const f32, i as isize) as *mut f32;
            *y = a * *x + *y;
        }
    }
}

/// A polynomial of x or of z; the sides of the branch compute alike.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn halves(half: i32, a: f32, b: f32, x: *const f32, z: *const f32, y: *mut f32) {
    unsafe {
        let i = thread_x();
        let out = arith_offset(y as *const f32, i as isize) as *mut f32;
        if i < half {
            let v = *arith_offset(x, i as isize);
            *out = (((v * a + b) * v + a) * v + a) * v + b;
        } else {
            let v = *arith_offset(z, i as isize);
            *out = (((v * b + b) * v + a) * v + a) * v + a;
        }
    }
}
