# Does Warpwise.jl do what it says, in a process that has Julia's LLVM? library.jl WARPWISE_JL
#
# For Julia 1.5 (scripts/lib/julia). Julia compiles the kernel and its LLVM 9 writes the bitcode, as it does for
# GPUCompiler; pointers have types there.
using InteractiveUtils, Libdl

include(ARGS[1])

const llvm = first(filter(path -> occursin("libLLVM-9", path), Libdl.dllist()))

thread() = ccall("llvm.nvvm.read.ptx.sreg.tid.x", llvmcall, Int32, ())

function kernel(place::Ptr{Int32}, n::Int32)
    number = thread()
    if number & Int32(1) == 0
        value = Base.udiv_int(number, n) + Int32(3)
    else
        value = Base.udiv_int(xor(n, Int32(77)), number) + Int32(5)
    end
    unsafe_store!(place, value, number + 1)
    return nothing
end

"The kernel as LLVM IR: what Julia's compiler makes of it, without what only the host calls."
function ir()
    text = sprint(io -> code_llvm(io, kernel, Tuple{Ptr{Int32},Int32}; raw = true, dump_module = true))
    for host in (r"^target .*$"m, r"^@llvm\.compiler\.used.*$"m, r"^define [^\n]*@jfptr_.*?^}$"ms)
        text = replace(text, host => "")
    end
    text = replace(text, r"@julia_kernel_\d+" => "@kernel")
    return """
        target triple = "nvptx64-nvidia-cuda"
        $text
        !nvvm.annotations = !{!1000}
        !1000 = !{void (i64, i32)* @kernel, !"kernel", i32 1}
        """
end

"Bitcode, written by the LLVM of Julia."
function bitcode(text)
    context = ccall((:LLVMContextCreate, llvm), Ptr{Cvoid}, ())
    buffer = ccall(
        (:LLVMCreateMemoryBufferWithMemoryRangeCopy, llvm), Ptr{Cvoid}, (Cstring, Csize_t, Cstring),
        text, sizeof(text), "kernel",
    )
    parsed, message = Ref(C_NULL), Ref{Cstring}(C_NULL)
    failed = ccall(
        (:LLVMParseIRInContext, llvm), Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Ptr{Cvoid}}, Ptr{Cstring}),
        context, buffer, parsed, message,
    )
    failed == 0 || error(unsafe_string(message[]))
    written = ccall((:LLVMWriteBitcodeToMemoryBuffer, llvm), Ptr{Cvoid}, (Ptr{Cvoid},), parsed[])
    start = ccall((:LLVMGetBufferStart, llvm), Ptr{UInt8}, (Ptr{Cvoid},), written)
    size = ccall((:LLVMGetBufferSize, llvm), Csize_t, (Ptr{Cvoid},), written)
    return copy(unsafe_wrap(Array, start, Int(size)))
end

const module_of_julia = bitcode(ir())
@assert module_of_julia[1:2] == codeunits("BC")

output, remarks = Warpwise.optimize(module_of_julia; options = "-O3 -mcpu=sm_90")
@assert output[1:2] == codeunits("BC") && output != module_of_julia
line = findfirst(text -> occursin("if number", text), readlines(@__FILE__))
for part in ("\"BranchFused\"", "library.jl\"", "\"line\":$line,")
    @assert occursin(part, remarks) remarks
end

divisions(ptx) = length(collect(eachmatch(r"div\.u32", ptx)))
ptx = String(Warpwise.optimize(module_of_julia; options = "-O3 -mcpu=sm_90 --ptx")[1])
@assert occursin(".entry kernel(", ptx) && divisions(ptx) == 1 ptx
plain = String(Warpwise.optimize(module_of_julia; options = "-O3 -mcpu=sm_90 --ptx -warpwise-off")[1])
@assert divisions(plain) == 2 plain

# what the library gives goes in again, and text as well
again = Warpwise.optimize(output)[1]
@assert again[1:2] == codeunits("BC")
text = Warpwise.optimize(again; options = "-O0 -S")[1]
@assert occursin("define ptx_kernel void @kernel(", String(copy(text)))
@assert Warpwise.optimize(text)[1][1:2] == codeunits("BC")

for (bitcode, options, part) in
    ((module_of_julia, "-frob", "-frob"), (UInt8[], "-O3", "nvptx64"), (Vector{UInt8}("define"), "-O3", "LLVM IR"))
    said = try
        Warpwise.optimize(bitcode; options = options)
        "nothing"
    catch failure
        failure isa Warpwise.Failure || rethrow()
        sprint(showerror, failure)
    end
    @assert occursin(part, said) said
end
