#ifndef AES128_V10_H
#define AES128_V10_H

#include <Arduino.h>

void AES_Encrypt(unsigned char *Data, unsigned char *Key);
void AES_Add_Round_Key(unsigned char *Round_Key);
unsigned char AES_Sub_Byte(unsigned char Byte);
void AES_Shift_Rows();
void AES_Mix_Collums();
void AES_Calculate_Round_Key(unsigned char Round, unsigned char *Round_Key);

#endif
