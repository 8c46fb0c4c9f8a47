#include <errno.h>
#include <string.h>

#include "cli.h"
#include "system/process.h"

const command *const commands[] = {&command_formats,
                                   &command_info,
                                   &command_check,
                                   &command_explain,
                                   &command_convert,
                                   &command_diff,
                                   &command_optimize,
                                   &command_render,
                                   &command_thumbnail,
                                   &command_view,
                                   NULL};

static void print_help(FILE *out)
{
    fputs("stele - reads, checks, explains and converts model files of game engines\n\n"
          "Usage: stele COMMAND [OPTION...] FILE...\n\nCommands:\n",
          out);
    for (size_t i = 0; commands[i]; i++)
        fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    fputs("\nA file called - is standard input or output.\n\n"
          "stele COMMAND --help                 the options of a command, with examples\n"
          "stele --version                      the version, and how it was built\n"
          "stele help --completions SHELL       completes commands in bash, zsh or fish\n",
          out);
}

static const command *find_command(const char *name)
{
    for (size_t i = 0; commands[i]; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

static int check_id(const char *id)
{
    size_t count;
    const stele_diagnostic_kind *kinds = stele_diagnostic_kinds(&count);
    guess g = {.word = id};
    for (size_t i = 0; i < count; i++)
        if (strcmp(kinds[i].id, id) == 0)
            return 0;
        else
            consider(&g, kinds[i].id);
    return usage_error("there is no finding '%s': see stele check --ids%s", id, did_you_mean(&g));
}

static int unknown_value(const stele_choice_info *choice, const char *value)
{
    guess g = {.word = value};
    consider_all(&g, choice->values);
    return usage_error("%s has no '%s': %s%s", choice->name, value, choice->values, did_you_mean(&g));
}

static int check_choice(const stele_choice *choice)
{
    const stele_format_info *format;
    guess g = {.word = choice->name};
    if (stele_known_choice(choice))
        return 0;
    for (size_t i = 0; (format = stele_format_at(i)); i++)
        for (size_t k = 0; k < format->choice_count; k++)
            if (strcmp(format->choices[k].name, choice->name) == 0)
                return unknown_value(&format->choices[k], choice->value);
            else
                consider(&g, format->choices[k].name);
    return usage_error("there is no choice '%s': see stele formats%s", choice->name, did_you_mean(&g));
}

/* Of formats, separated by commas. */
static int check_names(const char *names)
{
    for (size_t length; *names; names += length + (names[length] == ',')) {
        char name[64];
        length = strcspn(names, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, names);
        if (!format_named(name))
            return unknown_format(name);
    }
    return 0;
}

/* What makes no sense for any file is said once, before the first. */
static int check_settings(const settings *s)
{
    uint64_t number;
    if (!set_color(s->color)) {
        guess g = {.word = s->color};
        consider_all(&g, "always never auto");
        return usage_error("--color is always, never or auto, not '%s'%s", s->color, did_you_mean(&g));
    }
    if (!thread_count(s))
        return usage_error("-j takes a number of threads from 1 to 256, not '%s'", s->jobs);
    if (s->memory_limit && !parse_bytes(s->memory_limit, &number))
        return usage_error("'%s' is no number of bytes", s->memory_limit);
    if (s->work_limit && !parse_bytes(s->work_limit, &number))
        return usage_error("'%s' is no number of units", s->work_limit);
    double positive;
    if (s->fps && (!parse_positive(s->fps, &positive) || positive < 0.001 || positive > 1e6))
        return usage_error("'%s' is no number of frames a second from 0.001 to 1000000", s->fps);
    if (s->scale && !parse_positive(s->scale, &positive))
        return usage_error("'%s' is no scale", s->scale);
    if (s->tolerance && !parse_number(s->tolerance, &positive))
        return usage_error("'%s' is no tolerance", s->tolerance);
    if (s->key_tolerance && !parse_number(s->key_tolerance, &positive))
        return usage_error("'%s' is no tolerance", s->key_tolerance);
    if (s->round && !parse_number(s->round, &positive))
        return usage_error("'%s' is no tolerance", s->round);
    if (s->max_error && !parse_positive(s->max_error, &positive))
        return usage_error("'%s' is no error that could be allowed", s->max_error);
    int error = s->from ? check_names(s->from) : 0;
    if (!error && s->format)
        error = check_names(s->format);
    for (size_t i = 0; i < s->choice_count && !error; i++)
        error = check_choice(&s->choices[i]);
    for (size_t i = 0; i < s->rule_count && !error; i++)
        error = check_id(s->rules[i].id);
    return error;
}

static int run_command(const command *c, int argc, char **argv)
{
    settings s = {.verb = c->name};
    size_t count;
    int error = parse_options(c, argc, argv, &s, &count);
    if (error)
        return error;
    if (s.help) {
        print_command_help(stdout, c);
        return EXIT_FINE;
    }
    prepare_to_be_stopped(&s, NULL);
    st_expand_patterns(&argv, &count);
    for (size_t i = 0; i < count; i++)
        plain_slashes(argv[i]);
    plain_slashes((char *)s.output);
    plain_slashes((char *)s.out_dir);
    plain_slashes((char *)s.base_dir);
    error = check_settings(&s);
    if (error)
        return error;
    if (c->takes_files && !count && !s.ids && !s.files_from)
        return usage_error("stele %s needs a file; see stele %s --help", c->name, c->name);
    if (s.silent && !st_discard(stderr))
        return EXIT_IO;
    return c->run(&s, argv, count);
}

static int unknown_command(const char *name)
{
    guess g = {.word = name};
    for (size_t i = 0; commands[i]; i++)
        consider(&g, commands[i]->name);
    return usage_error("there is no command '%s': see stele --help%s", name, did_you_mean(&g));
}

static void print_version(FILE *out)
{
    char facts[512];
    stele_build_facts(facts, sizeof facts);
    fprintf(out, "stele %s\n%s\n", stele_version(), facts);
    fprintf(out, "stele-import: %s\n", *imported_formats() ? "found" : "not found");
}

/* stele help COMMAND; and for who packages or installs it, --man COMMAND and --completions SHELL. */
static int help(const char *what, const char *of)
{
    bool man = strcmp(what, "--man") == 0, completions = strcmp(what, "--completions") == 0;
    const command *c = man ? (of ? find_command(of) : NULL) : find_command(what);
    if (completions)
        return print_completions(stdout, of ? of : "") ? EXIT_FINE : usage_error("--completions are for bash, zsh or fish");
    if (!c)
        return man && !of ? usage_error("--man needs a command") : unknown_command(man ? of : what);
    if (man)
        print_manual_page(stdout, c);
    else
        print_command_help(stdout, c);
    return EXIT_FINE;
}

static int run(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : NULL;
    if (!name) {
        print_help(stderr);
        return EXIT_USAGE;
    }
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
        print_version(stdout);
        return EXIT_FINE;
    }
    if (strcmp(name, "help") == 0 && argc > 2)
        return help(argv[2], argc > 3 ? argv[3] : NULL);
    if (strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        print_help(stdout);
        return EXIT_FINE;
    }
    const command *c = find_command(name);
    if (!c)
        return unknown_command(name);
    return run_command(c, argc - 2, argv + 2);
}

static bool wants_json(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--json") == 0)
            return true;
    return false;
}

int main(int argc, char **argv)
{
    st_process_begin(&argc, &argv);
    st_write_whole_lines(stderr); /* an interrupt says its own between them, not within one */
    catch_interrupts();
    stop_at_once(true);
    bool json = wants_json(argc, argv); /* parsing moves arguments about */
    const char *verb = argc > 1 ? argv[1] : NULL;
    int code = run(argc, argv);
    if (json && *usage_message())
        json_failure(stdout, verb, NULL, EXIT_USAGE, usage_message());
    int error = stdout_error();
    errno = 0;
    if ((fflush(stdout) != 0 || ferror(stdout)) && !error)
        error = errno ? errno : EIO;
    if (error) {
        if (!st_reader_left(error)) /* a reader that has seen enough needs no message */
            fprintf(stderr, "stele: cannot write to standard output: %s\n", strerror(error));
        code = EXIT_IO;
    }
    if (interrupted())
        fputs("stele: stopped\n", stderr);
    return interrupted() ? EXIT_SIGNAL + interrupted() : code;
}
