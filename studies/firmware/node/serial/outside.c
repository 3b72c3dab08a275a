/*
 * The serial line as the whole surroundings of the node: link frames, readings, commands.
 */
#include "selo_station/outside.h"
#include "commands.h"
#include "selo_station/idle.h"
#include "serial.h"
#include "selo_station/station.h"

#include <string.h>

void selo_outside_begin(void) { serial_begin(); }
uint8_t selo_outside_waiting(void) { return serial_waiting(); }
void selo_outside_flush(void) { serial_flush(); }

uint8_t selo_outside_byte(uint16_t *address, uint8_t *value)
{
    (void)address, (void)value;
    return 0;
}

void selo_outside_sleep(uint32_t milliseconds)
{
    (void)milliseconds;
    selo_idle(); /* a byte on the line cannot wake the chip from a deeper sleep */
}

enum selo_status selo_outside_send(void *unused, const uint8_t *frame, uint8_t size)
{
    (void)unused;
    return serial_put(SERIAL_LINK, frame, size) ? SELO_OK : SELO_ERROR_SEND;
}

uint8_t selo_outside_receive(void *unused, uint8_t frame[SELO_LINK_FRAME_MAX])
{
    (void)unused;
    enum serial_channel channel;
    uint8_t size;
    const uint8_t *bytes = serial_peek(&channel, &size);
    if (!bytes || channel != SERIAL_LINK)
        return 0;
    memcpy(frame, bytes, size);
    serial_take();
    return size;
}

void selo_outside_payload(const uint8_t *bytes, uint8_t size)
{
    if (serial_put(SERIAL_PAYLOAD, bytes, size))
        serial_flush();
}

/* Link frames go to the library. */
uint8_t selo_outside_step(void)
{
    enum serial_channel channel;
    uint8_t size;
    const uint8_t *bytes = serial_peek(&channel, &size);
    if (!bytes)
        return 0;
    if (channel == SERIAL_LINK && selo_station_poll())
        return 1;
    if (channel == SERIAL_CONSOLE) {
        console_command_fn *command = console_command((const char *)bytes, size);
        serial_take(); /* free the buffer first: the library may compute for seconds while frames arrive */
        command();
        return 1;
    }
    if (channel == SERIAL_PAYLOAD || channel == SERIAL_CONFIRMED)
        selo_station_send(bytes, size, channel == SERIAL_CONFIRMED ? SELO_NODE_CONFIRMED : 0);
    serial_take();
    return 1;
}
