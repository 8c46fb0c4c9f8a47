/* stub */
#include "scene.h"
bool st_scene_overlays(scene *s, const double (*matrices)[16], const stele_bounds *bounds)
{
    (void)s;
    (void)matrices;
    (void)bounds;
    return true;
}
