"""Calls single functions of an AVR image on the simulated chip (lab/sims/call)."""

import subprocess

# RAM for operands, with gaps between them, so that a write beyond an end is detected.
PLACES = (0x140, 0x1A0, 0x200, 0x260, 0x2C0)

# The stack of lab/sims/call on the ATmega328P lies below this address.
STACK_TOP = 0x8F0


class Call:
    """A function, its arguments and its outputs.

    Arguments are bytes (put into RAM, passed as an address), numbers, or `Same(n)`: the
    address of argument n. `outputs` maps an argument to the number of its bytes that may change.
    """

    def __init__(self, function, arguments, outputs):
        self.function = function
        self.arguments = arguments
        self.outputs = outputs


class Same:
    def __init__(self, argument):
        self.argument = argument


class Result:
    def __init__(self, line):
        words = line.split()
        self.fault = "" if words[0] == "done" else line.strip()
        if not self.fault:
            self.cycles, self.stack = int(words[1]), int(words[2])
            self.value = int(words[3], 16)
            self.outputs = [bytes.fromhex(word) for word in words[4:]]


class Chip:
    def __init__(self, runner, image, mcu="atmega328p"):
        self.command = [runner, "--mcu", mcu, image]
        listing = subprocess.run(["avr-nm", image], check=True, capture_output=True, text=True)
        self.symbols = {}
        for line in listing.stdout.splitlines():
            words = line.split()
            if len(words) == 3:
                self.symbols[words[2]] = int(words[0], 16)

    def _lines(self, call):
        lines, passed, addresses = [], [], {}
        for index, argument in enumerate(call.arguments):
            if isinstance(argument, Same):
                address = addresses[argument.argument]
            elif isinstance(argument, bytes):
                address = addresses[index] = PLACES[len(addresses)]
                lines.append(f"put {address:x} {argument.hex()}")
            else:
                address = argument
            passed.append(f"{address:x}")
        pieces = " ".join(f"{addresses[i]:x}:{size:x}" for i, size in call.outputs.items())
        lines.append(f"call {self.symbols[call.function]:x} {','.join(passed)} {pieces}")
        return lines

    def run(self, calls, profile=False):
        """The results of all calls, run in one process. With `profile`, also the cycles of each symbol."""
        lines = [line for call in calls for line in self._lines(call)]
        if profile:
            lines.append("profile")
        answers = self.answers(lines)
        results = [Result(line) for line in answers[:len(calls)]]
        return (results, self._by_symbol(answers[len(calls):])) if profile else results

    def answers(self, lines):
        """The runner's answers to commands (lab/sims/call/main.c)."""
        done = subprocess.run(self.command, input="\n".join(lines) + "\n",
                              check=True, capture_output=True, text=True)
        return done.stdout.splitlines()

    def _by_symbol(self, lines):
        starts = sorted((address, name) for name, address in self.symbols.items()
                        if address < 0x8000 and not name.startswith("__"))
        spent = {}
        for line in lines:
            if line.startswith("at "):
                _, address, cycles = line.split()
                below = [name for start, name in starts if start <= int(address, 16)]
                name = below[-1] if below else "?"
                spent[name] = spent.get(name, 0) + int(cycles)
        return spent


def variables_of(image):
    """{name: (address, size)} of the variables in RAM."""
    listing = subprocess.run(["avr-nm", "-S", image], check=True, capture_output=True, text=True)
    words = [line.split() for line in listing.stdout.splitlines()]
    return {line[3]: (int(line[0], 16) & 0xFFFF, int(line[1], 16))
            for line in words if len(line) == 4 and line[2] in "Bb"}


def left_in(memory, secrets):
    """The names of secrets of which six bytes in a row are in the memory, in either order."""
    return [name for name, secret in secrets.items()
            if any(memory.find(part) >= 0 for i in range(len(secret) - 5)
                   for part in (secret[i:i + 6], secret[i:i + 6][::-1]))]
