#ifndef __AES_H__
#define __AES_H__

#if defined(ARDUINO) && ARDUINO >= 100
#include <Arduino.h>
#else
#include <WProgram.h>
#endif

#define N_ROW 4
#define N_COL 4
#define N_BLOCK (N_ROW * N_COL)
#define N_MAX_ROUNDS 14
#define KEY_SCHEDULE_BYTES ((N_MAX_ROUNDS + 1) * N_BLOCK)
#define SUCCESS (0)
#define FAILURE (-1)

class AES {
public:
    AES();
    // keylen in bytes or in bits
    byte set_key(byte key[], int keylen);
    void clean();
    void copy_n_bytes(byte *d, byte *s, byte nn);
    byte encrypt(byte plain[N_BLOCK], byte cipher[N_BLOCK]);
    byte cbc_encrypt(byte *plain, byte *cipher, int n_block, byte iv[N_BLOCK]);
    byte cbc_encrypt(byte *plain, byte *cipher, int n_block);
    byte decrypt(byte cipher[N_BLOCK], byte plain[N_BLOCK]);
    byte cbc_decrypt(byte *cipher, byte *plain, int n_block, byte iv[N_BLOCK]);
    byte cbc_decrypt(byte *cipher, byte *plain, int n_block);
    void set_IV(unsigned long long int IVCl);
    void iv_inc();
    int get_size();
    void get_IV(byte *out);
    void calc_size_n_pad(int p_size);
    void padPlaintext(void *in, byte *out);
    bool CheckPad(byte *in, int size);
    void printArray(byte output[], bool p_pad = true);
    void do_aes_encrypt(byte *plain, int size_p, byte *cipher, byte *key, int bits);
    void do_aes_encrypt(byte *plain, int size_p, byte *cipher, byte *key, int bits, byte ivl[N_BLOCK]);
    void do_aes_decrypt(byte *cipher, int size_c, byte *plain, byte *key, int bits, byte ivl[N_BLOCK]);

private:
    int round;
    byte key_sched[KEY_SCHEDULE_BYTES];
    unsigned long long int IVC;
    byte iv[16];
    int pad;
    int size;
    byte arr_pad[15];
};

#endif
