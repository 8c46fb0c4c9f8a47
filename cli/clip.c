#include <stdlib.h>
#include <string.h>

#include "cli.h"

static void complain_about_clip(job *j, const stele_model *model, const char *name, size_t length)
{
    complain(j->err, "%s: there is no clip '%.*s'%s", j->path, (int)length, name, model->clip_count ? "; there are:" : "");
    for (size_t i = 0; i < model->clip_count; i++)
        complain(j->err, "  %zu  %s", i, model->clips[i].name ? model->clips[i].name : "");
}

uint32_t find_clip(job *j, const stele_model *model, const char *name, size_t length)
{
    char *end;
    for (uint32_t i = 0; i < model->clip_count; i++)
        if (model->clips[i].name && strlen(model->clips[i].name) == length && strncmp(model->clips[i].name, name, length) == 0)
            return i;
    unsigned long number = strtoul(name, &end, 10);
    if (length && name[0] != '-' && end == name + length && number < model->clip_count)
        return (uint32_t)number;
    complain_about_clip(j, model, name, length);
    return STELE_NONE;
}
