/* Links against the CMake target of the PSA Crypto subset: SHA-256 of "abc" [FIPS180-4]. */
#include <psa/crypto.h>

int main(void)
{
    uint8_t hash[32];
    size_t size;

    return psa_crypto_init() == PSA_SUCCESS
               && psa_hash_compute(PSA_ALG_SHA_256, (const uint8_t *)"abc", 3, hash, sizeof hash, &size) == PSA_SUCCESS
               && size == 32 && hash[0] == 0xba && hash[31] == 0xad
           ? 0 : 1;
}
