/* The experiment's packet with each cipher. Its key 00 01 02 ... is that of the official examples, so
 * their blocks must come out, in place, and decrypt again. */
#include "../../studies/firmware/experiment/packet.h"
#include "selo_station/reading.h"
#include "check.h"

/* The variants are separate functions without prototypes. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

#define CIPHER aes128_fast
#include "experiment_variant.h"
#define CIPHER aes192_fast
#include "experiment_variant.h"
#define CIPHER aes256_fast
#include "experiment_variant.h"
#define CIPHER aes128_small
#include "experiment_variant.h"
#define CIPHER aes192_small
#include "experiment_variant.h"
#define CIPHER aes256_small
#include "experiment_variant.h"
#define CIPHER speck128_fast
#include "experiment_variant.h"
#define CIPHER speck192_fast
#include "experiment_variant.h"
#define CIPHER speck256_fast
#include "experiment_variant.h"
#define CIPHER speck128_small
#include "experiment_variant.h"
#define CIPHER speck192_small
#include "experiment_variant.h"
#define CIPHER speck256_small
#include "experiment_variant.h"

#define EXPERIMENT_ENCRYPTS_ONLY 1
#define CIPHER aes128_tiny
#include "experiment_variant.h"
#define CIPHER aes192_tiny
#include "experiment_variant.h"
#define CIPHER aes256_tiny
#include "experiment_variant.h"
#define CIPHER speck128_tiny
#include "experiment_variant.h"
#define CIPHER speck192_tiny
#include "experiment_variant.h"
#define CIPHER speck256_tiny
#include "experiment_variant.h"

/* Without a cipher. */
#include "../../studies/firmware/experiment/packet.c"

struct variant {
    void (*begin)(void);
    void (*encrypt)(void *);
    void (*decrypt)(void *); /* NULL: it only encrypts */
    const char *plain, *sealed;
};

/* [FIPS197, C] */
#define FIPS "00112233445566778899aabbccddeeff"
#define AES128 FIPS, "69c4e0d86a7b0430d8cdb78070b4c55a"
#define AES192 FIPS, "dda97ca4864cdfe06eaf70a0ec0d7191"
#define AES256 FIPS, "8ea2b7ca516745bfeafc49904b496089"
/* [SPECK2013, C], in the order of [SPECKGUIDE] */
#define SPECK128 "206d616465206974206571756976616c", "180d575cdffe60786532787951985da6"
#define SPECK192 "656e7420746f20436869656620486172", "86183ce05d18bcf9665513133acfe41b"
#define SPECK256 "706f6f6e65722e20496e2074686f7365", "438f189c8db4ee4e3ef5c00504010941"

#define BOTH(name) begin_##name, encrypt_##name, decrypt_##name
#define ONE(name) begin_##name, encrypt_##name, NULL

static const struct variant variants[] = {
    {BOTH(aes128_fast), AES128},      {BOTH(aes192_fast), AES192},
    {BOTH(aes256_fast), AES256},      {BOTH(aes128_small), AES128},
    {BOTH(aes192_small), AES192},     {BOTH(aes256_small), AES256},
    {ONE(aes128_tiny), AES128},       {ONE(aes192_tiny), AES192},
    {ONE(aes256_tiny), AES256},       {BOTH(speck128_fast), SPECK128},
    {BOTH(speck192_fast), SPECK192},  {BOTH(speck256_fast), SPECK256},
    {BOTH(speck128_small), SPECK128}, {BOTH(speck192_small), SPECK192},
    {BOTH(speck256_small), SPECK256}, {ONE(speck128_tiny), SPECK128},
    {ONE(speck192_tiny), SPECK192},   {ONE(speck256_tiny), SPECK256},
    {packet_begin, packet_encrypt, packet_decrypt, FIPS, FIPS},
};

int main(void)
{
    CHECK(sizeof(struct selo_reading) == PACKET_BYTES);
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++) {
        const struct variant *v = &variants[i];
        uint8_t plain[PACKET_BYTES], sealed[PACKET_BYTES], packet[PACKET_BYTES];
        CHECK(check_hex(plain, sizeof plain, v->plain) == sizeof plain);
        CHECK(check_hex(sealed, sizeof sealed, v->sealed) == sizeof sealed);
        v->begin();
        memcpy(packet, plain, sizeof packet);
        v->encrypt(packet);
        CHECK_BYTES(packet, sealed, sizeof packet);
        if (v->decrypt != NULL) {
            v->decrypt(packet);
            CHECK_BYTES(packet, plain, sizeof packet);
        }
        /* A reading with every variable in its four bytes, low byte first. */
        struct selo_reading reading = {1, 2, -3, 4, 5}, back;
        memcpy(packet, &reading, sizeof packet);
        v->encrypt(packet);
        if (v->decrypt != NULL) {
            v->decrypt(packet);
            memcpy(&back, packet, sizeof back);
            CHECK(back.time == 1 && back.tips == 2 && back.centidegrees == -3
                  && back.battery_millivolts == 4 && back.status == 5);
        }
    }
    return check_report("experiment_packet");
}
