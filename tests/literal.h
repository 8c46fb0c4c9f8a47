/* Byte literals with splices: a finding is a few bytes changed in a file that is written out in full. */
#ifndef TEST_LITERAL_H
#define TEST_LITERAL_H

#include "support.h"

/* float32, little-endian */
#define F0 0x00, 0x00, 0x00, 0x00
#define F1 0x00, 0x00, 0x80, 0x3F
#define F2 0x00, 0x00, 0x00, 0x40
#define F5 0x00, 0x00, 0xA0, 0x40
#define F65536 0x00, 0x00, 0x80, 0x47
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

/* Files written number by number, little-endian on any machine. */
typedef struct pen {
    uint8_t data[4096];
    size_t size;
} pen;

void pen_bytes(pen *p, const void *data, size_t size);
void pen_u8(pen *p, unsigned value);
void pen_u32(pen *p, uint32_t value);
void pen_u64(pen *p, uint64_t value);
void pen_f64(pen *p, double value);
void pen_floats(pen *p, size_t count, const float *floats);
#define PEN_FLOATS(p, ...) pen_floats(p, sizeof((const float[]){__VA_ARGS__}) / sizeof(float), (const float[]){__VA_ARGS__})

/* Fails unless the bytes are what was written, and says where they are not. */
void assert_written(const bytes *out, const pen *expected);

/* Fails unless a row of a view is these floats, within 1e-6. */
void assert_row(const stele_view *view, uint64_t row, size_t count, const float *expected);
#define ASSERT_ROW(view, row, ...)                                                                                             \
    assert_row(view, row, sizeof((const float[]){__VA_ARGS__}) / sizeof(float), (const float[]){__VA_ARGS__})

bytes spliced(const uint8_t *data, size_t size, const splice *a, const splice *b);
void expect_finding(const uint8_t *data, size_t size, const finding *f, const stele_options *options);

#endif
