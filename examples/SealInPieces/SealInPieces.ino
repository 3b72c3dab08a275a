/*
 * Seals and opens a message of 960 bytes in pieces of 32 bytes, with Ascon-AEAD128. The whole
 * message would take half of the memory of an Uno. In pieces it takes 32 bytes and a state of 44
 * bytes for each side. Open the serial monitor at 115200 baud.
 *
 * Both sides run on one board: the sender hands each sealed piece to the receiver. The tag comes
 * last, so the receiver cannot know before the end whether the message is genuine. It writes the
 * opened bytes to a page of the EEPROM that nothing reads, and marks the page as valid only after
 * selo_ascon_aead128_open_finish has returned SELO_OK. The second message is altered on its way.
 * The receiver erases its page.
 *
 * The sketch writes the EEPROM of an AVR board once at each start.
 */
#include <avr/eeprom.h>
#include <selo.h>

// For the example only: anyone who reads the sketch or the chip's flash learns this key. Give
// every device its own key.
static const uint8_t raw[16] = {0x53, 0x65, 0x6c, 0x6f, 0x20, 0x65, 0x78, 0x61,
                                0x6d, 0x70, 0x6c, 0x65, 0x20, 0x6b, 0x65, 0x79};
static const char station[] = "rain gauge 1";

enum { READINGS = 480,
       PIECE = 32 };

static struct selo_ascon_aead128_key key;

// The page in the EEPROM: a mark and the opened readings, each of two bytes.
static const uint8_t VALID = 0x5e, ERASED = 0xff;
static uint8_t *const page_mark = 0;
static uint8_t *const page_data = page_mark + 1;

// The sender's reading `index`, in hundredths of a degree.
static uint16_t reading_at(uint16_t index) {
  return 2000 + index * 37 % 500;
}

// Never seal two different messages with one nonce under one key. Here the nonce is the number of
// the message, which starts again with the sketch. A device stores the number before it uses it,
// or draws a random nonce, as the example SealReading does.
static struct selo_header header_of(uint8_t nonce[16], uint8_t number) {
  memset(nonce, 0, 16);
  nonce[15] = number;
  return {nonce, 16, station, sizeof station - 1, 16};
}

// ---- The receiver

static struct selo_ascon_aead128_opening opening;
static uint8_t *page_end;

static enum selo_status receive_start(const struct selo_header *header) {
  page_end = page_data;
  eeprom_update_byte(page_mark, ERASED);
  return selo_ascon_aead128_open_start(&opening, &key, header);
}

// The opened bytes are not verified yet. Only write them to the page.
static enum selo_status receive_piece(uint8_t *piece, size_t size) {
  const enum selo_status status = selo_ascon_aead128_open_update(&opening, piece, piece, size);
  if (status == SELO_OK) {
    eeprom_update_block(piece, page_end, size);
    page_end += size;
  }
  return status;
}

static enum selo_status receive_finish(const uint8_t tag[16]) {
  const enum selo_status status = selo_ascon_aead128_open_finish(&opening, tag);
  if (status == SELO_OK) {
    eeprom_update_byte(page_mark, VALID);
  } else {
    while (page_end != page_data) {
      eeprom_update_byte(--page_end, ERASED);
    }
  }
  return status;
}

// ---- The sender

// Seals the readings and sends them. With `altered`, one bit changes on the way.
static enum selo_status send_readings(uint8_t number, bool altered) {
  struct selo_ascon_aead128_sealing sealing;
  uint8_t nonce[16], piece[PIECE], tag[16];
  const struct selo_header header = header_of(nonce, number);

  enum selo_status status = selo_ascon_aead128_seal_start(&sealing, &key, &header);
  if (status == SELO_OK) {
    status = receive_start(&header);
  }
  for (uint16_t index = 0; index < READINGS && status == SELO_OK; index += PIECE / 2) {
    for (uint8_t i = 0; i < PIECE / 2; i++) {
      const uint16_t reading = reading_at(index + i);
      piece[2 * i] = reading & 0xff;
      piece[2 * i + 1] = reading >> 8;
    }
    status = selo_ascon_aead128_seal_update(&sealing, piece, piece, PIECE);
    if (status == SELO_OK) {
      piece[5] ^= altered && index == 160;
      status = receive_piece(piece, PIECE);
    }
  }
  if (status == SELO_OK) {
    status = selo_ascon_aead128_seal_finish(&sealing, tag);
  }
  if (status == SELO_OK) {
    status = receive_finish(tag);
  }
  return status;
}

// ---- Both

// The rest of a device reads the page only if its mark says that it is valid.
static void print_page() {
  if (eeprom_read_byte(page_mark) != VALID) {
    Serial.println(F("no valid page"));
    return;
  }
  uint16_t wrong = 0;
  for (uint16_t i = 0; i < READINGS; i++) {
    const uint16_t reading = eeprom_read_byte(page_data + 2 * i) | eeprom_read_byte(page_data + 2 * i + 1) << 8;
    wrong += reading != reading_at(i);
  }
  Serial.print(READINGS);
  Serial.print(F(" readings, wrong: "));
  Serial.println(wrong);
}

void setup() {
  Serial.begin(115200);
  selo_ascon_aead128_setup(&key, raw);
  Serial.print(F("bytes of a state: "));
  Serial.println(sizeof opening);

  Serial.println(send_readings(1, false) == SELO_OK ? F("message 1 is genuine") : F("message 1 FAILED"));
  print_page();
  Serial.println(send_readings(2, true) == SELO_ERROR_TAG ? F("message 2 is altered, and refused")
                                                          : F("message 2 was NOT refused"));
  print_page();
}

void loop() {
}
