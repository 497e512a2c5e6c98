//! Do the command, the plugin and the library do what the documents say? One program for all of it: each program links
//! LLVM and the whole library.

mod bisect;
mod build_systems;
mod clang;
mod cmake_nvcc;
mod common;
mod debug_info;
mod docs;
mod examples;
mod foreseen;
mod holding_llvm;
mod host;
mod hostile;
mod ladder;
mod launch;
mod layers;
mod lit_files;
mod map;
mod nvcc;
mod opt;
mod optimizer;
mod project;
mod random;
mod reentrancy;
mod report;
mod simt;
mod stopping;
mod trace;
mod tuning;
mod wheel;
