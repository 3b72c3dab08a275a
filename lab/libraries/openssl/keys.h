/* Keys of curves for OpenSSL, made from the lab's raw bytes. */
#ifndef LAB_KEYS_H
#define LAB_KEYS_H

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <stdint.h>
#include <string.h>

#if AGENT_ALGORITHM_X25519 || AGENT_ALGORITHM_ED25519

enum { PUBLIC_BYTES = 32 };
#if AGENT_ALGORITHM_X25519
#define LAB_TYPE EVP_PKEY_X25519
#else
#define LAB_TYPE EVP_PKEY_ED25519
#endif

static EVP_PKEY *lab_private(const uint8_t *secret)
{
    return EVP_PKEY_new_raw_private_key(LAB_TYPE, NULL, secret, 32);
}

static EVP_PKEY *lab_public(const uint8_t *public_key)
{
    return EVP_PKEY_new_raw_public_key(LAB_TYPE, NULL, public_key, 32);
}

/* Making the key also makes its public half. */
static int lib_keygen(uint8_t *public_key, const uint8_t *secret)
{
    size_t size = 32;
    EVP_PKEY *key = lab_private(secret);
    int failed = !key || !EVP_PKEY_get_raw_public_key(key, public_key, &size);
    EVP_PKEY_free(key);
    return failed;
}

#else

enum { PUBLIC_BYTES = 64 };

static EC_GROUP *lab_group(void)
{
    static EC_GROUP *group;
    if (!group)
        group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);
    return group;
}

static EVP_PKEY *lab_key(int selection, const uint8_t *secret, const uint8_t *point)
{
    uint8_t number[32];
    OSSL_PARAM parts[4], *part = parts;
    *part++ = OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, "P-256", 0);
    if (point)
        *part++ = OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (void *)point,
                                                    1 + PUBLIC_BYTES);
    if (secret) {
        for (uint8_t i = 0; i < 32; i++)
            number[i] = secret[31 - i]; /* numbers are little-endian here */
        *part++ = OSSL_PARAM_construct_BN(OSSL_PKEY_PARAM_PRIV_KEY, number, sizeof number);
    }
    *part = OSSL_PARAM_construct_end();
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *making = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    if (EVP_PKEY_fromdata_init(making) <= 0 || EVP_PKEY_fromdata(making, &key, selection, parts) <= 0)
        key = NULL;
    EVP_PKEY_CTX_free(making);
    return key;
}

static EVP_PKEY *lab_private(const uint8_t *secret)
{
    return lab_key(EVP_PKEY_KEYPAIR, secret, NULL);
}

static EVP_PKEY *lab_public(const uint8_t *public_key)
{
    uint8_t point[1 + PUBLIC_BYTES] = {POINT_CONVERSION_UNCOMPRESSED};
    memcpy(point + 1, public_key, PUBLIC_BYTES);
    return lab_key(EVP_PKEY_PUBLIC_KEY, NULL, point);
}

/* EVP cannot compute the public half of a given secret, so the curve's own functions do. */
static int lib_keygen(uint8_t *public_key, const uint8_t *secret)
{
    uint8_t octets[1 + PUBLIC_BYTES];
    BIGNUM *number = BN_bin2bn(secret, 32, NULL);
    EC_POINT *point = EC_POINT_new(lab_group());
    int failed = !EC_POINT_mul(lab_group(), point, number, NULL, NULL, NULL)
                 || !EC_POINT_point2oct(lab_group(), point, POINT_CONVERSION_UNCOMPRESSED, octets,
                                        sizeof octets, NULL);
    memcpy(public_key, octets + 1, PUBLIC_BYTES);
    EC_POINT_free(point);
    BN_clear_free(number);
    return failed;
}

#endif

#endif
