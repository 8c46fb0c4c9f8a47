#include <string.h>

#include "cli.h"

/* The larger ones: docs/losses.md has all of them. */
static void print_capabilities(FILE *out, uint64_t capabilities)
{
    for (unsigned bit = 0; UINT64_C(1) << bit < STELE_SEVERAL_MESHES; bit++)
        if (capabilities >> bit & 1)
            fprintf(out, " %s", stele_capability_name(bit));
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

/* The extensions of a line of imported_formats that are not ours: those are read by Stele itself. */
static size_t foreign_extensions(const char *line, const char **extensions, size_t *lengths, size_t most)
{
    size_t count = 0;
    const char *word = line + strcspn(line, "\t\n");
    while (*word && *word != '\n' && count < most) {
        size_t length = strcspn(++word, " \n");
        char name[64];
        snprintf(name, sizeof name, "x.%.*s", (int)length, word);
        if (length && !stele_format_of_name(name)) {
            extensions[count] = word;
            lengths[count++] = length;
        }
        word += length;
    }
    return count;
}

enum { MOST_EXTENSIONS = 32 };

static void print_imported_text(const char *line, const char *const *extensions, const size_t *lengths, size_t count)
{
    printf("  %-50.*s", (int)strcspn(line, "\t"), line);
    for (size_t i = 0; i < count; i++)
        printf(" .%.*s", (int)lengths[i], extensions[i]);
    putchar('\n');
}

static void print_imported_json(json *j, const char *line, const char *const *extensions, const size_t *lengths, size_t count)
{
    json_open(j, NULL, '{');
    json_text(j, "title", line, strcspn(line, "\t"));
    json_open(j, "extensions", '[');
    for (size_t i = 0; i < count; i++)
        json_text(j, NULL, extensions[i], lengths[i]);
    json_close(j, ']');
    json_close(j, '}');
}

static void print_imported(json *j)
{
    const char *line = imported_formats(), *extensions[MOST_EXTENSIONS];
    size_t lengths[MOST_EXTENSIONS], count;
    if (j)
        json_open(j, "imported", '[');
    else if (*line)
        printf("\nimported through Assimp, and not written\n");
    for (; *line; line += strcspn(line, "\n") + (line[strcspn(line, "\n")] != 0)) {
        count = foreign_extensions(line, extensions, lengths, MOST_EXTENSIONS);
        if (count && j)
            print_imported_json(j, line, extensions, lengths, count);
        else if (count)
            print_imported_text(line, extensions, lengths, count);
    }
    if (j)
        json_close(j, ']');
}

static void print_text_of_all(const stele_format_info *const *formats, bool with_imported)
{
    for (size_t i = 0; formats[i]; i++) {
        if (i)
            putchar('\n');
        print_text(formats[i]);
    }
    if (with_imported)
        print_imported(NULL);
}

static void print_json_of_all(const stele_format_info *const *formats, bool with_imported)
{
    json j;
    json_begin(&j, stdout, "formats", NULL);
    json_open(&j, "formats", '[');
    for (size_t i = 0; formats[i]; i++)
        json_format(&j, formats[i]);
    json_close(&j, ']');
    if (with_imported)
        print_imported(&j);
    json_end(&j);
}

/* All of them, or those that are named. */
static int run(const settings *s, char **operands, size_t count)
{
    enum { MOST_FORMATS = 64 };
    const stele_format_info *formats[MOST_FORMATS + 1] = {NULL};
    if (count > MOST_FORMATS)
        return usage_error("there are not that many formats");
    for (size_t i = 0; i < count; i++)
        if (!(formats[i] = format_named(operands[i])))
            return unknown_format(operands[i]);
    for (size_t i = 0; !count && i < MOST_FORMATS; i++)
        if (!(formats[i] = stele_format_at(i)))
            break;
    (s->json ? print_json_of_all : print_text_of_all)(formats, !count);
    return EXIT_FINE;
}

const command command_formats = {
    .name = "formats",
    .summary = "what can be read and written",
    .usage = "[OPTION...] [FORMAT...]",
    .examples = "  stele formats\n"
                "  stele formats sgm\n",
    .run = run,
};
