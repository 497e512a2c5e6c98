; Products of bytes, which CUDA's headers write as inline assembly: signed, unsigned, and one of each.
;
; RUN: %warpwise simt %s --block 1 -a i32:0x80ff7f01 -a i32:0x02fe0303 -a u32[3]:zero | %FileCheck %s
; 1*3 + 127*3 + -1*-2 + -128*2 + 5; 1*3 + 127*3 + 255*254 + 128*2 + 5; the first signed: 1*3 + 127*3 - 254 - 256 + 5
; CHECK: arg 2: u32[3] = 135, 65415, 4294967175

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @dots(i32 %a, i32 %b, ptr %out) {
  %s = call i32 asm "dp4a.s32.s32 $0, $1, $2, $3;", "=r,r,r,r"(i32 %a, i32 %b, i32 5)
  %u = call i32 asm "dp4a.u32.u32 $0, $1, $2, $3;", "=r,r,r,r"(i32 %a, i32 %b, i32 5)
  %m = call i32 asm "dp4a.s32.u32 $0, $1, $2, $3;", "=r,r,r,r"(i32 %a, i32 %b, i32 5)
  store i32 %s, ptr %out
  %second = getelementptr i32, ptr %out, i32 1
  store i32 %u, ptr %second
  %third = getelementptr i32, ptr %out, i32 2
  store i32 %m, ptr %third
  ret void
}
