/*
 * A rain gauge whose readings are sealed on the chip and opened at the gateway: a
 * tipping bucket, a clock and an E32 radio module on an Arduino Uno. Every 5 seconds it
 * sends 16 bytes, four variables of four: time, tips of the bucket since installation,
 * temperature, supply and flags. docs/maker/rain-gauge-sketch.md goes through it.
 *
 *   pin     to
 *   D0, D1  E32 TXD and RXD; take TXD off D0 while the USB bridge uploads
 *   D2      a button to ground
 *   D3      one wire of the bucket's contact, the other to ground
 *   D4, D5  E32 M0 and M1
 *   D6      E32 AUX
 *   D7      RX of a USB-serial adapter, 9600 baud: what the station says
 *   A4, A5  DS3231 SDA and SCL
 *
 * Pairing, once: on the gateway's machine `selo device pair` opens the window. Press the
 * button shortly: the station shows six digits at D7. Type them at the gateway. When it says
 * that they are right, and only then, hold the button for two seconds. From then on the
 * station joins by itself after every start. Held while the power comes on, the button makes
 * it forget its keys.
 *
 * The EEPROM keeps keys, counters and the total of tips over a power cut at any moment,
 * and how many starts came in a row, in its bytes 16 to 863.
 *
 * The station needs the serial line, the two-wire bus, timers 1 and 2, the watchdog and
 * the pin changes of D0 to D7 for itself: Serial, Wire, SoftwareSerial, Servo and tone()
 * do not go beside it.
 */
#include <selo_station.h>

// ---- What to change ------------------------------------------------------------------

// Milliseconds between two readings. The station makes each period longer or shorter by up
// to an eighth, so that two stations whose packets collide do not go on doing so.
const uint32_t selo_station_period = 5000;

// The chip's reference in millivolts, 1000 to 1200, differs from chip to chip. Measure the
// supply, compare it with what a reading says, and write here 1100 * measured / reported.
const uint16_t selo_battery_bandgap = 1100;

// What a reading holds. site/codecs/rain-gauge.toml tells the gateway how to read it; with
// sensors of your own write a codec of your own, and fill the four variables as you like.
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
  // Joins if the EEPROM holds a key, else waits for the button. Listens for 17 seconds to the
  // jitter between the chip's two clocks, which is where its randomness comes from.
  selo_station_begin();
}

void loop() {
  // Does one thing that is due: a packet, the button, a reading. If nothing is, it sleeps,
  // for a second at most, and wakes when the bucket tips. What you add here should be
  // brief; tips are counted and stored whatever it does. millis() stands still in sleep,
  // selo_clock_milliseconds(NULL) does not.
  selo_station_work();
}
