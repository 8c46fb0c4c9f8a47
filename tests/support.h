/* What the tests share: files, samples, and opening them as any of the ways that the API offers. */
#ifndef TEST_SUPPORT_H
#define TEST_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "stele.h"

typedef struct bytes {
    uint8_t *data;
    size_t size;
} bytes;

bytes read_bytes(const char *path);
bytes copy_bytes(const void *data, size_t size); /* in a block of exactly this size, so that a sanitizer sees overruns */

/* Calls for every file below the folder (given below the project) that has a registered extension; returns how many. */
typedef void (*each_file)(const char *path, const bytes *content);
size_t for_each_file(const char *folder, each_file each);

/* The project's folder, and that of real files or NULL where there are none. */
const char *project_folder(void);
const char *corpus_folder(void);

/* What a file is written as; NULL data if writing failed. */
bytes rewritten(stele_file *file, const stele_save_options *options);

/* The first diagnostic with this id, or NULL. */
const stele_diagnostic *find_diagnostic(const stele_file *file, const char *id);

/* Fails unless every byte is covered exactly once; returns the number of bytes that are gaps. */
uint64_t assert_explained(stele_file *file);

#endif
