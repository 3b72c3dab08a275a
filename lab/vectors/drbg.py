"""The generator of NIST's known answers, with which subset-*.py make again what a seed gives."""

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes


class Generator:
    """CTR_DRBG with AES-256, without a derivation function [SP800-90A, 10.2.1]."""

    def __init__(self, entropy):
        self.key, self.counter = bytes(32), 0
        self.update(entropy)

    def blocks(self, size):
        cipher = Cipher(algorithms.AES(self.key), modes.ECB()).encryptor()
        out = b""
        while len(out) < size:
            self.counter = (self.counter + 1) % 2**128
            out += cipher.update(self.counter.to_bytes(16, "big"))
        return out

    def update(self, given=bytes(48)):
        made = bytes(a ^ b for a, b in zip(self.blocks(48), given))
        self.key, self.counter = made[:32], int.from_bytes(made[32:], "big")

    def draw(self, size):
        out = self.blocks(size)[:size]
        self.update()
        return out
