/* Pictures, movies and other bytes into files; labels. */
#include <stdio.h>

#include "file/transaction.h"
#include "images/font.h"
#include "images/image.h"
#include "options.h"

_Static_assert((int)STELE_TEXT_WIDTH == (int)FONT_WIDTH && (int)STELE_TEXT_HEIGHT == (int)FONT_HEIGHT, "one font");

/* Where bytes go that are no model: to a sink, or if there is none, to a path. */
typedef struct place {
    const char *path;
    const stele_save_options *options;
    stele_sink sink;
    void *user;
} place;

static const stele_options unlimited = {.memory_limit = UINT64_MAX, .work_limit = UINT64_MAX};

static void put(arena *a, outcome *o, const place *to, st_produce produce, void *context)
{
    stele_save_options own;
    if (!st_take_options(&own, sizeof own, to->options)) {
        *o = (outcome){STELE_USAGE, UNKNOWN_OPTIONS};
        return;
    }
    writing w = {.arena = a, .outcome = o, .options = &own};
    draft file = {.produce = produce, .context = context};
    transaction t = {.writing = w, .drafts = &file, .count = 1};
    if (to->sink) {
        st_write_to_sink(&w, to->sink, to->user, produce, context);
    } else if (to->path) {
        const char *path = st_plain_path(a, to->path);
        file.where = (address){path, st_length_of_folder(path), true};
        if (st_transaction_write(&t))
            st_transaction_commit(&t);
    } else {
        *o = (outcome){STELE_USAGE, "neither a path nor a callback is given"};
    }
    if (a->failed)
        *o = st_outcome_refused(a);
}

/* ---- Pictures ---- */

static bool has_pixels(const stele_picture *p)
{
    return p && p->rgba && p->width && p->height;
}

static bool produce_png(void *context, stele_sink sink, void *user)
{
    return st_image_encode_png(context, sink, user);
}

/* What has no handle: the outcome is good, unless it cannot even begin. */
static stele_status put_alone(const place *to, st_produce produce, const void *context, outcome o, char *message, size_t room)
{
    arena a;
    st_arena_init(&a, &unlimited);
    if (o.status == STELE_OK)
        put(&a, &o, to, produce, (void *)context);
    if (message && room)
        snprintf(message, room, "%s", o.message);
    st_arena_free(&a);
    return o.status;
}

static outcome outcome_no_encoder(void)
{
    return (outcome){STELE_UNSUPPORTED, st_image_no_encoder()};
}

static stele_status put_picture(const stele_picture *picture, const place *to, char *message, size_t room)
{
    outcome o = st_image_no_encoder() ? outcome_no_encoder() : outcome_good();
    if (!has_pixels(picture))
        o = (outcome){STELE_USAGE, "there are no pixels in the picture"};
    return put_alone(to, produce_png, picture, o, message, room);
}

stele_status stele_picture_save(const stele_picture *picture, const char *path, const stele_save_options *options,
                                char *message, size_t room)
{
    return put_picture(picture, &(place){.path = path, .options = options}, message, room);
}

stele_status stele_picture_write(const stele_picture *picture, stele_sink sink, void *user, const stele_save_options *options,
                                 char *message, size_t room)
{
    return put_picture(picture, &(place){.sink = sink, .user = user, .options = options}, message, room);
}

/* ---- Bytes ---- */

typedef struct plain_bytes {
    const void *data;
    size_t size;
} plain_bytes;

static bool produce_bytes(void *context, stele_sink sink, void *user)
{
    const plain_bytes *b = context;
    return sink(user, b->data, b->size);
}

stele_status stele_bytes_save(const void *data, size_t size, const char *path, const stele_save_options *options, char *message,
                              size_t room)
{
    plain_bytes bytes = {data, size};
    outcome o = size && !data ? (outcome){STELE_USAGE, "no bytes are given"} : outcome_good();
    return put_alone(&(place){.path = path, .options = options}, produce_bytes, &bytes, o, message, room);
}

/* ---- Movies ---- */

struct stele_movie {
    arena arena; /* the movie lies in it */
    outcome outcome;
    webp_animation *animation; /* NULL: it could not be begun */
    uint32_t width, height;
    bool started, ended; /* a picture is in it; it is complete */
};

stele_movie *stele_movie_begin(uint32_t width, uint32_t height, const stele_movie_options *options)
{
    stele_movie_options own;
    bool known = st_take_options(&own, sizeof own, options);
    arena a;
    st_arena_init(&a, &unlimited);
    stele_movie *movie = st_arena_alloc(&a, sizeof *movie);
    if (!movie)
        return NULL;
    *movie = (stele_movie){.arena = a, .outcome = outcome_good(), .width = width, .height = height};
    if (!known) {
        movie->outcome = (outcome){STELE_USAGE, UNKNOWN_OPTIONS};
    } else if (width && height && width <= MOST_WEBP_SIDE && height <= MOST_WEBP_SIDE) {
        movie->animation = st_webp_begin(&(webp_options){
            .width = width, .height = height, .lossless = own.lossless, .threads = {own.parallel, own.parallel_user}});
        if (!movie->animation)
            movie->outcome = st_image_no_encoder() ? outcome_no_encoder() : outcome_no_memory();
    } else {
        movie->outcome = (outcome){STELE_USAGE, "a side of the movie has no pixels, or more than 16383"};
    }
    return movie;
}

void stele_movie_close(stele_movie *movie)
{
    if (!movie)
        return;
    if (movie->animation)
        st_webp_free(movie->animation);
    arena a = movie->arena;
    st_arena_free(&a);
}

stele_status stele_movie_status(const stele_movie *movie)
{
    return movie ? movie->outcome.status : STELE_NO_MEMORY;
}

const char *stele_movie_message(const stele_movie *movie)
{
    return movie ? movie->outcome.message : outcome_no_memory().message;
}

/* As with a model's handle: the outcome is that of the last call. What could not be begun stays so. */
static bool begin(stele_movie *movie)
{
    if (!movie || !movie->animation)
        return false;
    movie->outcome = outcome_good();
    movie->arena.failed = false;
    return true;
}

static stele_status refuse(stele_movie *movie, const char *message)
{
    movie->outcome = (outcome){STELE_USAGE, message};
    return STELE_USAGE;
}

stele_status stele_movie_add(stele_movie *movie, const stele_picture *picture, uint32_t milliseconds)
{
    if (!begin(movie))
        return stele_movie_status(movie);
    if (movie->ended)
        return refuse(movie, "the movie is complete: it has been saved");
    if (!has_pixels(picture) || picture->width != movie->width || picture->height != movie->height)
        return refuse(movie, "the picture is not of the movie's size");
    if (!st_webp_add(movie->animation, picture, milliseconds))
        movie->outcome = outcome_no_memory();
    movie->started = true;
    return movie->outcome.status;
}

static bool produce_movie(void *context, stele_sink sink, void *user)
{
    return st_webp_write(context, sink, user);
}

static stele_status put_movie(stele_movie *movie, const place *to)
{
    if (!begin(movie))
        return stele_movie_status(movie);
    if (!movie->started)
        return refuse(movie, "there is no picture in the movie");
    movie->ended = true;
    put(&movie->arena, &movie->outcome, to, produce_movie, movie->animation);
    return movie->outcome.status;
}

stele_status stele_movie_save(stele_movie *movie, const char *path, const stele_save_options *options)
{
    return put_movie(movie, &(place){.path = path, .options = options});
}

stele_status stele_movie_write(stele_movie *movie, stele_sink sink, void *user, const stele_save_options *options)
{
    return put_movie(movie, &(place){.sink = sink, .user = user, .options = options});
}

/* ---- Labels ---- */

int stele_text_places(const char *text)
{
    return text ? st_text_places(text) : 0;
}

void stele_draw_text(const stele_picture *picture, int x, int y, const char *text, const uint8_t rgba[4], int scale)
{
    if (has_pixels(picture) && text && rgba)
        st_draw_text(picture, x, y, text, rgba, scale);
}
