/*
 * A node of the link over LoRa, with RadioLib and an SX127x or SX126x. Two boards run this sketch:
 *
 *   the station   `forwarder` is false: pairs, joins, and sends a sealed reading every ten minutes
 *   the forwarder `forwarder` is true, on a USB cable at the gateway: passes each packet on, and cannot
 *                 open it. The bridge of the example LinkOverSerial connects the cable to the gateway:
 *                     python3 bridge.py /dev/ttyACM0
 *
 * Open the serial monitor of the station at 115200 baud. It prints the duty cycle that the settings
 * give. Pair once: run `selo device pair` at the gateway, type p in the monitor, type the six digits
 * at the gateway, and only if it accepts them type y in the monitor.
 *
 * A station with an E32 module needs the example RainGauge of Selo Station. E32 modules have a format
 * of their own on the air and do not hear this sketch.
 */
#include <RadioLib.h>
#include <selo_arduino.hpp>
#if defined(ESP32)
#include <WiFi.h>
#endif

// ---- Settings ------------------------------------------------------------------------

static const bool forwarder = false;

// The chip and its pins: NSS, DIO0, RESET, DIO1. For an SX1262: SX1262 radio = new Module(NSS, DIO1,
// RESET, BUSY).
static SX1276 radio = new Module(10, 2, 9, 3);

// Both boards need the same values. Use a frequency and power that your country allows.
static const float frequency = 868.1;  // MHz; 915.0 in Brazil and the United States
static const float bandwidth = 125.0;  // kHz
static const uint8_t spreading_factor = 9;
static const uint8_t coding_rate = 5;  // 4/5
static const uint8_t sync_word = 0x12;
static const int8_t power = 14;  // dBm

// Milliseconds between two readings.
static const uint32_t period = 600000;

// ---- The carrier -----------------------------------------------------------------------

static volatile bool heard;
#if defined(ESP8266) || defined(ESP32)
IRAM_ATTR
#endif
static void on_packet() {
  heard = true;
}

struct radio_carrier : selo_carrier {
  explicit radio_carrier(PhysicalLayer &layer) : layer(layer) {}

  // Waits for the end of the packet, a quarter of a second with these settings.
  bool send(const uint8_t *frame, uint8_t size) override {
    const int16_t status = layer.transmit(frame, size);
    heard = false;  // the end of a transmission calls on_packet, too
    return layer.startReceive() == RADIOLIB_ERR_NONE && status == RADIOLIB_ERR_NONE;
  }

  uint8_t receive(uint8_t frame[SELO_LINK_FRAME_MAX]) override {
    if (!heard) {
      return 0;
    }
    heard = false;
    const size_t size = layer.getPacketLength();
    const bool fits = size > 0 && size <= SELO_LINK_FRAME_MAX;
    const bool whole = fits && layer.readData(frame, size) == RADIOLIB_ERR_NONE;
    layer.startReceive();
    return whole ? (uint8_t)size : 0;
  }

 private:
  PhysicalLayer &layer;
};

static radio_carrier carrier(radio);
static selo_serial_carrier cable(Serial);
static selo_sketch sketch(carrier, Serial);

// ---- The node ----------------------------------------------------------------------------

// The layout that site/codecs/rain-gauge.toml describes.
struct reading {
  uint32_t time;  // seconds since 1970; 0 without a clock
  uint32_t rain_tips;
  int32_t centidegrees;
  uint16_t battery_millivolts;
  uint16_t status;
};

// Replace these values by those of your sensors.
static void send_reading() {
  static uint32_t tips;
  struct reading reading = {};
  reading.rain_tips = tips++;
  reading.centidegrees = 2150;
  reading.battery_millivolts = 2987;
  reading.status = 1;  // the clock is lost
  sketch.send(&reading, sizeof reading);
}

// The part of the time for which the readings occupy the channel. A sealed reading is 13 bytes longer.
// Joins and answers come on top. Europe permits 1 % at 868.1 MHz.
static void print_duty_cycle() {
  const uint32_t milliseconds = radio.getTimeOnAir(sizeof(struct reading) + 13) / 1000;
  Serial.print(F("air time of a reading in ms: "));
  Serial.println(milliseconds);
  Serial.print(F("duty cycle in %: "));
  Serial.println(100.0 * milliseconds / period, 3);
}

static void forward() {
  uint8_t frame[SELO_LINK_FRAME_MAX];
  uint8_t size = carrier.receive(frame);
  if (size > 0) {
    cable.send(frame, size);
  }
  size = cable.receive(frame);
  if (size > 0) {
    carrier.send(frame, size);
  }
}

void setup() {
  Serial.begin(115200);
#if defined(ESP32)
  // The chip's random generator needs the noise of WiFi while sketch.begin draws from it.
  WiFi.mode(WIFI_STA);
#endif
  const int16_t status = radio.begin(frequency, bandwidth, spreading_factor, coding_rate, sync_word, power);
  if (status != RADIOLIB_ERR_NONE) {
    Serial.print(F("the radio does not answer: "));
    Serial.println(status);
    for (;;) {
      delay(1000);
    }
  }
  radio.setPacketReceivedAction(on_packet);
  radio.startReceive();
  if (!forwarder) {
    print_duty_cycle();
    sketch.begin();
  }
#if defined(ESP32)
  WiFi.mode(WIFI_OFF);
#endif
}

void loop() {
  static uint32_t sent;
  if (forwarder) {
    forward();
    return;
  }
  if (sketch.work() == SELO_NODE_JOINED) {
    sent = millis() - period;  // the first reading follows at once
  }
  if (Serial.available() > 0) {
    sketch.command((char)Serial.read());
  }
  if (selo_node_is_joined(&sketch.node) && millis() - sent >= period) {
    sent = millis();
    send_reading();
  }
}
