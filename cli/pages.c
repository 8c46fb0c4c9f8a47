/* What the tables of options give besides the help: manual pages, and completions for shells. */
#include <ctype.h>
#include <string.h>

#include "cli.h"

/* ---- What an option's value can be ---- */

typedef enum value_kind { VALUE_NONE, VALUE_ANY, VALUE_FILE, VALUE_FOLDER, VALUE_WORDS } value_kind;

typedef struct value {
    value_kind kind;
    char words[512]; /* separated by spaces */
} value;

static void add_word(value *v, const char *word, size_t length)
{
    size_t used = strlen(v->words);
    v->kind = VALUE_WORDS;
    snprintf(v->words + used, sizeof v->words - used, "%s%.*s", used ? " " : "", (int)length, word);
}

static void add_formats(value *v)
{
    const stele_format_info *format;
    for (size_t i = 0; (format = stele_format_at(i)); i++)
        add_word(v, format->name, strlen(format->name));
}

/* The words of arguments like x|y|z. */
static void add_alternatives(value *v, const char *argument)
{
    for (size_t length; *argument; argument += length + (argument[length] == '|')) {
        length = strcspn(argument, "|");
        if (!islower((unsigned char)*argument)) { /* NAME stands for something */
            *v = (value){.kind = VALUE_ANY};
            return;
        }
        add_word(v, argument, length);
    }
}

static value value_of(const option *o)
{
    static const struct {
        const char *argument, *words;
    } known[] = {{"WHEN", "always never auto"}, {"COLOR", "transparent white black dark"}};
    value v = {.kind = o->argument ? VALUE_ANY : VALUE_NONE};
    if (!o->argument)
        return v;
    if (strcmp(o->argument, "FILE") == 0)
        v.kind = VALUE_FILE;
    else if (strcmp(o->argument, "FOLDER") == 0)
        v.kind = VALUE_FOLDER;
    else if (strcmp(o->name, "format") == 0 || strcmp(o->name, "from") == 0 || strcmp(o->name, "to") == 0)
        add_formats(&v);
    else if (strchr(o->argument, '|'))
        add_alternatives(&v, o->argument);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(o->argument, known[i].argument) == 0)
            add_word(&v, known[i].words, strlen(known[i].words));
    return v;
}

/* Calls for every option of a command. */
typedef void (*each_option)(FILE *out, const command *c, const option *o);

static void visit_options(FILE *out, const command *c, each_option each)
{
    const option *groups[MOST_GROUPS];
    size_t count = option_groups(c, groups);
    for (size_t i = 0; i < count; i++)
        for (const option *o = groups[i]; o->name; o++)
            each(out, c, o);
}

/* Text in which some characters get a backslash; with a quote, that of a shell's word in single quotes. */
static void print_escaped(FILE *out, const char *text, const char *special)
{
    for (; *text; text++) {
        if (*text == '\'' && strchr(special, '\''))
            fputs("'\\'", out);
        else if (strchr(special, *text))
            fputc('\\', out);
        fputc(*text, out);
    }
}

/* ---- Manual pages ---- */

static void print_roff(FILE *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        bool first = i == 0 || text[i - 1] == '\n';
        if (first && (text[i] == '.' || text[i] == '\''))
            fputs("\\&", out);
        if (text[i] == '\\')
            fputs("\\e", out);
        else if (text[i] == '-')
            fputs("\\-", out);
        else
            fputc(text[i], out);
    }
}

static void print_roff_option(FILE *out, const command *c, const option *o)
{
    (void)c;
    fputs(".TP\n", out);
    if (o->letter)
        fprintf(out, "\\fB\\-%c\\fR, ", o->letter);
    fputs("\\fB\\-\\-", out);
    print_roff(out, o->name, strlen(o->name));
    fputs("\\fR", out);
    if (o->argument) {
        fputs(" \\fI", out);
        print_roff(out, o->argument, strlen(o->argument));
        fputs("\\fR", out);
    }
    fputc('\n', out);
    print_roff(out, o->help, strlen(o->help));
    fputc('\n', out);
}

/* Lines without what they are set off by. */
static void print_roff_lines(FILE *out, const char *text)
{
    fputs(".nf\n", out);
    while (*text) {
        text += strspn(text, " ");
        size_t length = strcspn(text, "\n");
        print_roff(out, text, length);
        fputc('\n', out);
        text += length + (text[length] == '\n');
    }
    fputs(".fi\n", out);
}

void print_manual_page(FILE *out, const command *c)
{
    char usage[1024];
    snprintf(usage, sizeof usage, "stele %s %s", c->name, c->usage);
    fputs(".TH STELE\\-", out);
    for (const char *name = c->name; *name; name++)
        fputc(toupper((unsigned char)*name), out);
    fprintf(out, " 1 \"\" \"stele %s\" \"User commands\"\n.SH NAME\nstele\\-%s \\- ", stele_version(), c->name);
    print_roff(out, c->summary, strlen(c->summary));
    fputs("\n.SH SYNOPSIS\n", out);
    print_roff_lines(out, usage);
    fputs(".SH OPTIONS\n", out);
    visit_options(out, c, print_roff_option);
    if (c->examples) {
        fputs(".SH EXAMPLES\n", out);
        print_roff_lines(out, c->examples);
    }
    fputs(".SH EXIT STATUS\n", out);
    print_roff(out, exit_codes, strlen(exit_codes));
    fputs(".SH SEE ALSO\n.BR stele (1)\n", out);
}

/* ---- bash ---- */

static void print_names(FILE *out, const command *c, const option *o)
{
    (void)c;
    fprintf(out, " --%s", o->name);
    if (o->letter)
        fprintf(out, " -%c", o->letter);
}

static void print_bash_value(FILE *out, const command *c, const option *o)
{
    (void)c;
    value v = value_of(o);
    if (v.kind == VALUE_NONE)
        return;
    fprintf(out, "        --%s", o->name);
    if (o->letter)
        fprintf(out, "|-%c", o->letter);
    fputs(") ", out);
    if (v.kind == VALUE_WORDS)
        fprintf(out, "_stele_words '%s'; return ;;\n", v.words);
    else
        fputs(v.kind == VALUE_FILE     ? "return ;;\n"
              : v.kind == VALUE_FOLDER ? "_stele_folders; return ;;\n"
                                       : "_stele_words ''; return ;;\n",
              out);
}

static void print_verbs(FILE *out)
{
    for (size_t i = 0; commands[i]; i++)
        fprintf(out, "%s ", commands[i]->name);
}

/* Without an answer, bash completes names of files by itself. */
static void print_bash(FILE *out)
{
    fputs("# Completion of stele for bash, made by stele help --completions bash\n"
          "_stele_words()\n{\n    compopt +o default +o bashdefault 2>/dev/null\n"
          "    COMPREPLY=($(compgen -W \"$1\" -- \"$cur\"))\n}\n"
          "_stele_folders()\n{\n    local IFS=$'\\n'\n    compopt -o filenames +o default +o bashdefault 2>/dev/null\n"
          "    COMPREPLY=($(compgen -d -- \"$cur\"))\n}\n"
          "_stele()\n{\n    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} options=\n    COMPREPLY=()\n"
          "    [ \"$prev\" != = ] || prev=${COMP_WORDS[COMP_CWORD-2]}\n"
          "    [ \"$cur\" != = ] || cur=\n"
          "    if [ \"$COMP_CWORD\" = 1 ]; then\n        _stele_words '",
          out);
    print_verbs(out);
    fputs("help'\n        return\n    fi\n    case ${COMP_WORDS[1]} in\n    help) _stele_words '", out);
    print_verbs(out);
    fputs("--completions --man'; return ;;\n", out);
    for (size_t i = 0; commands[i]; i++) {
        fprintf(out, "    %s)\n        case $prev in\n", commands[i]->name);
        visit_options(out, commands[i], print_bash_value);
        fputs("        esac\n        options='", out);
        visit_options(out, commands[i], print_names);
        fputs("' ;;\n", out);
    }
    fputs("    esac\n    case $cur in -*) _stele_words \"$options\" ;; esac\n}\ncomplete -o bashdefault -o default -F _stele "
          "stele\n",
          out);
}

/* ---- zsh ---- */

static void print_zsh_option(FILE *out, const command *c, const option *o)
{
    (void)c;
    value v = value_of(o);
    const char *several = o->kind == OPTION_RULE || o->kind == OPTION_CHOICE ? "*" : "";
    fputs("        ", out);
    if (o->letter)
        fprintf(out, "%s{-%c%s,--%s%s}", *several ? "'*'" : "", o->letter, v.kind ? "+" : "", o->name, v.kind ? "=" : "");
    else
        fprintf(out, "'%s'--%s%s", several, o->name, v.kind ? "=" : "");
    fputs("'[", out);
    print_escaped(out, o->help, "'[]:\\");
    fputs("]", out);
    if (v.kind) {
        fputc(':', out);
        print_escaped(out, o->argument, "':\\");
        fputc(':', out);
    }
    if (v.kind == VALUE_WORDS)
        fprintf(out, "(%s)", v.words);
    else if (v.kind == VALUE_FILE || v.kind == VALUE_FOLDER)
        fputs(v.kind == VALUE_FILE ? "_files" : "_path_files -/", out);
    fputs("' \\\n", out);
}

static void print_zsh(FILE *out)
{
    fputs("#compdef stele\n# Completion of stele for zsh, made by stele help --completions zsh\n_stele()\n{\n    local -a "
          "verbs\n    verbs=(\n",
          out);
    for (size_t i = 0; commands[i]; i++) {
        fprintf(out, "        '%s:", commands[i]->name);
        print_escaped(out, commands[i]->summary, "':\\");
        fputs("'\n", out);
    }
    fputs("        'help:the options of a command'\n    )\n    if (( CURRENT == 2 )); then\n"
          "        _describe -t commands command verbs\n        return\n    fi\n"
          "    local verb=$words[2]\n    shift words\n    (( CURRENT-- ))\n    case $verb in\n"
          "    help) _describe -t commands command verbs ;;\n",
          out);
    for (size_t i = 0; commands[i]; i++) {
        fprintf(out, "    %s)\n        _arguments -s -S \\\n", commands[i]->name);
        visit_options(out, commands[i], print_zsh_option);
        fprintf(out, "        '%s' ;;\n", commands[i]->takes_files ? "*:file:_files" : "*::");
    }
    fputs("    esac\n}\nif [ \"$funcstack[1]\" = _stele ]; then\n    _stele \"$@\"\nelse\n    compdef _stele stele\nfi\n", out);
}

/* ---- fish ---- */

static void print_fish_option(FILE *out, const command *c, const option *o)
{
    value v = value_of(o);
    fprintf(out, "complete -c stele -n '__fish_seen_subcommand_from %s' -l %s", c->name, o->name);
    if (o->letter)
        fprintf(out, " -s %c", o->letter);
    if (v.kind == VALUE_FILE)
        fputs(" -r -F", out);
    else if (v.kind == VALUE_FOLDER)
        fputs(" -x -a '(__fish_complete_directories)'", out);
    else if (v.kind == VALUE_WORDS)
        fprintf(out, " -x -a '%s'", v.words);
    else if (v.kind == VALUE_ANY)
        fputs(" -x", out);
    fputs(" -d '", out);
    print_escaped(out, o->help, "'\\");
    fputs("'\n", out);
}

static void print_fish(FILE *out)
{
    fputs("# Completion of stele for fish, made by stele help --completions fish\n", out);
    for (size_t i = 0; commands[i]; i++) {
        fprintf(out, "complete -c stele -n __fish_use_subcommand -f -a %s -d '", commands[i]->name);
        print_escaped(out, commands[i]->summary, "'\\");
        fputs("'\n", out);
    }
    fputs("complete -c stele -n __fish_use_subcommand -f -a help -d 'the options of a command'\n"
          "complete -c stele -n '__fish_seen_subcommand_from help' -f -a '",
          out);
    print_verbs(out);
    fputs("'\n", out);
    for (size_t i = 0; commands[i]; i++) {
        if (!commands[i]->takes_files)
            fprintf(out, "complete -c stele -n '__fish_seen_subcommand_from %s' -f\n", commands[i]->name);
        visit_options(out, commands[i], print_fish_option);
    }
}

bool print_completions(FILE *out, const char *shell)
{
    static const struct {
        const char *shell;
        void (*print)(FILE *out);
    } shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
        if (strcmp(shells[i].shell, shell) == 0) {
            shells[i].print(out);
            return true;
        }
    return false;
}
