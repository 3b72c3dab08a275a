#include "AES-128_V10.h"
#include "box.inc"

extern unsigned char State[4][4];
unsigned char State[4][4];

unsigned char AES_Sub_Byte(unsigned char Byte) { return box[Byte]; }

void AES_Add_Round_Key(unsigned char *Round_Key)
{
    for (unsigned char Collum = 0; Collum < 4; Collum++)
        for (unsigned char Row = 0; Row < 4; Row++)
            State[Row][Collum] ^= Round_Key[Row + 4 * Collum];
}

void AES_Shift_Rows()
{
    for (unsigned char Row = 1; Row < 4; Row++)
        for (unsigned char Times = 0; Times < Row; Times++) {
            unsigned char Buffer = State[Row][0];
            State[Row][0] = State[Row][1];
            State[Row][1] = State[Row][2];
            State[Row][2] = State[Row][3];
            State[Row][3] = Buffer;
        }
}

void AES_Mix_Collums()
{
    for (unsigned char Collum = 0; Collum < 4; Collum++) {
        unsigned char a[4], b[4];
        for (unsigned char Row = 0; Row < 4; Row++) {
            a[Row] = State[Row][Collum];
            b[Row] = State[Row][Collum] << 1;
            if (State[Row][Collum] & 0x80)
                b[Row] ^= 0x1B;
        }
        State[0][Collum] = b[0] ^ a[1] ^ b[1] ^ a[2] ^ a[3];
        State[1][Collum] = a[0] ^ b[1] ^ a[2] ^ b[2] ^ a[3];
        State[2][Collum] = a[0] ^ a[1] ^ b[2] ^ a[3] ^ b[3];
        State[3][Collum] = a[0] ^ b[0] ^ a[1] ^ a[2] ^ b[3];
    }
}

void AES_Calculate_Round_Key(unsigned char Round, unsigned char *Round_Key)
{
    unsigned char Temp[4], Rcon = 1;
    while (Round != 1) {
        unsigned char High = Rcon & 0x80;
        Rcon <<= 1;
        if (High)
            Rcon ^= 0x1b;
        Round--;
    }
    Temp[0] = AES_Sub_Byte(Round_Key[13]) ^ Rcon;
    Temp[1] = AES_Sub_Byte(Round_Key[14]);
    Temp[2] = AES_Sub_Byte(Round_Key[15]);
    Temp[3] = AES_Sub_Byte(Round_Key[12]);
    for (unsigned char i = 0; i < 16; i += 4)
        for (unsigned char j = 0; j < 4; j++) {
            Round_Key[i + j] ^= Temp[j];
            Temp[j] = Round_Key[i + j];
        }
}

void AES_Encrypt(unsigned char *Data, unsigned char *Key)
{
    unsigned char Round_Key[16];
    for (unsigned char i = 0; i < 16; i++)
        Round_Key[i] = Key[i];
    for (unsigned char Collum = 0; Collum < 4; Collum++)
        for (unsigned char Row = 0; Row < 4; Row++)
            State[Row][Collum] = Data[Row + 4 * Collum];
    AES_Add_Round_Key(Round_Key);
    for (unsigned char Round = 1; Round <= 10; Round++) {
        for (unsigned char Collum = 0; Collum < 4; Collum++)
            for (unsigned char Row = 0; Row < 4; Row++)
                State[Row][Collum] = AES_Sub_Byte(State[Row][Collum]);
        AES_Shift_Rows();
        if (Round < 10)
            AES_Mix_Collums();
        AES_Calculate_Round_Key(Round, Round_Key);
        AES_Add_Round_Key(Round_Key);
    }
    for (unsigned char Collum = 0; Collum < 4; Collum++)
        for (unsigned char Row = 0; Row < 4; Row++)
            Data[Row + 4 * Collum] = State[Row][Collum];
}
