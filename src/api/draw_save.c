/* Pictures and movies into files. */
#include "handle.h"
#include "images/font.h"
#include "images/image.h"

_Static_assert((int)STELE_TEXT_WIDTH == (int)FONT_WIDTH && (int)STELE_TEXT_HEIGHT == (int)FONT_HEIGHT, "one font");

static bool produce_png(void *context, stele_sink sink, void *user)
{
    return st_image_encode_png(context, sink, user);
}

stele_status stele_save_picture(stele_file *file, const stele_picture *picture, const char *path,
                                const stele_save_options *options)
{
    return file ? st_file_save_bytes(file, path, options, produce_png, (void *)picture) : STELE_NO_MEMORY;
}

stele_status stele_write_picture(stele_file *file, const stele_picture *picture, stele_sink sink, void *user)
{
    return file ? st_file_write_bytes(file, sink, user, produce_png, (void *)picture) : STELE_NO_MEMORY;
}

/* ---- Movies ---- */

/* The public name of what images calls an animation. */
static webp_animation *animation_of(stele_movie *movie)
{
    return (webp_animation *)movie;
}

stele_movie *stele_movie_begin(uint32_t width, uint32_t height, bool lossless)
{
    return (stele_movie *)st_webp_begin(&(webp_options){.width = width, .height = height, .lossless = lossless});
}

bool stele_movie_add(stele_movie *movie, const stele_picture *picture, uint32_t milliseconds)
{
    return movie && st_webp_add(animation_of(movie), picture, milliseconds);
}

static bool produce_movie(void *context, stele_sink sink, void *user)
{
    webp_animation **movie = context, *taken = *movie;
    *movie = NULL;
    return st_webp_end(taken, sink, user);
}

/* Whatever happened before the bytes were asked for, the movie is freed. */
static stele_status end(webp_animation *movie, stele_status status)
{
    if (movie)
        st_webp_end(movie, NULL, NULL);
    return status;
}

stele_status stele_movie_save(stele_movie *movie, stele_file *file, const char *path, const stele_save_options *options)
{
    webp_animation *animation = animation_of(movie);
    if (!movie || !file || !path)
        return end(animation, STELE_NO_MEMORY);
    stele_status status = st_file_save_bytes(file, path, options, produce_movie, &animation);
    return end(animation, status);
}

stele_status stele_movie_write(stele_movie *movie, stele_file *file, stele_sink sink, void *user)
{
    webp_animation *animation = animation_of(movie);
    if (!movie || !file)
        return end(animation, STELE_NO_MEMORY);
    stele_status status = st_file_write_bytes(file, sink, user, produce_movie, &animation);
    return end(animation, status);
}

void stele_draw_text(const stele_picture *picture, int x, int y, const char *text, const uint8_t rgba[4], int scale)
{
    st_draw_text(picture, x, y, text, rgba, scale);
}
