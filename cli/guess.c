/* "did you mean": the known word that is nearest to one that is not known. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { MOST_LETTERS = 40 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Letters that are missing, too many, other ones, or swapped with their neighbour; and the same for what b begins with, where
 * that is nearest. */
static size_t distance(const char *a, const char *b, size_t *beginning)
{
    size_t rows[3][MOST_LETTERS + 1], m = strlen(a), n = strlen(b);
    *beginning = SIZE_MAX;
    if (m > MOST_LETTERS || n > MOST_LETTERS)
        return SIZE_MAX;
    for (size_t k = 0; k <= n; k++)
        rows[0][k] = k;
    for (size_t i = 1; i <= m; i++) {
        size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t k = 1; k <= n; k++) {
            row[k] = least(least(above[k], row[k - 1]) + 1, above[k - 1] + (a[i - 1] != b[k - 1]));
            if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
                row[k] = least(row[k], before[k - 2] + 1);
        }
    }
    for (size_t k = 0; k <= n; k++)
        *beginning = least(*beginning, rows[m % 3][k]);
    return rows[m % 3][n];
}

void consider(guess *g, const char *candidate)
{
    enum { ENOUGH = 5 }; /* letters, to be taken for the beginning of something even with a mistake */
    size_t length = strlen(g->word), beginning, wrong = distance(g->word, candidate, &beginning);
    size_t mistakes = length >= ENOUGH ? 2 : 0;
    if (length >= 2 && beginning <= mistakes) /* somebody stopped typing */
        wrong = least(wrong, beginning + 1);
    size_t most = length < 3 ? beginning == 0 : length < 6 ? 2 : 3;
    if (wrong <= most && wrong < length && (!*g->best || wrong < g->wrong)) {
        snprintf(g->best, sizeof g->best, "%s", candidate);
        g->wrong = wrong;
    }
}

void consider_all(guess *g, const char *candidates)
{
    static const char between[] = " ,";
    for (size_t length; *(candidates += strspn(candidates, between)); candidates += length) {
        char word[MOST_LETTERS + 1];
        length = strcspn(candidates, between);
        snprintf(word, sizeof word, "%.*s", (int)length, candidates);
        consider(g, word);
    }
}

const char *did_you_mean(guess *g)
{
    g->text[0] = 0;
    if (*g->best)
        snprintf(g->text, sizeof g->text, "; did you mean %s?", g->best);
    return g->text;
}
