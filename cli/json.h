/* Documents about files, as --json prints them and docs/json.md describes them. Not only for the command: json*.c know nothing
 * but stele.h and base. */
#ifndef JSON_H
#define JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/number.h"
#include "stele.h"

/* The version of all documents: raised when a field changes its meaning or goes away. */
enum { JSON_SCHEMA = 1 };

/* The writer: commas and quotes are its business. */
typedef struct json {
    FILE *out;
    bool comma;
} json;
void json_open(json *j, const char *key, char bracket);
void json_close(json *j, char bracket);
void json_string(json *j, const char *key, const char *value); /* null for NULL */
void json_text(json *j, const char *key, const char *value, size_t size);
void json_uint(json *j, const char *key, uint64_t value);
void json_number(json *j, const char *key, double value, bool single);
void json_bool(json *j, const char *key, bool value);
void json_null(json *j, const char *key);
void json_literal(json *j, const char *key, const char *value);             /* JSON already */
void json_begin(json *j, FILE *out, const char *command, const char *path); /* one document, on one line */
void json_end(json *j);

void json_diagnostics(json *j, const stele_file *file, const char *error); /* NULL: all went well */
const char *severity_name(stele_severity severity);

/* json_format.c: what a format is. */
void json_format(json *j, const stele_format_info *format);

/* json_info.c: what a file is, and what is in it. */
void json_info(json *j, stele_file *file);
size_t repeated_clip(const stele_info *info, size_t clip); /* the one that it is the same as */

/* json_field.c: what is shown of a field; {0}: all that usually is. */
typedef struct field_view {
    const uint64_t *at;           /* also the element of an array that owns this byte, or NULL */
    bool hex;                     /* its first bytes too */
    bool rows;                    /* these rows of arrays too, both included */
    uint64_t first_row, last_row; /* the last may be beyond the end */
    uint64_t columns;             /* only these of an array that has several: a bit for each; 0: all */
} field_view;

void json_field(json *j, const stele_field *field, const field_view *view);

bool shows_column(const field_view *view, size_t column);
uint64_t end_of_rows(const field_view *view, const stele_field *field); /* behind the last that is shown */

/* The least and greatest values of all components of all columns. Files may say that there are more components than have room
 * here: each of these is looked for when it is asked for. False if no value of it is finite. */
enum { MOST_COMPONENTS = 256 };
typedef struct field_ranges {
    bool known;
    double min[MOST_COMPONENTS], max[MOST_COMPONENTS];
} field_ranges;
void find_ranges(const stele_field *field, field_ranges *ranges);
bool range_of(const stele_field *field, const field_ranges *ranges, size_t column, uint32_t component, double *min,
              double *max);

/* What text about a field shares with that. An array that is short and plain is shown whole; of others the first values are. */
enum { FIRST_VALUES = 4, HEX_BYTES = 8 };
bool shown_whole(const stele_field *field);
void field_type(const stele_field *field, char text[64]);

/* The element of an array that owns a byte. */
typedef struct element {
    uint64_t offset, row;
    size_t column;
    uint32_t component;
} element;
element element_at(const stele_field *field, uint64_t at);
void element_path(const stele_field *field, const element *e, char path[512]);

/* The shortest decimal that reads back as the same float (single) or double. */
const char *format_number(char text[NUMBER_CHARS + 1], double value, bool single);

#endif
