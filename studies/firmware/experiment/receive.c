/*
 * The receiver at the gateway. It decrypts each packet from the radio and prints it as text at D7
 * (selo_station/console.c), with its time of arrival. Each packet has three spans: receiving it, the
 * cipher, printing it. The experiment does not authenticate, as in the
 * paper, so the receiver also prints a packet of another key, with meaningless values.
 */
#include "selo_station/console.h"
#include "selo_station/ds3231.h"
#include "selo_station/e32.h"
#include "selo_station/idle.h"
#include "packet.h"
#include "port.h"
#include "start.h"

static void line(void)
{
    PORTD |= _BV(PORTD7); /* high while no text is sent */
    DDRD |= _BV(DDD7);
}

static void hand_on(const uint32_t variables[PACKET_BYTES / 4])
{
    struct selo_ds3231 clock;
    SELO_CONSOLE_NUMBER("packet ", selo_ds3231_read(&clock) ? clock.seconds : 0);
    for (uint8_t i = 0; i < PACKET_BYTES / 4; i++)
        SELO_CONSOLE_HEX("", variables[i]);
}

static void take(void)
{
    union {
        uint8_t bytes[SELO_LINK_FRAME_MAX];
        uint32_t variables[PACKET_BYTES / 4];
    } packet;
    PORT_MARK(1);
    uint8_t size = selo_e32_receive(packet.bytes);
    PORT_MARK(2);
    if (size != PACKET_BYTES)
        return;
    PORT_MARK(1);
    packet_decrypt(packet.bytes);
    PORT_MARK(2);
    PORT_MARK(1);
    hand_on(packet.variables);
    PORT_MARK(2);
}

int main(void)
{
    begin(line);
    for (;;) {
        cli();
        if (selo_e32_waiting()) {
            sei();
            take();
        } else {
            selo_idle();
        }
    }
}
