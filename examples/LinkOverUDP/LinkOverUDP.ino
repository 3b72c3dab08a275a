/*
 * A node of the link over UDP, by WiFi on ESP32 and ESP8266 and by a W5500 shield on other boards: it
 * pairs with a gateway, joins it, and sends a sealed reading every ten minutes. Only the gateway can
 * open or make the packets.
 *
 * Set `gateway`, and the network's name and password. Open the serial monitor at 115200 baud. Pair
 * once: run `selo device pair` at the gateway, type p in the monitor, type the six digits at the
 * gateway, and only if it accepts them type y in the monitor. From then on the node joins by itself
 * after every start.
 *
 * WiFi's password protects the network, not the readings: the link seals these from the node to the
 * gateway.
 */
#if defined(ESP32)
#include <WiFi.h>
#include <WiFiUdp.h>
#elif defined(ESP8266)
#include <ESP8266WiFi.h>
#include <WiFiUdp.h>
#else
#include <Ethernet.h>
#include <EthernetUdp.h>
#include <SPI.h>
#endif
#include <selo_arduino.hpp>

// ---- Settings ------------------------------------------------------------------------

static const IPAddress gateway(192, 168, 1, 10);
static const uint16_t port = 7356;

// Milliseconds between two readings.
static const uint32_t period = 600000;

#if defined(ESP32) || defined(ESP8266)
static const char network[] = "name of the network";
static const char password[] = "its password";
static WiFiUDP udp;

static void connect() {
  WiFi.mode(WIFI_STA);
  WiFi.begin(network, password);
  while (WiFi.status() != WL_CONNECTED) {
    delay(250);
  }
}
#else
// An address of your own network: the first byte is even, and its bit 1 is set.
static uint8_t mac[6] = {0x02, 0x00, 0x00, 0x00, 0x00, 0x01};
static EthernetUDP udp;

static void connect() {
  while (Ethernet.begin(mac) == 0) {
    Serial.println(F("no address from the network"));
  }
}
#endif

// ---- The carrier -----------------------------------------------------------------------

struct udp_carrier : selo_carrier {
  explicit udp_carrier(UDP &socket) : socket(socket) {}

  bool send(const uint8_t *frame, uint8_t size) override {
    return socket.beginPacket(gateway, port) == 1 && socket.write(frame, size) == size && socket.endPacket() == 1;
  }

  // A packet that is too long is none of the link's. The next parsePacket drops it.
  uint8_t receive(uint8_t frame[SELO_LINK_FRAME_MAX]) override {
    const int size = socket.parsePacket();
    if (size <= 0 || size > SELO_LINK_FRAME_MAX) {
      return 0;
    }
    return socket.read(frame, size) == size ? (uint8_t)size : 0;
  }

 private:
  UDP &socket;
};

static udp_carrier carrier(udp);
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

void setup() {
  Serial.begin(115200);
  connect();
  udp.begin(port);
  sketch.begin();
}

void loop() {
  static uint32_t sent;
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
