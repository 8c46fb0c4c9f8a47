/* JSON as text, block after block: nothing is copied when it grows. */
#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "base/number.h"
#include "base/text.h"
#include "save.h"

enum { BLOCK = 1 << 14 };

void st_put_start(json_writer *j, arena *a, bool lines)
{
    *j = (json_writer){.arena = a, .lines = lines, .first = true};
    j->text = st_arena_alloc(a, sizeof *j->text);
    j->failed = !j->text;
}

static void hand_out(json_writer *j)
{
    if (!j->failed && j->used)
        j->failed = !st_gltf_add_piece(j->text, j->arena, j->block, j->used);
    j->used = 0;
}

static void next_block(json_writer *j, size_t size)
{
    hand_out(j);
    j->size = size > BLOCK ? size : BLOCK;
    j->block = j->failed ? NULL : st_arena_bytes(j->arena, j->size);
    j->failed |= !j->block;
}

/* Room for so many more bytes, in one run; NULL without memory. */
static char *room(json_writer *j, size_t size)
{
    if (size > j->size - j->used)
        next_block(j, size);
    return j->failed ? NULL : j->block + j->used;
}

static void put(json_writer *j, const char *data, size_t size)
{
    char *to = room(j, size);
    if (!to)
        return;
    memcpy(to, data, size);
    j->used += size;
}

static void put_char(json_writer *j, char c)
{
    put(j, &c, 1);
}

static void put_word(json_writer *j, const char *word)
{
    put(j, word, strlen(word));
}

/* ---- Strings ---- */

static void put_escaped(json_writer *j, uint8_t c)
{
    static const char digits[] = "0123456789abcdef";
    const char *named = c == '\b'   ? "\\b"
                        : c == '\f' ? "\\f"
                        : c == '\n' ? "\\n"
                        : c == '\r' ? "\\r"
                        : c == '\t' ? "\\t"
                                    : NULL;
    if (named)
        put_word(j, named);
    else if (c == '"' || c == '\\')
        put(j, (const char[]){'\\', (char)c}, 2);
    else
        put(j, (const char[]){'\\', 'u', '0', '0', digits[c >> 4], digits[c & 15]}, 6);
}

static void put_quoted(json_writer *j, const char *string)
{
    const uint8_t *p = (const uint8_t *)string, *end = p + strlen(string);
    bool valid = true;
    put_char(j, '"');
    while (p < end) {
        size_t length = st_utf8_length(p, (size_t)(end - p));
        if (!length)
            put_word(j, "\xEF\xBF\xBD"); /* U+FFFD stands for what is no character */
        else if (*p < 0x20 || *p == '"' || *p == '\\')
            put_escaped(j, *p);
        else
            put(j, (const char *)p, length);
        valid &= length > 0;
        p += length ? length : 1;
    }
    j->not_utf8 += !valid;
    put_char(j, '"');
}

/* For people: the members of the document, and the entries of its lists. */
static bool on_own_line(const json_writer *j)
{
    return j->depth == 1 || (j->depth == 2 && j->in_list);
}

/* What comes before a value: a comma, a new line, the key. */
static void begin(json_writer *j, const char *key)
{
    if (!j->first)
        put_char(j, ',');
    if (j->lines && on_own_line(j))
        put_char(j, '\n');
    j->first = false;
    if (key) {
        put_quoted(j, key);
        put_char(j, ':');
    }
}

void st_put_string(json_writer *j, const char *key, const char *value)
{
    begin(j, key);
    put_quoted(j, value);
}

void st_put_verbatim(json_writer *j, const char *key, const char *json)
{
    begin(j, key);
    put_word(j, json);
}

/* ---- Objects and arrays ---- */

static void open_bracket(json_writer *j, const char *key, char bracket)
{
    begin(j, key);
    put_char(j, bracket);
    if (++j->depth == 2)
        j->in_list = bracket == '[';
    j->first = true;
}

static void close_bracket(json_writer *j, char bracket)
{
    if (j->lines && on_own_line(j))
        put_char(j, '\n');
    put_char(j, bracket);
    j->depth--;
    j->first = false;
}

void st_put_object(json_writer *j, const char *key)
{
    open_bracket(j, key, '{');
}

void st_put_array(json_writer *j, const char *key)
{
    open_bracket(j, key, '[');
}

void st_put_end_object(json_writer *j)
{
    close_bracket(j, '}');
}

void st_put_end_array(json_writer *j)
{
    close_bracket(j, ']');
}

/* ---- Numbers ---- */

void st_put_uint(json_writer *j, const char *key, uint64_t value)
{
    char digits[20];
    size_t at = sizeof digits;
    do
        digits[--at] = (char)('0' + value % 10);
    while (value /= 10);
    begin(j, key);
    put(j, digits + at, sizeof digits - at);
}

void st_put_bool(json_writer *j, const char *key, bool value)
{
    begin(j, key);
    put_word(j, value ? "true" : "false");
}

/* JSON has no word for what is not finite. */
static bool holds(json_writer *j, double value)
{
    if (isfinite(value))
        return true;
    put_word(j, "null");
    j->nonfinite++;
    return false;
}

void st_put_f32(json_writer *j, const char *key, float value)
{
    begin(j, key);
    char *to = holds(j, (double)value) ? room(j, NUMBER_CHARS) : NULL;
    if (to)
        j->used += st_print_f32(to, value);
}

void st_put_f64(json_writer *j, const char *key, double value)
{
    begin(j, key);
    char *to = holds(j, value) ? room(j, NUMBER_CHARS) : NULL;
    if (to)
        j->used += st_print_f64(to, value);
}

void st_put_floats(json_writer *j, const char *key, const float *values, size_t count)
{
    st_put_array(j, key);
    for (size_t i = 0; i < count; i++)
        st_put_f32(j, NULL, values[i]);
    st_put_end_array(j);
}

/* ---- URIs ---- */

static bool stands_for_itself(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (c && strchr("-._~/!$&'()*+,;=@", c));
}

/* A colon is encoded too: before a slash it would make a scheme of what is in front of it. */
void st_put_uri(json_writer *j, const char *key, const char *path)
{
    static const char digits[] = "0123456789ABCDEF";
    begin(j, key);
    put_char(j, '"');
    for (; *path; path++)
        if (stands_for_itself(*path))
            put_char(j, *path);
        else
            put(j, (const char[]){'%', digits[(uint8_t)*path >> 4], digits[(uint8_t)*path & 15]}, 3);
    put_char(j, '"');
}

static void put_base64(json_writer *j, uint32_t three, size_t bytes)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char four[4] = {digits[three >> 18 & 63], digits[three >> 12 & 63], '=', '='};
    if (bytes > 1)
        four[2] = digits[three >> 6 & 63];
    if (bytes > 2)
        four[3] = digits[three & 63];
    put(j, four, 4);
}

void st_put_data_uri(json_writer *j, const char *key, const gltf_pieces *bytes)
{
    uint32_t gathered = 0;
    size_t count = 0;
    begin(j, key);
    put_word(j, "\"data:application/octet-stream;base64,");
    for (size_t i = 0; i < bytes->count && !j->failed; i++) {
        const uint8_t *data = bytes->items[i].data;
        for (uint64_t k = 0; k < bytes->items[i].size; k++) {
            gathered = gathered << 8 | (data ? data[k] : 0);
            if (++count == 3) {
                put_base64(j, gathered, 3);
                gathered = 0;
                count = 0;
            }
        }
    }
    if (count)
        put_base64(j, gathered << 8 * (3 - count), count);
    put_char(j, '"');
}

void st_put_finish(json_writer *j, bool pad)
{
    if (j->lines)
        put_char(j, '\n');
    while (pad && !j->failed && (j->text->size + j->used) % 4)
        put_char(j, ' ');
    hand_out(j);
}
