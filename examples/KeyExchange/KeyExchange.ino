/*
 * Two parties agree on a key over a wire that anyone may read. They use X25519, and the key is the
 * SHA3-256 of the shared secret. Both parties run on one board, with the secrets of RFC 7748,
 * section 6.1, so that you can compare every line with it. Open the serial monitor at 115200 baud.
 *
 * The example does not authenticate. An attacker in the middle can agree on a key with each side
 * separately, so exchanged keys must be compared or signed.
 */
#include <selo.h>

// These secrets are published. Use them only for this comparison. A real secret is
// 32 bytes of randomness.
static const uint8_t alice_secret[32] = {
  0x77, 0x07, 0x6d, 0x0a, 0x73, 0x18, 0xa5, 0x7d, 0x3c, 0x16, 0xc1, 0x72, 0x51, 0xb2, 0x66, 0x45,
  0xdf, 0x4c, 0x2f, 0x87, 0xeb, 0xc0, 0x99, 0x2a, 0xb1, 0x77, 0xfb, 0xa5, 0x1d, 0xb9, 0x2c, 0x2a
};
static const uint8_t bob_secret[32] = {
  0x5d, 0xab, 0x08, 0x7e, 0x62, 0x4a, 0x8a, 0x4b, 0x79, 0xe1, 0x7f, 0x8b, 0x83, 0x80, 0x0e, 0xe6,
  0x6f, 0x3b, 0xb1, 0x29, 0x26, 0x18, 0xb6, 0xfd, 0x1c, 0x2f, 0x8b, 0x27, 0xff, 0x88, 0xe0, 0xeb
};

static void print_hex(const char *label, const uint8_t *bytes, size_t size) {
  Serial.print(label);
  for (size_t i = 0; i < size; i++) {
    if (bytes[i] < 16) {
      Serial.print('0');
    }
    Serial.print(bytes[i], HEX);
  }
  Serial.println();
}

static void print_time(uint32_t start) {
  const uint32_t microseconds = micros() - start;
  Serial.print(F("  microseconds "));
  Serial.println(microseconds);
}

static void make_public(const char *label, uint8_t public_key[32], const uint8_t secret[32]) {
  const uint32_t start = micros();
  selo_x25519_keygen(public_key, secret);
  print_hex(label, public_key, 32);
  print_time(start);
}

// The key that one side derives from its own secret and the other's public key.
static bool derive(const char *label, uint8_t derived[32], const uint8_t secret[32], const uint8_t peer[32]) {
  uint8_t shared[32];
  const uint32_t start = micros();
  if (selo_x25519_shared_secret(shared, secret, peer) != SELO_OK) {
    Serial.println(F("the peer's public key is not acceptable"));
    return false;
  }
  print_hex(label, shared, sizeof shared);

  struct selo_sha3 hash;
  selo_sha3_256_start(&hash);
  selo_sha3_update(&hash, shared, sizeof shared);
  selo_sha3_finish(&hash, derived);
  selo_wipe(shared, sizeof shared);
  print_time(start);
  return true;
}

void setup() {
  uint8_t alice_public[32], bob_public[32], alice_key[32], bob_key[32];

  Serial.begin(115200);
  make_public("alice public ", alice_public, alice_secret);
  make_public("bob public   ", bob_public, bob_secret);
  if (!derive("alice shared ", alice_key, alice_secret, bob_public)
      || !derive("bob shared   ", bob_key, bob_secret, alice_public)) {
    return;
  }
  print_hex("key          ", alice_key, sizeof alice_key);
  Serial.println(selo_equal(alice_key, bob_key, sizeof alice_key) ? F("both sides hold the same key")
                                                                  : F("the keys DIFFER"));
}

void loop() {
}
