#include <string.h>

#include "ops.h"

static bool add_normals(stele_primitive *p, arena *a)
{
    stele_view normals = st_normals_of(a, p);
    stele_attribute *attributes = st_arena_array(a, (uint64_t)p->attribute_count + 1, sizeof *attributes);
    if (!normals.count || !attributes)
        return false;
    memcpy(attributes, p->attributes, p->attribute_count * sizeof *attributes);
    attributes[p->attribute_count++] = (stele_attribute){STELE_NORMAL, 0, normals};
    p->attributes = attributes;
    return true;
}

uint64_t st_add_normals(stele_model *model, arena *a)
{
    uint64_t made = 0;
    for (size_t i = 0; i < model->mesh_count; i++)
        for (size_t k = 0; k < model->meshes[i].primitive_count; k++) {
            stele_primitive *p = (stele_primitive *)&model->meshes[i].primitives[k];
            if (p->topology != STELE_TRIANGLES || !p->vertex_count || stele_primitive_view(p, STELE_NORMAL, 0))
                continue;
            if (!add_normals(p, a))
                return UINT64_MAX;
            made++;
        }
    return made;
}
