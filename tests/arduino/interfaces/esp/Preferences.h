/* The store of ESP32, as declarations. */
#ifndef PREFERENCES_H
#define PREFERENCES_H

#include <stddef.h>

class Preferences {
  public:
    bool begin(const char *space, bool read_only = false, const char *partition = nullptr);
    void end();
    size_t getBytes(const char *key, void *bytes, size_t size);
    size_t putBytes(const char *key, const void *bytes, size_t size);
};

#endif
