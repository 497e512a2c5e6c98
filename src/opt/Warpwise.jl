# How does Julia's GPU compiler get warpwise's passes? `ccall`s of libwarpwise_opt.so (warpwise_opt.h), which has its own
# LLVM and shows nothing of it, so that it does not meet Julia's.
#
#   include("Warpwise.jl")
#   bitcode, remarks = Warpwise.optimize(bitcode; options = "-O3 -mcpu=sm_90")
#   ptx, remarks = Warpwise.optimize(bitcode; options = "-O3 -mcpu=sm_90 --ptx")
#
# Set WARPWISE_OPT to the library, unless the loader finds it.
module Warpwise

const library = get(ENV, "WARPWISE_OPT", "libwarpwise_opt.so")

struct Failure <: Exception
    message::String
end
Base.showerror(io::IO, failure::Failure) = print(io, "warpwise: ", failure.message)

"""
    optimize(bitcode; options = "-O3") -> (output, remarks)

Runs warpwise's passes on a module. `output` is bitcode, or PTX with `--ptx`, as a `Vector{UInt8}`; `remarks` is JSON.
"""
function optimize(bitcode::Vector{UInt8}; options::String = "-O3")
    result = ccall((:warpwise_optimize, library), Ptr{Cvoid}, (Ptr{UInt8}, Csize_t, Cstring), bitcode, length(bitcode), options)
    try
        wrong = ccall((:warpwise_error, library), Ptr{UInt8}, (Ptr{Cvoid},), result)
        wrong == C_NULL || throw(Failure(unsafe_string(wrong)))
        size = Ref{Csize_t}(0)
        output = ccall((:warpwise_output, library), Ptr{UInt8}, (Ptr{Cvoid}, Ptr{Csize_t}), result, size)
        remarks = ccall((:warpwise_remarks, library), Ptr{UInt8}, (Ptr{Cvoid},), result)
        return copy(unsafe_wrap(Array, output, Int(size[]))), unsafe_string(remarks)
    finally
        ccall((:warpwise_free, library), Cvoid, (Ptr{Cvoid},), result)
    end
end

# With GPUCompiler: the module of a kernel as LLVM.jl has it goes through as bitcode. `config` is the compiler's
# configuration for the kernel's PTX target.
#
#   using CUDA, GPUCompiler, LLVM
#   function ptx_of(f, types; options = "-O3 -mcpu=sm_90 --ptx")
#       job = CompilerJob(methodinstance(typeof(f), types), CUDA.compiler_config(device(); kernel = true))
#       JuliaContext() do context
#           ir, _ = GPUCompiler.compile(:llvm, job; optimize = false)
#           output, remarks = Warpwise.optimize(convert(Vector{UInt8}, ir); options)
#           String(output), remarks
#       end
#   end

end
