/*
 * A device proves to a cloud service who it is, with a token that it signs: a JSON Web Token with the algorithm
 * ES256, which is ECDSA on P-256 with SHA-256 [RFC7518, 3.4]. The service has the device's public key, and
 * no secret. Open the serial monitor at 115200 baud.
 *
 * The token says who and until when. A device without a clock asks the service for the time first. Whoever sees
 * a token can use it until then, so send it over TLS, or to a gateway that does.
 */
#include <selo_p256.h>

// For the example only: this secret is published [RFC6979, A.2.5]. A real one is 32 random bytes, drawn
// once on the device and kept in its EEPROM.
static const uint8_t secret[32] = {
  0xc9, 0xaf, 0xa9, 0xd8, 0x45, 0xba, 0x75, 0x16, 0x6b, 0x5c, 0x21, 0x57, 0x67, 0xb1, 0xd6, 0x93,
  0x4e, 0x50, 0xc3, 0xdb, 0x36, 0xe8, 0x9b, 0x12, 0x7b, 0x8a, 0x62, 0x2b, 0x12, 0x0f, 0x67, 0x21
};

// Four characters for three bytes, without padding [RFC4648, 5].
static uint8_t encode(char *out, const void *data, uint8_t size) {
  static const char digits[] PROGMEM = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const uint8_t *bytes = static_cast<const uint8_t *>(data);
  uint16_t pending = 0;
  uint8_t bits = 0, written = 0;
  for (uint8_t i = 0; i < size; i++) {
    pending = pending << 8 | bytes[i];
    for (bits += 8; bits >= 6; bits -= 6) {
      out[written++] = pgm_read_byte(digits + (pending >> (bits - 6) & 63));
    }
  }
  if (bits > 0) {
    out[written++] = pgm_read_byte(digits + (pending << (6 - bits) & 63));
  }
  return written;
}

static void print_hex(const __FlashStringHelper *label, const uint8_t *bytes, uint8_t size) {
  Serial.print(label);
  for (uint8_t i = 0; i < size; i++) {
    if (bytes[i] < 16) {
      Serial.print('0');
    }
    Serial.print(bytes[i], HEX);
  }
  Serial.println();
}

// The token of a device until a time, in seconds since 1970. `token` has room for 200 characters.
static enum selo_status make_token(char *token, const char *device, uint32_t until) {
  char claims[64];
  uint8_t signature[64];
  const int size = snprintf_P(claims, sizeof claims, PSTR("{\"sub\":\"%s\",\"exp\":%lu}"), device,
                              static_cast<unsigned long>(until));
  if (size < 0 || size >= static_cast<int>(sizeof claims)) {
    return SELO_ERROR_SPACE;
  }
  strcpy_P(token, PSTR("eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9."));  // {"alg":"ES256","typ":"JWT"}
  size_t length = strlen(token);
  length += encode(token + length, claims, size);
  const enum selo_status status = selo_p256_sign(signature, secret, token, length);
  token[length++] = '.';
  length += encode(token + length, signature, sizeof signature);
  token[length] = 0;
  return status;
}

void setup() {
  static char token[232];
  uint8_t public_key[64];

  Serial.begin(115200);
  if (selo_p256_keygen(public_key, secret) != SELO_OK) {
    Serial.println(F("the secret is no key: draw it again"));
    return;
  }
  print_hex(F("public key, x "), public_key, 32);
  print_hex(F("public key, y "), public_key + 32, 32);

  const uint32_t start = micros();
  if (make_token(token, "rain-gauge-1", 1800000000) != SELO_OK) {
    Serial.println(F("no token"));
    return;
  }
  const uint32_t microseconds = micros() - start;
  Serial.println(token);
  Serial.print(F("  microseconds "));
  Serial.println(microseconds);
}

void loop() {}
