# Tests the files for ESP-IDF and Zephyr without these build systems, which are too large to install.
# Each of them includes our file. This script does the same in script mode, with substitutes for their
# functions. The substitutes check that the calls name existing sources and the folder of the public
# header.
#
#   cmake -DROOT=<repository> -P script-mode.cmake

function(check_sources who)
    list(LENGTH ARGN count)
    if(count LESS 10)
        message(FATAL_ERROR "${who}: only ${count} sources: ${ARGN}")
    endif()
    foreach(source IN LISTS ARGN)
        if(NOT EXISTS "${source}")
            message(FATAL_ERROR "${who}: no such source: ${source}")
        endif()
    endforeach()
    message(STATUS "${who}: ${count} sources")
endfunction()

function(idf_component_register)
    cmake_parse_arguments(component "" "" "SRCS;INCLUDE_DIRS" ${ARGN})
    check_sources("ESP-IDF" ${component_SRCS})
    if(NOT EXISTS "${ROOT}/${component_INCLUDE_DIRS}/selo.h")
        message(FATAL_ERROR "ESP-IDF: selo.h is not in ${component_INCLUDE_DIRS}")
    endif()
    set_property(GLOBAL PROPERTY seen_idf TRUE)
endfunction()

function(zephyr_include_directories directory)
    if(NOT EXISTS "${directory}/selo.h")
        message(FATAL_ERROR "Zephyr: selo.h is not in ${directory}")
    endif()
endfunction()
function(zephyr_library_named name)
endfunction()
function(zephyr_library_sources)
    check_sources("Zephyr" ${ARGN})
    set_property(GLOBAL PROPERTY seen_zephyr TRUE)
endfunction()

# A function, so that the return() of our file does not end this script.
function(include_as_component)
    set(ESP_PLATFORM 1)
    include("${ROOT}/CMakeLists.txt")
endfunction()
function(include_as_module)
    set(CONFIG_SELO y)
    set(CONFIG_RISCV y)
    include("${ROOT}/zephyr/CMakeLists.txt")
endfunction()
include_as_component()
include_as_module()

foreach(system IN ITEMS idf zephyr)
    get_property(seen GLOBAL PROPERTY seen_${system})
    if(NOT seen)
        message(FATAL_ERROR "${system}: our file registered nothing")
    endif()
endforeach()
