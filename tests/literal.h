/* Byte literals with splices: a finding is a few bytes changed in a file that is written out in full. */
#ifndef TEST_LITERAL_H
#define TEST_LITERAL_H

#include "support.h"

/* float32, little-endian */
#define F0 0x00, 0x00, 0x00, 0x00
#define F1 0x00, 0x00, 0x80, 0x3F
#define F2 0x00, 0x00, 0x00, 0x40
#define F5 0x00, 0x00, 0xA0, 0x40
#define FHALF 0x00, 0x00, 0x00, 0x3F
#define FMINUS 0x00, 0x00, 0x80, 0xBF
#define FNAN 0x00, 0x00, 0xC0, 0x7F
#define FINF 0x00, 0x00, 0x80, 0x7F

#define LITERAL(array) array, sizeof array
#define BYTES(...) (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})

/* At an offset, so many bytes are replaced by others. */
typedef struct splice {
    size_t at, removed;
    const uint8_t *bytes;
    size_t count;
} splice;

/* A finding: what is changed, and what must be reported where. */
typedef struct finding {
    const char *id, *path;
    uint64_t offset;
    stele_severity severity;
    splice first, second;
} finding;

bytes spliced(const uint8_t *data, size_t size, const splice *a, const splice *b);
void expect_finding(const uint8_t *data, size_t size, const finding *f, const stele_options *options);

#endif
