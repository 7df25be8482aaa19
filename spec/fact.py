"""Facts: values worked out of a frozen object once, when they are first asked for."""

from collections.abc import Callable
from typing import Generic, Self, TypeVar, overload

Of = TypeVar("Of")
Value = TypeVar("Value")


class fact(Generic[Of, Value]):  # noqa: N801 - a decorator, as `property` is
    """A property that is worked out once and kept in the object.

    `functools.cached_property` does the same, but takes a lock on Python 3.11, which costs more
    than most facts.
    """

    def __init__(self, work_out: Callable[[Of], Value]) -> None:
        """`work_out` is the property's function; it must not look at anything that changes."""
        self.work_out = work_out
        self.name = work_out.__name__
        self.__doc__ = work_out.__doc__

    @overload
    def __get__(self, instance: None, owner: type[Of]) -> Self: ...
    @overload
    def __get__(self, instance: Of, owner: type[Of]) -> Value: ...
    def __get__(self, instance: Of | None, owner: type[Of]) -> Self | Value:
        """The value; from the second time on it is found in the object itself, and this is not
        called.

        It is set as any attribute is. To put it into the object's `__dict__` would give Python
        3.11 a real dictionary to make, and every later look at the object's fields takes longer.
        """
        if instance is None:
            return self
        value = self.work_out(instance)
        object.__setattr__(instance, self.name, value)
        return value


class early_fact(fact[Of, Value]):  # noqa: N801 - a decorator, as `property` is
    """A fact that `at_once` works out when the object is made, for what is looked at many times:
    each look at a `fact` goes by way of its descriptor.
    """


def at_once(kind: type[Of]) -> type[Of]:
    """Work the early facts of a dataclass out when an object is made, in the order in which they
    stand.

    It stands under `dataclass`, which makes the constructor call it.
    """
    facts = {one.name: one for one in vars(kind).values() if isinstance(one, early_fact)}
    for name in facts:
        delattr(kind, name)
    assignments = [f"    made.{name} = work_out_{name}(made)" for name in facts]
    source = "\n".join(["def work_out_all(made):", *assignments])
    namespace = {f"work_out_{name}": one.work_out for name, one in facts.items()}
    exec(source, namespace)  # noqa: S102 - a loop with `setattr` takes twice as long
    kind.__post_init__ = namespace["work_out_all"]  # type: ignore[attr-defined]
    return kind
