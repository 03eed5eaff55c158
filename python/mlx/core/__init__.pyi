"""mlx: arrays with lazy evaluation and composable transforms"""

from collections.abc import Callable, Sequence
import enum
import os
import types
from typing import Any, overload

from mlx.core import random as random


class Dtype:
    """Type of the elements of an array; compare with ==."""

    @property
    def size(self) -> int:
        """Bytes per element."""

    def __eq__(self, other: object | None) -> bool: ...

    def __ne__(self, other: object | None) -> bool: ...

    def __hash__(self) -> int: ...

    def __reduce__(self) -> tuple: ...

    def __repr__(self) -> str: ...

uint8: Dtype = ...

uint16: Dtype = ...

uint32: Dtype = ...

uint64: Dtype = ...

int8: Dtype = ...

int16: Dtype = ...

int32: Dtype = ...

int64: Dtype = ...

float16: Dtype = ...

float32: Dtype = ...

float64: Dtype = ...

bfloat16: Dtype = ...

complex64: Dtype = ...

class DtypeCategory(enum.Enum):
    """Families of dtypes, for issubdtype."""

    complexfloating = 0

    floating = 1

    inexact = 2

    signedinteger = 3

    unsignedinteger = 4

    integer = 5

    number = 6

    generic = 7

complexfloating: DtypeCategory = DtypeCategory.complexfloating

floating: DtypeCategory = DtypeCategory.floating

inexact: DtypeCategory = DtypeCategory.inexact

signedinteger: DtypeCategory = DtypeCategory.signedinteger

unsignedinteger: DtypeCategory = DtypeCategory.unsignedinteger

integer: DtypeCategory = DtypeCategory.integer

number: DtypeCategory = DtypeCategory.number

generic: DtypeCategory = DtypeCategory.generic

class finfo:
    """Limits of a floating or complex dtype."""

    def __init__(self, dtype: Dtype) -> None: ...

    @property
    def bits(self) -> int: ...

    @property
    def min(self) -> float: ...

    @property
    def max(self) -> float: ...

    @property
    def eps(self) -> float: ...

    @property
    def smallest_normal(self) -> float: ...

    @property
    def dtype(self) -> Dtype: ...

    def __repr__(self) -> str: ...

class iinfo:
    """Limits of an integer dtype."""

    def __init__(self, dtype: Dtype) -> None: ...

    @property
    def min(self) -> int: ...

    @property
    def max(self) -> int: ...

    @property
    def dtype(self) -> Dtype: ...

    def __repr__(self) -> str: ...

def issubdtype(arg1: Dtype | DtypeCategory, arg2: Dtype | DtypeCategory, /) -> bool:
    """
    Whether the first dtype or category lies in the second.

    Raises ValueError for other objects.

    Example:
        >>> mx.issubdtype(mx.float32, mx.inexact)
        True
    """

def isdtype(dtype: Dtype, kind: Dtype | str | tuple[Dtype | str, ...]) -> bool:
    """
    Whether the dtype is of a kind: 'bool', 'signed integer', 'unsigned integer', 'integral', 'real floating', 'complex floating', 'numeric', a Dtype, or any of a tuple.
    """

def result_type(*arrays_and_dtypes: array | Dtype) -> Dtype:
    """The dtype that arithmetic of the arguments gives."""

def can_cast(from_: array | Dtype, to: Dtype) -> bool:
    """Whether promotion of the two gives `to`."""

def __array_namespace_info__() -> _NamespaceInfo:
    """Inspection of the array API standard."""

class DeviceType(enum.Enum):
    """Kind of a device."""

    cpu = 0

    gpu = 1

    def __eq__(self, other: object | None) -> bool: ...

    def __ne__(self, other: object | None) -> bool: ...

    def __hash__(self) -> int: ...

cpu: DeviceType = DeviceType.cpu

gpu: DeviceType = DeviceType.gpu

class Device:
    """A device: its type and index."""

    def __init__(self, type: DeviceType, index: int = 0) -> None: ...

    @property
    def type(self) -> DeviceType: ...

    def __repr__(self) -> str: ...

    def __eq__(self, other: object | None) -> bool: ...

    def __ne__(self, other: object | None) -> bool: ...

    def __hash__(self) -> int: ...

class Stream:
    """A queue of work on a device."""

    @property
    def device(self) -> Device: ...

    def __repr__(self) -> str: ...

    def __eq__(self, other: object | None) -> bool: ...

    def __ne__(self, other: object | None) -> bool: ...

    def __hash__(self) -> int: ...

class ThreadLocalStream:
    """Stands for another stream in every thread."""

    @property
    def device(self) -> Device: ...

    def __repr__(self) -> str: ...

    def __eq__(self, other: object | None) -> bool: ...

    def __hash__(self) -> int: ...

class StreamContext:
    """Context manager: see mlx.core.stream."""

    def __init__(self, s: object | None) -> None: ...

    def __enter__(self) -> None: ...

    def __exit__(self, exc_type: object | None = None, exc_value: object | None = None, traceback: object | None = None) -> None: ...

def stream(s: Stream | ThreadLocalStream | Device | DeviceType) -> StreamContext:
    """
    Context manager that makes a stream, or the default stream of a device, the default inside the block.

    Example:
        >>> with mx.stream(mx.cpu):
        ...     x = mx.ones(2)
    """

def default_device() -> Device:
    """The device of operations that name none."""

def set_default_device(device: Device | DeviceType) -> None:
    """
    Sets the default device of the process. Raises ValueError for a GPU without GPU backend.
    """

def is_available(device: Device | DeviceType) -> bool:
    """Whether the device exists."""

def device_count(device_type: DeviceType) -> int:
    """Number of devices of a type."""

def device_info(d: Device | DeviceType | None = None) -> dict[str, str | int]:
    """
    Facts about a device, by default the default one: device_name, architecture.
    """

def default_stream(device: Device | DeviceType) -> Stream:
    """The calling thread's default stream of a device."""

def set_default_stream(stream: Stream) -> None:
    """Sets the calling thread's default stream of the stream's device."""

def new_stream(device: Device | DeviceType) -> Stream:
    """A new stream."""

def new_thread_unsafe_stream(device: Device | DeviceType) -> Stream:
    """A new stream that outlives clear_streams of the thread that made it."""

def new_thread_local_stream(device: Device | DeviceType) -> ThreadLocalStream:
    """A handle that stands for another stream in every thread."""

def synchronize(stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> None:
    """
    Waits for all work of a stream, by default the default one, and raises the error of work that failed in the background.
    """

def clear_streams() -> None:
    """
    Destroys the streams that the calling thread made. Call it at the end of a thread.
    """

class ArrayIterator:
    """Iterates over the first axis of an array."""

    def __next__(self) -> array: ...

    def __iter__(self) -> object: ...

class array:
    """
    An n-dimensional array of one dtype, computed lazily.

    Args:
        val: a bool, int, float or complex, nested lists or tuples of these, a NumPy array,
            another buffer or DLPack object, or an array. Always copied.
        dtype: of the result; by default bool_, int32 (int64 for integers beyond 32 bits),
            float32 or complex64, and for other arrays their own, float64 becoming float32.

    Raises:
        ValueError: lists of unequal length, elements that are no numbers, negative strides.

    Example:
        >>> mx.array([[1, 2], [3, 4]])
        array([[1, 2],
               [3, 4]], dtype=int32)
    """

    def __hash__(self, /):
        """Return hash(self)."""

    def __lt__(self, value, /):
        """Return self<value."""

    def __le__(self, value, /):
        """Return self<=value."""

    def __eq__(self, value, /):
        """Return self==value."""

    def __ne__(self, value, /):
        """Return self!=value."""

    def __gt__(self, value, /):
        """Return self>value."""

    def __ge__(self, value, /):
        """Return self>=value."""

    def __init__(self, val: Any, dtype: Dtype | None = None) -> None: ...

    def __add__(self, value, /):
        """Return self+value."""

    def __radd__(self, value, /):
        """Return value+self."""

    def __sub__(self, value, /):
        """Return self-value."""

    def __rsub__(self, value, /):
        """Return value-self."""

    def __mul__(self, value, /):
        """Return self*value."""

    def __rmul__(self, value, /):
        """Return value*self."""

    def __mod__(self, value, /):
        """Return self%value."""

    def __rmod__(self, value, /):
        """Return value%self."""

    def __pow__(self, value, mod=None, /):
        """Return pow(self, value, mod)."""

    def __rpow__(self, value, mod=None, /):
        """Return pow(value, self, mod)."""

    def __neg__(self, /):
        """-self"""

    def __pos__(self, /):
        """+self"""

    def __abs__(self, /):
        """abs(self)"""

    def __bool__(self, /):
        """True if self else False"""

    def __invert__(self, /):
        """~self"""

    def __lshift__(self, value, /):
        """Return self<<value."""

    def __rlshift__(self, value, /):
        """Return value<<self."""

    def __rshift__(self, value, /):
        """Return self>>value."""

    def __rrshift__(self, value, /):
        """Return value>>self."""

    def __and__(self, value, /):
        """Return self&value."""

    def __rand__(self, value, /):
        """Return value&self."""

    def __xor__(self, value, /):
        """Return self^value."""

    def __rxor__(self, value, /):
        """Return value^self."""

    def __or__(self, value, /):
        """Return self|value."""

    def __ror__(self, value, /):
        """Return value|self."""

    def __int__(self, /):
        """int(self)"""

    def __float__(self, /):
        """float(self)"""

    def __iadd__(self, value, /):
        """Return self+=value."""

    def __isub__(self, value, /):
        """Return self-=value."""

    def __imul__(self, value, /):
        """Return self*=value."""

    def __imod__(self, value, /):
        """Return self%=value."""

    def __ipow__(self, value, /):
        """Return self**=value."""

    def __ilshift__(self, value, /):
        """Return self<<=value."""

    def __irshift__(self, value, /):
        """Return self>>=value."""

    def __iand__(self, value, /):
        """Return self&=value."""

    def __ixor__(self, value, /):
        """Return self^=value."""

    def __ior__(self, value, /):
        """Return self|=value."""

    def __floordiv__(self, value, /):
        """Return self//value."""

    def __rfloordiv__(self, value, /):
        """Return value//self."""

    def __truediv__(self, value, /):
        """Return self/value."""

    def __rtruediv__(self, value, /):
        """Return value/self."""

    def __ifloordiv__(self, value, /):
        """Return self//=value."""

    def __itruediv__(self, value, /):
        """Return self/=value."""

    def __index__(self, /):
        """
        Return self converted to an integer, if self is suitable for use as an index into a list.
        """

    def __matmul__(self, value, /):
        """Return self@value."""

    def __rmatmul__(self, value, /):
        """Return value@self."""

    def __imatmul__(self, value, /):
        """Return self@=value."""

    def __len__(self, /):
        """Return len(self)."""

    def __getitem__(self, key, /):
        """Return self[key]."""

    def __setitem__(self, key, value, /):
        """Set self[key] to value."""

    def __delitem__(self, key, /):
        """Delete self[key]."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Dimensions."""

    @property
    def ndim(self) -> int:
        """Number of dimensions."""

    @property
    def size(self) -> int:
        """Number of elements."""

    @property
    def itemsize(self) -> int:
        """Bytes per element."""

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""

    @property
    def dtype(self) -> Dtype:
        """Type of the elements."""

    @property
    def T(self) -> array:
        """All axes reversed."""

    @property
    def mT(self) -> array:
        """The last two axes swapped."""

    @property
    def real(self) -> array:
        """Real parts."""

    @property
    def imag(self) -> array:
        """Imaginary parts."""

    def item(self) -> bool | int | float | complex:
        """
        The only element as a Python scalar. Raises ValueError unless the size is 1.
        """

    def tolist(self) -> Any:
        """
        The elements as nested lists of Python scalars, or one scalar for a 0-d array.
        """

    def __complex__(self) -> object: ...

    def __iter__(self) -> ArrayIterator: ...

    def __repr__(self) -> str: ...

    def __str__(self) -> str: ...

    def __copy__(self) -> array: ...

    def __deepcopy__(self, memo: object) -> array: ...

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple, /) -> None: ...

    def __array__(self, dtype: object | None = None, copy: object | None = None) -> object:
        """A NumPy array over the same memory. Raises TypeError for bfloat16."""

    def __div__(self, arg: object, /) -> object: ...

    def __rdiv__(self, arg: object, /) -> object: ...

    def __array_namespace__(self, api_version: object | None = None) -> types.ModuleType: ...

    def abs(self, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
        """As mlx.core.abs."""

    def square(self, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
        """As mlx.core.square."""

    def sqrt(self, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
        """As mlx.core.sqrt."""

    def rsqrt(self, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
        """As mlx.core.rsqrt."""

    def reciprocal(self, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
        """As mlx.core.reciprocal."""

    def exp(self, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
        """As mlx.core.exp."""

    def log(self, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
        """As mlx.core.log."""

    def log2(self, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
        """As mlx.core.log2."""

    def log10(self, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
        """As mlx.core.log10."""

    def log1p(self, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
        """As mlx.core.log1p."""

    def sin(self, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
        """As mlx.core.sin."""

    def cos(self, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
        """As mlx.core.cos."""

    def conj(self, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
        """As mlx.core.conj."""

    def all(self, axis: int | Sequence[int] | None = None, keepdims: bool = False, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
        """As mlx.core.all."""

    def any(self, axis: int | Sequence[int] | None = None, keepdims: bool = False, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
        """As mlx.core.any."""

    def sum(self, axis: int | Sequence[int] | None = None, keepdims: bool = False, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
        """As mlx.core.sum."""

    def prod(self, axis: int | Sequence[int] | None = None, keepdims: bool = False, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
        """As mlx.core.prod."""

    def min(self, axis: int | Sequence[int] | None = None, keepdims: bool = False, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
        """As mlx.core.min."""

    def max(self, axis: int | Sequence[int] | None = None, keepdims: bool = False, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
        """As mlx.core.max."""

    def mean(self, axis: int | Sequence[int] | None = None, keepdims: bool = False, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
        """As mlx.core.mean."""

    def logsumexp(self, axis: int | Sequence[int] | None = None, keepdims: bool = False, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
        """As mlx.core.logsumexp."""

    def var(self, axis: int | Sequence[int] | None = None, keepdims: bool = False, ddof: int = 0, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
        """As mlx.core.var."""

    def std(self, axis: int | Sequence[int] | None = None, keepdims: bool = False, ddof: int = 0, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
        """As mlx.core.std."""

    def argmin(self, axis: int | None = None, keepdims: bool = False, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
        """As mlx.core.argmin."""

    def argmax(self, axis: int | None = None, keepdims: bool = False, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
        """As mlx.core.argmax."""

    def flatten(self, start_axis: int = 0, end_axis: int = -1, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
        """As mlx.core.flatten."""

    def reshape(self, *shape: int | Sequence[int], stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
        """
        The same elements in another shape, given as integers or as one sequence; one entry may be -1.
        """

    def squeeze(self, axis: int | Sequence[int] | None = None, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
        """As mlx.core.squeeze."""

    def transpose(self, *axes: int | Sequence[int], stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
        """The axes in another order; reversed when none are given."""

    def moveaxis(self, source: int, destination: int, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
        """As mlx.core.moveaxis."""

    def swapaxes(self, axis1: int, axis2: int, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
        """As mlx.core.swapaxes."""

    def round(self, decimals: int = 0, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
        """As mlx.core.round."""

    def split(self, indices_or_sections: int | Sequence[int], axis: int = 0, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> list[array]:
        """As mlx.core.split."""

    def diagonal(self, offset: int = 0, axis1: int = 0, axis2: int = 1, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
        """As mlx.core.diagonal."""

    def diag(self, k: int = 0, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
        """As mlx.core.diag."""

    def view(self, dtype: Dtype, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
        """As mlx.core.view."""

    def astype(self, dtype: Dtype, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
        """
        The values in another dtype. Real values saturate in integer dtypes, NaN gives 0, nonzero is True.
        """

    @property
    @staticmethod
    def at(arg: array, /) -> ArrayAt: ...

class PrintOptions:
    """How floating point elements are printed."""

    def __init__(self, precision: int = -1) -> None: ...

    @property
    def precision(self) -> int:
        """Decimals; -1 shows six significant digits."""

    @precision.setter
    def precision(self, arg: int, /) -> None: ...

def set_printoptions(precision: int = -1) -> None:
    """
    Sets the decimals of printed floating point elements; -1 shows six significant digits.
    """

def get_printoptions() -> PrintOptions:
    """The print options in force."""

def printoptions(precision: int = -1) -> _PrintOptionsContext:
    """Context manager that sets print options inside the block."""

pi: float = 3.141592653589793

e: float = 2.718281828459045

euler_gamma: float = 0.5772156649015329

inf: float = float('inf')

nan: float = float('nan')

newaxis: None = None

def get_active_memory() -> int:
    """Bytes in buffers of living arrays."""

def get_peak_memory() -> int:
    """Largest active memory since the start or the last reset, in bytes."""

def reset_peak_memory() -> None:
    """Sets the peak to zero."""

def get_cache_memory() -> int:
    """Bytes kept for reuse."""

def set_memory_limit(limit: int) -> int:
    """
    Sets the guideline for active memory in bytes; returns the previous one.
    """

def set_cache_limit(limit: int) -> int:
    """Sets how many bytes may be kept for reuse; returns the previous limit."""

def set_wired_limit(limit: int) -> int:
    """Has an effect on Metal only; returns the previous limit."""

def clear_cache() -> None:
    """Gives memory kept for reuse back to the system."""

def abs(a: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Absolute value, elementwise; the modulus (float32) of complex64. Unsigned integers and bool are unchanged.

    Example:
        >>> mx.abs(mx.array([-1, 2]))
        array([1, 2], dtype=int32)
    """

def sign(a: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    -1, 0 or 1, elementwise; a / |a| for complex64, 0 at 0.

    Example:
        >>> mx.sign(mx.array([-3.0, 0.0]))
        array([-1, 0], dtype=float32)
    """

def positive(a: array, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    The array itself.

    Example:
        >>> mx.positive(mx.array(1))
        array(1, dtype=int32)
    """

def negative(a: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Minus a, elementwise; unsigned integers wrap. Raises ValueError for bool.

    Example:
        >>> mx.negative(mx.array([1, -2]))
        array([-1, 2], dtype=int32)
    """

def square(a: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    a * a, elementwise; integers wrap.

    Example:
        >>> mx.square(mx.array(3))
        array(9, dtype=int32)
    """

def sqrt(a: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Square root, elementwise. Integer and bool inputs give float32; other dtypes are kept. Real domain errors give NaN or infinities.

    Example:
        >>> mx.sqrt(mx.array(4.0))
        array(2, dtype=float32)
    """

def rsqrt(a: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    1 / sqrt(a), elementwise. Integer and bool inputs give float32; other dtypes are kept. Real domain errors give NaN or infinities.

    Example:
        >>> mx.rsqrt(mx.array(4.0))
        array(0.5, dtype=float32)
    """

def reciprocal(a: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    1 / a, elementwise. Integer and bool inputs give float32; other dtypes are kept. Real domain errors give NaN or infinities.

    Example:
        >>> mx.reciprocal(mx.array(4))
        array(0.25, dtype=float32)
    """

def exp(a: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Exponential, elementwise. Integer and bool inputs give float32; other dtypes are kept. Real domain errors give NaN or infinities.

    Example:
        >>> mx.exp(mx.array(0))
        array(1, dtype=float32)
    """

def expm1(a: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    exp(a) - 1, accurate near 0. Raises ValueError for complex64. Integer and bool inputs give float32; other dtypes are kept. Real domain errors give NaN or infinities.

    Example:
        >>> mx.expm1(mx.array(0.0))
        array(0, dtype=float32)
    """

def log(a: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Natural logarithm, elementwise. Integer and bool inputs give float32; other dtypes are kept. Real domain errors give NaN or infinities.

    Example:
        >>> mx.log(mx.array(1.0))
        array(0, dtype=float32)
    """

def log2(a: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Logarithm to base 2, elementwise. Integer and bool inputs give float32; other dtypes are kept. Real domain errors give NaN or infinities.

    Example:
        >>> mx.log2(mx.array(8.0))
        array(3, dtype=float32)
    """

def log10(a: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Logarithm to base 10, elementwise. Integer and bool inputs give float32; other dtypes are kept. Real domain errors give NaN or infinities.

    Example:
        >>> mx.log10(mx.array(100.0))
        array(2, dtype=float32)
    """

def log1p(a: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    log(1 + a), accurate near 0. Integer and bool inputs give float32; other dtypes are kept. Real domain errors give NaN or infinities.

    Example:
        >>> mx.log1p(mx.array(0.0))
        array(0, dtype=float32)
    """

def sin(a: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Sine of an angle in radians, accurate for arguments of any size. Integer and bool inputs give float32; other dtypes are kept. Real domain errors give NaN or infinities.

    Example:
        >>> mx.sin(mx.array(0.0))
        array(0, dtype=float32)
    """

def cos(a: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Cosine of an angle in radians, accurate for arguments of any size. Integer and bool inputs give float32; other dtypes are kept. Real domain errors give NaN or infinities.

    Example:
        >>> mx.cos(mx.array(0.0))
        array(1, dtype=float32)
    """

def tan(a: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Tangent of an angle in radians. Integer and bool inputs give float32; other dtypes are kept. Real domain errors give NaN or infinities.

    Example:
        >>> mx.tan(mx.array(0.0))
        array(0, dtype=float32)
    """

def arcsin(a: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Inverse sine in radians. Integer and bool inputs give float32; other dtypes are kept. Real domain errors give NaN or infinities.

    Example:
        >>> mx.arcsin(mx.array(0.0))
        array(0, dtype=float32)
    """

def arccos(a: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Inverse cosine in radians. Integer and bool inputs give float32; other dtypes are kept. Real domain errors give NaN or infinities.

    Example:
        >>> mx.arccos(mx.array(1.0))
        array(0, dtype=float32)
    """

def arctan(a: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Inverse tangent in radians. Integer and bool inputs give float32; other dtypes are kept. Real domain errors give NaN or infinities.

    Example:
        >>> mx.arctan(mx.array(0.0))
        array(0, dtype=float32)
    """

def sinh(a: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Hyperbolic sine. Integer and bool inputs give float32; other dtypes are kept. Real domain errors give NaN or infinities.

    Example:
        >>> mx.sinh(mx.array(0.0))
        array(0, dtype=float32)
    """

def cosh(a: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Hyperbolic cosine. Integer and bool inputs give float32; other dtypes are kept. Real domain errors give NaN or infinities.

    Example:
        >>> mx.cosh(mx.array(0.0))
        array(1, dtype=float32)
    """

def tanh(a: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Hyperbolic tangent. Integer and bool inputs give float32; other dtypes are kept. Real domain errors give NaN or infinities.

    Example:
        >>> mx.tanh(mx.array(0.0))
        array(0, dtype=float32)
    """

def arcsinh(a: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Inverse hyperbolic sine. Integer and bool inputs give float32; other dtypes are kept. Real domain errors give NaN or infinities.

    Example:
        >>> mx.arcsinh(mx.array(0.0))
        array(0, dtype=float32)
    """

def arccosh(a: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Inverse hyperbolic cosine. Integer and bool inputs give float32; other dtypes are kept. Real domain errors give NaN or infinities.

    Example:
        >>> mx.arccosh(mx.array(1.0))
        array(0, dtype=float32)
    """

def arctanh(a: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Inverse hyperbolic tangent. Integer and bool inputs give float32; other dtypes are kept. Real domain errors give NaN or infinities.

    Example:
        >>> mx.arctanh(mx.array(0.0))
        array(0, dtype=float32)
    """

def erf(a: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Error function, 2/sqrt(pi) times the integral of exp(-t^2) from 0 to a. Raises ValueError for complex64. Integer and bool inputs give float32; other dtypes are kept. Real domain errors give NaN or infinities.

    Example:
        >>> mx.erf(mx.array(0.0))
        array(0, dtype=float32)
    """

def erfinv(a: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Inverse of erf; infinite at -1 and 1, NaN beyond. Raises ValueError for complex64. Integer and bool inputs give float32; other dtypes are kept. Real domain errors give NaN or infinities.

    Example:
        >>> mx.erfinv(mx.array(0.0))
        array(0, dtype=float32)
    """

def sigmoid(a: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    1 / (1 + exp(-a)), elementwise. Raises ValueError for complex64. Integer and bool inputs give float32; other dtypes are kept. Real domain errors give NaN or infinities.

    Example:
        >>> mx.sigmoid(mx.array(0.0))
        array(0.5, dtype=float32)
    """

def degrees(a: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Radians to degrees. Integer and bool inputs give float32; other dtypes are kept. Real domain errors give NaN or infinities.

    Example:
        >>> mx.degrees(mx.array(0.0))
        array(0, dtype=float32)
    """

def radians(a: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Degrees to radians. Integer and bool inputs give float32; other dtypes are kept. Real domain errors give NaN or infinities.

    Example:
        >>> mx.radians(mx.array(0.0))
        array(0, dtype=float32)
    """

def floor(a: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Largest integer not above a; integers and bool are unchanged. Raises ValueError for complex64.

    Example:
        >>> mx.floor(mx.array(-1.5))
        array(-2, dtype=float32)
    """

def ceil(a: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Smallest integer not below a; integers and bool are unchanged. Raises ValueError for complex64.

    Example:
        >>> mx.ceil(mx.array(1.5))
        array(2, dtype=float32)
    """

def trunc(a: array, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Integer part; integers and bool are unchanged. Raises ValueError for complex64.

    Example:
        >>> mx.trunc(mx.array(-1.5))
        array(-1, dtype=float32)
    """

def conj(a: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Complex conjugate; other dtypes are unchanged.

    Example:
        >>> mx.conj(mx.array(1 + 2j))
        array(1-2j, dtype=complex64)
    """

def conjugate(a: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Complex conjugate; other dtypes are unchanged.

    Example:
        >>> mx.conjugate(mx.array(1 + 2j))
        array(1-2j, dtype=complex64)
    """

def real(a: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Real part: float32 of complex64, other dtypes unchanged.

    Example:
        >>> mx.real(mx.array(1 + 2j))
        array(1, dtype=float32)
    """

def imag(a: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Imaginary part: float32 of complex64, zeros of other dtypes.

    Example:
        >>> mx.imag(mx.array(1 + 2j))
        array(2, dtype=float32)
    """

def stop_gradient(a: array, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    The array as a constant of differentiation.

    Example:
        >>> mx.grad(lambda x: x * mx.stop_gradient(x))(mx.array(3.0))
        array(3, dtype=float32)
    """

def logical_not(a: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Whether a is zero, elementwise (bool).

    Example:
        >>> mx.logical_not(mx.array([0, 2]))
        array([True, False], dtype=bool)
    """

def bitwise_invert(a: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    All bits flipped; logical not of bool. Raises ValueError for floating and complex arrays.

    Example:
        >>> mx.bitwise_invert(mx.array(0))
        array(-1, dtype=int32)
    """

def isnan(a: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Whether a, or a part of complex64, is NaN (bool).

    Example:
        >>> mx.isnan(mx.array([1.0, mx.nan]))
        array([False, True], dtype=bool)
    """

def isinf(a: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Whether a, or a part of complex64, is infinite (bool).

    Example:
        >>> mx.isinf(mx.array([1.0, -mx.inf]))
        array([False, True], dtype=bool)
    """

def isfinite(a: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Whether a is neither NaN nor infinite (bool).

    Example:
        >>> mx.isfinite(mx.array([1.0, mx.nan]))
        array([True, False], dtype=bool)
    """

def isposinf(a: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Whether a is positive infinity (bool).

    Example:
        >>> mx.isposinf(mx.array([mx.inf, -mx.inf]))
        array([True, False], dtype=bool)
    """

def isneginf(a: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Whether a is negative infinity (bool).

    Example:
        >>> mx.isneginf(mx.array([mx.inf, -mx.inf]))
        array([False, True], dtype=bool)
    """

def add(a: bool | int | float | complex | array | Any, b: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Sum, elementwise; or of bool, integers wrap. Shapes broadcast, dtypes promote; Python scalars take the other operand's dtype.

    Example:
        >>> mx.add(mx.array([1, 2]), 1)
        array([2, 3], dtype=int32)
    """

def subtract(a: bool | int | float | complex | array | Any, b: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Difference, elementwise; integers wrap. Shapes broadcast, dtypes promote; Python scalars take the other operand's dtype.

    Example:
        >>> mx.subtract(mx.array([1, 2]), 1)
        array([0, 1], dtype=int32)
    """

def multiply(a: bool | int | float | complex | array | Any, b: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Product, elementwise; and of bool, integers wrap. Shapes broadcast, dtypes promote; Python scalars take the other operand's dtype.

    Example:
        >>> mx.multiply(mx.array([1, 2]), 3)
        array([3, 6], dtype=int32)
    """

def divide(a: bool | int | float | complex | array | Any, b: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    True division, elementwise; integers give float32. Shapes broadcast, dtypes promote; Python scalars take the other operand's dtype.

    Example:
        >>> mx.divide(mx.array([1, 2]), 2)
        array([0.5, 1], dtype=float32)
    """

def floor_divide(a: bool | int | float | complex | array | Any, b: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Largest integer not above a / b; integer division by 0 gives 0. Raises ValueError for complex64. Shapes broadcast, dtypes promote; Python scalars take the other operand's dtype.

    Example:
        >>> mx.floor_divide(mx.array([-7, 7]), 2)
        array([-4, 3], dtype=int32)
    """

def remainder(a: bool | int | float | complex | array | Any, b: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    a - b * floor(a / b), with the sign of b; of an integer by 0: a. Raises ValueError for complex64. Shapes broadcast, dtypes promote; Python scalars take the other operand's dtype.

    Example:
        >>> mx.remainder(mx.array([-7, 7]), 2)
        array([1, 1], dtype=int32)
    """

def power(a: bool | int | float | complex | array | Any, b: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    a to the power b, elementwise; integers wrap, negative integer exponents give 0. Shapes broadcast, dtypes promote; Python scalars take the other operand's dtype.

    Example:
        >>> mx.power(mx.array([2, 3]), 2)
        array([4, 9], dtype=int32)
    """

def maximum(a: bool | int | float | complex | array | Any, b: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    The larger operand; NaN in either gives NaN; complex64 compares real parts, then imaginary ones. Shapes broadcast, dtypes promote; Python scalars take the other operand's dtype.

    Example:
        >>> mx.maximum(mx.array([1, 5]), 3)
        array([3, 5], dtype=int32)
    """

def minimum(a: bool | int | float | complex | array | Any, b: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    The smaller operand; NaN in either gives NaN; complex64 compares real parts, then imaginary ones. Shapes broadcast, dtypes promote; Python scalars take the other operand's dtype.

    Example:
        >>> mx.minimum(mx.array([1, 5]), 3)
        array([1, 3], dtype=int32)
    """

def logaddexp(a: bool | int | float | complex | array | Any, b: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    log(exp(a) + exp(b)) without overflow; at least float32. Shapes broadcast, dtypes promote; Python scalars take the other operand's dtype.

    Example:
        >>> mx.logaddexp(mx.array(0.0), mx.array(-mx.inf))
        array(0, dtype=float32)
    """

def arctan2(a: array, b: array, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Angle of the point (b, a) in radians, in [-pi, pi]. Raises ValueError for complex64. Shapes broadcast, dtypes promote; Python scalars take the other operand's dtype.

    Example:
        >>> mx.arctan2(mx.array(0.0), mx.array(1.0))
        array(0, dtype=float32)
    """

def equal(a: bool | int | float | complex | array | Any, b: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    a == b, elementwise (bool). Shapes broadcast, dtypes promote; Python scalars take the other operand's dtype.

    Example:
        >>> mx.equal(mx.array([1, 2]), 2)
        array([False, True], dtype=bool)
    """

def not_equal(a: bool | int | float | complex | array | Any, b: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    a != b, elementwise (bool). Shapes broadcast, dtypes promote; Python scalars take the other operand's dtype.

    Example:
        >>> mx.not_equal(mx.array([1, 2]), 2)
        array([True, False], dtype=bool)
    """

def less(a: bool | int | float | complex | array | Any, b: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    a < b, elementwise (bool). Shapes broadcast, dtypes promote; Python scalars take the other operand's dtype.

    Example:
        >>> mx.less(mx.array([1, 2]), 2)
        array([True, False], dtype=bool)
    """

def less_equal(a: bool | int | float | complex | array | Any, b: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    a <= b, elementwise (bool). Shapes broadcast, dtypes promote; Python scalars take the other operand's dtype.

    Example:
        >>> mx.less_equal(mx.array([1, 3]), 2)
        array([True, False], dtype=bool)
    """

def greater(a: bool | int | float | complex | array | Any, b: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    a > b, elementwise (bool). Shapes broadcast, dtypes promote; Python scalars take the other operand's dtype.

    Example:
        >>> mx.greater(mx.array([1, 3]), 2)
        array([False, True], dtype=bool)
    """

def greater_equal(a: bool | int | float | complex | array | Any, b: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    a >= b, elementwise (bool). Shapes broadcast, dtypes promote; Python scalars take the other operand's dtype.

    Example:
        >>> mx.greater_equal(mx.array([1, 2]), 2)
        array([False, True], dtype=bool)
    """

def bitwise_and(a: bool | int | float | complex | array | Any, b: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Bitwise and of integers or bool. Raises RuntimeError for other dtypes. Shapes broadcast, dtypes promote; Python scalars take the other operand's dtype.

    Example:
        >>> mx.bitwise_and(mx.array(6), 3)
        array(2, dtype=int32)
    """

def bitwise_or(a: bool | int | float | complex | array | Any, b: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Bitwise or of integers or bool. Raises RuntimeError for other dtypes. Shapes broadcast, dtypes promote; Python scalars take the other operand's dtype.

    Example:
        >>> mx.bitwise_or(mx.array(6), 3)
        array(7, dtype=int32)
    """

def bitwise_xor(a: bool | int | float | complex | array | Any, b: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Bitwise exclusive or of integers or bool. Raises RuntimeError for other dtypes. Shapes broadcast, dtypes promote; Python scalars take the other operand's dtype.

    Example:
        >>> mx.bitwise_xor(mx.array(6), 3)
        array(5, dtype=int32)
    """

def left_shift(a: bool | int | float | complex | array | Any, b: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    a shifted left by b bits. Raises RuntimeError for floating and complex arrays. Shapes broadcast, dtypes promote; Python scalars take the other operand's dtype.

    Example:
        >>> mx.left_shift(mx.array(1), 3)
        array(8, dtype=int32)
    """

def right_shift(a: bool | int | float | complex | array | Any, b: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    a shifted right by b bits, keeping the sign of signed integers. Raises RuntimeError for floating and complex arrays. Shapes broadcast, dtypes promote; Python scalars take the other operand's dtype.

    Example:
        >>> mx.right_shift(mx.array(-8), 1)
        array(-4, dtype=int32)
    """

def logical_and(a: bool | int | float | complex | array | Any, b: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Whether both operands are nonzero (bool). Shapes broadcast.

    Example:
        >>> mx.logical_and(mx.array([0, 2]), True)
        array([False, True], dtype=bool)
    """

def logical_or(a: bool | int | float | complex | array | Any, b: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Whether an operand is nonzero (bool). Shapes broadcast.

    Example:
        >>> mx.logical_or(mx.array([0, 2]), False)
        array([False, True], dtype=bool)
    """

def logical_xor(a: bool | int | float | complex | array | Any, b: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Whether exactly one operand is nonzero (bool). Shapes broadcast.

    Example:
        >>> mx.logical_xor(mx.array([0, 2]), True)
        array([True, False], dtype=bool)
    """

def divmod(a: bool | int | float | complex | array | Any, b: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> list[array]:
    """
    [floor(a / b), remainder], elementwise. Raises ValueError for complex64. Shapes broadcast, dtypes promote; Python scalars take the other operand's dtype.

    Example:
        >>> mx.divmod(mx.array(-7), 2)
        [array(-4, dtype=int32), array(1, dtype=int32)]
    """

def round(a: bool | int | float | complex | array | Any, /, decimals: int = 0, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Nearest value with `decimals` decimals, halves to even.

    Example:
        >>> mx.round(mx.array([0.5, 1.5]))
        array([0, 2], dtype=float32)
    """

def nan_to_num(a: bool | int | float | complex | array | Any, /, nan: float = 0, posinf: float | None = None, neginf: float | None = None, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    NaN and infinities replaced; infinities by default by the largest finite values.

    Example:
        >>> mx.nan_to_num(mx.array([mx.nan, 1.0]))
        array([0, 1], dtype=float32)
    """

def where(condition: bool | int | float | complex | array | Any, x: bool | int | float | complex | array | Any, y: bool | int | float | complex | array | Any, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    x where the condition is nonzero, y elsewhere. Shapes broadcast; x and y promote.

    Example:
        >>> mx.where(mx.array([True, False]), 1, 2)
        array([1, 2], dtype=int32)
    """

def clip(a: array, /, a_min: bool | int | float | complex | array | Any | None, a_max: bool | int | float | complex | array | Any | None, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    minimum(maximum(a, a_min), a_max); a bound of None is left out. Raises ValueError when both are None.

    Example:
        >>> mx.clip(mx.array([-1, 5]), 0, 3)
        array([0, 3], dtype=int32)
    """

def array_equal(a: bool | int | float | complex | array | Any, b: bool | int | float | complex | array | Any, /, *, equal_nan: bool = False, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Whether shapes and all values are equal (0-d bool).

    Example:
        >>> mx.array_equal(mx.array([1, 2]), mx.array([1, 2]))
        array(True, dtype=bool)
    """

def isclose(a: array, b: array, /, rtol: float = 1e-05, atol: float = 1e-08, *, equal_nan: bool = False, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    |a - b| <= atol + rtol * |b|, elementwise (bool); infinities are close to themselves.

    Example:
        >>> mx.isclose(mx.array(1.0), mx.array(1.0))
        array(True, dtype=bool)
    """

def allclose(a: array, b: array, /, rtol: float = 1e-05, atol: float = 1e-08, *, equal_nan: bool = False, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Whether all elements are close (0-d bool); see isclose.

    Example:
        >>> mx.allclose(mx.array(1.0), mx.array(1.0))
        array(True, dtype=bool)
    """

asin = arcsin

acos = arccos

atan = arctan

atan2 = arctan2

asinh = arcsinh

acosh = arccosh

atanh = arctanh

pow = power

bitwise_left_shift = left_shift

bitwise_right_shift = right_shift

def zeros(shape: int | Sequence[int], dtype: Dtype | None = float32, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Zeros of a shape; float32 unless a dtype is given. Raises ValueError for negative dimensions.

    Example:
        >>> mx.zeros((2,))
        array([0, 0], dtype=float32)
    """

def ones(shape: int | Sequence[int], dtype: Dtype | None = float32, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Ones of a shape; float32 unless a dtype is given. Raises ValueError for negative dimensions.

    Example:
        >>> mx.ones((2,))
        array([1, 1], dtype=float32)
    """

empty = zeros

def full(shape: int | Sequence[int], vals: bool | int | float | complex | array | Any, dtype: Dtype | None = None, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    A shape filled with a value that broadcasts to it. The dtype is that of an array value; a Python scalar takes `dtype` where that can hold its kind.

    Example:
        >>> mx.full((2,), 3)
        array([3, 3], dtype=int32)
    """

def zeros_like(a: array, /, dtype: Dtype | None = None, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Zeros with the shape, and unless given the dtype, of an array.

    Example:
        >>> mx.zeros_like(mx.array([1, 2]))
        array([0, 0], dtype=int32)
    """

def ones_like(a: array, /, dtype: Dtype | None = None, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Ones with the shape, and unless given the dtype, of an array.

    Example:
        >>> mx.ones_like(mx.array([1, 2]))
        array([1, 1], dtype=int32)
    """

empty_like = zeros_like

def full_like(a: array, /, vals: bool | int | float | complex | array | Any, dtype: Dtype | None = None, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    A value with the shape, and unless given the dtype, of an array.

    Example:
        >>> mx.full_like(mx.array([1, 2]), 7)
        array([7, 7], dtype=int32)
    """

def eye(n: int, m: int | None = None, k: int = 0, dtype: Dtype | None = float32, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    An (n, m) matrix with ones on the k-th diagonal.

    Example:
        >>> mx.eye(2)
        array([[1, 0],
               [0, 1]], dtype=float32)
    """

def identity(n: int, dtype: Dtype | None = float32, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    The (n, n) identity matrix.

    Example:
        >>> mx.identity(1)
        array([[1]], dtype=float32)
    """

def tri(n: int, m: int | None = None, k: int = 0, dtype: Dtype | None = float32, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    An (n, m) matrix with ones at and below the k-th diagonal.

    Example:
        >>> mx.tri(2)
        array([[1, 0],
               [1, 1]], dtype=float32)
    """

def tril(x: array, k: int = 0, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    The last two axes with zeros above the k-th diagonal. Raises ValueError below two dimensions.

    Example:
        >>> mx.tril(mx.ones((2, 2)))
        array([[1, 0],
               [1, 1]], dtype=float32)
    """

def triu(x: array, k: int = 0, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    The last two axes with zeros below the k-th diagonal. Raises ValueError below two dimensions.

    Example:
        >>> mx.triu(mx.ones((2, 2)))
        array([[1, 1],
               [0, 1]], dtype=float32)
    """

def diag(a: array, /, k: int = 0, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    A square matrix with a vector on its k-th diagonal, or the k-th diagonal of a matrix. Raises ValueError for other ranks.

    Example:
        >>> mx.diag(mx.array([[1, 2], [3, 4]]))
        array([1, 4], dtype=int32)
    """

@overload
def arange(start: int | float, stop: int | float | None, step: int | float | None = None, dtype: Dtype | None = None, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Evenly spaced values in [start, stop). float32 if any bound is a float, else int32, or int64 where 32 bits do not suffice. Raises ValueError for NaN, infinite bounds and a step of 0.

    Example:
        >>> mx.arange(3)
        array([0, 1, 2], dtype=int32)
    """

@overload
def arange(stop: int | float, step: int | float | None = None, dtype: Dtype | None = None, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array: ...

def linspace(start: int | float, stop: int | float, num: int = 50, endpoint: bool = True, dtype: Dtype | None = float32, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    `num` evenly spaced values from start to stop, which is included with `endpoint`. Raises ValueError for a negative num.

    Example:
        >>> mx.linspace(0, 1, 3)
        array([0, 0.5, 1], dtype=float32)
    """

def meshgrid(*arrays: array, sparse: bool = False, indexing: str = 'xy', stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> tuple[array, ...]:
    """
    Coordinate arrays of a grid with the given axes. `sparse` keeps axes of size 1. Raises ValueError for an indexing other than 'xy' and 'ij'.
    """

def asarray(a: object, /, dtype: Dtype | None = None, *, copy: bool | None = None) -> array:
    """
    An array from whatever mlx.core.array accepts.

    Example:
        >>> mx.asarray([1, 2])
        array([1, 2], dtype=int32)
    """

def from_dlpack(x: object, /, *, copy: bool | None = None) -> array:
    """
    A copy of an array of another library. float64 becomes float32, complex128 complex64.
    """

def reshape(a: array, /, shape: Sequence[int], *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    The same elements, in row-major order, in another shape; one entry may be -1. Raises ValueError when the sizes differ.

    Example:
        >>> mx.reshape(mx.arange(4), (2, -1))
        array([[0, 1],
               [2, 3]], dtype=int32)
    """

def flatten(a: array, /, start_axis: int = 0, end_axis: int = -1, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    The axes start_axis to end_axis, both included, merged into one; 0-d gives (1,).

    Example:
        >>> mx.flatten(mx.ones((2, 2))).shape
        (4,)
    """

def unflatten(a: array, /, axis: int, shape: Sequence[int], *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    One axis split into a shape; one entry may be -1.

    Example:
        >>> mx.unflatten(mx.arange(4), 0, (2, -1)).shape
        (2, 2)
    """

def squeeze(a: array, /, axis: int | Sequence[int] | None = None, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Without axes of size 1: all of them, or the named ones. Raises ValueError for a named axis of another size.

    Example:
        >>> mx.squeeze(mx.ones((1, 2))).shape
        (2,)
    """

def expand_dims(a: array, /, axis: int | Sequence[int], *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    With new axes of size 1 at the given positions of the result.

    Example:
        >>> mx.expand_dims(mx.ones(2), 0).shape
        (1, 2)
    """

def flip(a: array, /, axis: int | Sequence[int] | None = None, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    In reverse order along all axes, or the named ones.

    Example:
        >>> mx.flip(mx.array([1, 2]))
        array([2, 1], dtype=int32)
    """

def transpose(a: array, /, axes: Sequence[int] | None = None, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    The axes in another order; reversed when none are given. Raises ValueError unless every axis is named once.

    Example:
        >>> mx.transpose(mx.ones((2, 3))).shape
        (3, 2)
    """

def permute_dims(a: array, /, axes: Sequence[int] | None = None, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    The axes in another order; reversed when none are given. Raises ValueError unless every axis is named once.

    Example:
        >>> mx.transpose(mx.ones((2, 3))).shape
        (3, 2)
    """

matrix_transpose = transpose

def moveaxis(a: array, /, source: int, destination: int, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    One axis moved to another position. Raises IndexError for axes out of range.
    """

def swapaxes(a: array, /, axis1: int, axis2: int, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """Two axes exchanged. Raises IndexError for axes out of range."""

def broadcast_to(a: bool | int | float | complex | array | Any, /, shape: Sequence[int], *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Stretched to a shape by NumPy's rule. Raises ValueError when it does not fit.

    Example:
        >>> mx.broadcast_to(mx.array(1), (2,))
        array([1, 1], dtype=int32)
    """

def broadcast_arrays(*arrays: array, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> list[array]:
    """All arrays stretched to their common shape."""

def broadcast_shapes(*shapes: Sequence[int]) -> tuple[int, ...]:
    """
    The common shape by NumPy's rule. Raises ValueError when there is none.
    """

def atleast_1d(*arys: array, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array | list[array]:
    """With at least one dimension; a list for several arrays."""

def atleast_2d(*arys: array, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array | list[array]:
    """With at least two dimensions; a list for several arrays."""

def atleast_3d(*arys: array, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array | list[array]:
    """With at least three dimensions; a list for several arrays."""

def view(a: bool | int | float | complex | array | Any, /, dtype: Dtype, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    The bytes of the elements as another dtype; the last axis scales. Raises ValueError where it cannot.
    """

def as_strided(a: array, /, shape: Sequence[int] | None = None, strides: Sequence[int] | None = None, offset: int = 0, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """The flat row-major elements seen with other strides (in elements)."""

def contiguous(a: array, /, allow_col_major: bool = False, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """Copied to row-major order unless it is so already."""

def astype(a: array, /, dtype: Dtype, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    The values in another dtype. Real values saturate in integer dtypes, NaN gives 0, nonzero is True.
    """

def diagonal(a: array, offset: int = 0, axis1: int = 0, axis2: int = 1, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    A diagonal of two axes as the last axis. Raises ValueError for equal axes or fewer than two dimensions, IndexError for axes out of range.
    """

def trace(a: array, /, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Dtype | None = None, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """Sum of a diagonal of two axes."""

def concatenate(arrays: Sequence[array], /, axis: int | None = 0, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Joined along an axis; flattened first for None. Dtypes promote. Raises ValueError for an empty list and for other dimensions that differ.

    Example:
        >>> mx.concatenate([mx.ones(1), mx.zeros(1)])
        array([1, 0], dtype=float32)
    """

def concat(arrays: Sequence[array], /, axis: int | None = 0, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Joined along an axis; flattened first for None. Dtypes promote. Raises ValueError for an empty list and for other dimensions that differ.

    Example:
        >>> mx.concatenate([mx.ones(1), mx.zeros(1)])
        array([1, 0], dtype=float32)
    """

def stack(arrays: Sequence[array], /, axis: int | None = 0, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Joined along a new axis. Raises ValueError for shapes that differ.

    Example:
        >>> mx.stack([mx.array(1), mx.array(2)])
        array([1, 2], dtype=int32)
    """

def split(a: array, /, indices_or_sections: int | Sequence[int], axis: int = 0, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> list[array]:
    """
    Cut into equal parts, or at the given positions, along an axis. Raises ValueError when the parts are not equal.

    Example:
        >>> mx.split(mx.arange(4), 2)
        [array([0, 1], dtype=int32), array([2, 3], dtype=int32)]
    """

def unstack(x: array, /, *, axis: int = 0, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> list[array]:
    """The sub-arrays along an axis."""

def repeat(array: array, repeats: int, axis: int | None = None, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Each element repeated along an axis; flattened first for None.

    Example:
        >>> mx.repeat(mx.array([1, 2]), 2)
        array([1, 1, 2, 2], dtype=int32)
    """

def tile(a: array, reps: int | Sequence[int], /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    The whole array repeated along each axis.

    Example:
        >>> mx.tile(mx.array([1, 2]), 2)
        array([1, 2, 1, 2], dtype=int32)
    """

def roll(a: array, /, shift: int | Sequence[int], axis: int | Sequence[int] | None = None, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Shifted along axes, what leaves one end entering at the other.

    Example:
        >>> mx.roll(mx.array([1, 2, 3]), 1)
        array([3, 1, 2], dtype=int32)
    """

def pad(a: array, /, pad_width: int | tuple[int] | tuple[int, int] | Sequence[tuple[int, int]], mode: str = 'constant', constant_values: bool | int | float | complex | array | Any = 0, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Extended at both ends of the axes, by a constant or, with mode 'edge', 'reflect' or 'symmetric', by values of the array. Raises ValueError for negative widths and unknown modes.

    Example:
        >>> mx.pad(mx.array([1]), 1)
        array([0, 1, 0], dtype=int32)
    """

def depends(inputs: array | Sequence[array], dependencies: array | Sequence[array], /) -> array | list[array]:
    """`inputs`, evaluated only after `dependencies`."""

def all(a: array, /, axis: int | Sequence[int] | None = None, keepdims: bool = False, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Whether all elements are nonzero (bool); True of none. Raises IndexError for an axis out of range.

    Example:
        >>> mx.all(mx.array([1, 0]))
        array(False, dtype=bool)
    """

def any(a: array, /, axis: int | Sequence[int] | None = None, keepdims: bool = False, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Whether any element is nonzero (bool); False of none. Raises IndexError for an axis out of range.

    Example:
        >>> mx.any(mx.array([1, 0]))
        array(True, dtype=bool)
    """

def prod(a: array, /, axis: int | Sequence[int] | None = None, keepdims: bool = False, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Product; bool and integers up to 32 bits give int32 or uint32. Raises IndexError for an axis out of range.

    Example:
        >>> mx.prod(mx.array([2, 3]))
        array(6, dtype=int32)
    """

def min(a: array, /, axis: int | Sequence[int] | None = None, keepdims: bool = False, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Smallest element; NaN propagates. Raises ValueError over an axis of size 0. Raises IndexError for an axis out of range.

    Example:
        >>> mx.min(mx.array([2, 3]))
        array(2, dtype=int32)
    """

def max(a: array, /, axis: int | Sequence[int] | None = None, keepdims: bool = False, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Largest element; NaN propagates. Raises ValueError over an axis of size 0. Raises IndexError for an axis out of range.

    Example:
        >>> mx.max(mx.array([2, 3]))
        array(3, dtype=int32)
    """

def mean(a: array, /, axis: int | Sequence[int] | None = None, keepdims: bool = False, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Mean; integers give float32, 16-bit floats accumulate in float32, NaN of none. Raises ValueError for an axis out of range.

    Example:
        >>> mx.mean(mx.array([2, 3]))
        array(2.5, dtype=float32)
    """

def logsumexp(a: array, /, axis: int | Sequence[int] | None = None, keepdims: bool = False, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    log(sum(exp(a))) without overflow. Raises ValueError for an empty array. Raises IndexError for an axis out of range.

    Example:
        >>> mx.logsumexp(mx.array([0.0, -mx.inf]))
        array(0, dtype=float32)
    """

def sum(array: array, axis: int | Sequence[int] | None = None, keepdims: bool = False, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Sum; bool and integers up to 32 bits give int32 or uint32, 16-bit floats accumulate in float32. Raises IndexError for an axis out of range.

    Example:
        >>> mx.sum(mx.array([2, 3]))
        array(5, dtype=int32)
    """

def var(a: array, /, axis: int | Sequence[int] | None = None, keepdims: bool = False, ddof: int = 0, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Variance, sum |a - mean|^2 / max(N - ddof, 0); integers give float32, complex64 gives float32.

    Example:
        >>> mx.var(mx.array([1.0, 3.0]))
        array(1, dtype=float32)
    """

def std(a: array, /, axis: int | Sequence[int] | None = None, keepdims: bool = False, ddof: int = 0, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Standard deviation, the square root of var.

    Example:
        >>> mx.std(mx.array([1.0, 3.0]))
        array(1, dtype=float32)
    """

def count_nonzero(a: array, /, axis: int | Sequence[int] | None = None, *, keepdims: bool = False, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Number of nonzero elements (int32). Raises IndexError for an axis out of range.

    Example:
        >>> mx.count_nonzero(mx.array([2, 0]))
        array(1, dtype=int32)
    """

def softmax(a: array, /, axis: int | Sequence[int] | None = None, *, precise: bool = False, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    exp(a) / sum(exp(a)) over axes jointly, without overflow; integers give float32, 16-bit floats are computed in float32. Raises IndexError for an axis out of range.

    Example:
        >>> mx.softmax(mx.array([0.0, 0.0]))
        array([0.5, 0.5], dtype=float32)
    """

def argmin(a: array, /, axis: int | None = None, keepdims: bool = False, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Index (uint32) of the first smallest element, or of the first NaN; into the flattened array without an axis. Raises ValueError for an empty array. Raises IndexError for an axis out of range.

    Example:
        >>> mx.argmin(mx.array([3, 1, 2]))
        array(1, dtype=uint32)
    """

def argmax(a: array, /, axis: int | None = None, keepdims: bool = False, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Index (uint32) of the first largest element, or of the first NaN; into the flattened array without an axis. Raises ValueError for an empty array. Raises IndexError for an axis out of range.

    Example:
        >>> mx.argmax(mx.array([3, 1, 2]))
        array(0, dtype=uint32)
    """

def matmul(a: array, b: array, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Matrix product: (..., M, K) by (..., K, N) gives (..., M, N). One-dimensional operands are treated as a row and a column; leading axes broadcast; dtypes promote and must be floating or complex. Raises ValueError for 0-d operands and sizes that do not match.

    Example:
        >>> mx.matmul(mx.ones((1, 2)), mx.ones((2, 1)))
        array([[2]], dtype=float32)
    """

def addmm(c: array, a: array, b: array, /, alpha: float = 1.0, beta: float = 1.0, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    beta * c + alpha * (a @ b); c broadcasts to the shape of the product. Raises ValueError as matmul does.

    Example:
        >>> mx.addmm(mx.array([1.0]), mx.ones((1, 2)), mx.ones((2, 1)))
        array([[3]], dtype=float32)
    """

def inner(a: array, b: array, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Sum of products over the last axes: shape a.shape[:-1] + b.shape[:-1]; a product with a scalar for 0-d operands.

    Example:
        >>> mx.inner(mx.ones(2), mx.ones(2))
        array(2, dtype=float32)
    """

def outer(a: array, b: array, /, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    All products of the flattened operands: shape (a.size, b.size).

    Example:
        >>> mx.outer(mx.array([1, 2]), mx.array([3]))
        array([[3],
               [6]], dtype=int32)
    """

def vecdot(a: array, b: array, /, axis: int = -1, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """Sum of conj(a) * b over an axis; the other axes broadcast."""

def tensordot(a: array, b: array, /, axes: int | Sequence[Sequence[int]] = 2, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Sum of products over the last n axes of a and the first n of b, or over a pair of axis lists. Raises ValueError for sizes that do not match.
    """

def kron(a: array, b: array, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """Kronecker product."""

def einsum(subscripts: str, *operands: array, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Sum of products by Einstein's convention: 'ij,jk->ik' is a matrix product.

    Example:
        >>> mx.einsum('ij,j->i', mx.ones((2, 3)), mx.ones(3))
        array([3, 3], dtype=float32)
    """

def einsum_path(subscripts: str, *operands: array) -> tuple[list[tuple[int, ...]], str]:
    """
    The order in which einsum contracts the operands, and a report of its cost.
    """

class IndexOutOfRangeError(IndexError, ValueError):
    """An index outside of an array; both an IndexError and a ValueError."""

def take(a: array, /, indices: int | array, axis: int | None = None, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    `a` with `axis` replaced by the shape of the indices, which may be negative; without an axis the array is flattened first. Raises ValueError for a bad axis and for indices that are no integers, IndexOutOfRangeError for an index out of range: at once for an integer, at evaluation for an array.

    Example:
        >>> mx.take(mx.array([5, 6, 7]), mx.array([2, 0]))
        array([7, 5], dtype=int32)
    """

def take_along_axis(a: array, /, indices: array, axis: int | None = None, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Elements at the indices along one axis; the other axes broadcast. Without an axis the array is flattened and the indices are 1-D. Raises ValueError for indices of another number of dimensions or no integers, IndexOutOfRangeError at evaluation.

    Example:
        >>> mx.take_along_axis(mx.array([[5, 6]]), mx.array([[1]]), axis=1)
        array([[6]], dtype=int32)
    """

def put_along_axis(a: array, /, indices: array, values: bool | int | float | complex | array | Any, axis: int | None, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    A copy of `a` with `values`, which broadcast to the indices, written along one axis; of equal indices the last one wins. Raises as `take_along_axis`.

    Example:
        >>> mx.put_along_axis(mx.array([[5, 6]]), mx.array([[1]]), 7, axis=1)
        array([[5, 7]], dtype=int32)
    """

def slice(a: array, /, start_indices: array, axes: Sequence[int], slice_size: Sequence[int], *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    The slice of a given size that begins at `start_indices` on `axes` and at 0 elsewhere; `slice_size` has an entry per dimension. Raises ValueError for arguments that do not fit, IndexError at evaluation for a start that does not.

    Example:
        >>> mx.slice(mx.arange(5), mx.array(2), [0], [2])
        array([2, 3], dtype=int32)
    """

def slice_update(a: array, /, update: array, start_indices: array, axes: Sequence[int], *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    A copy of `a` with `update` written where the slice at `start_indices` begins. Raises as `slice`.

    Example:
        >>> mx.slice_update(mx.arange(4), mx.array([8, 9]), mx.array(1), [0])
        array([0, 8, 9, 3], dtype=int32)
    """

class ArrayAt:
    """Updates of an array at an index, in which equal places accumulate."""

    def __getitem__(self, indices: Any) -> ArrayAt: ...

    def add(self, value: bool | int | float | complex | array | Any) -> array:
        """A copy of the array with the value added."""

    def multiply(self, value: bool | int | float | complex | array | Any) -> array:
        """A copy of the array multiplied by the value."""

    def maximum(self, value: bool | int | float | complex | array | Any) -> array:
        """A copy of the array, at least the value."""

    def minimum(self, value: bool | int | float | complex | array | Any) -> array:
        """A copy of the array, at most the value."""

    def subtract(self, value: bool | int | float | complex | array | Any) -> array:
        """A copy of the array with the value subtracted."""

    def divide(self, value: bool | int | float | complex | array | Any) -> array:
        """
        A copy of the array multiplied by the reciprocal of the value, as the dtype holds it.
        """

def eval(*args: Any) -> None:
    """
    Computes arrays and trees of arrays; other leaves are ignored.

    Example:
        >>> x = mx.ones((2,)) + 1
        >>> mx.eval(x)
    """

def async_eval(*args: Any) -> None:
    """
    Starts the computation of arrays and trees of arrays and returns. Reading one of them waits for it. Raises ValueError for arrays of a running transformation.
    """

def vjp(fun: Callable[..., Any], primals: list[array], cotangents: list[array]) -> tuple[list[array], list[array]]:
    """
    Outputs of `fun` at `primals` and the products of the cotangents with its Jacobian.

    Raises:
        ValueError: fewer cotangents than outputs, or shapes that differ.

    Example:
        >>> mx.vjp(mx.sin, [mx.array(0.0)], [mx.array(2.0)])[1]
        [array(2, dtype=float32)]
    """

def jvp(fun: Callable[..., Any], primals: list[array], tangents: list[array]) -> tuple[list[array], list[array]]:
    """
    Outputs of `fun` at `primals` and the products of its Jacobian with the tangents.

    Raises:
        ValueError: as many tangents as primals are needed, of the same shapes.

    Example:
        >>> mx.jvp(mx.sin, [mx.array(0.0)], [mx.array(2.0)])[1]
        [array(2, dtype=float32)]
    """

def value_and_grad(fun: Callable[..., Any], argnums: int | Sequence[int] | None = None, argnames: str | Sequence[str] = []) -> Callable[..., Any]:
    """
    A function that returns the value of `fun` and its gradient.

    Args:
        fun: returns a scalar array, or a tuple that begins with one.
        argnums: positional arguments to differentiate by (default 0); gradients come in
            ascending order.
        argnames: keyword arguments to differentiate by.

    Returns:
        A function with the arguments of `fun` that returns (value, gradient). The gradient has
        the structure of the argument; several arguments give a tuple; with argnames it is
        (positional, {name: gradient}).

    Raises:
        ValueError: bad argnums, arguments that hold other things than arrays, a loss that is
            not a scalar of shape ().

    Example:
        >>> mx.value_and_grad(lambda x: (x * x).sum())(mx.array([3.0]))
        (array(9, dtype=float32), array([6], dtype=float32))
    """

def grad(fun: Callable[..., Any], argnums: int | Sequence[int] | None = None, argnames: str | Sequence[str] = []) -> Callable[..., Any]:
    """
    As value_and_grad, for a function that returns one scalar array; returns the gradient alone.

    Example:
        >>> mx.grad(mx.square)(mx.array(3.0))
        array(6, dtype=float32)
    """

def vmap(fun: Callable[..., Any], in_axes: Any = 0, out_axes: Any = 0) -> Callable[..., Any]:
    """
    `fun` over one more axis of its arguments.

    Args:
        fun: takes and returns trees of arrays.
        in_axes: the mapped axis of each argument, None for arguments that stay as they are; a
            tree that matches the upper part of the arguments.
        out_axes: where the axis goes in the results.

    Raises:
        ValueError: sizes that differ, axes out of range, nothing mapped, a primitive without a
            vmap rule.

    Example:
        >>> mx.vmap(lambda x: x.sum())(mx.ones((2, 3)))
        array([3, 3], dtype=float32)
    """

def compile(fun: Callable[..., Any], inputs: object | None = None, outputs: object | None = None, shapeless: bool = False) -> Callable[..., Any]:
    """
    A function with the results of `fun`. For now it is in its disabled mode: each call checks
    the arguments and calls `fun`. Evaluation fuses elementwise operations all the same.

    Args:
        fun: takes trees of arrays, int, bool, float, str and None.
        inputs: a container whose arrays `fun` reads besides its arguments.
        outputs: a container whose arrays `fun` replaces.
        shapeless: one trace may serve arguments of all shapes.

    Raises:
        ValueError: an argument holds something else (when called).

    Example:
        >>> mx.compile(lambda x: mx.exp(-x))(mx.array(0.0))
        array(1, dtype=float32)
    """

def disable_compile() -> None:
    """Turns compilation off for the whole process, over MLX_DISABLE_COMPILE."""

def enable_compile() -> None:
    """
    Turns compilation on for the whole process, over MLX_DISABLE_COMPILE; without effect until there is a compiler.
    """

def save(file: str | os.PathLike[str] | Any, arr: array) -> None:
    """
    Writes an array as .npy, to a path (the extension is added) or a binary file object. Raises RuntimeError where writing fails, ValueError for what is no file.

    Example:
        >>> mx.save('x.npy', mx.ones(2))  # doctest: +SKIP
    """

def savez(file: str | os.PathLike[str] | Any, *args: array, **kwargs: array) -> None:
    """
    Writes arrays into an .npz archive, positional ones as arr_0, arr_1, ... Raises ValueError for a keyword of such a name.
    """

def savez_compressed(file: str | os.PathLike[str] | Any, *args: array, **kwargs: array) -> None:
    """As savez, compressed."""

def save_safetensors(file: str | os.PathLike[str] | Any, arrays: dict[str, array], metadata: dict[str, str] | None = None) -> None:
    """
    Writes named arrays, of any dtype but float64, as .safetensors. Raises RuntimeError for float64 and where writing fails, ValueError for metadata that are not strings.
    """

def load(file: str | os.PathLike[str] | Any, /, format: str | None = None, return_metadata: bool = False, *, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> Any:
    """
    Reads .npy (an array), .npz or .safetensors (a dict of arrays; with return_metadata a pair of arrays and metadata). The format is `format` or the extension. Arrays of paths are read when they are evaluated, those of file objects at once.

    Raises:
        RuntimeError: missing, damaged or short files.
        ValueError: an unknown format, or metadata of a format that has none.
    """
