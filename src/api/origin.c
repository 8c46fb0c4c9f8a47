/* Where the numbers and parts of a model came from. */
#include "handle.h"

/* Which file has the bytes. False if none: then they were made of nothing. */
static bool find_file(const stele_file *file, byte_range bytes, stele_origin *origin)
{
    uint64_t offset = (uint64_t)((uintptr_t)bytes.at - (uintptr_t)file->content.data);
    const companion_bytes *beside = st_companion_with(&file->companions, bytes.at);
    *origin = (stele_origin){.offset = offset, .size = bytes.size, .unpacked = file->packed, .path = ""};
    if (bytes.size && offset < file->content.count && bytes.size <= file->content.count - offset)
        return true;
    if (!bytes.size || !beside)
        return false;
    *origin =
        (stele_origin){.file = beside->name, .offset = (uint64_t)(bytes.at - beside->data), .size = bytes.size, .path = ""};
    return bytes.size <= beside->size - origin->offset;
}

bool stele_row_origin(stele_file *file, const stele_view *view, uint64_t row, stele_origin *origin)
{
    if (!file || !file->load.origins || !view || !origin || row >= view->count)
        return false;
    return find_file(file, st_origin_of(&file->origins, st_row_bytes(view, row)), origin);
}

bool stele_part_origin(stele_file *file, stele_part part, uint32_t index, stele_origin *origin)
{
    const part_origin *p = file && origin ? st_origin_of_part(&file->origins, part, index) : NULL;
    if (!p || p->offset == STELE_NOWHERE)
        return false;
    *origin = (stele_origin){.file = p->file, .unpacked = file->packed && !p->file, .offset = p->offset, .path = p->path};
    return true;
}
