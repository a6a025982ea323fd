"""How numba compiles kernels; imported by linked modules alone, as importing numba takes a while.

**Records.** A kernel that is called through an address takes what it works on as the address of a
record, a named tuple of arrays and numbers that :func:`write_record` has laid down: so its caller
need not know of what types they are. :func:`call_turn` is such a call.

An inner kernel is inlined by LLVM wherever it is called, so machine code of its own would never
run. numba would optimise and emit it all the same, with all that it calls: half of the time that a
linked module takes. :class:`Inner` stops where the kernel's intermediate code is at hand.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.extending import intrinsic


class Inner(CompilerBase):
    """numba's compiler of functions that are called by other compiled functions alone."""

    def define_pipelines(self) -> list[Any]:
        """The usual passes, into a library that is linked and never run."""
        state = self.state
        state.library = _LinkedOnly(state.targetctx.codegen(), state.func_id.func_qualname)
        return [DefaultPassBuilder.define_nopython_pipeline(state)]


class _LinkedOnly(JITCodeLibrary):
    """A library that is optimised and emitted as a part of the one that it is linked into."""

    @property
    def codegen(self) -> Any:
        """What sets the environments of functions: none here, where nothing runs."""
        return _WithoutEnvironments

    def finalize(self) -> None:
        """Link what this library calls."""
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Nowhere: there is no machine code."""
        self._ensure_finalized()
        return 0


class _WithoutEnvironments:
    @staticmethod
    def set_env(name: str, environment: object) -> None:
        """Do nothing."""


# --- records and calls through addresses ---------------------------------------------------------


@intrinsic
def write_record(typingctx: Any, record: Any, words: Any) -> Any:
    """Lay a named tuple down in ``words``, an int64 array with room for it."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        value, array = arguments
        data = context.make_array(signature.args[1])(context, builder, array).data
        laid_down = context.get_data_type(signature.args[0]).as_pointer()
        context.pack_value(builder, signature.args[0], value, builder.bitcast(data, laid_down))
        return context.get_dummy_value()

    return types.void(record, words), generate


@intrinsic
def record_at(typingctx: Any, address: Any) -> Any:
    """The named tuple that lies at an address."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return context.unpack_value(builder, signature.return_type, arguments[0])

    return address.dtype(address), generate


@intrinsic
def call_turn(typingctx: Any, kernel: Any, record: Any, row: Any, seat: Any, last: Any) -> Any:
    """Call the kernel at an address; all arguments are whole numbers, as is what it returns."""
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
