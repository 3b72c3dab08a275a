/* The class of UDP over Ethernet, as declarations. */
#ifndef ETHERNETUDP_H
#define ETHERNETUDP_H

#include <Udp.h>

class EthernetUDP : public UDP {
  public:
    uint8_t begin(uint16_t port) override;
    void stop() override;
    int beginPacket(IPAddress address, uint16_t port) override;
    int beginPacket(const char *host, uint16_t port) override;
    int endPacket() override;
    size_t write(uint8_t byte) override;
    size_t write(const uint8_t *bytes, size_t size) override;
    int parsePacket() override;
    int available() override;
    int read() override;
    int read(unsigned char *bytes, size_t size) override;
    int read(char *bytes, size_t size) override;
    int peek() override;
    void flush() override;
    IPAddress remoteIP() override;
    uint16_t remotePort() override;
};

#endif
