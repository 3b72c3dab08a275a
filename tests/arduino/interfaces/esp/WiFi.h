/* The WiFi of ESP32 and ESP8266, as declarations. */
#ifndef WIFI_H
#define WIFI_H

enum WiFiMode_t { WIFI_OFF, WIFI_STA };
enum wl_status_t { WL_IDLE_STATUS, WL_CONNECTED };

class WiFiClass {
  public:
    bool mode(WiFiMode_t mode);
    wl_status_t begin(const char *network, const char *password);
    wl_status_t status();
};
extern WiFiClass WiFi;

#endif
