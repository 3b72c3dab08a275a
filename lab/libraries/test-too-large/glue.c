/*
 * A correct AES-128 with tables that no Uno can hold: 34,000 bytes of constants, or 2,100 bytes of
 * variables.
 */
#include "agent.h"
#include "selo.h"

enum { KEY = 16, BLOCK = 16, HALF_OF_FLASH = 17000, ALL_OF_RAM = 2100 };

static struct selo_aes128_fast key;

/* Two, because one object above 32,767 bytes cannot be declared for AVR. */
#if AGENT_VARIANT_FLASH
const uint8_t ballast_1[HALF_OF_FLASH] PORT_FLASH = {1};
const uint8_t ballast_2[HALF_OF_FLASH] PORT_FLASH = {2};
#else
uint8_t ballast[ALL_OF_RAM];
#endif

static volatile uint8_t touched;

/* Makes the linker keep the tables, without changing a result. */
static void touch_ballast(uint16_t at)
{
#if AGENT_VARIANT_FLASH
    uint8_t bytes[2];
    port_flash_read(&bytes[0], &ballast_1[at], 1);
    port_flash_read(&bytes[1], &ballast_2[at], 1);
    touched = bytes[0] ^ bytes[1];
#else
    touched = ++ballast[at];
#endif
}

static uint8_t key_setup(struct agent_call *call)
{
    if (call->in[0].size != KEY)
        return AGENT_BAD_SIZE;
    AGENT_MEASURE(selo_aes128_fast_setup(&key, call->in[0].data));
    touch_ballast(call->in[0].size);
    return SELO_OK;
}

static uint8_t encrypt(struct agent_call *call)
{
    if (call->in[0].size != BLOCK)
        return AGENT_BAD_SIZE;
    AGENT_MEASURE(selo_aes128_fast_encrypt(&key, call->out, call->in[0].data));
    call->out_size = BLOCK;
    return SELO_OK;
}

static uint8_t decrypt(struct agent_call *call)
{
    if (call->in[0].size != BLOCK)
        return AGENT_BAD_SIZE;
    AGENT_MEASURE(selo_aes128_fast_decrypt(&key, call->out, call->in[0].data));
    call->out_size = BLOCK;
    return SELO_OK;
}

AGENT_OPERATIONS(
    AGENT_OPERATION(KEY_SETUP, "key-setup", key_setup)
    AGENT_OPERATION(ENCRYPT, "encrypt", encrypt)
    AGENT_OPERATION(DECRYPT, "decrypt", decrypt))
