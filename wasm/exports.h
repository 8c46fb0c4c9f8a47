/* What the files of the WebAssembly module share. */
#ifndef EXPORTS_H
#define EXPORTS_H

#include "cli/json.h"
#include "stele.h"

/* model.c: everything in a model. Views are places in memory. */
void json_model(json *j, const stele_model *model);

#endif
