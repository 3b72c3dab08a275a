/*
 * A node of the link on a USB cable: it pairs with a gateway, joins it, and sends a sealed reading
 * every ten seconds. Only the gateway can open or make the packets. It refuses an altered packet and
 * one that comes twice.
 *
 * On the computer with the cable, close the serial monitor and run the bridge of this folder:
 *
 *     selo gateway
 *     python3 bridge.py /dev/ttyACM0
 *
 * The bridge prints the sketch's text and sends what you type to it. Pair once: run
 * `selo device pair`, type p at the bridge, type the six digits at the gateway, and only if it accepts
 * them type y at the bridge. From then on the node joins by itself after every start.
 *
 * The keys are in the EEPROM, in bytes 0 to 157 on an AVR.
 */
#include <selo_arduino.hpp>

// Milliseconds between two readings.
#ifndef SELO_SKETCH_PERIOD
#define SELO_SKETCH_PERIOD 10000
#endif

static selo_serial_carrier carrier(Serial);
static selo_sketch sketch(carrier, Serial);

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

void setup() {
  Serial.begin(115200);
  Serial.println(F("gathering randomness, up to 17 seconds"));
  sketch.begin();
}

void loop() {
  static uint32_t sent;
  sketch.work();
  sketch.command(carrier.letter());
  if (selo_node_is_joined(&sketch.node) && millis() - sent >= SELO_SKETCH_PERIOD) {
    sent = millis();
    send_reading();
  }
}
