/* ML-KEM-512 for profile.py: each phase begins with a call of the function that names it. */
#include <string.h>

#include "core.h"
#include "selo_mlkem.h"

#define PHASE(name) __attribute__((noinline)) void phase_##name(void) { __asm__ volatile(""); }
PHASE(keygen)
PHASE(encapsulate)
PHASE(decapsulate)
PHASE(end)

static struct selo_mlkem512_public_key public_key;
static struct selo_mlkem512_private_key private_key;
static struct selo_mlkem512_ciphertext ciphertext;

int main(void)
{
    static const uint8_t seed[64] = {1}, random[32] = {2};
    uint8_t secret[32], same[32];

    phase_keygen();
    selo_mlkem512_keygen(&public_key, &private_key, seed);
    phase_encapsulate();
    (void)selo_mlkem512_encapsulate(&ciphertext, secret, &public_key, random);
    phase_decapsulate();
    selo_mlkem512_decapsulate(same, &private_key, &ciphertext);
    phase_end();
    core_exit(memcmp(secret, same, sizeof secret) != 0);
    return 0;
}
