/* In place of draw.c, for builds without rendering (STELE_WITH_RENDER). */
#include "handle.h"
#include "render/render.h"

static stele_status refuse(stele_file *file)
{
    if (st_begin(file))
        st_fail(file, STELE_UNSUPPORTED, "this library was built without rendering");
    return stele_file_status(file);
}

stele_status stele_render(stele_file *file, const stele_picture *picture, const stele_render_options *options)
{
    (void)picture, (void)options;
    return refuse(file);
}

stele_status stele_frame(stele_file *file, const stele_render_options *options, bool all_round, stele_framing *framing)
{
    (void)options, (void)all_round, (void)framing;
    return refuse(file);
}

/* What compares by pictures cannot. */
bool st_render(const renderer *r, const stele_render_options *options, const stele_picture *picture)
{
    (void)r, (void)options, (void)picture;
    return false;
}

bool st_frame(const renderer *r, const stele_render_options *options, bool all_round, stele_framing *framing)
{
    (void)r, (void)options, (void)all_round, (void)framing;
    return false;
}
