/* A variant of studies/firmware/experiment/packet.c under its own names. Define CIPHER before including it:
 * a struct's name of selo.h without `struct` and `selo_`. There is no guard, because the file is
 * included once for each variant. */
#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)
#define EXPERIMENT_CIPHER PASTE(selo_, CIPHER)
#define packet_begin PASTE(begin_, CIPHER)
#define packet_encrypt PASTE(encrypt_, CIPHER)
#define packet_decrypt PASTE(decrypt_, CIPHER)
#define key PASTE(key_, CIPHER)
#define raw PASTE(raw_, CIPHER)
#include "../../studies/firmware/experiment/packet.c"
#undef NAME_
#undef NAME
#undef raw
#undef key
#undef packet_decrypt
#undef packet_encrypt
#undef packet_begin
#undef EXPERIMENT_CIPHER
#undef PASTE
#undef PASTE_
#undef CIPHER
