#include <string.h>

#include "cli.h"

static void print_capabilities(FILE *out, uint32_t capabilities)
{
    const char *name;
    for (unsigned bit = 0; (name = stele_capability_name(bit)); bit++)
        if (capabilities & 1u << bit)
            fprintf(out, " %s", name);
}

static void print_text(const stele_format_info *f)
{
    bool color = colored_stdout();
    printf("%s%s%s  %s (.%s)\n", tint_on(color, TINT_BOLD), f->name, tint_off(color, TINT_BOLD), f->title, f->extensions);
    printf("  holds   ");
    print_capabilities(stdout, f->capabilities);
    if (f->beside) {
        printf("; with a file beside it");
        print_capabilities(stdout, f->beside);
    }
    printf("\n  reads and writes\n");
    for (size_t i = 0; i < f->dialect_count; i++)
        printf("    %-11s %s\n", f->dialects[i].name, f->dialects[i].title);
    if (f->choice_count)
        printf("  leaves open (--set NAME=VALUE, the first is the default)\n");
    for (size_t i = 0; i < f->choice_count; i++)
        printf("    %-14s %s: %s\n", f->choices[i].name, f->choices[i].values, f->choices[i].title);
}

static void print_json_words(json *j, const char *key, const char *words)
{
    json_open(j, key, '[');
    for (const char *list = words; *list;) {
        size_t length = strcspn(list, " ");
        json_text(j, NULL, list, length);
        list += length + (list[length] == ' ');
    }
    json_close(j, ']');
}

static void print_json_capabilities(json *j, const char *key, uint32_t capabilities)
{
    const char *name;
    json_open(j, key, '[');
    for (unsigned bit = 0; (name = stele_capability_name(bit)); bit++)
        if (capabilities & 1u << bit)
            json_string(j, NULL, name);
    json_close(j, ']');
}

static void print_json(json *j, const stele_format_info *f)
{
    json_open(j, NULL, '{');
    json_string(j, "name", f->name);
    json_string(j, "title", f->title);
    print_json_words(j, "extensions", f->extensions);
    print_json_capabilities(j, "capabilities", f->capabilities);
    print_json_capabilities(j, "beside", f->beside);
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
        print_json_words(j, "values", f->choices[i].values);
        json_close(j, '}');
    }
    json_close(j, ']');
    json_close(j, '}');
}

static int run(const settings *s, char **operands, size_t count)
{
    const stele_format_info *f;
    json j;
    if (count)
        return usage_error("stele formats takes no '%s'", operands[0]);
    if (s->json) {
        json_begin(&j, stdout, "formats", NULL);
        json_open(&j, "formats", '[');
    }
    for (size_t i = 0; (f = stele_format_at(i)); i++) {
        if (s->json) {
            print_json(&j, f);
            continue;
        }
        if (i)
            putchar('\n');
        print_text(f);
    }
    if (s->json) {
        json_close(&j, ']');
        json_end(&j);
    }
    return EXIT_FINE;
}

const command command_formats = {
    .name = "formats",
    .summary = "what can be read and written",
    .usage = "[OPTION...]",
    .run = run,
};
