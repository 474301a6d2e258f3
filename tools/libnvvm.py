#!/usr/bin/env python3
"""Compiles LLVM IR text with libNVVM: PTX on standard output, the log on standard error.

Usage: libnvvm.py LIBNVVM FILE.ll OPTION...

The exit status is libNVVM's return code, of the first call that fails. tools/oracle.sh installs
the library; nothing but its public C API is used.
"""
import ctypes
import sys


def text_of(nvvm, program, what):
    """The log or the result of a program."""
    size = ctypes.c_size_t()
    getattr(nvvm, f"nvvmGet{what}Size")(program, ctypes.byref(size))
    text = ctypes.create_string_buffer(size.value)
    getattr(nvvm, f"nvvmGet{what}")(program, text)
    return text.value.decode(errors="replace")


def main():
    library, path, options = sys.argv[1], sys.argv[2], sys.argv[3:]
    nvvm = ctypes.CDLL(library)
    program = ctypes.c_void_p()
    nvvm.nvvmCreateProgram(ctypes.byref(program))
    with open(path, "rb") as file:
        text = file.read()
    words = (ctypes.c_char_p * len(options))(*[option.encode() for option in options])
    code = nvvm.nvvmAddModuleToProgram(program, text, ctypes.c_size_t(len(text)), path.encode())
    code = code or nvvm.nvvmVerifyProgram(program, len(options), words)
    code = code or nvvm.nvvmCompileProgram(program, len(options), words)
    sys.stderr.write(text_of(nvvm, program, "ProgramLog"))
    if code == 0:
        sys.stdout.write(text_of(nvvm, program, "CompiledResult"))
    return code


sys.exit(main())
