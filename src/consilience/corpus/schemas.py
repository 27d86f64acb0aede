"""The types of JSON columns over a whole file, whatever changes in it.

Null ⊔ t = t        Int ⊔ Int = the wider        Int ⊔ Float = Float        other scalars ⊔ = String
List(a) ⊔ List(b) = List(a ⊔ b)        Struct ⊔ Struct = all fields        else: JSON text, a String
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl

Types = dict[str, pl.DataType]

_STRING: pl.DataType = pl.String()


def joined(schemas: Iterable[Mapping[str, pl.DataType]]) -> Types:
    """One type per column that holds all; columns in the order they first come."""
    types: Types = {}
    for schema in schemas:
        for name, dtype in schema.items():
            types[name] = (join(types[name], dtype) or _STRING) if name in types else dtype
    return {name: settled(dtype) for name, dtype in types.items()}


def join(a: pl.DataType, b: pl.DataType) -> pl.DataType | None:
    """a ⊔ b; None where only JSON text can hold both."""
    if a == b or b == pl.Null:
        return a
    if a == pl.Null:
        return b
    if isinstance(a, pl.List) and isinstance(b, pl.List):
        inner = join(_inner(a), _inner(b))
        return None if inner is None else pl.List(inner)
    if isinstance(a, pl.Struct) and isinstance(b, pl.Struct):
        fields = {field.name: _made(field.dtype) for field in a.fields}
        for field in b.fields:
            dtype = _made(field.dtype)
            fields[field.name] = (join(fields[field.name], dtype) or _STRING) if field.name in fields else dtype
        return pl.Struct(fields)
    if a.is_nested() or b.is_nested():
        return None
    if a.is_numeric() and b.is_numeric():
        if a.is_float() or b.is_float():
            return pl.Float64()
        return pl.Int128() if pl.Int128 in (a, b) else pl.Int64()
    return _STRING


def settled(dtype: pl.DataType) -> pl.DataType:
    """The type with strings where nothing was seen, and JSON text for objects that are always empty."""
    if dtype == pl.Null:
        return _STRING
    if isinstance(dtype, pl.List):
        return pl.List(settled(_inner(dtype)))
    if isinstance(dtype, pl.Struct):
        if not dtype.fields:
            return _STRING
        return pl.Struct({field.name: settled(_made(field.dtype)) for field in dtype.fields})
    return dtype


def lossless(seen: pl.DataType, wanted: pl.DataType) -> bool:
    """Whether a column that was read as one type can be cast to the other and be as if read so."""
    return seen in (wanted, pl.Null) or (seen.is_numeric() and wanted.is_numeric())


def dtype_of(value: Any) -> pl.DataType:
    """The type of a parsed JSON value."""
    match value:
        case None:
            return pl.Null()
        case bool():
            return pl.Boolean()
        case int():
            return pl.Int64() if -(2**63) <= value < 2**63 else pl.Int128()
        case float():
            return pl.Float64()
        case list():
            inner: pl.DataType | None = pl.Null()
            for element in value:
                inner = None if inner is None else join(inner, dtype_of(element))
            return _STRING if inner is None else pl.List(inner)
        case dict():
            return pl.Struct({name: dtype_of(part) for name, part in value.items()})
        case _:
            return _STRING


def _inner(dtype: pl.List) -> pl.DataType:
    return _made(dtype.inner)


def _made(dtype: Any) -> pl.DataType:
    return dtype() if isinstance(dtype, type) else dtype
