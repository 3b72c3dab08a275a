/*
 * Tests selo.hpp against the functions of selo.h that it calls: each algorithm gives the same bytes,
 * refuses an altered tag, and wipes its key.
 */
#include <selo.hpp>

#include <new>
#include <string.h>

static const uint8_t secrets[32] = {1, 2, 3}, numbers[24] = {4, 5, 6}, reading[21] = {7, 8, 9};

#define SAME_AS_C(name, nonce_bytes, key_bytes)                                                       \
    static bool same_##name()                                                                         \
    {                                                                                                 \
        uint8_t short_raw[key_bytes], short_nonce[nonce_bytes];                                       \
        uint8_t sealed[21], expected[21], expected_tag[16], opened[21];                               \
        memcpy(short_raw, secrets, sizeof short_raw);                                                     \
        memcpy(short_nonce, numbers, sizeof short_nonce);                                             \
        struct selo_##name##_key key;                                                                 \
        const struct selo_header header = {short_nonce, sizeof short_nonce, "station", 7, 16};        \
        selo_##name##_setup(&key, short_raw);                                                         \
        if (selo_##name##_seal(&key, &header, expected, reading, sizeof reading, expected_tag) != SELO_OK) \
            return false;                                                                             \
        const selo::name cipher(short_raw);                                                           \
        const selo::name::nonce nonce(short_nonce);                                                   \
        selo::tag tag;                                                                                \
        if (cipher.seal(sealed, tag, reading, nonce, selo::text("station")) != SELO_OK               \
            || memcmp(sealed, expected, sizeof sealed) != 0 || memcmp(tag.data, expected_tag, 16) != 0) \
            return false;                                                                             \
        if (cipher.open(opened, sealed, selo::tag(expected_tag), nonce, selo::text("station")) != SELO_OK \
            || memcmp(opened, reading, sizeof reading) != 0)                                          \
            return false;                                                                             \
        tag.data[3] ^= 1;                                                                             \
        return cipher.open(opened, sealed, tag, nonce, selo::text("station")) == SELO_ERROR_TAG;      \
    }

SAME_AS_C(chacha20_poly1305, 12, 32)
SAME_AS_C(xchacha20_poly1305, 24, 32)
SAME_AS_C(ascon_aead128, 16, 16)
SAME_AS_C(aes128_gcm, 12, 16)
SAME_AS_C(aes192_gcm, 12, 24)
SAME_AS_C(aes256_gcm, 12, 32)
SAME_AS_C(aes128_ccm, 13, 16)
SAME_AS_C(aes192_ccm, 13, 24)
SAME_AS_C(aes256_ccm, 13, 32)

static bool all_zero(const uint8_t *bytes, size_t size)
{
    uint8_t any = 0;
    for (size_t i = 0; i < size; i++)
        any |= static_cast<const volatile uint8_t *>(bytes)[i];
    return any == 0;
}

static bool wipes()
{
    alignas(selo::ascon_aead128) static uint8_t place[sizeof(selo::ascon_aead128)];
    alignas(selo::secret<32>) static uint8_t other[sizeof(selo::secret<32>)];
    const uint8_t key[16] = {1};
    selo::ascon_aead128 *cipher = new (place) selo::ascon_aead128(key);
    selo::secret<32> *secret = new (other) selo::secret<32>();
    secret->data[5] = 9;
    if (all_zero(place, sizeof place))
        return false;
    cipher->~aead();
    secret->~secret();
    return all_zero(place, sizeof place) && all_zero(other, sizeof other);
}

static bool refuses_little_space()
{
    const selo::chacha20_poly1305 cipher(secrets);
    const uint8_t number[12] = {1};
    uint8_t out[4] = {1, 1, 1, 1};
    selo::tag tag;
    tag.data[0] = 1;
    return cipher.seal(selo::buffer(out, 4), tag, selo::bytes(reading, 5), selo::chacha20_poly1305::nonce(number))
               == SELO_ERROR_SPACE
           && all_zero(out, sizeof out) && all_zero(tag.data, sizeof tag.data);
}

int main()
{
    const bool results[] = {same_chacha20_poly1305(), same_xchacha20_poly1305(), same_ascon_aead128(),
                            same_aes128_gcm(), same_aes192_gcm(), same_aes256_gcm(), same_aes128_ccm(),
                            same_aes192_ccm(), same_aes256_ccm(), wipes(), refuses_little_space()};
    int number = 0;
    for (const bool right : results) {
        number++;
        if (!right)
            return number; /* the place of the first that fails */
    }
    return 0;
}
