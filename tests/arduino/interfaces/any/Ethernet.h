/* The library Ethernet for W5500 shields, as declarations. */
#ifndef ETHERNET_H
#define ETHERNET_H

#include <stdint.h>

class EthernetClass {
  public:
    int begin(uint8_t *mac, unsigned long timeout = 60000, unsigned long answer = 4000);
};
extern EthernetClass Ethernet;

#endif
