"""No module holds an exception: each time that it is raised, it keeps more objects alive."""

from __future__ import annotations

import gc
import importlib
import pkgutil
import sys
import types

import fastcausal as fc

CONTAINERS = dict | list | tuple | set | frozenset | types.MappingProxyType | types.CellType
OPTIONAL = ("fastcausal.training", "fastcausal.ray", "fastcausal.__main__")


def modules():
    for found in pkgutil.walk_packages(fc.__path__, "fastcausal."):
        if not found.name.startswith(OPTIONAL):
            importlib.import_module(found.name)
    return [module for name, module in sys.modules.items() if name.startswith("fastcausal")]


def held(module):
    """Yield exceptions that a module holds, in whatever containers, classes and functions."""
    seen, left = set(), [vars(module)]
    while left:
        thing = left.pop()
        if id(thing) in seen or isinstance(thing, types.ModuleType):
            continue
        seen.add(id(thing))
        if isinstance(thing, BaseException):
            yield thing
        if isinstance(thing, type | types.FunctionType) and not thing.__module__.startswith("fast"):
            continue
        if isinstance(thing, types.FunctionType):
            left += [thing.__defaults__, thing.__kwdefaults__, thing.__closure__]
        elif isinstance(thing, type):
            left += vars(thing).values()
        elif isinstance(thing, CONTAINERS):
            left += gc.get_referents(thing)


def test_no_module_holds_an_exception():
    found = [f"{module.__name__}: {error!r}" for module in modules() for error in held(module)]
    assert found == []


def test_a_module_that_holds_one_is_seen():
    module = types.ModuleType("fastcausal.fault")
    module.KNOWN = {"cut": [ValueError("it ends")]}
    assert len(list(held(module))) == 1
    module = types.ModuleType("fastcausal.fault")
    exec("def raises(error=ValueError()): raise error", vars(module))
    module.raises.__module__ = module.__name__
    assert len(list(held(module))) == 1


def test_reasons_that_answers_end_in_are_their_own():
    said = [{"text": "Rain fell .", "output": '{"relations": [{"cause": "Rain"'}] * 2
    read = fc.read(said, answers="output").unparsed.to_pylist()
    assert {row["reason"] for row in read} == {"the answer ends within it"}
