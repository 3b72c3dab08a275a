/*
 * The faults of this library's nodes. The linker redirects calls of a function to __wrap_function, and
 * __real_function is the function itself.
 */
#include <selo.h>

enum selo_status __real_selo_x25519_shared_secret(uint8_t shared[32], const uint8_t secret[32],
                                                  const uint8_t peer_public_key[32]);
enum selo_status __wrap_selo_x25519_shared_secret(uint8_t shared[32], const uint8_t secret[32],
                                                  const uint8_t peer_public_key[32]);

enum selo_status __wrap_selo_x25519_shared_secret(uint8_t shared[32], const uint8_t secret[32],
                                                  const uint8_t peer_public_key[32])
{
    enum selo_status status = __real_selo_x25519_shared_secret(shared, secret, peer_public_key);
    if (SELO_LINK_SUITE == SELO_LINK_CHACHAPOLY_BLAKE2S)
        shared[31] ^= 1;
    return status;
}

#if SELO_LINK_SUITE == SELO_LINK_ASCON

enum selo_status __real_selo_ascon_aead128_seal(const struct selo_ascon_aead128_key *key,
                                                const struct selo_header *header, uint8_t *out,
                                                const uint8_t *in, size_t size, uint8_t *tag);
enum selo_status __wrap_selo_ascon_aead128_seal(const struct selo_ascon_aead128_key *key,
                                                const struct selo_header *header, uint8_t *out,
                                                const uint8_t *in, size_t size, uint8_t *tag);

enum selo_status __wrap_selo_ascon_aead128_seal(const struct selo_ascon_aead128_key *key,
                                                const struct selo_header *header, uint8_t *out,
                                                const uint8_t *in, size_t size, uint8_t *tag)
{
    enum selo_status status = __real_selo_ascon_aead128_seal(key, header, out, in, size, tag);
    if (header->tag_size < 16) /* no handshake */
        out[size - 1] ^= 1;
    return status;
}

#endif
