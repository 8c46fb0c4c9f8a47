/* "did you mean": the known word that is nearest to one that is not known. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { MOST_LETTERS = 40 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Letters that are missing, too many, other ones, or swapped with their neighbour. */
static size_t distance(const char *a, const char *b)
{
    size_t rows[3][MOST_LETTERS + 1], m = strlen(a), n = strlen(b);
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
    return rows[m % 3][n];
}

void consider(guess *g, const char *candidate)
{
    size_t length = strlen(g->word), wrong = distance(g->word, candidate);
    bool begins = length >= 2 && strncmp(g->word, candidate, length) == 0; /* somebody stopped typing */
    if (begins && wrong > 1)
        wrong = 1;
    size_t most = length < 3 ? 1 : length < 6 ? 2 : 3;
    if (wrong <= most && wrong < length && (!g->best || wrong < g->wrong)) {
        g->best = candidate;
        g->wrong = wrong;
    }
}

const char *did_you_mean(guess *g)
{
    g->text[0] = 0;
    if (g->best)
        snprintf(g->text, sizeof g->text, "; did you mean %s?", g->best);
    return g->text;
}
