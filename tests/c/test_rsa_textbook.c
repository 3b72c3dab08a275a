/*
 * The textbook RSA of lab/libraries/rsa-textbook/: a key and its results against an independent
 * implementation, and round trips with a generated key.
 */
#include "../../lab/libraries/rsa-textbook/prime.h"
#include "../../lab/libraries/rsa-textbook/generator.h"
#include "../../lab/libraries/rsa-textbook/rsa_textbook.h"
#include "check.h"

/* Computed with the Python package `cryptography`, which uses OpenSSL: a key of 2,048 bits, a block and
 * its 65537th power modulo n, and the bytes 00 to 1f encrypted with PKCS #1 v1.5 padding. */
static const char vector_p[] =
    "c7ad62138d4a9b7119ada382f75d89e3a520dcf0113c571b52c5761d4acabdb6c051128d5dafc4dec4027564"
    "032d316ebb6f843f5e32c821c9110cf9577158e24f5910fd0391fca488354815403eec135ca8e7adf35f5c21"
    "a95206884f66ae7f9afd5f483d2f5ca288bd527cff3d59fc3d202cc6cec936e3254f18a652b9d8d7";
static const char vector_q[] =
    "bd2ac2b85cc83d912d8055bad53f1e41803a01be2d50ffdcb388ca6332bb28534c8d772f7f3f290d9fed8bae"
    "0a8bfc20cddf0494a8eb3ac91c4bc11708b35a7ef1d9b9e37e0a4fcb3566b2f8038f1c7e7b66d04fffd7271b"
    "f1b99bb188b7bb106b99b5be68001acf00af22a84d7d5598f5559d83716e8603ba3a93f3311fcfab";
static const char vector_n[] =
    "938c5bbbb7d510d94b0cd2a53830def2f04b7e2c147306a87ffc3fd63af78b60d91c348ebf95a467cd6c469a"
    "2d0737a70fa5b879106ee34cbad1bd8b012e7cfb0cda65c34275116579cfb5ff16a0a6fe4c015f19d08b9744"
    "0301642188a05581e7457565000323573631aa1422c675f49569861fa840be6a2a8d4891afef4eaadeb1debf"
    "0edefc2c21cf6afd4706ce6ba1ba392f7d448f71ac8f628d86bd2262ce712cfece1d2f26da6769a1f147052b"
    "e3e8554102a1d0414e154242828d7d000e80514c6e345fd563280494964ae3c416affa0cc469fda7c2fe808b"
    "1c6511b691565b2a6c4333178edd0c644afee61688b86a948984bebe475fd414f182b09d";
static const char vector_dp[] =
    "5dd5bef74d38b85fa81f8f6da66d90b5280e8f8549b43f83199cadeb0a10c8a2af31ea3400c8ef0d78b36713"
    "3ee2e80e0f8b526cad09d43efc4c44fa8ffb3637f3edf92bcd97b75062aa175bd53b3c99c4bba3547dc05c7d"
    "7d228ceb55d4fd3ffe47ff94e51bf2be76dff179c840be9ee8e2cbe80999496fe9428864f10f6135";
static const char vector_dq[] =
    "1186bcb3c824e54f661fd5d191a05f7542241db5390da0271a9b39e526f6202e579163d18ac0975523d42674"
    "e19546aee3641e5087b603a44e72d65903fd5a0d18eb4b45c08fc404d7d5c40f268543e694185a848ef7a82f"
    "f69d73c7671b5ec18eb69718251a9d614076f9870e66e65f5d9ba9145c9618e48f848de0a2548831";
static const char vector_q_inverse[] =
    "a25f67b15e414c8ad4aa7ae1b783edc89f50d6733f1fe750a80bb9dc73e3207f89f8a9780dab4a253dc23f30"
    "b9d7516ca064a6c26f825f18ff8c51728a8adecbb08bc1b4aac3fa7d77a59ce0b625ebad4d4daa05045bb3c5"
    "b4d12651c842ad57faf4d91d5e3ae76ab69b55a832fcaf13376cd4050f286adf17a56d8dddc22819";
static const char vector_block[] =
    "007e755a6d6882b12df3a2463d136189d269f9fe7f79dfaad13dce2133a279c93b960f3bcac4beed5cd0ec07"
    "5f4afc8c7880d1e471d0b9efb7c1ca415b0b8ad58b07ee0fe5b381a37673a0fcea47a7f68c38d279457fa006"
    "6118d4747e490c0b0006524f5fca4555e412c1d39989298e11e53796e911f1cc252c36d06d6436547b00ee64"
    "fee637b843e322edc21427d15cff41c23173d0d751978f6076313b2a5796893de50fe0e922964493fddf2f52"
    "9dc2c3ef5174b401a8124c66bfdde26d25622dd03eee531aa843c2daf66ce08559c0c113be266406af7204b7"
    "54d282ad529fcaafacd5f6584955294ccd5a12b7da45d14e9ee43744f1d2b8a37376eed1";
static const char vector_power[] =
    "2ed6b8c482fbd3250695711da6e5d2517ee5266a4edb8c78d452712042e7ce121d26e6566af7c4bdddcfb714"
    "7a103b5cfc16e85dfc3f1b7128d840ba941cac65cc393d4922a985b1ba58e4c405b5fc4c2116e3bf6d47f6c5"
    "9493d6a4c6123b7c7b27a0621c78e3af23001e113bb9cc05b310c1271438944e53bd069ba82c85f613d1094e"
    "4c325d47aa154b4600a04ddc777dab63a4ea0266b43a9f810ae88e2b1b509b4a08f39337374ce54111016bd7"
    "218a49d34f9406de6507eb5695ac2d4e2f91aa004e78d6e6d04e42c5ada80a8bc90e704b557ad309e8fde3f2"
    "c258a7a9bf235586fe888e1b501c02e209546b1172966e76c3048f8ecba95aa6c531998e";
static const char vector_ciphertext[] =
    "8ac04626a6a87921a7c7a49ffa72f68c9e0970af9fcffb0bf5d65f8d95815dde87ff689cc7d9f4408fe82318"
    "bbdc5cab021ed9e8c2f44b207bce685f2bb5592c385cce70a1fbf23b166ca58e4d5fee25fffca8fc31462039"
    "f8a843aaadac6c7a0a8f0ce8b1e977297daa11b59ce393a53d808e2e64b4d3d9e6064291f96e92942aa55f7a"
    "276147575860350de8aecc59bc8d1b47147aff2fdc678116ae5431da6488a5a2af1a063f4c5cf2e316924909"
    "e8d0e2e76e886b38d5aac50714da522c79f1e3863739326844ac0650829c28e710eb4518c4dd766333f0efd3"
    "a9f250ea1e5321157037238f2d8dbfc99c59ef6685dbe8da2e0066faa6d12b2511cdc546";

/* (6 k + 1)(12 k + 1)(18 k + 1) with k = 2^100 + 8580, all three prime. */
static const char carmichael[] =
    "0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
    "0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
    "005100000000000000000001fd064c00000000000000042a47ae3840000000000002e887d01c2351";

static void check_number(const rsa_limb *got, const char *hex, uint8_t limbs)
{
    uint8_t bytes[RSA_BYTES], want[RSA_BYTES];
    const size_t size = limbs * sizeof *got;
    rsa_to_bytes(bytes, got, limbs);
    CHECK(check_hex(want, sizeof want, hex) == size);
    CHECK_BYTES(bytes, want, size);
}

static void set_half(rsa_limb *to, const char *hex)
{
    uint8_t bytes[RSA_BYTES / 2];
    CHECK(check_hex(bytes, sizeof bytes, hex) == sizeof bytes);
    rsa_from_bytes(to, bytes, RSA_HALF_LIMBS);
}

static void check_key(void)
{
    check_number(rsa_public.n, vector_n, RSA_LIMBS);
    check_number(rsa_private.p, vector_p, RSA_HALF_LIMBS);
    check_number(rsa_private.q, vector_q, RSA_HALF_LIMBS);
    check_number(rsa_private.dp, vector_dp, RSA_HALF_LIMBS);
    check_number(rsa_private.dq, vector_dq, RSA_HALF_LIMBS);
    check_number(rsa_private.q_inverse, vector_q_inverse, RSA_HALF_LIMBS);
}

static void test_vectors(void)
{
    uint8_t block[RSA_BYTES], want[RSA_BYTES], message[32];
    uint16_t size;

    /* The primes in the wrong order give the same key. */
    set_half(rsa_private.p, vector_q);
    set_half(rsa_private.q, vector_p);
    rsa_complete_key();
    check_key();
    set_half(rsa_private.p, vector_p);
    set_half(rsa_private.q, vector_q);
    rsa_complete_key();
    check_key();

    CHECK(check_hex(block, sizeof block, vector_block) == sizeof block);
    CHECK(check_hex(want, sizeof want, vector_power) == sizeof want);
    rsa_public_operation(block, block);
    CHECK_BYTES(block, want, sizeof want);

    CHECK(check_hex(block, sizeof block, vector_ciphertext) == sizeof block);
    for (uint8_t i = 0; i < sizeof message; i++) {
        message[i] = i;
    }
    CHECK(rsa_decrypt(want, &size, block) == RSA_OK);
    CHECK(size == sizeof message);
    CHECK_BYTES(want, message, sizeof message);
    CHECK(check_is_zero(want + size, (size_t)(RSA_BYTES - size)));
}

static void round_trip(uint16_t size)
{
    uint8_t message[RSA_MESSAGE_BYTES + 1], ciphertext[RSA_BYTES], plain[RSA_BYTES];
    uint16_t plain_size;
    check_random_bytes(message, size);
    CHECK(rsa_encrypt(ciphertext, message, size) == RSA_OK);
    CHECK(rsa_decrypt(plain, &plain_size, ciphertext) == RSA_OK);
    CHECK(plain_size == size);
    CHECK_BYTES(plain, message, size);

    ciphertext[100] ^= 1;
    CHECK(rsa_decrypt(plain, &plain_size, ciphertext) == RSA_ERROR_PADDING);
    CHECK(plain_size == 0);
    CHECK(check_is_zero(plain, sizeof plain));
}

static void test_generated_key(void)
{
    static const uint8_t seed[] = "a seed for the test";
    rsa_limb product[RSA_LIMBS];
    struct rsa_public_key first;
    uint8_t ciphertext[RSA_BYTES], message[RSA_MESSAGE_BYTES + 1] = {0};

    rsa_keygen(seed, sizeof seed);
    first = rsa_public;
    CHECK(rsa_public.n[RSA_LIMBS - 1] >> (RSA_LIMB_BITS - 1) == 1); /* exactly 2,048 bits */
    rsa_multiply(product, rsa_private.p, rsa_private.q, RSA_HALF_LIMBS);
    CHECK_BYTES(rsa_public.n, product, sizeof product);
    CHECK(rsa_compare(rsa_private.p, rsa_private.q, RSA_HALF_LIMBS) > 0);
    CHECK(rsa_is_prime(rsa_private.p) && rsa_is_prime(rsa_private.q));

    round_trip(0);
    round_trip(32);
    round_trip(RSA_MESSAGE_BYTES);
    CHECK(rsa_encrypt(ciphertext, message, RSA_MESSAGE_BYTES + 1) == RSA_ERROR_SIZE);
    CHECK(check_is_zero(ciphertext, sizeof ciphertext));

    if (CHECK_SAMPLE(1, 0)) {
        rsa_keygen(seed, sizeof seed);
        CHECK_BYTES(&rsa_public, &first, sizeof first);
    }
}

static void test_primes(void)
{
    rsa_limb a[RSA_HALF_LIMBS];

    set_half(a, vector_p);
    CHECK(rsa_is_prime(a));
    a[0] = (rsa_limb)(a[0] + 2);
    CHECK(!rsa_is_prime(a));

    /* 2^521 - 1 is prime; 2^523 - 1 is not and has no factor below 256. */
    memset(a, 0, sizeof a);
    for (int bit = 0; bit < 521; bit++) {
        a[bit / RSA_LIMB_BITS] |= (rsa_limb)((rsa_limb)1 << (bit % RSA_LIMB_BITS));
    }
    CHECK(rsa_is_prime(a));
    a[521 / RSA_LIMB_BITS] |= (rsa_limb)((rsa_limb)3 << (521 % RSA_LIMB_BITS));
    CHECK(!rsa_is_prime(a));

    /* A Carmichael number: every base that shares no factor with it passes Fermat's test. */
    set_half(a, carmichael);
    CHECK(!rsa_is_prime(a));
}

int main(void)
{
    test_primes();
    test_vectors();
    test_generated_key();
    return check_report("rsa-textbook");
}
