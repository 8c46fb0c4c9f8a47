#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

#define AT(field) offsetof(settings, field)

static const option common[] = {
    {'h', "help", NULL, "show this help", OPTION_FLAG, AT(help)},
    {0, "json", NULL, "print JSON, one document per line (docs/json.md)", OPTION_FLAG, AT(json)},
    {'q', "quiet", NULL, "only losses and errors; -qq: nothing at all", OPTION_FLAG, AT(quiet)},
    {'v', "verbose", NULL, "notes too", OPTION_FLAG, AT(verbose)},
    {0, "color", "WHEN", "always, never or auto, on a terminal (default); NO_COLOR is never", OPTION_TEXT, AT(color)},
    {0},
};

static const option for_many[] = {
    {'r', "recursive", NULL, "go into folders", OPTION_FLAG, AT(recursive)},
    {0, "from", "FORMAT,...", "of what is in folders, only these formats", OPTION_TEXT, AT(from)},
    {0, "files-from", "FILE", "read names of files from this one, or - for standard input: in lines, or each ended by a NUL",
     OPTION_TEXT, AT(files_from)},
    {0},
};

static const option for_files[] = {
    {'j', "jobs", "N", "use N threads (default: one per core)", OPTION_TEXT, AT(jobs)},
    {0, "format", "NAME", "take the files for this format, whatever they look like", OPTION_TEXT, AT(format)},
    {0, "base-dir", "FOLDER", "where the files lie that standard input names", OPTION_TEXT, AT(base_dir)},
    {0, "read", NULL, "read files into memory instead of mapping them", OPTION_FLAG, AT(read_file)},
    {0, "import", NULL, "read them through Assimp, whatever they look like; others than ours are anyway", OPTION_FLAG,
     AT(import)},
    {0, "scale", "N", "times the size of imported files", OPTION_TEXT, AT(scale)},
    {0},
};

static const option for_limits[] = {
    {0, "memory-limit", "BYTES", "most memory for one file, such as 500M; 0: none (default: by its size, from 48M)",
     OPTION_TEXT, AT(memory_limit)},
    {0, "work-limit", "UNITS", "most work, in about nanoseconds; 0: no limit (default: by its size, from 700 million)",
     OPTION_TEXT, AT(work_limit)},
    {0},
};

static const option for_outputs[] = {
    {'t', "to", "FORMAT", "write this format (see stele formats); default: by the extension of OUT", OPTION_TEXT, AT(to)},
    {'d', "dialect", "NAME", "write this dialect; default: the one that the file has or had, or the usual one", OPTION_TEXT,
     AT(dialect)},
    {'o', "output", "FILE", "write this file; - for standard output", OPTION_TEXT, AT(output)},
    {0, "out-dir", "FOLDER", "write each file there under its own name", OPTION_TEXT, AT(out_dir)},
    {'f', "force", NULL, "replace existing files", OPTION_FLAG, AT(force)},
    {'u', "update", NULL, "replace those that are older than what they are made of, and leave the others", OPTION_FLAG,
     AT(update)},
    {0, "depfile", "FILE", "write what outputs are made of, for ninja and make", OPTION_TEXT, AT(depfile)},
    {0, "strict", NULL, "if anything would be lost, or errors be copied, write nothing and exit with 1", OPTION_FLAG,
     AT(strict)},
    {0, "embed-textures", NULL, "put textures into the file where the format can", OPTION_FLAG, AT(embed_textures)},
    {0, "copy-textures", NULL, "put the files of textures beside the output", OPTION_FLAG, AT(copy_textures)},
    {0, "name-textures", NULL,
     "write no image beside the output; default: those that were inside the file, where it cannot hold them", OPTION_FLAG,
     AT(name_textures)},
    {0, "sync", NULL, "force files to disk before they get their names", OPTION_FLAG, AT(sync)},
    {0},
};

static const option for_models[] = {
    {0, "fps", "N", "frames a second where a format only counts frames (SGA 24, MESH 25, CTC 10)", OPTION_TEXT, AT(fps)},
    {0, "set", "NAME=VALUE", "decide what a format leaves open, such as ctc.bind=forward (see stele formats)", OPTION_CHOICE,
     0},
    {0, "no-repair", NULL, "take everything literally", OPTION_FLAG, AT(no_repair)},
    {0, "allow-outside", NULL, "follow names out of the model's folder", OPTION_FLAG, AT(allow_outside)},
    {0},
};

static char message_of_usage[1024];

const char *usage_message(void)
{
    return message_of_usage;
}

int usage_error(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(message_of_usage, sizeof message_of_usage, format, args);
    va_end(args);
    complain(stderr, "%s", message_of_usage);
    return EXIT_USAGE;
}

/* ---- Formats ---- */

const stele_format_info *format_named(const char *name)
{
    const stele_format_info *format;
    for (size_t i = 0; (format = stele_format_at(i)); i++)
        if (strcmp(format->name, name) == 0)
            return format;
    return NULL;
}

int unknown_format(const char *name)
{
    const stele_format_info *format;
    guess g = {.word = name};
    char all[512] = "";
    for (size_t i = 0; (format = stele_format_at(i)); i++) {
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", format->name);
        consider(&g, format->name);
    }
    return usage_error("there is no format '%s': %s%s", name, all, did_you_mean(&g));
}

/* ---- Help ---- */

enum { HELP_COLUMN = 31, HELP_WIDTH = 80 };

/* From this column on, in lines that any terminal can show. */
static void print_wrapped(FILE *out, const char *text, size_t column)
{
    for (size_t length; *(text += strspn(text, " ")); text += length) {
        length = strcspn(text, " ");
        if (column > HELP_COLUMN && column + 1 + length > HELP_WIDTH)
            column = (size_t)fprintf(out, "\n%*s", HELP_COLUMN, "") - 1;
        else if (column > HELP_COLUMN)
            column += (size_t)fprintf(out, " ");
        column += (size_t)fprintf(out, "%.*s", (int)length, text);
    }
    fputc('\n', out);
}

static void print_options(FILE *out, const option *o)
{
    for (; o->name; o++) {
        char left[48];
        snprintf(left, sizeof left, "%c%c%s --%s%s%s", o->letter ? '-' : ' ', o->letter ? o->letter : ' ',
                 o->letter ? "," : " ", o->name, o->argument ? " " : "", o->argument ? o->argument : "");
        print_wrapped(out, o->help, (size_t)fprintf(out, "  %-28s ", left));
    }
}

size_t option_groups(const command *c, const option *groups[MOST_GROUPS])
{
    size_t count = 0;
    if (c->options)
        groups[count++] = c->options;
    if (c->writes_models)
        groups[count++] = for_outputs;
    if (c->takes_models)
        groups[count++] = for_models;
    if (c->takes_many)
        groups[count++] = for_many;
    if (c->takes_files)
        groups[count++] = for_files;
    if (c->takes_files || c->takes_models)
        groups[count++] = for_limits;
    groups[count++] = common;
    return count;
}

const char exit_codes[] = "0 fine, 1 findings, 2 usage, 3 cannot read or write,\n"
                          "4 unknown or unsupported, 130, 143, 129 interrupted.\n";

void print_command_help(FILE *out, const command *c)
{
    const option *groups[MOST_GROUPS];
    size_t count = option_groups(c, groups);
    fprintf(out, "stele %s - %s\n\nUsage: stele %s %s\n\nOptions:\n", c->name, c->summary, c->name, c->usage);
    for (size_t i = 0; i < count; i++)
        print_options(out, groups[i]);
    if (c->examples)
        fprintf(out, "\nExamples:\n%s", c->examples);
    fprintf(out, "\nExit codes: %s", exit_codes);
}

/* ---- Parsing ---- */

static const option *find_in(const option *o, char letter, const char *name, size_t length)
{
    for (; o && o->name; o++) {
        if (letter && o->letter == letter)
            return o;
        if (!letter && strlen(o->name) == length && strncmp(o->name, name, length) == 0)
            return o;
    }
    return NULL;
}

static const option *find(const command *c, char letter, const char *name, size_t length)
{
    const option *groups[MOST_GROUPS], *found = NULL;
    size_t count = option_groups(c, groups);
    for (size_t i = 0; i < count && !found; i++)
        found = find_in(groups[i], letter, name, length);
    return found;
}

/* ID=SEVERITY */
static int add_rule(settings *s, char *text)
{
    char *equals = strchr(text, '=');
    if (!equals || s->rule_count == MOST_RULES)
        return usage_error(equals ? "too many --severity options" : "--severity takes ID=SEVERITY, not '%s'", text);
    guess g = {.word = equals + 1};
    for (stele_severity severity = STELE_OFF; severity <= STELE_ERROR; severity++) {
        if (strcmp(equals + 1, severity_name(severity)) == 0) {
            *equals = 0;
            s->rules[s->rule_count++] = (stele_rule){text, severity};
            return 0;
        }
        consider(&g, severity_name(severity));
    }
    return usage_error("'%s' is no severity: off, note, warning, loss or error%s", equals + 1, did_you_mean(&g));
}

/* NAME=VALUE */
static int add_choice(settings *s, char *text)
{
    char *equals = strchr(text, '=');
    if (!equals || s->choice_count == MOST_CHOICES)
        return usage_error(equals ? "too many --set options" : "--set takes NAME=VALUE, not '%s'", text);
    *equals = 0;
    s->choices[s->choice_count++] = (stele_choice){text, equals + 1};
    return 0;
}

static int set(settings *s, const option *o, char *value)
{
    char *field = (char *)s + o->offset;
    if (o->kind == OPTION_RULE)
        return add_rule(s, value);
    if (o->kind == OPTION_CHOICE)
        return add_choice(s, value);
    if (o->kind == OPTION_FLAG) {
        s->silent |= o->offset == AT(quiet) && s->quiet;
        *(bool *)field = true;
    } else
        *(const char **)field = value;
    return 0;
}

/* The value of an option: behind its sign, or the next argument. */
static int take_value(const option *o, char *attached, char **next, char **value, bool *used_next)
{
    *value = attached;
    if (o->kind == OPTION_FLAG)
        return attached ? usage_error("--%s takes no value", o->name) : 0;
    if (!attached && !*next)
        return usage_error("--%s needs a value: %s", o->name, o->argument);
    if (!attached) {
        *value = *next;
        *used_next = true;
    }
    return 0;
}

static int unknown_option(const command *c, const char *name, size_t length)
{
    const option *groups[MOST_GROUPS];
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)length, name);
    guess g = {.word = word};
    size_t count = option_groups(c, groups);
    for (size_t i = 0; i < count; i++)
        for (const option *o = groups[i]; o->name; o++)
            consider(&g, o->name);
    char meant[80] = "";
    if (*g.best)
        snprintf(meant, sizeof meant, "; did you mean --%s?", g.best);
    return usage_error("stele %s has no option --%.*s: see stele %s --help%s", c->name, (int)length, name, c->name, meant);
}

static int parse_long(const command *c, settings *s, char *argument, char **next, bool *used_next)
{
    char *equals = strchr(argument, '='), *value;
    size_t length = equals ? (size_t)(equals - argument) : strlen(argument);
    const option *o = find(c, 0, argument, length);
    if (!o)
        return unknown_option(c, argument, length);
    int error = take_value(o, equals ? equals + 1 : NULL, next, &value, used_next);
    return error ? error : set(s, o, value);
}

static int parse_letters(const command *c, settings *s, char *letters, char **next, bool *used_next)
{
    for (; *letters; letters++) {
        char *value = NULL;
        const option *o = find(c, *letters, NULL, 0);
        if (!o)
            return usage_error("stele %s has no option -%c; see stele %s --help", c->name, *letters, c->name);
        if (o->kind == OPTION_FLAG) {
            set(s, o, NULL);
            continue;
        }
        int error = take_value(o, letters[1] ? letters + 1 : NULL, next, &value, used_next);
        return error ? error : set(s, o, value);
    }
    return 0;
}

int parse_options(const command *c, int argc, char **argv, settings *s, size_t *operand_count)
{
    bool only_operands = false;
    *operand_count = 0;
    for (int i = 0; i < argc; i++) {
        char *argument = argv[i];
        bool used_next = false;
        int error = 0;
        if (only_operands || argument[0] != '-' || !argument[1])
            argv[(*operand_count)++] = argument;
        else if (strcmp(argument, "--") == 0)
            only_operands = true;
        else if (argument[1] == '-')
            error = parse_long(c, s, argument + 2, &argv[i + 1], &used_next);
        else
            error = parse_letters(c, s, argument + 1, &argv[i + 1], &used_next);
        if (error)
            return error;
        i += used_next;
    }
    return 0;
}

/* ---- Numbers ---- */

bool parse_bytes(const char *text, uint64_t *bytes)
{
    char *end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    unsigned shift = *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
    *bytes = (uint64_t)number << shift;
    return end != text && !errno && text[0] != '-' && !end[shift != 0] && *bytes >> shift == number;
}

bool parse_offset(const char *text, uint64_t *offset)
{
    char *end;
    errno = 0;
    bool hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    *offset = strtoull(text, &end, hexadecimal ? 16 : 10);
    return end != text && !*end && !errno && text[0] != '-';
}

bool parse_number(const char *text, double *number)
{
    char *end;
    *number = strtod(text, &end);
    return end != text && !*end && *number >= 0 && *number <= 1e300;
}

bool parse_positive(const char *text, double *number)
{
    return parse_number(text, number) && *number > 0;
}
