"""The form of the excerpts that subset-*.py write: lines "name = value", values in hexadecimal."""


def field(name, value):
    text = value.hex() if isinstance(value, bytes) else value.lower()
    print(f"{name} = {text}")


def case(number, result, flags, values):
    """A case. `flags`: one, several in a list, or none."""
    flags = flags if isinstance(flags, str) else " ".join(flags)
    print(f"\ncount = {number}\nresult = {result}\nflags = {flags}")
    for name, value in values.items():
        field(name, value)


def alone(section, number, values, flag=""):
    """A case in a section of its own. One with a flag is invalid."""
    print(f"\n[{section}]")
    case(number, "invalid" if flag else "valid", flag, values)


def flipped(data, place, mask=1):
    """The data with bits of one byte flipped."""
    place %= len(data)
    return data[:place] + bytes([data[place] ^ mask]) + data[place + 1:]
