/* The file system of ESP8266, as declarations. */
#ifndef LITTLEFS_H
#define LITTLEFS_H

#include <stddef.h>
#include <stdint.h>

class File {
  public:
    operator bool() const;
    size_t read(uint8_t *bytes, size_t size);
    size_t write(const uint8_t *bytes, size_t size);
    void close();
};

class FS {
  public:
    bool begin();
    File open(const char *path, const char *mode);
    bool rename(const char *from, const char *to);
};
extern FS LittleFS;

#endif
