/*
 * A rain gauge that seals its readings on the chip; the gateway opens them. It has a tipping
 * bucket, a clock and an E32 radio module on an Arduino Uno. Every 10 minutes it sends 16 bytes,
 * four variables of four bytes: time; tips of the bucket since installation; temperature; supply and
 * flags. docs/maker/rain-gauge-sketch.md explains it step by step.
 *
 *   pin     to
 *   D0, D1  E32 TXD and RXD; disconnect TXD from D0 while the USB bridge uploads
 *   D2      a button to ground
 *   D3      one wire of the bucket's contact, the other to ground
 *   D4, D5  E32 M0 and M1
 *   D6      E32 AUX
 *   D7      RX of a USB-serial adapter, 9600 baud: the text output of the station
 *   A4, A5  DS3231 SDA and SCL
 *
 * Pair once. `selo device pair` on the gateway's machine opens the pairing window. Press the button
 * briefly: the station shows six digits at D7. Type them at the gateway. Only after the gateway
 * accepts them, hold the button for two seconds. From then on the station joins by itself after
 * every start. If the button is held while the power comes on, the station forgets its keys.
 *
 * The EEPROM keeps the keys, the counters and the total of tips over a power cut at any moment, and
 * the number of starts in quick succession, in its bytes 16 to 863.
 *
 * The station needs the serial line, the two-wire bus, timers 1 and 2, the watchdog and the pin
 * changes of D0 to D7. Serial, Wire, SoftwareSerial, Servo and tone() cannot be used with it.
 */
#include <selo_station.h>

// ---- Settings ------------------------------------------------------------------------

// Milliseconds between two readings. The station varies each period by up to an eighth, so
// that two stations whose packets collide do not collide again.
#ifndef SELO_STATION_PERIOD
#define SELO_STATION_PERIOD 600000
#endif
const uint32_t selo_station_period = SELO_STATION_PERIOD;

// Milliseconds for which a reading of 29 bytes occupies the channel, with the module's factory
// setting of 2.4k. `selo radio airtime --bytes 29` prints it for every setting. The station prints
// the duty cycle at its start. Your country limits it: 1 in 100 on many channels of Europe.
static const uint32_t air_time = 349;

// The chip's reference in millivolts, 1000 to 1200, which differs from chip to chip. Measure
// the supply, compare it with a reading, and write here 1100 * measured / reported.
const uint16_t selo_battery_bandgap = 1100;

// The contents of a reading. site/codecs/rain-gauge.toml describes them to the gateway. For
// other sensors write another codec, and fill the four variables as you like.
void selo_station_reading(struct selo_reading *reading) {
  // time                seconds since 1970 by the DS3231; 0 until the gateway has set it
  // tips                of the bucket, each 0.2 mm with a Davis 6464M
  // centidegrees        hundredths of a degree Celsius, by the DS3231's thermometer
  // battery_millivolts  the chip's supply
  // status              SELO_READING_CLOCK_LOST, _RESTARTED and _RADIO_LOST
  selo_reading_take(reading);
}

// ---- The station ------------------------------------------------------------------------

void setup() {
  // Joins if the EEPROM has a key, else waits for the button. Measures the jitter between the
  // chip's two clocks for 17 seconds, as its source of randomness.
  selo_station_begin();
  SELO_CONSOLE_NUMBER("duty cycle 1 in ", selo_station_period / air_time);
}

void loop() {
  // Does one thing that is due: a packet, the button, a reading. If nothing is due, it sleeps
  // for at most a second, and wakes when the bucket tips. Code that you add here should be
  // brief. Tips are counted and stored meanwhile. millis() stops during sleep;
  // selo_clock_milliseconds(NULL) does not.
  selo_station_work();
}
