/* The images of textures: their bytes, wherever they are, and their pixels. */
#include <stdio.h>

#include "handle.h"
#include "images/image.h"

const void *stele_texture_bytes(stele_file *file, uint32_t texture, size_t *size)
{
    const stele_model *model = stele_file_model(file);
    uint64_t bytes = 0;
    if (size)
        *size = 0;
    if (!model)
        return NULL;
    if (texture >= model->texture_count) {
        st_fail(file, STELE_USAGE, "there is no such texture");
        return NULL;
    }
    const void *data = st_texture_bytes(&file->companions, &model->textures[texture], &bytes);
    if (data && size)
        *size = (size_t)bytes;
    if (!data)
        st_fail(file, STELE_IO, "the image of the texture is not there");
    return st_end(file) == STELE_OK ? data : NULL;
}

stele_status stele_decode_picture(const void *bytes, size_t size, const char *name, stele_picture *picture, char *message,
                                  size_t room)
{
    static const stele_status statuses[] = {[IMAGE_DECODED] = STELE_OK,
                                            [IMAGE_UNSUPPORTED] = STELE_UNSUPPORTED,
                                            [IMAGE_DAMAGED] = STELE_DAMAGED,
                                            [IMAGE_OF_OTHER_SIZE] = STELE_USAGE};
    const char *problem = "there is no image, or no picture for it";
    stele_status status = STELE_USAGE;
    if ((bytes || !size) && picture) {
        status = statuses[st_image_decode_into(bytes, size, name, picture, &problem)];
        problem = status == STELE_OK ? "ok" : problem;
    }
    if (message && room)
        snprintf(message, room, "%s", problem);
    return status;
}
