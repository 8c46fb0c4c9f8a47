/* Where the bytes of a glTF may be besides the file itself: in a data URI, or in another file of the same folder. */
#include <string.h>

#include "parse.h"

enum { NO_DIGIT = 64 };

static uint32_t base64_digit(uint8_t c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26u;
    if (c >= '0' && c <= '9')
        return c - '0' + 52u;
    return c == '+' ? 62 : c == '/' ? 63 : NO_DIGIT;
}

/* Whether all are digits; the padding at the end may be left out. Sets how many bytes they stand for. */
static bool base64_size(const uint8_t *digits, uint64_t *count, uint64_t *size)
{
    uint64_t padded = *count;
    while (*count && padded - *count < 2 && digits[*count - 1] == '=')
        --*count;
    *size = *count / 4 * 3 + (*count % 4 ? *count % 4 - 1 : 0);
    return *count % 4 != 1 && (padded == *count || padded % 4 == 0);
}

/* False if a digit is none. */
static bool decode_base64(const uint8_t *digits, uint64_t count, const uint8_t values[256], uint8_t *out)
{
    uint8_t bad = 0;
    for (; count >= 4; count -= 4, digits += 4, out += 3) {
        uint32_t a = values[digits[0]], b = values[digits[1]], c = values[digits[2]], d = values[digits[3]];
        uint32_t bits = a << 18 | b << 12 | c << 6 | d;
        bad |= (uint8_t)((a | b | c | d) & NO_DIGIT);
        out[0] = (uint8_t)(bits >> 16);
        out[1] = (uint8_t)(bits >> 8);
        out[2] = (uint8_t)bits;
    }
    uint32_t bits = 0;
    for (uint64_t i = 0; i < count; i++) {
        bits |= (uint32_t)values[digits[i]] << (18 - 6 * i);
        bad |= values[digits[i]] & NO_DIGIT;
        if (i > 0)
            out[i - 1] = (uint8_t)(bits >> (24 - 8 * i));
    }
    return !bad;
}

static uint8_t *decoded(gltf_doc *d, const uint8_t *digits, uint64_t count, uint64_t *size)
{
    uint8_t values[256];
    uint8_t *out;
    for (unsigned i = 0; i < 256; i++)
        values[i] = (uint8_t)base64_digit((uint8_t)i);
    arena_mark mark = st_arena_mark(d->arena);
    if (!base64_size(digits, &count, size) || !(out = st_arena_bytes(d->arena, *size)))
        return NULL;
    if (decode_base64(digits, count, values, out)) {
        st_made_of_bytes(d->c, out, *size, 3, digits, 4, 4);
        return out;
    }
    st_arena_rewind(d->arena, mark);
    return NULL;
}

static bool starts(const char *text, uint64_t size, const char *word)
{
    size_t length = strlen(word);
    return size >= length && memcmp(text, word, length) == 0;
}

/* The text of a string. Long ones are not copied, as long as they are what they stand for. */
static const char *text_of(gltf_doc *d, uint32_t token, uint64_t *size)
{
    const json_token *t = &d->json.tokens[token];
    if (t->escaped)
        return st_json_string(&d->json, d->arena, token, size);
    *size = t->size - 2;
    return (const char *)d->json.text + t->start + 1;
}

static uint32_t hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return (uint32_t)(c - '0');
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a' + 10) : 16;
}

/* Bytes that stand for themselves, or are %XX. */
static uint8_t *unescaped(gltf_doc *d, const char *text, uint64_t length, uint64_t *size)
{
    uint8_t *out = st_arena_bytes(d->arena, length);
    uint64_t count = 0;
    for (uint64_t i = 0; out && i < length; i++) {
        uint32_t high = text[i] == '%' && i + 2 < length ? hex_value(text[i + 1]) : 16;
        uint32_t low = high < 16 ? hex_value(text[i + 2]) : 16;
        out[count++] = (uint8_t)(low < 16 ? high << 4 | low : (uint8_t)text[i]);
        i += low < 16 ? 2 : 0;
    }
    *size = count;
    return out;
}

/* ;name=value for each: readers pass them over, whatever they are. */
static void check_parameters(gltf_doc *d, uint32_t token, const char *from, const char *to)
{
    bool named = true;
    for (const char *p = from; p < to;) {
        const char *next = memchr(p + 1, ';', (size_t)(to - p - 1)), *end = next ? next : to;
        named &= memchr(p, '=', (size_t)(end - p)) != NULL;
        p = end;
    }
    if (!named)
        st_gltf_report(d, DIAG_AGAINST_SPEC, token, "is a data URI with a parameter that has no value");
}

/* data:[mime type][;parameters][;base64],what it is */
bool st_gltf_data_uri(gltf_doc *d, uint32_t token, const uint8_t **data, uint64_t *size, const char **mime_type)
{
    static const char scheme[] = "data:", encoding[] = ";base64";
    uint64_t length;
    const char *text = text_of(d, token, &length);
    *data = NULL;
    if (!starts(text, length, scheme))
        return false;
    const char *type = text + strlen(scheme);
    const char *comma = memchr(type, ',', (size_t)(length - strlen(scheme)));
    if (!comma) {
        st_gltf_report(d, DIAG_BAD_URI, token, "is a data URI without a comma before its data");
        return true;
    }
    const char *coded = (size_t)(comma - type) >= strlen(encoding) ? comma - strlen(encoding) : NULL;
    bool base64 = coded && memcmp(coded, encoding, strlen(encoding)) == 0;
    const char *semicolon = memchr(type, ';', (size_t)(comma - type));
    uint64_t rest = length - (uint64_t)(comma + 1 - text);
    if (mime_type)
        *mime_type = st_arena_text(d->arena, type, (uint64_t)((semicolon ? semicolon : comma) - type));
    if (base64 && semicolon != coded && d->c->full)
        check_parameters(d, token, semicolon, coded);
    *data = base64 ? decoded(d, (const uint8_t *)comma + 1, rest, size) : unescaped(d, comma + 1, rest, size);
    if (!*data && !d->arena->failed)
        st_gltf_report(d, DIAG_BAD_URI, token, "is a data URI whose base64 is malformed");
    return true;
}

/* ---- Names of files ---- */

/* Puts bytes for %XX in place. A % that no digits follow is one: not all writers know that it must be escaped. */
static void decode_percent(char *text)
{
    char *out = text;
    for (; *text; text++) {
        uint32_t high = *text == '%' ? hex_value(text[1]) : 16, low = high < 16 ? hex_value(text[2]) : 16;
        *out++ = low < 16 ? (char)(high << 4 | low) : *text;
        text += low < 16 ? 2 : 0;
    }
    *out = 0;
}

size_t st_gltf_scheme(const char *text)
{
    size_t n = 0;
    while ((text[n] >= 'a' && text[n] <= 'z') || (text[n] >= 'A' && text[n] <= 'Z') ||
           (n && ((text[n] >= '0' && text[n] <= '9') || text[n] == '+' || text[n] == '-' || text[n] == '.')))
        n++;
    return n > 1 && text[n] == ':' ? n + 1 : 0;
}

const char *st_gltf_file_name(gltf_doc *d, uint32_t token)
{
    uint64_t size;
    char *name = (char *)st_json_string(&d->json, d->arena, token, &size);
    size_t scheme = st_gltf_scheme(name);
    if (!*name || strlen(name) != size || strstr(name, "%00"))
        st_gltf_report(d, DIAG_BAD_URI, token, "names no file");
    else if (scheme)
        st_gltf_report(d, DIAG_BAD_URI, token, "has the scheme %.*s only data: and files beside the model are read",
                       scheme > 40 ? 40 : (int)scheme, name);
    else {
        decode_percent(name);
        return name;
    }
    return NULL;
}
