#include "system/process.h"
#include "view.h"

#define AT(field) offsetof(settings, field)

static const option options[] = {
    {0, "export", "FILE", "write one page that shows the models (or none), and needs nothing else", OPTION_TEXT, AT(output)},
    {'o', "output", "FILE", "the same, as other commands have it", OPTION_TEXT, AT(output)},
    {'f', "force", NULL, "replace existing files", OPTION_FLAG, AT(force)},
    {0, "terminal", NULL, "show the picture in the terminal; keys turn and play it", OPTION_FLAG, AT(terminal)},
    {0, "no-open", NULL, "do not open a browser: only print the address", OPTION_FLAG, AT(no_open)},
    {0},
};

static int run(const settings *s, char **operands, size_t count)
{
    shown_files files = {0};
    if (s->terminal)
        return count == 1 ? view_in_terminal(s, operands[0]) : usage_error("--terminal shows one file");
    if (!page_itself().data)
        return view_ends(s, NULL, STELE_UNSUPPORTED,
                         "this command was built without its page; 'make web' builds one that has it");
    if (!count && !s->output)
        return usage_error("stele view needs a file; see stele view --help");
    int code = find_shown(s, operands, count, &files);
    if (code == EXIT_FINE)
        code = s->output ? export_page(s, &files) : serve(s, &files);
    free_shown(&files);
    return code;
}

const command command_view = {
    .name = "view",
    .summary = "see a model and its bytes side by side, in a browser or terminal",
    .usage = "[OPTION...] [FILE...]",
    .examples = "  stele view hat.sgm\n"
                "  stele view --export hat.html hat.sgm\n"
                "  stele view --export stele.html          (for files that are dropped on it)\n"
                "  stele view --terminal hat.sgm\n",
    .options = options,
    .takes_models = true,
    .run = run,
};
