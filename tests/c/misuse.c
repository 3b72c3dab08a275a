/*
 * Calls that the compiler must refuse. The Makefile compiles this file once for each number of MISUSE
 * from 1 on, and once with 0, which is correct.
 */
#include "selo.h"
#include "selo_ed25519.h"
#include "selo_mlkem.h"
#include "selo_unauthenticated.h"

enum { MISUSES = 17 };

void use(struct selo_aes128_gcm_key *gcm128, struct selo_aes256_fast *aes256,
         struct selo_ascon_aead128_key *ascon, const struct selo_header *header, uint8_t *data);

void use(struct selo_aes128_gcm_key *gcm128, struct selo_aes256_fast *aes256,
         struct selo_ascon_aead128_key *ascon, const struct selo_header *header, uint8_t *data)
{
    struct selo_aes128_gcm_sealing sealing;
    struct selo_aes128_gcm_opening opening;
    struct selo_aead_sealing aead_sealing;
    struct selo_aead_key aead_key = {0};
    struct selo_mlkem512_public_key public512;
    struct selo_mlkem512_private_key private512;
    struct selo_mlkem512_ciphertext ciphertext512;
    struct selo_mlkem512_encapsulation encapsulation512;
    struct selo_ed25519_verification verification;
    uint8_t tag[16], secret[32], signature[64];

    (void)ascon;
    (void)selo_aes128_gcm_seal(gcm128, header, data, data, 1, tag);
    (void)selo_gcm_seal(selo_aes256_fast_cipher(aes256), header, data, data, 1, tag);
    (void)selo_aes128_gcm_seal_start(&sealing, gcm128, header);
    (void)selo_aes128_gcm_seal_update(&sealing, data, data, 1);
    (void)selo_aes128_gcm_open_start(&opening, gcm128, header);
    (void)selo_aes128_gcm_open_finish(&opening, tag);
    (void)selo_aead_seal_start(&aead_sealing, &selo_aead_aes128_gcm_pieces, &aead_key, header, 1);
    selo_mlkem512_keygen(&public512, &private512, data);
    (void)selo_mlkem512_encapsulate(&ciphertext512, secret, &public512, data);
    selo_mlkem512_encapsulate_start(&encapsulation512, data);
    selo_ed25519_verify_start(&verification, signature, data);
#if MISUSE == 1 /* AES-256 with a key of AES-128 */
    (void)selo_aes256_gcm_seal(gcm128, header, data, data, 1, tag);
#elif MISUSE == 2 /* the same for a cipher */
    (void)selo_gcm_seal(selo_aes256_fast_cipher(&gcm128->aes), header, data, data, 1, tag);
#elif MISUSE == 3 /* a key of another algorithm */
    (void)selo_chacha20_poly1305_seal(ascon, header, data, data, 1, tag);
#elif MISUSE == 4 /* a key that was not set up */
    (void)selo_ascon_aead128_seal(data, header, data, data, 1, tag);
#elif MISUSE == 5 /* the forward cipher in place of the inverse one */
    (void)selo_ecb_decrypt(selo_aes256_fast_cipher(aes256), data, data, 16);
#elif MISUSE == 6 /* tiny, which cannot decrypt */
    struct selo_aes128_tiny tiny;
    selo_aes128_tiny_setup(&tiny, data);
    (void)selo_ecb_decrypt(selo_aes128_tiny_inverse(&tiny), data, data, 16);
#elif MISUSE == 7 /* the state of a message that is sealed, for opening */
    (void)selo_aes128_gcm_open_update(&sealing, data, data, 1);
#elif MISUSE == 8 /* the state of a message that is opened, for sealing */
    (void)selo_aes128_gcm_seal_finish(&opening, tag);
#elif MISUSE == 9 /* the state of AES-128 with a key of AES-256 */
    struct selo_aes256_gcm_key gcm256;
    selo_aes256_gcm_setup(&gcm256, data);
    (void)selo_aes128_gcm_seal_start(&sealing, &gcm256, header);
#elif MISUSE == 10 /* the state of another algorithm */
    (void)selo_ascon_aead128_seal_update(&sealing, data, data, 1);
#elif MISUSE == 11 /* the table of whole messages in place of that of pieces */
    (void)selo_aead_seal_start(&aead_sealing, &selo_aead_aes128_gcm, &aead_key, header, 1);
#elif MISUSE == 12 /* a message that is sealed, for opening, with an algorithm chosen at run time */
    (void)selo_aead_open_finish(&aead_sealing, tag);
#elif MISUSE == 13 /* a key of the other size of ML-KEM */
    struct selo_mlkem768_ciphertext ciphertext768;
    (void)selo_mlkem768_encapsulate(&ciphertext768, secret, &public512, data);
#elif MISUSE == 14 /* the public key in place of the private key */
    selo_mlkem512_decapsulate(secret, &public512, &ciphertext512);
#elif MISUSE == 15 /* the state of the other size */
    (void)selo_mlkem768_encapsulate_read(&encapsulation512, data, 1);
#elif MISUSE == 16 /* a signature with a seed, without its public key */
    selo_ed25519_sign(signature, data, data, 1);
#elif MISUSE == 17 /* a signature with the state of a verification */
    selo_ed25519_sign(signature, &verification, data, 1);
#endif
}
