#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli.h"
#include "system/process.h"

enum { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };
static unsigned color; /* one of them: set once, before any thread */

bool set_color(const char *when)
{
    static const char *const words[] = {[COLOR_AUTO] = "auto", [COLOR_ALWAYS] = "always", [COLOR_NEVER] = "never"};
    for (unsigned i = 0; when && i < sizeof words / sizeof *words; i++)
        if (strcmp(when, words[i]) == 0) {
            color = i;
            return true;
        }
    return !when;
}

static bool colored(int stream)
{
    if (color != COLOR_AUTO)
        return color == COLOR_ALWAYS;
    const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return st_is_terminal(stream) && !(no_color && *no_color) && !(terminal && strcmp(terminal, "dumb") == 0);
}

bool colored_stdout(void)
{
    return colored(STANDARD_OUTPUT);
}

bool colored_stderr(void)
{
    return colored(STANDARD_ERROR);
}

const char *tint_on(bool use, tint t)
{
    static const char *const codes[] = {"", "\033[1m", "\033[2m", "\033[31m", "\033[33m", "\033[34m", "\033[32m", "\033[35m"};
    return use ? codes[t] : "";
}

const char *tint_off(bool use, tint t)
{
    return use && t != TINT_NONE ? "\033[0m" : "";
}

static bool drives_terminals(const char *text)
{
    const unsigned char *p = (const unsigned char *)text;
    return *p < 0x20 || *p == 0x7F || (*p == 0xC2 && p[1] < 0xA0);
}

void print_safe(FILE *out, const char *text, size_t size)
{
    const char *p = text, *end = text + size;
    while (p < end) {
        size_t length = st_utf8_length((const uint8_t *)p, (size_t)(end - p));
        if (length && !drives_terminals(p)) {
            fwrite(p, 1, length, out);
            p += length;
        } else {
            fprintf(out, "\\x%02x", (unsigned char)*p++);
        }
    }
}

void print_count(FILE *out, uint64_t number)
{
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)number);
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            fputc(',', out);
        fputc(digits[i], out);
    }
}

void complain_with(FILE *out, const char *format, va_list args)
{
    char message[2048];
    int size = vsnprintf(message, sizeof message, format, args);
    fputs("stele: ", out);
    print_safe(out, message, size < 0 ? 0 : (size_t)size < sizeof message ? (size_t)size : sizeof message - 1);
    fputc('\n', out);
}

void complain(FILE *out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    complain_with(out, format, args);
    va_end(args);
}

static const tint severity_tints[] = {[STELE_OFF] = TINT_NONE,
                                      [STELE_NOTE] = TINT_BLUE,
                                      [STELE_WARNING] = TINT_YELLOW,
                                      [STELE_LOSS] = TINT_MAGENTA,
                                      [STELE_ERROR] = TINT_RED};

bool show_diagnostic(const settings *s, const stele_diagnostic *d)
{
    return !s->silent && d->severity >= (s->quiet ? STELE_LOSS : s->verbose ? STELE_NOTE : STELE_WARNING);
}

void print_diagnostic(FILE *out, bool use, const job *j, const stele_diagnostic *d)
{
    tint t = severity_tints[d->severity];
    print_safe(out, j->path, strlen(j->path));
    if (d->offset != STELE_NOWHERE && !imported_from(j)) /* offsets of what it was made into are none of the file */
        fprintf(out, ":0x%llx%s", (unsigned long long)d->offset, d->unpacked ? " unpacked" : "");
    fprintf(out, ": %s%s%s: ", tint_on(use, t), severity_name(d->severity), tint_off(use, t));
    if (*d->path)
        fprintf(out, "%s: ", d->path);
    print_safe(out, d->text, strlen(d->text));
    fprintf(out, " %s[%s]%s", tint_on(use, TINT_DIM), d->id, tint_off(use, TINT_DIM));
    if (d->count > 1 && d->severity != STELE_LOSS) { /* a loss says its number itself */
        fputs(" (", out);
        print_count(out, d->count);
        fputs(" times)", out);
    }
    fputc('\n', out);
}
