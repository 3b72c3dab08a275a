#ifndef TI_AES
#define TI_AES

#ifdef __cplusplus
extern "C" {
#endif

// dir 0 encrypts, dir 1 decrypts
void aes_enc_dec(unsigned char *state, unsigned char *key, unsigned char dir);

#ifdef __cplusplus
}
#endif
#endif
