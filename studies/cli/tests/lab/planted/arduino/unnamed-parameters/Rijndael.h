enum RIJNDAEL_SIZE { SIZE_128, SIZE_192, SIZE_256 };

void Expand_Keys(enum RIJNDAEL_SIZE, const unsigned char *, const int, unsigned char *);
void Encrypt(enum RIJNDAEL_SIZE, const unsigned char *, const int, const unsigned char *, unsigned char *);
void Decrypt(enum RIJNDAEL_SIZE, const unsigned char *, const int, const unsigned char *, unsigned char *);
