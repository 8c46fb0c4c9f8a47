#include "json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "number.h"
#include "text.h"

typedef struct parser {
    const uint8_t *text, *at, *end;
    arena *arena;
    json_token *tokens;
    uint32_t count, depth, most_members;
    uint32_t open[JSON_DEPTH]; /* the containers around this place */
    uint32_t key[JSON_DEPTH];  /* and the key of the latest member of each */
    json_failure *failure;
} parser;

/* ---- Strings that are parsed already ---- */

static uint32_t hex_digit(uint8_t c)
{
    return c <= '9' ? c - (uint32_t)'0' : (c | 0x20u) - 'a' + 10;
}

static uint32_t hex4(const uint8_t *p)
{
    return hex_digit(p[0]) << 12 | hex_digit(p[1]) << 8 | hex_digit(p[2]) << 4 | hex_digit(p[3]);
}

static size_t store_utf8(uint32_t c, char out[4])
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    size_t more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const uint8_t lead[] = {0, 0xC0, 0xE0, 0xF0};
    out[0] = (char)(lead[more] | c >> (6 * more));
    for (size_t i = 1; i <= more; i++)
        out[i] = (char)(0x80 | ((c >> (6 * (more - i))) & 0x3F));
    return 1 + more;
}

static char unescaped(uint8_t letter)
{
    switch (letter) {
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    default: return (char)letter;
    }
}

/* The bytes that the next byte or escape stands for, at most four; moves on behind it. */
static size_t next_bytes(const uint8_t **at, char out[4])
{
    const uint8_t *p = *at;
    if (*p != '\\') {
        out[0] = (char)*p;
        *at = p + 1;
        return 1;
    }
    if (p[1] != 'u') {
        out[0] = unescaped(p[1]);
        *at = p + 2;
        return 1;
    }
    uint32_t c = hex4(p + 2);
    *at = p + 6;
    if (c >= 0xD800 && c < 0xDC00) {
        c = 0x10000 + ((c - 0xD800) << 10) + (hex4(p + 8) - 0xDC00);
        *at = p + 12;
    }
    return store_utf8(c, out);
}

static const uint8_t *start_of(const uint8_t *text, const json_token *string)
{
    return text + string->start + 1;
}

static const uint8_t *end_of(const uint8_t *text, const json_token *string)
{
    return text + string->start + string->size - 1;
}

/* One byte after another of what a string stands for; -1 at its end. */
typedef struct reader {
    const uint8_t *at, *end;
    char bytes[4];
    size_t count, next;
} reader;

static int read_byte(reader *r)
{
    if (r->next == r->count) {
        if (r->at == r->end)
            return -1;
        r->count = next_bytes(&r->at, r->bytes);
        r->next = 0;
    }
    return (uint8_t)r->bytes[r->next++];
}

static int compare_strings(const uint8_t *text, const json_token *a, const json_token *b)
{
    reader x = {.at = start_of(text, a), .end = end_of(text, a)}, y = {.at = start_of(text, b), .end = end_of(text, b)};
    int p, q;
    do {
        p = read_byte(&x);
        q = read_byte(&y);
    } while (p == q && p >= 0);
    return p - q;
}

/* ---- Pointers ---- */

typedef struct pointer {
    char *text;
    size_t used;
} pointer;

static void add_char(pointer *p, char c)
{
    if (p->used + 1 < JSON_POINTER)
        p->text[p->used++] = c;
    p->text[p->used] = 0;
}

static void add_key(pointer *p, const uint8_t *text, const json_token *key)
{
    reader r = {.at = start_of(text, key), .end = end_of(text, key)};
    add_char(p, '/');
    for (int c; (c = read_byte(&r)) >= 0;) {
        if (c == '~' || c == '/')
            add_char(p, '~');
        add_char(p, c == '~' ? '0' : c == '/' ? '1' : c ? (char)c : '?');
    }
}

static void add_index(pointer *p, uint32_t index)
{
    char digits[16];
    snprintf(digits, sizeof digits, "/%u", index);
    for (const char *c = digits; *c; c++)
        add_char(p, *c);
}

const char *st_json_pointer(const json *j, uint32_t token, char text[JSON_POINTER])
{
    pointer p = {text, 0};
    uint32_t at = 0;
    text[0] = 0;
    while (at != token && token < j->count) {
        bool object = j->tokens[at].kind == JSON_OBJECT;
        uint32_t child = at + 1, index = 0;
        while (j->tokens[child + object].next <= token) {
            child = j->tokens[child + object].next;
            index++;
        }
        if (object)
            add_key(&p, j->text, &j->tokens[child]);
        else
            add_index(&p, index);
        if (child == token) /* a key has the pointer of its value */
            break;
        at = child + object;
    }
    return text;
}

/* ---- Parsing ---- */

/* Where the parser is: what it is in, and the item or member that it is at. */
static void print_place(const parser *p, char text[JSON_POINTER])
{
    pointer place = {text, 0};
    text[0] = 0;
    for (uint32_t i = 0; i < p->depth; i++) {
        const json_token *t = &p->tokens[p->open[i]];
        if (t->kind == JSON_ARRAY)
            add_index(&place, i + 1 < p->depth ? t->count - 1 : t->count);
        else if (p->key[i] != JSON_ABSENT)
            add_key(&place, p->text, &p->tokens[p->key[i]]);
    }
}

static bool fail_at(parser *p, json_problem problem, const uint8_t *at, const char *text)
{
    p->failure->problem = problem;
    p->failure->offset = (uint64_t)(at - p->text);
    p->failure->text = text;
    print_place(p, p->failure->pointer);
    return false;
}

static bool fail(parser *p, const char *expected)
{
    return fail_at(p, JSON_SYNTAX, p->at, p->at == p->end ? "the text ends too early" : expected);
}

static uint8_t peek(const parser *p)
{
    return p->at < p->end ? *p->at : 0;
}

static void skip_space(parser *p)
{
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\n' || *p->at == '\r' || *p->at == '\t'))
        p->at++;
}

static json_token *add_token(parser *p, json_kind kind, const uint8_t *start)
{
    json_token *t = &p->tokens[p->count++];
    *t = (json_token){
        .start = (uint32_t)(start - p->text), .size = (uint32_t)(p->at - start), .next = p->count, .kind = (uint8_t)kind};
    return t;
}

static bool is_hex4(const uint8_t *p, const uint8_t *end)
{
    for (int i = 0; i < 4; i++)
        if (end - p <= i || !((p[i] >= '0' && p[i] <= '9') || ((p[i] | 0x20) >= 'a' && (p[i] | 0x20) <= 'f')))
            return false;
    return true;
}

static bool parse_escape(parser *p)
{
    const uint8_t *at = p->at;
    p->at++;
    if (p->at < p->end && *p->at && strchr("\"\\/bfnrt", *p->at)) {
        p->at++;
        return true;
    }
    if (peek(p) != 'u' || !is_hex4(p->at + 1, p->end))
        return fail_at(p, JSON_SYNTAX, at, "is no escape that JSON knows");
    uint32_t c = hex4(p->at + 1);
    p->at += 5;
    if (c >= 0xDC00 && c < 0xE000)
        return fail_at(p, JSON_SYNTAX, at, "is the second half of a surrogate pair, without the first");
    if (c < 0xD800 || c >= 0xDC00)
        return true;
    if (p->end - p->at < 6 || p->at[0] != '\\' || p->at[1] != 'u' || !is_hex4(p->at + 2, p->end))
        return fail_at(p, JSON_SYNTAX, at, "is the first half of a surrogate pair, without the second");
    uint32_t low = hex4(p->at + 2);
    p->at += 6;
    return (low >= 0xDC00 && low < 0xE000) ||
           fail_at(p, JSON_SYNTAX, at, "is the first half of a surrogate pair, without the second");
}

/* True if eight bytes are plain ASCII: no control, quote or backslash. Data URIs are long. */
static bool all_plain(const uint8_t *at)
{
    const uint64_t ones = 0x0101010101010101u, high = ones << 7;
    uint64_t w;
    memcpy(&w, at, sizeof w);
    uint64_t quote = w ^ (ones * '"'), slash = w ^ (ones * '\\');
    return !((w | (w - ones * 0x20) | (quote - ones) | (slash - ones)) & high);
}

static bool parse_string(parser *p)
{
    const uint8_t *start = p->at++;
    bool escaped = false;
    while (p->at < p->end && *p->at != '"') {
        if (p->end - p->at >= 8 && all_plain(p->at)) {
            p->at += 8;
        } else if (*p->at == '\\') {
            escaped = true;
            if (!parse_escape(p))
                return false;
        } else if (*p->at < 0x20) {
            return fail_at(p, JSON_SYNTAX, p->at, "is a control character in a string, which must be escaped");
        } else {
            size_t length = st_utf8_length(p->at, (size_t)(p->end - p->at));
            if (!length)
                return fail_at(p, JSON_SYNTAX, p->at, "is not valid UTF-8");
            p->at += length;
        }
    }
    if (p->at == p->end)
        return fail_at(p, JSON_SYNTAX, start, "is a string without an end");
    p->at++;
    add_token(p, JSON_STRING, start)->escaped = escaped;
    return true;
}

static bool skip_digits(parser *p)
{
    const uint8_t *start = p->at;
    while (peek(p) >= '0' && peek(p) <= '9')
        p->at++;
    return p->at > start;
}

static bool parse_number(parser *p)
{
    const uint8_t *start = p->at;
    p->at += *p->at == '-';
    bool zero = peek(p) == '0', good = skip_digits(p);
    if (zero && p->at - start > 1 + (*start == '-'))
        good = false;
    if (good && peek(p) == '.') {
        p->at++;
        good = skip_digits(p);
    }
    if (good && (peek(p) | 0x20) == 'e') {
        p->at++;
        p->at += peek(p) == '+' || peek(p) == '-';
        good = skip_digits(p);
    }
    if (!good)
        return fail_at(p, JSON_SYNTAX, start, "is not a number as JSON has them");
    add_token(p, JSON_NUMBER, start);
    return true;
}

static bool parse_word(parser *p)
{
    static const struct {
        const char *word;
        json_kind kind;
    } words[] = {{"null", JSON_NULL}, {"false", JSON_FALSE}, {"true", JSON_TRUE}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i].word);
        if ((size_t)(p->end - p->at) >= length && memcmp(p->at, words[i].word, length) == 0) {
            p->at += length;
            add_token(p, words[i].kind, p->at - length);
            return true;
        }
    }
    return fail(p, "is not a value");
}

static json_token *innermost(const parser *p)
{
    return &p->tokens[p->open[p->depth - 1]];
}

static bool at_close(const parser *p)
{
    return peek(p) == (innermost(p)->kind == JSON_ARRAY ? ']' : '}');
}

static void close_container(parser *p)
{
    json_token *t = innermost(p);
    p->at++;
    t->size = (uint32_t)(p->at - p->text) - t->start;
    t->next = p->count;
    if (t->kind == JSON_OBJECT && t->count > p->most_members)
        p->most_members = t->count;
    p->depth--;
}

static bool open_container(parser *p)
{
    if (p->depth == JSON_DEPTH)
        return fail_at(p, JSON_TOO_DEEP, p->at, "is nested more than 64 levels deep");
    p->open[p->depth] = p->count;
    p->key[p->depth] = JSON_ABSENT;
    add_token(p, *p->at == '[' ? JSON_ARRAY : JSON_OBJECT, p->at);
    p->depth++;
    p->at++;
    skip_space(p);
    return true;
}

static bool parse_key(parser *p)
{
    if (peek(p) != '"')
        return fail(p, "is not a key, which is a string in double quotes");
    uint32_t key = p->count;
    if (!parse_string(p))
        return false;
    p->key[p->depth - 1] = key;
    skip_space(p);
    if (peek(p) != ':')
        return fail(p, "is not the : after a key");
    p->at++;
    skip_space(p);
    return true;
}

/* A value, or the beginning of a container that is not empty. */
static bool parse_value(parser *p)
{
    uint8_t c = peek(p);
    if (c == '"')
        return parse_string(p);
    if (c == '-' || (c >= '0' && c <= '9'))
        return parse_number(p);
    return c == '[' || c == '{' ? open_container(p) : parse_word(p);
}

/* After a value: closes what ends here. *more: another item or member follows. */
static bool parse_end(parser *p, bool *more)
{
    for (*more = false; p->depth;) {
        skip_space(p);
        if (peek(p) == ',') {
            p->at++;
            skip_space(p);
            *more = true;
            return true;
        }
        if (!at_close(p))
            return fail(p, innermost(p)->kind == JSON_ARRAY ? "is neither , nor ] after an item"
                                                            : "is neither , nor } after a member");
        close_container(p);
    }
    return true;
}

static bool parse_all(parser *p)
{
    bool more = true;
    skip_space(p);
    while (more) {
        uint32_t depth = p->depth;
        if (depth && innermost(p)->kind == JSON_OBJECT && !parse_key(p))
            return false;
        if (!parse_value(p))
            return false;
        if (depth)
            p->tokens[p->open[depth - 1]].count++;
        if (p->depth > depth && !at_close(p))
            continue;
        if (!parse_end(p, &more))
            return false;
    }
    skip_space(p);
    return p->at == p->end || fail(p, "follows the end of the JSON");
}

/* Whether an odd number of backslashes is before the quote. What is before them is at least the quote that begins the string.
 */
static bool is_escaped(const uint8_t *quote)
{
    const uint8_t *p = quote;
    while (p[-1] == '\\')
        p--;
    return (quote - p) % 2;
}

/* Every value but the first is behind one of these, and so is every key: at least as many as there will be tokens. What is in
 * strings does not count. */
static uint64_t count_tokens(const uint8_t *at, const uint8_t *end)
{
    uint64_t count = 1;
    for (; at < end; at++) {
        count += *at == ',' || *at == ':' || *at == '[' || *at == '{';
        if (*at != '"')
            continue;
        do {
            at = memchr(at + 1, '"', (size_t)(end - at - 1));
            if (!at)
                return count;
        } while (is_escaped(at));
    }
    return count;
}

/* ---- Duplicate keys: sorted, they are beside each other ---- */

/* By a hash first, so that sorting a million keys does not jump through the text for each comparison. */
typedef struct hashed_key {
    uint32_t hash, token;
} hashed_key;

static uint32_t hash_string(const uint8_t *text, const json_token *string)
{
    reader r = {.at = start_of(text, string), .end = end_of(text, string)};
    uint32_t hash = 2166136261u;
    for (int c; (c = read_byte(&r)) >= 0;)
        hash = (hash ^ (uint32_t)c) * 16777619u;
    return hash;
}

static bool before(const parser *p, const hashed_key *a, const hashed_key *b)
{
    if (a->hash != b->hash)
        return a->hash < b->hash;
    int order = compare_strings(p->text, &p->tokens[a->token], &p->tokens[b->token]);
    return order < 0 || (order == 0 && a->token < b->token);
}

static void swap_keys(hashed_key *a, hashed_key *b)
{
    hashed_key swapped = *a;
    *a = *b;
    *b = swapped;
}

static void sift_down(const parser *p, hashed_key *keys, uint32_t from, uint32_t count)
{
    for (uint32_t child; (child = 2 * from + 1) < count; from = child) {
        child += child + 1 < count && before(p, &keys[child], &keys[child + 1]);
        if (!before(p, &keys[from], &keys[child]))
            return;
        swap_keys(&keys[from], &keys[child]);
    }
}

static void sort_keys(const parser *p, hashed_key *keys, uint32_t count)
{
    for (uint32_t i = count / 2; i-- > 0;)
        sift_down(p, keys, i, count);
    for (uint32_t i = count; i-- > 1;) {
        swap_keys(&keys[0], &keys[i]);
        sift_down(p, keys, 0, i);
    }
}

static bool same_key(const parser *p, const hashed_key *a, const hashed_key *b)
{
    return a->hash == b->hash && compare_strings(p->text, &p->tokens[a->token], &p->tokens[b->token]) == 0;
}

/* The first key in an object that was there before, or JSON_ABSENT. */
static uint32_t duplicate_in(const parser *p, uint32_t object, hashed_key *keys)
{
    uint32_t count = p->tokens[object].count, key = object + 1, found = JSON_ABSENT;
    for (uint32_t i = 0; i < count; i++, key = p->tokens[json_value_of(key)].next)
        keys[i] = (hashed_key){hash_string(p->text, &p->tokens[key]), key};
    sort_keys(p, keys, count);
    for (uint32_t i = 1; i < count; i++)
        if (keys[i].token < found && same_key(p, &keys[i - 1], &keys[i]))
            found = keys[i].token;
    return found;
}

static bool check_duplicates(parser *p, const json *j)
{
    arena_mark mark = st_arena_mark(p->arena);
    hashed_key *keys = st_arena_bytes(p->arena, (uint64_t)p->most_members * sizeof *keys);
    uint32_t found = JSON_ABSENT;
    for (uint32_t i = 0; keys && i < p->count && found == JSON_ABSENT; i++)
        if (p->tokens[i].kind == JSON_OBJECT)
            found = duplicate_in(p, i, keys);
    st_arena_rewind(p->arena, mark);
    if (found == JSON_ABSENT)
        return keys;
    fail_at(p, JSON_DUPLICATE_KEY, p->text + p->tokens[found].start, "is there twice in its object");
    st_json_pointer(j, found, p->failure->pointer);
    return false;
}

bool st_json_parse(json *j, arena *a, const uint8_t *text, uint64_t size, json_failure *failure)
{
    parser p = {.text = text, .at = text, .end = text + size, .arena = a, .failure = failure};
    *failure = (json_failure){.problem = JSON_NO_MEMORY};
    if (size > UINT32_MAX)
        return fail_at(&p, JSON_SYNTAX, text, "is longer than 4 GiB");
    p.tokens = st_arena_bytes(a, count_tokens(p.at, p.end) * sizeof *p.tokens);
    if (!p.tokens || !parse_all(&p))
        return false;
    *j = (json){text, p.tokens, p.count};
    return check_duplicates(&p, j);
}

/* ---- Asking ---- */

json_kind st_json_kind(const json *j, uint32_t token)
{
    return token < j->count ? j->tokens[token].kind : JSON_NULL;
}

static bool holds(const json *j, uint32_t token)
{
    return st_json_kind(j, token) >= JSON_ARRAY && j->tokens[token].count > 0;
}

uint32_t st_json_count(const json *j, uint32_t token)
{
    return holds(j, token) ? j->tokens[token].count : 0;
}

uint32_t st_json_first(const json *j, uint32_t list)
{
    return holds(j, list) ? list + 1 : JSON_ABSENT;
}

uint32_t st_json_next(const json *j, uint32_t list, uint32_t item)
{
    bool object = j->tokens[list].kind == JSON_OBJECT;
    uint32_t next = j->tokens[item + object].next;
    return next < j->tokens[list].next ? next : JSON_ABSENT;
}

uint32_t st_json_member(const json *j, uint32_t object, const char *key)
{
    if (st_json_kind(j, object) != JSON_OBJECT)
        return JSON_ABSENT;
    for (uint32_t i = st_json_first(j, object); i != JSON_ABSENT; i = st_json_next(j, object, i))
        if (st_json_is(j, i, key))
            return json_value_of(i);
    return JSON_ABSENT;
}

const char *st_json_string(const json *j, arena *a, uint32_t token, uint64_t *size)
{
    uint64_t unused;
    size = size ? size : &unused;
    *size = 0;
    if (st_json_kind(j, token) != JSON_STRING)
        return "";
    const json_token *t = &j->tokens[token];
    const uint8_t *at = start_of(j->text, t), *end = end_of(j->text, t);
    char *text = (char *)st_arena_text(a, (const char *)at, (uint64_t)(end - at));
    *size = *text ? (uint64_t)(end - at) : 0;
    if (!t->escaped || !*text)
        return text;
    char *out = text; /* an escape is never shorter than what it stands for */
    while (at < end)
        out += next_bytes(&at, out);
    *out = 0;
    *size = (uint64_t)(out - text);
    return text;
}

bool st_json_is(const json *j, uint32_t token, const char *text)
{
    if (st_json_kind(j, token) != JSON_STRING)
        return false;
    const json_token *t = &j->tokens[token];
    size_t length = strlen(text);
    if (!t->escaped)
        return t->size - 2 == length && memcmp(start_of(j->text, t), text, length) == 0;
    reader r = {.at = start_of(j->text, t), .end = end_of(j->text, t)};
    for (size_t i = 0; i <= length; i++)
        if (read_byte(&r) != (text[i] ? (uint8_t)text[i] : -1))
            return false;
    return true;
}

double st_json_number(const json *j, uint32_t token)
{
    double value = NAN;
    if (st_json_kind(j, token) == JSON_NUMBER) {
        const char *start = (const char *)j->text + j->tokens[token].start;
        st_parse_f64(start, start + j->tokens[token].size, &value);
    }
    return value;
}
