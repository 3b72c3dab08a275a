/* SHA-3: whole messages in one piece and in several. */
/* sources: sha3 */
/* figures: messages */
#include "kernel.h"

#include "selo.h"

enum { SIZE = 300, RATE = 136 };

KERNEL_BUFFER(message, SIZE);
KERNEL_BUFFER(digest, 64);
KERNEL_BUFFER(state, sizeof(struct selo_sha3));

static void hash(kernel_word size, kernel_word piece, kernel_word wide)
{
    struct selo_sha3 *sha3 = (struct selo_sha3 *)(void *)state.data;
    if (wide)
        selo_sha3_512_start(sha3);
    else
        selo_sha3_256_start(sha3);
    for (kernel_word at = 0; at < size; at += piece)
        selo_sha3_update(sha3, message.data + at, size - at < piece ? size - at : piece);
    selo_sha3_finish(sha3, digest.data);
}

int main(void)
{
    KERNEL_GUARD(message);
    KERNEL_GUARD(digest);
    KERNEL_GUARD(state);
    for (uint16_t size = 0; size <= SIZE; size++) {
        kernel_fill(message.data, SIZE);
        KERNEL_CALL(hash, size, 1 + size % 29, size & 1);
        kernel_fold(digest.data, 32);
        KERNEL_CALL(hash, size, SIZE, size & 1);
        kernel_fold(digest.data, 32);
    }
    kernel_series("sha3", SIZE);
    kernel_time_begin();
    for (uint8_t i = 0; i < 20; i++) {
        kernel_fill(message.data, SIZE);
        KERNEL_CALL(hash, RATE, RATE, 0);
    }
    kernel_time_end("sha3-256-136");
    kernel_end();
    return 0;
}
