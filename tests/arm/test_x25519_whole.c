/* The two functions of X25519: instructions of a whole call. */
/* sources: x25519 */
#include "kernel.h"

#include "selo.h"

enum { CALLS = 3 };

KERNEL_BUFFER(secret, 32);
KERNEL_BUFFER(peer, 32);
KERNEL_BUFFER(out, 32);

static void shared_secret(void)
{
    kernel_fill(secret.data, 32);
    kernel_fill(peer.data, 32);
    KERNEL_CALL(selo_x25519_shared_secret, out.data, secret.data, peer.data);
    kernel_fold(out.data, 32);
}

static void keygen(void)
{
    kernel_fill(secret.data, 32);
    KERNEL_CALL(selo_x25519_keygen, out.data, secret.data);
    kernel_fold(out.data, 32);
}

/* Points of low order, numbers that are not below p, and others at its edges. */
static void edges(void)
{
    static const uint8_t lowest[] = {0, 1, 9, 0xec, 0xed, 0xee, 0xff}, highest[] = {0, 0x7f, 0xff};
    for (uint8_t i = 0; i < sizeof lowest * sizeof highest; i++) {
        kernel_fill(secret.data, 32);
        for (uint8_t j = 1; j < 31; j++)
            peer.data[j] = highest[i % 3] == 0 ? 0 : 0xff;
        peer.data[0] = lowest[i / 3];
        peer.data[31] = highest[i % 3];
        KERNEL_CALL(selo_x25519_shared_secret, out.data, secret.data, peer.data);
        kernel_fold(out.data, 32);
    }
    kernel_series("edges", sizeof lowest * sizeof highest);
}

static void measure(const char *name, void (*one)(void))
{
    kernel_time_begin();
    for (uint8_t i = 0; i < CALLS; i++)
        one();
    kernel_time_end(name);
    kernel_series(name, CALLS);
}

int main(void)
{
    KERNEL_GUARD(secret);
    KERNEL_GUARD(peer);
    KERNEL_GUARD(out);
    measure("shared-secret", shared_secret);
    measure("keygen", keygen);
    edges();
    kernel_end();
    return 0;
}
