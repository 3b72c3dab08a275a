/* Each value of MISUSE adds a mistake that the compiler must refuse. 0 is the program without one. */
#include <selo.hpp>

enum selo_status use(const uint8_t (&raw)[32], const uint8_t (&number)[12], const uint8_t (&half)[16]);

enum selo_status use(const uint8_t (&raw)[32], const uint8_t (&number)[12], const uint8_t (&half)[16])
{
    typedef selo::chacha20_poly1305 algorithm;
    const algorithm cipher(raw);
    const algorithm::nonce nonce(number);
    uint8_t text[16] = {1}, sealed[16], small[15];
    selo::tag tag;
    (void)half, (void)small;
#if MISUSE == 1
    const algorithm other(half); /* a key of 16 bytes */
#elif MISUSE == 2
    const algorithm::nonce other(half); /* a nonce of 16 bytes */
#elif MISUSE == 3
    const algorithm other(cipher); /* the copy of a key */
#elif MISUSE == 4
    cipher.seal(sealed, tag, text, nonce); /* nobody reads the result */
#elif MISUSE == 5
    if (cipher.seal(small, tag, text, nonce) != SELO_OK) /* too small an output */
        return SELO_ERROR_SPACE;
#elif MISUSE == 6
    if (cipher.seal(sealed, nonce, text, nonce) != SELO_OK) /* a nonce for a tag */
        return SELO_ERROR_SPACE;
#elif MISUSE == 7
    if (cipher.seal(sealed, tag, text, number) != SELO_OK) /* bytes that nobody called a nonce */
        return SELO_ERROR_SPACE;
#elif MISUSE == 8
    const selo::aes256_gcm gcm(raw);
    if (gcm.seal(sealed, tag, text, nonce) != SELO_OK) /* the nonce of another algorithm */
        return SELO_ERROR_SPACE;
#elif MISUSE == 9
    const selo::secret<32> one, two(one); /* the copy of a secret */
#endif
    return cipher.seal(sealed, tag, text, nonce);
}
