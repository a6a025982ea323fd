"""The compiler of kernels by numba. Only linked modules import it, because numba loads slowly.

**Records.** A kernel that is called by its address takes its arguments as the address of a record.
A record is a named tuple of arrays and numbers that :func:`write_record` has written to memory. The
caller need not know the types in it. :func:`call_turn` is such a call.

LLVM inlines an inner kernel in each of its callers, so machine code of its own would never run.
numba would nevertheless optimise and emit this code, which takes half of the time of a linked
module. :class:`Inner` stops once the kernel's intermediate code exists.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.extending import intrinsic


class Inner(CompilerBase):
    """numba's compiler of functions that only other compiled functions call."""

    def define_pipelines(self) -> list[Any]:
        """Return the default passes, into a library that is linked and never run."""
        state = self.state
        state.library = _LinkedOnly(state.targetctx.codegen(), state.func_id.func_qualname)
        return [DefaultPassBuilder.define_nopython_pipeline(state)]


class _LinkedOnly(JITCodeLibrary):
    """A library that is optimised and emitted as a part of another library."""

    @property
    def codegen(self) -> Any:
        """The object that sets the environments of functions. No function of this library runs."""
        return _WithoutEnvironments

    def finalize(self) -> None:
        """Link the libraries that this library calls."""
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Return 0, because there is no machine code."""
        self._ensure_finalized()
        return 0


class _WithoutEnvironments:
    @staticmethod
    def set_env(name: str, environment: object) -> None:
        """Do nothing."""


# --- records and calls through addresses ---------------------------------------------------------


@intrinsic
def write_record(typingctx: Any, record: Any, words: Any) -> Any:
    """Write a named tuple into ``words``, an int64 array of sufficient size."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        value, array = arguments
        data = context.make_array(signature.args[1])(context, builder, array).data
        laid_down = context.get_data_type(signature.args[0]).as_pointer()
        context.pack_value(builder, signature.args[0], value, builder.bitcast(data, laid_down))
        return context.get_dummy_value()

    return types.void(record, words), generate


@intrinsic
def record_at(typingctx: Any, address: Any) -> Any:
    """Return the named tuple at an address."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return context.unpack_value(builder, signature.return_type, arguments[0])

    return address.dtype(address), generate


@intrinsic
def call_turn(typingctx: Any, kernel: Any, record: Any, row: Any, seat: Any, last: Any) -> Any:
    """Call the kernel at an address. All arguments and the result are whole numbers."""
    kinds = types.voidptr, types.int64, types.int64, types.int64

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        convention = context.call_conv
        function = ir.PointerType(convention.get_function_type(types.int64, kinds))
        code = builder.inttoptr(arguments[0], function)
        given = [builder.inttoptr(arguments[1], context.get_value_type(types.voidptr))]
        _, result = convention.call_function(
            builder, code, types.int64, kinds, [*given, *arguments[2:]]
        )
        return result

    return types.int64(*[types.int64] * 5), generate
