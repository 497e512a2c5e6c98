# How does Julia's GPU compiler get warpwise's passes? `ccall`s of libwarpwise_opt.so (warpwise_opt.h), which has its own
# LLVM and shows nothing of it, so that it does not meet Julia's.
#
#   include("Warpwise.jl")
#   bitcode, remarks = Warpwise.optimize(bitcode; options = "-O3 -mcpu=sm_90")
#   ptx, remarks = Warpwise.optimize(bitcode; options = "-O3 -mcpu=sm_90 --ptx")
#
# The library is the one that WARPWISE_OPT names when this file is included, or that is installed with this file.
module Warpwise

const library = get(ENV, "WARPWISE_OPT") do
    installed = normpath(joinpath(@__DIR__, "..", "..", "lib", "libwarpwise_opt.so"))
    isfile(installed) ? installed : "libwarpwise_opt.so"
end

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

# With GPUCompiler: a kernel as it is after Julia's own passes, which remove what only Julia's LLVM knows, goes through as
# bitcode. What @device_code_ptx prints is the PTX without warpwise.
#
#   using CUDA, GPUCompiler, LLVM
#   function ptx_of(f, types; options = "-O3 -mcpu=sm_90 --ptx")
#       config = CUDA.CUDACore.compiler_config(device()) # before CUDA.jl 6: CUDA.compiler_config
#       job = CompilerJob(methodinstance(typeof(f), Tuple{types...}), config)
#       bitcode = JuliaContext() do context
#           ir, _ = GPUCompiler.compile(:llvm, job)
#           convert(Vector{UInt8}, ir)
#       end
#       ptx, remarks = Warpwise.optimize(bitcode; options)
#       String(ptx), remarks
#   end

end
