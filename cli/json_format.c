#include <string.h>

#include "json.h"

static void put_words(json *j, const char *key, const char *words)
{
    json_open(j, key, '[');
    for (const char *list = words; *list;) {
        size_t length = strcspn(list, " ");
        json_text(j, NULL, list, length);
        list += length + (list[length] == ' ');
    }
    json_close(j, ']');
}

static void put_capabilities(json *j, const char *key, uint64_t capabilities)
{
    const char *name;
    json_open(j, key, '[');
    for (unsigned bit = 0; (name = stele_capability_name(bit)); bit++)
        if (capabilities >> bit & 1)
            json_string(j, NULL, name);
    json_close(j, ']');
}

void json_format(json *j, const stele_format_info *f)
{
    json_open(j, NULL, '{');
    json_string(j, "name", f->name);
    json_string(j, "title", f->title);
    put_words(j, "extensions", f->extensions);
    put_words(j, "companions", f->companions ? f->companions : "");
    put_capabilities(j, "capabilities", f->capabilities);
    put_capabilities(j, "beside", f->beside);
    json_uint(j, "uv_sets", f->uv_sets);
    json_uint(j, "color_sets", f->color_sets);
    json_uint(j, "influences", f->influences);
    json_open(j, "dialects", '[');
    for (size_t i = 0; i < f->dialect_count; i++) {
        json_open(j, NULL, '{');
        json_string(j, "name", f->dialects[i].name);
        json_string(j, "title", f->dialects[i].title);
        json_bool(j, "read", true);
        json_bool(j, "write", true);
        json_close(j, '}');
    }
    json_close(j, ']');
    json_open(j, "choices", '[');
    for (size_t i = 0; i < f->choice_count; i++) {
        json_open(j, NULL, '{');
        json_string(j, "name", f->choices[i].name);
        json_string(j, "title", f->choices[i].title);
        put_words(j, "values", f->choices[i].values);
        json_close(j, '}');
    }
    json_close(j, ']');
    json_close(j, '}');
}
