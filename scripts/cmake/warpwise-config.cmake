# What does find_package(warpwise) provide to a CUDA project that is compiled with clang?
#
#   find_package(warpwise REQUIRED)
#   target_link_libraries(app PRIVATE warpwise::plugin)      # load the plugin for the target's CUDA sources
#   warpwise_enable(app [BLOCK 256] [OPTIONS -warpwise-assume-restrict …] [REMARKS] [SOURCES a.cu …])
#
# Objects are rebuilt when the plugin changes: its hash is in the command line (as __WARPWISE__), on which build systems,
# ccache and remote execution depend, and CMake reconfigures when the file changes. warpwise_enable passes options to the
# plugin, for the whole target or, with SOURCES, for single files of it. REMARKS shows what was done, and what was not and
# why. warpwise::runtime exists if the runtime library is installed.
#
# Needs CMAKE_CUDA_COMPILER=clang++ (LLVM 22). Sets warpwise_PLUGIN, warpwise_EXECUTABLE and, if it is installed,
# warpwise_TIME, the command that times CUDA programs built by any compiler.

get_filename_component(_warpwise_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(warpwise_PLUGIN "${_warpwise_prefix}/lib/libwarpwise.so")
set(warpwise_EXECUTABLE "${_warpwise_prefix}/bin/warpwise")
if(EXISTS "${_warpwise_prefix}/lib/libwarpwise_time.so")
  set(warpwise_TIME "${_warpwise_prefix}/bin/warpwise-time")
endif()

foreach(_warpwise_file IN ITEMS "${warpwise_PLUGIN}" "${warpwise_EXECUTABLE}")
  if(NOT EXISTS "${_warpwise_file}")
    set(warpwise_FOUND FALSE)
    set(warpwise_NOT_FOUND_MESSAGE "${_warpwise_file} is missing from this installation")
    return()
  endif()
endforeach()

if(CMAKE_CUDA_COMPILER_LOADED AND NOT (CMAKE_CUDA_COMPILER_ID STREQUAL "Clang" AND CMAKE_CUDA_COMPILER_VERSION MATCHES "^22\\."))
  set(warpwise_FOUND FALSE)
  set(warpwise_NOT_FOUND_MESSAGE
      "the CUDA compiler is ${CMAKE_CUDA_COMPILER_ID} ${CMAKE_CUDA_COMPILER_VERSION}, and the plugin loads into clang 22 only: configure with -DCMAKE_CUDA_COMPILER=clang++-22")
  return()
endif()

if(NOT TARGET warpwise::plugin)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${warpwise_PLUGIN}")
  file(SHA256 "${warpwise_PLUGIN}" _warpwise_hash)
  string(SUBSTRING "${_warpwise_hash}" 0 16 _warpwise_hash)
  add_library(warpwise::plugin INTERFACE IMPORTED)
  set_property(TARGET warpwise::plugin PROPERTY INTERFACE_COMPILE_OPTIONS
               "$<$<COMPILE_LANGUAGE:CUDA>:-fpass-plugin=${warpwise_PLUGIN};-D__WARPWISE__=0x${_warpwise_hash}>")
endif()

if(NOT TARGET warpwise::runtime AND EXISTS "${_warpwise_prefix}/lib/libwarpwise_rt.a")
  add_library(warpwise::runtime STATIC IMPORTED)
  set_target_properties(warpwise::runtime PROPERTIES
                        IMPORTED_LOCATION "${_warpwise_prefix}/lib/libwarpwise_rt.a"
                        INTERFACE_INCLUDE_DIRECTORIES "${_warpwise_prefix}/include")
endif()

function(warpwise_enable target)
  cmake_parse_arguments(arg "REMARKS" "BLOCK" "OPTIONS;SOURCES" ${ARGN})
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "warpwise_enable(${target}) does not know ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES AND NOT "${CMAKE_CUDA_FLAGS}" MATCHES "-O[1-3s]")
    message(WARNING "CMAKE_BUILD_TYPE is not set, so clang compiles at -O0, where warpwise does nothing; configure with -DCMAKE_BUILD_TYPE=Release")
  endif()
  get_target_property(linked ${target} LINK_LIBRARIES)
  if(NOT "warpwise::plugin" IN_LIST linked)
    target_link_libraries(${target} PRIVATE warpwise::plugin)
  endif()

  set(options ${arg_OPTIONS})
  if(arg_BLOCK)
    list(APPEND options -warpwise-block=${arg_BLOCK})
  endif()
  set(flags "")
  foreach(option IN LISTS options)
    list(APPEND flags "SHELL:-mllvm ${option}")
  endforeach()
  if(arg_REMARKS)
    list(APPEND flags -fno-discard-value-names -Rpass=warpwise -Rpass-missed=warpwise -Rpass-analysis=warpwise)
  endif()

  if(arg_SOURCES)
    string(REPLACE "SHELL:" "" of_sources "${flags}")
    set_property(SOURCE ${arg_SOURCES} TARGET_DIRECTORY ${target} APPEND_STRING PROPERTY COMPILE_FLAGS
                 " $<$<COMPILE_LANGUAGE:CUDA>:$<JOIN:${of_sources}, >>")
  elseif(flags)
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:${flags}>")
  endif()
endfunction()
