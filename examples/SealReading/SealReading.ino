/*
 * Encrypts a 16-byte reading with AES-128 in CBC mode and a random IV, decrypts it
 * again and prints both. Open the serial monitor at 115200 baud.
 *
 * What it does not do: authenticate. Who can alter the message on its way alters
 * it unseen, so this is how to hide a reading, not yet how to trust one.
 */
#include <selo.h>

#include "jitter.h"

// For the example only: a key that stands in a sketch is known to whoever reads the
// sketch or the chip's flash. Give every device a key of its own.
static const uint8_t key_bytes[16] = {0x53, 0x65, 0x6c, 0x6f, 0x20, 0x65, 0x78, 0x61,
                                      0x6d, 0x70, 0x6c, 0x65, 0x20, 0x6b, 0x65, 0x79};

// As site/codecs/rain-gauge.toml reads it.
struct reading {
  uint32_t time;  // seconds since 1970; 0: there is no clock
  uint32_t rain_tips;
  int32_t centidegrees;
  uint16_t battery_millivolts;
  uint16_t status;
};

static struct jitter random_source;
static struct selo_aes128_fast key;

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

static void seal_and_open(const struct reading &reading) {
  uint8_t sealed[SELO_CBC_SIZE(sizeof reading)];  // IV, reading, padding: 48 bytes
  uint8_t opened[sizeof sealed - 16];
  size_t sealed_size, opened_size;

  const uint32_t start = micros();
  enum selo_status status = selo_cbc_encrypt(
    selo_aes128_fast_encrypt, &key, jitter_random, &random_source,
    sealed, sizeof sealed, &sealed_size,
    reinterpret_cast<const uint8_t *>(&reading), sizeof reading);
  const uint32_t microseconds = micros() - start;
  if (status != SELO_OK) {
    Serial.println(F("encryption failed"));
    return;
  }
  print_hex("iv      ", sealed, 16);
  print_hex("sealed  ", sealed + 16, sealed_size - 16);
  Serial.print(F("encrypted, IV included, in microseconds: "));
  Serial.println(microseconds);

  status = selo_cbc_decrypt(selo_aes128_fast_decrypt, &key, opened, sizeof opened,
                            &opened_size, sealed, sealed_size);
  if (status == SELO_OK && opened_size == sizeof reading
      && memcmp(opened, &reading, sizeof reading) == 0) {
    Serial.println(F("round trip ok"));
  } else {
    Serial.println(F("round trip FAILED"));
  }
}

void setup() {
  Serial.begin(115200);
  Serial.println(F("gathering randomness, about four seconds"));
  if (!jitter_begin(&random_source)) {
    // An IV that repeats shows which readings are equal: better to send nothing.
    Serial.println(F("the clocks do not jitter: no randomness, nothing is sealed"));
    for (;;) {
    }
  }
  selo_aes128_fast_setup(&key, key_bytes);
}

void loop() {
  static uint32_t tips;
  struct reading reading = {};
  reading.rain_tips = tips++;
  reading.centidegrees = 2150;
  reading.battery_millivolts = 2987;
  reading.status = 1;  // the clock is lost
  seal_and_open(reading);
  delay(10000);
}
