/*
 * Seals a 16-byte reading with ChaCha20-Poly1305 and opens it again. Then it alters one bit, as an
 * attacker would, and shows that the message no longer opens. Open the serial monitor at
 * 115200 baud.
 *
 * A message is 44 bytes: a random nonce (12), the encrypted reading (16) and a tag (16). The tag
 * also covers the name of the station, which is not encrypted.
 *
 * The example does not detect a message that is sent twice. The receiver must keep a record of the
 * messages. The protocol of the example RainGauge of Selo Station does.
 */
#include <selo.h>

#include <selo_jitter.hpp>

// For the example only: anyone who reads the sketch or the chip's flash learns this key. Give
// every device its own key.
static const uint8_t raw[32] = {0x53, 0x65, 0x6c, 0x6f, 0x20, 0x65, 0x78, 0x61,
                                0x6d, 0x70, 0x6c, 0x65, 0x20, 0x6b, 0x65, 0x79,
                                0x2c, 0x20, 0x33, 0x32, 0x20, 0x62, 0x79, 0x74,
                                0x65, 0x73, 0x20, 0x6c, 0x6f, 0x6e, 0x67, 0x21};

// Not secret, but protected by the tag: nobody can present one station's reading as
// another's.
static const char station[] = "rain gauge 1";

// The layout that site/codecs/rain-gauge.toml describes.
struct reading {
  uint32_t time;  // seconds since 1970; 0 without a clock
  uint32_t rain_tips;
  int32_t centidegrees;
  uint16_t battery_millivolts;
  uint16_t status;
};

static struct jitter random_source;

static struct selo_chacha20_poly1305_key key;

// The message that is sent.
struct message {
  uint8_t nonce[12];
  uint8_t sealed[sizeof(struct reading)];
  uint8_t tag[16];
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

// The inputs of a message other than its text.
static struct selo_header header_of(const struct message &message) {
  return {message.nonce, sizeof message.nonce, station, sizeof station - 1, sizeof message.tag};
}

static enum selo_status open(const struct message &message, struct reading *reading) {
  const struct selo_header header = header_of(message);
  return selo_chacha20_poly1305_open(&key, &header, reinterpret_cast<uint8_t *>(reading),
                                     message.sealed, sizeof message.sealed, message.tag);
}

static void seal_and_open(const struct reading &reading) {
  struct message message;
  struct reading opened;

  // Never seal two messages with one nonce under one key. 12 random bytes do not repeat in
  // the life of a device.
  if (jitter_random(&random_source, message.nonce, sizeof message.nonce) != SELO_OK) {
    Serial.println(F("no randomness, nothing is sealed"));
    return;
  }
  const struct selo_header header = header_of(message);
  const uint32_t start = micros();
  const enum selo_status status = selo_chacha20_poly1305_seal(
    &key, &header, message.sealed, reinterpret_cast<const uint8_t *>(&reading), sizeof reading,
    message.tag);
  const uint32_t microseconds = micros() - start;
  if (status != SELO_OK) {
    Serial.println(F("sealing failed"));
    return;
  }
  print_hex("nonce   ", message.nonce, sizeof message.nonce);
  print_hex("sealed  ", message.sealed, sizeof message.sealed);
  print_hex("tag     ", message.tag, sizeof message.tag);
  Serial.print(F("sealed in microseconds: "));
  Serial.println(microseconds);

  if (open(message, &opened) == SELO_OK && memcmp(&opened, &reading, sizeof reading) == 0) {
    Serial.println(F("round trip ok"));
  } else {
    Serial.println(F("round trip FAILED"));
  }
  message.sealed[4] ^= 1;
  if (open(message, &opened) == SELO_ERROR_TAG) {
    Serial.println(F("an altered message is refused"));
  } else {
    Serial.println(F("an altered message was NOT refused"));
  }
}

void setup() {
  Serial.begin(115200);
  selo_chacha20_poly1305_setup(&key, raw);
  Serial.println(F("gathering randomness, about four seconds"));
  if (!jitter_begin(&random_source)) {
    // A repeated nonce reveals which readings are equal, so send nothing.
    Serial.println(F("the clocks do not jitter: no randomness, nothing is sealed"));
    for (;;) {
    }
  }
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
