/* JSON as RFC 8259 has it, and nothing else: read into one flat array of tokens without recursion. Every token knows
 * its place in the text, so that a message can name the offset and the JSON pointer of what it speaks of.
 *
 *     {"a": [1, 2]}      tokens: object, string "a", array, number, number
 *
 * A member is two tokens, its key and its value, which is followed by all that is in it. Tokens are named by their number.
 * Asking for something in JSON_ABSENT, or in a value of another kind, gives JSON_ABSENT: optional things need no branches. */
#ifndef ST_JSON_H
#define ST_JSON_H

#include "arena.h"

enum { JSON_DEPTH = 64, JSON_POINTER = 256 /* bytes: longer ones are cut off */ };

#define JSON_ABSENT UINT32_MAX

typedef enum json_kind { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT } json_kind;

typedef struct json_token {
    uint32_t start, size; /* in the text, with the quotes or brackets */
    uint32_t next;        /* the token behind this one and all that is in it */
    uint32_t count;       /* of items or members */
    uint8_t kind;
    bool escaped; /* a string that is not what it stands for */
} json_token;

typedef struct json {
    const uint8_t *text;
    const json_token *tokens; /* the first is the whole text */
    uint32_t count;
} json;

typedef enum json_problem { JSON_NO_MEMORY, JSON_SYNTAX, JSON_TOO_DEEP, JSON_DUPLICATE_KEY } json_problem;

typedef struct json_failure {
    json_problem problem; /* without memory nothing else is set */
    uint64_t offset;
    char pointer[JSON_POINTER]; /* of what is wrong, or what it is in */
    const char *text;
} json_failure;

/* Rejects everything that is not JSON: invalid UTF-8, lone surrogates, duplicate keys and what follows the value included. The
 * text must stay. Memory is at most ten times the text's, for one that is all tokens. */
bool st_json_parse(json *j, arena *a, const uint8_t *text, uint64_t size, json_failure *failure);

/* The kind of a value, and the number of its items or members; absent is null. */
json_kind st_json_kind(const json *j, uint32_t token);
uint32_t st_json_count(const json *j, uint32_t token);

/* The value of a member, or JSON_ABSENT. */
uint32_t st_json_member(const json *j, uint32_t object, const char *key);

/* The items of an array, or the keys of an object, one after another:
 *     for (uint32_t i = st_json_first(j, list); i != JSON_ABSENT; i = st_json_next(j, list, i)) */
uint32_t st_json_first(const json *j, uint32_t list);
uint32_t st_json_next(const json *j, uint32_t list, uint32_t item);

static inline uint32_t json_value_of(uint32_t key)
{
    return key + 1;
}

/* What a string stands for, terminated; size may be NULL. It may hold NULs. "" without memory or for anything else. */
const char *st_json_string(const json *j, arena *a, uint32_t token, uint64_t *size);
bool st_json_is(const json *j, uint32_t token, const char *text);

/* The number nearest to a JSON number, perhaps infinite; NAN for anything else. */
double st_json_number(const json *j, uint32_t token);

/* The place of a token: its JSON pointer. Takes time in proportion to the text. */
const char *st_json_pointer(const json *j, uint32_t token, char pointer[JSON_POINTER]);

#endif
