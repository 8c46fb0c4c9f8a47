#include <math.h>
#include <string.h>

#include "base/text.h"
#include "json.h"

const char *severity_name(stele_severity severity)
{
    static const char *const names[] = {"off", "note", "warning", "loss", "error"};
    return names[severity];
}

const char *format_number(char text[NUMBER_CHARS + 1], double value, bool single)
{
    if (isnan(value))
        return "NaN";
    if (isinf(value))
        return value < 0 ? "-Infinity" : "Infinity";
    text[single ? st_print_f32(text, (float)value) : st_print_f64(text, value)] = 0;
    return text;
}

static void write_text(FILE *out, const char *text, size_t size);

static void item(json *j, const char *key)
{
    if (j->comma)
        fputc(',', j->out);
    j->comma = true;
    if (!key)
        return;
    write_text(j->out, key, strlen(key));
    fputc(':', j->out);
}

/* JSON must be valid whatever a file's strings are. */
static void write_text(FILE *out, const char *text, size_t size)
{
    const char *p = text, *end = text + size;
    fputc('"', out);
    while (p < end) {
        size_t length = st_utf8_length((const uint8_t *)p, (size_t)(end - p));
        if (!length)
            fputs("\\ufffd", out);
        else if (*p == '"' || *p == '\\')
            fprintf(out, "\\%c", *p);
        else if ((unsigned char)*p < 0x20 || *p == 0x7F)
            fprintf(out, "\\u%04x", *p);
        else if (length == 2 && (unsigned char)p[0] == 0xC2 && (unsigned char)p[1] < 0xA0)
            fprintf(out, "\\u%04x", (unsigned char)p[1]);
        else
            fwrite(p, 1, length, out);
        p += length ? length : 1;
    }
    fputc('"', out);
}

void json_open(json *j, const char *key, char bracket)
{
    item(j, key);
    fputc(bracket, j->out);
    j->comma = false;
}

void json_close(json *j, char bracket)
{
    fputc(bracket, j->out);
    j->comma = true;
}

void json_text(json *j, const char *key, const char *value, size_t size)
{
    item(j, key);
    write_text(j->out, value, size);
}

void json_string(json *j, const char *key, const char *value)
{
    if (value)
        json_text(j, key, value, strlen(value));
    else
        json_null(j, key);
}

void json_uint(json *j, const char *key, uint64_t value)
{
    item(j, key);
    fprintf(j->out, "%llu", (unsigned long long)value);
}

/* JSON has no word for what is not finite: those are strings. */
void json_number(json *j, const char *key, double value, bool single)
{
    char text[NUMBER_CHARS + 1];
    item(j, key);
    fprintf(j->out, isfinite(value) ? "%s" : "\"%s\"", format_number(text, value, single));
}

void json_bool(json *j, const char *key, bool value)
{
    item(j, key);
    fputs(value ? "true" : "false", j->out);
}

void json_null(json *j, const char *key)
{
    item(j, key);
    fputs("null", j->out);
}

void json_literal(json *j, const char *key, const char *value)
{
    item(j, key);
    fputs(value, j->out);
}

void json_begin(json *j, FILE *out, const char *command, const char *path)
{
    *j = (json){.out = out};
    json_open(j, NULL, '{');
    json_uint(j, "schema", JSON_SCHEMA);
    json_string(j, "command", command);
    if (path)
        json_string(j, "file", path);
}

void json_end(json *j)
{
    json_close(j, '}');
    fputc('\n', j->out);
}

void json_diagnostics(json *j, const stele_file *file, const char *error)
{
    size_t count;
    const stele_diagnostic *d = stele_file_diagnostics(file, &count);
    if (error)
        json_string(j, "error", error);
    json_open(j, "diagnostics", '[');
    for (size_t i = 0; i < count; i++) {
        json_open(j, NULL, '{');
        json_string(j, "id", d[i].id);
        json_string(j, "severity", severity_name(d[i].severity));
        if (d[i].offset == STELE_NOWHERE)
            json_null(j, "offset");
        else
            json_uint(j, "offset", d[i].offset);
        if (d[i].unpacked)
            json_bool(j, "unpacked", true);
        json_string(j, "path", d[i].path);
        json_uint(j, "count", d[i].count);
        json_string(j, "text", d[i].text);
        json_close(j, '}');
    }
    json_close(j, ']');
}
