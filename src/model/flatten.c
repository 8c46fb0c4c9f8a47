#include <math.h>

#include "evaluate.h"
#include "flattening.h"

void st_flatten_refuse(flattener *f, const char *path, const char *why)
{
    st_refuse(f->c, at_path(path, 1), why);
    f->failed = true;
}

const char st_flatten_too_far[] = "scaled as it is drawn, it goes beyond what floats hold";

matrix st_flatten_snapped(matrix a)
{
    matrix identity = st_matrix_identity();
    for (int i = 0; i < 16; i++)
        if (fabs(a.m[i] - identity.m[i]) > 5e-7)
            return a;
    return identity;
}

/* Where the target has a root transform, it takes what the first mesh would be multiplied with. */
static matrix root_for(flattener *f, const uint32_t *nodes, size_t node_count)
{
    if (!f->wishes->keep_root || !node_count)
        return f->wishes->axes;
    const stele_node *node = &f->model->nodes[nodes[0]];
    matrix world = st_matrix_of_doubles(f->rest[nodes[0]]);
    if (node->skin == STELE_NONE)
        return world;
    const stele_skin *skin = &f->model->skins[node->skin];
    return skin->joint_count ? st_flatten_skin_place(f, skin) : world;
}

static void report(flattener *f)
{
    context *c = f->c;
    if (c->save->capabilities & STELE_MESHES)
        st_lose(c, DIAG_LOSS_TOPOLOGY, f->not_triangles, "", "has only triangles: %llu meshes of lines or points dropped",
                (unsigned long long)f->not_triangles);
    if (f->wishes->skeleton && f->flat->posed_rest && !f->wishes->rest_pose)
        st_lose(c, DIAG_LOSS_REST, 1, "", "shows the bind pose when no clip is played: the rest pose is another");
    st_lose(c, DIAG_LOSS_SKIN, f->rebound, "", "binds every joint once: %llu of another skin are bound otherwise",
            (unsigned long long)f->rebound);
    if (f->made_normals)
        st_diag(c->diags, DIAG_NORMALS_MADE, at_path("", f->made_normals),
                "%s needs normals: computed for %llu mesh%s that had none", c->into, (unsigned long long)f->made_normals,
                f->made_normals == 1 ? "" : "es");
}

bool st_flatten(context *c, const flat_wishes *wishes, flat_model *flat)
{
    const stele_model *model = c->save->model;
    flattener f = {.c = c, .arena = c->arena, .model = model, .wishes = wishes, .flat = flat};
    size_t node_count;
    *flat = (flat_model){.model = model, .root = wishes->axes, .from_model = st_matrix_identity()};
    f.rest = st_arena_array(c->arena, model->node_count, sizeof *f.rest);
    f.bake = st_arena_array(c->arena, model->skin_count, sizeof *f.bake);
    f.posed = st_arena_array(c->arena, model->skin_count, sizeof *f.posed);
    uint32_t *nodes = f.rest && f.bake && f.posed ? st_model_drawn(model, c->arena, &node_count) : NULL;
    if (!nodes)
        return c->fits = false;
    st_evaluate_nodes(model, STELE_NONE, 0, f.rest);
    st_flatten_joints(&f);
    if (!f.failed)
        flat->root = root_for(&f, nodes, node_count);
    if (!st_matrix_inverse(&flat->root, &flat->from_model))
        flat->root = st_matrix_identity();
    st_flatten_bind(&f);
    st_flatten_meshes(&f, nodes, node_count);
    report(&f);
    c->fits &= !f.failed;
    return !f.failed;
}
