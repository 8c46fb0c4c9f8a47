#include "sweep.h"

#include <stdlib.h>
#include <string.h>

#include "cli/json.h"
#include "stele.h"
#include "system/files.h"

/* ---- SHA-256, by the book ---- */

typedef struct sha256 {
    uint32_t state[8];
    uint8_t block[64];
    size_t filled;
    uint64_t total;
} sha256;

static uint32_t turn(uint32_t x, int by)
{
    return x >> by | x << (32 - by);
}

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01,
    0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,
    0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08,
    0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static void mix_block(sha256 *h)
{
    uint32_t w[64], s[8];
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)h->block[4 * i] << 24 | (uint32_t)h->block[4 * i + 1] << 16 | (uint32_t)h->block[4 * i + 2] << 8 |
               h->block[4 * i + 3];
    for (int i = 16; i < 64; i++)
        w[i] = w[i - 16] + (turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ w[i - 15] >> 3) + w[i - 7] +
               (turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ w[i - 2] >> 10);
    memcpy(s, h->state, sizeof s);
    for (int i = 0; i < 64; i++) {
        uint32_t one =
            s[7] + (turn(s[4], 6) ^ turn(s[4], 11) ^ turn(s[4], 25)) + ((s[4] & s[5]) ^ (~s[4] & s[6])) + constants[i] + w[i];
        uint32_t two = (turn(s[0], 2) ^ turn(s[0], 13) ^ turn(s[0], 22)) + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += one;
        s[0] = one + two;
    }
    for (int i = 0; i < 8; i++)
        h->state[i] += s[i];
    h->filled = 0;
}

static bool add(void *user, const void *data, size_t size)
{
    sha256 *h = user;
    h->total += size;
    for (size_t i = 0; i < size; i++) {
        h->block[h->filled++] = ((const uint8_t *)data)[i];
        if (h->filled == 64)
            mix_block(h);
    }
    return true;
}

static sha256 begin(void)
{
    return (sha256){.state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

static void end(sha256 *h, FILE *out, const char *what, const char *path)
{
    uint8_t length[8];
    for (int i = 0; i < 8; i++)
        length[i] = (uint8_t)(h->total * 8 >> (56 - 8 * i));
    add(h, "\x80", 1);
    while (h->filled != 56)
        add(h, "", 1);
    add(h, length, 8);
    for (int i = 0; i < 8; i++)
        fprintf(out, "%08x", (unsigned)h->state[i]);
    fprintf(out, "  %s %s\n", what, path);
}

static void add_text(sha256 *h, const char *text)
{
    add(h, text ? text : "(none)", strlen(text ? text : "(none)") + 1);
}

static void add_number(sha256 *h, uint64_t number)
{
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)number);
    add_text(h, text);
}

/* ---- What is said of a file ---- */

static void add_findings(sha256 *h, const stele_file *file)
{
    size_t count;
    const stele_diagnostic *d = stele_file_diagnostics(file, &count);
    add_number(h, (uint64_t)stele_file_status(file));
    add_text(h, stele_file_message(file));
    for (size_t i = 0; i < count; i++) {
        add_text(h, d[i].id);
        add_number(h, (uint64_t)d[i].severity);
        add_number(h, d[i].offset);
        add_number(h, d[i].count);
        add_text(h, d[i].path);
        add_text(h, d[i].text);
    }
}

static void sweep_check(const char *path, FILE *out)
{
    sha256 h = begin();
    stele_file *file = stele_open(path, &(stele_options){.check = STELE_CHECK_FULL});
    add_text(&h, stele_file_format(file));
    add_text(&h, stele_file_dialect(file));
    add_findings(&h, file);
    stele_close(file);
    end(&h, out, "check", path);
}

static bool each_field(void *user, const stele_field *field)
{
    json_field(user, field, &(field_view){0});
    return true;
}

static void sweep_document(const char *path, bool explained, FILE *out)
{
    size_t size = 0;
    sha256 h = begin();
    stele_file *file = stele_open(path, NULL);
    json j = {.out = sweep_memory()};
    if (explained)
        stele_file_explain(file, each_field, &j);
    else
        json_info(&j, file);
    char *text = sweep_memory_end(j.out, &size);
    add(&h, text, size);
    free(text);
    stele_close(file);
    end(&h, out, explained ? "explain" : "info", path);
}

/* ---- What is made of it ---- */

static void add_output(sha256 *h, const char *path)
{
    char buffer[4096];
    int fd = st_fd_open(path);
    const char *slash = strrchr(path, '/');
    add_text(h, slash ? slash + 1 : path);
    for (size_t n; fd >= 0 && (n = st_fd_read(fd, buffer, sizeof buffer)) > 0 && n != SIZE_MAX;)
        add(h, buffer, n);
    if (fd >= 0)
        st_fd_close(fd);
    st_path_remove(path);
}

static void sweep_format(const char *path, const stele_format_info *format, FILE *out)
{
    char name[64];
    size_t count;
    sha256 h = begin();
    stele_file *file = stele_open(path, &(stele_options){.check = STELE_CHECK_STRUCTURE});
    snprintf(name, sizeof name, "swept.%.*s", (int)strcspn(format->extensions, " "), format->extensions);
    stele_save_options options = {.format = format->name, .textures = STELE_TEXTURES_EMBED, .overwrite = true};
    stele_file_save(file, name, &options);
    add_findings(&h, file);
    const char *const *outputs = stele_file_outputs(file, &count);
    for (size_t i = 0; i < count; i++)
        add_output(&h, outputs[i]);
    stele_close(file);
    end(&h, out, format->name, path);
}

enum { SIDE = 64 };

static void sweep_picture(const char *path, bool moved, FILE *out)
{
    static uint8_t pixels[SIDE * SIDE * 4];
    sha256 h = begin();
    stele_picture picture = {SIDE, SIDE, pixels};
    stele_render_options options = {.overlays = moved ? STELE_OVERLAY_WIREFRAME | STELE_OVERLAY_JOINTS : STELE_OVERLAY_SHADOW};
    stele_file *file = stele_open(path, NULL);
    const stele_model *model = stele_file_model(file);
    if (model && moved && model->clip_count) {
        options.posed = true;
        options.seconds = model->clips[0].duration * 0.375;
    }
    memset(pixels, 0, sizeof pixels);
    if (stele_render(file, &picture, &options) == STELE_OK)
        stele_picture_write(&picture, add, &h, NULL, NULL, 0);
    add_findings(&h, file);
    stele_close(file);
    end(&h, out, moved ? "picture-moved" : "picture", path);
}

void sweep_file(const char *path, FILE *out)
{
    const stele_format_info *format;
    sweep_check(path, out);
    sweep_document(path, false, out);
    sweep_document(path, true, out);
    for (size_t i = 0; (format = stele_format_at(i)); i++)
        sweep_format(path, format, out);
    sweep_picture(path, false, out);
    sweep_picture(path, true, out);
}
