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
    kernel_end();
    return 0;
}
