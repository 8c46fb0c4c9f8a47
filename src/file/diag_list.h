/* Every diagnostic that Stele knows: X(name, id, default severity, what it means). docs/diagnostics.md explains each one, and
 * a test compares the two. What real engines load is a warning; an id is never reused for something else. Losses of
 * saving begin with loss-, those of reading do not. */
#define DIAG_LIST(X)                                                                                                           \
    X(NOT_READABLE, "not-readable", ERROR, "the file cannot be opened or read")                                                \
    X(NO_MEMORY, "no-memory", ERROR, "the allocator or the memory limit refused")                                              \
    X(UNKNOWN_FORMAT, "unknown-format", ERROR, "no format that Stele knows")                                                   \
    X(NOT_A_MODEL, "not-a-model", ERROR, "something else under a model's name, such as a git-LFS pointer")                     \
    X(BAD_MAGIC, "bad-magic", ERROR, "the first bytes are not those of the format that the name promises")                     \
    X(FORMAT_REFUSED, "format-refused", NOTE, "why a file that nobody knows is none of this format")                           \
    X(NAME_MISLEADS, "name-misleads", WARNING, "the file is of another format than its name promises")                         \
    X(BAD_VERSION, "bad-version", ERROR, "a version that does not exist or is not supported")                                  \
    X(TRUNCATED, "truncated", ERROR, "the file ends inside a field")                                                           \
    X(COUNT_TOO_LARGE, "count-too-large", ERROR, "a count that cannot fit in a file of this size")                             \
    X(LINE_ENDINGS, "line-endings-converted", ERROR, "damaged by a line-ending conversion, as by git autocrlf")                \
    X(LINE_ENDINGS_SUSPECTED, "line-endings-suspected", WARNING, "perhaps damaged by a line-ending conversion")                \
    X(BAD_COMPRESSION, "bad-compression", ERROR, "compressed content that cannot be unpacked")                                 \
    X(BAD_INDEX_SIZE, "bad-index-size", ERROR, "indices are neither 1, 2 nor 4 bytes wide")                                    \
    X(BAD_FIELD, "bad-field", ERROR, "a field holds a value that its format does not allow")                                   \
    X(OFFSET_OUT_OF_RANGE, "offset-out-of-range", ERROR, "a section begins inside the header or beyond the file")              \
    X(SECTION_OVERLAP, "section-overlap", ERROR, "two sections claim the same bytes")                                          \
    X(TRAILING_BYTES, "trailing-bytes", WARNING, "bytes after the end of the content")                                         \
    X(FLAG_NOT_BOOLEAN, "flag-not-boolean", WARNING, "a yes/no byte that is neither 0 nor 1")                                  \
    X(RESERVED_NOT_ZERO, "reserved-not-zero", WARNING, "reserved bits or bytes that are not 0")                                \
    X(NONSTANDARD_LAYOUT, "nonstandard-layout", WARNING, "one of several ways to take what a format's document leaves open")   \
    X(SKELETON_FLAG, "skeleton-flag", WARNING, "a skeleton is promised, but there is none")                                    \
    X(HALF_INDICES, "half-indices", WARNING, "only half of the indices were written")                                          \
    X(THREE_FLOAT_UV, "three-float-uv", WARNING, "three floats for each uv, where there is room for two")                      \
    X(WRITER_BUG, "writer-bug", WARNING, "a layout that only a known writer bug produces")                                     \
    X(SIZE_MISMATCH, "size-mismatch", ERROR, "a size field that contradicts the content")                                      \
    X(VERSION_UNTESTED, "version-untested", WARNING, "a version of which no file is known: it is read as the next one")        \
    X(EOF_POSITION, "eof-position", WARNING, "the file does not end where it says")                                            \
    X(SCRATCH_NOT_ZERO, "scratch-not-zero", NOTE, "room that the engine overwrites is not empty")                              \
    X(BAD_JSON, "bad-json", ERROR, "text that is not JSON")                                                                    \
    X(JSON_DEPTH, "json-depth", ERROR, "JSON that is nested too deep")                                                         \
    X(JSON_DUPLICATE_KEY, "json-duplicate-key", ERROR, "a key that is twice in its object")                                    \
    X(EXTENSION_UNSUPPORTED, "extension-unsupported", ERROR, "a file that needs an extension which Stele does not read")       \
    X(EXTENSION_IGNORED, "extension-ignored", LOSS, "an extension of glTF that is passed over")                                \
    X(BAD_URI, "bad-uri", ERROR, "a URI that is malformed, or leads where Stele does not go")                                  \
    X(BUFFER_MISSING, "buffer-missing", ERROR, "a buffer that is not there")                                                   \
    X(BUFFER_TOO_SHORT, "buffer-too-short", ERROR, "a buffer that has fewer bytes than it says")                               \
    X(ACCESSOR_OUT_OF_RANGE, "accessor-out-of-range", ERROR, "an accessor or buffer view beyond what it is in")                \
    X(REFERENCE_OUT_OF_RANGE, "reference-out-of-range", ERROR, "an index into a list that has no such entry")                  \
    X(ATTRIBUTE_MISSING, "attribute-missing", ERROR, "an attribute that others need is not there")                             \
    X(ATTRIBUTE_COUNT, "attribute-count", ERROR, "attributes, morphs or keys whose numbers do not agree")                      \
    X(AGAINST_SPEC, "against-spec", WARNING, "what the specification forbids, and readers get along with")                     \
    X(NODE_CYCLE, "node-cycle", ERROR, "nodes that are their own ancestors")                                                   \
    X(NODE_TWO_PARENTS, "node-two-parents", ERROR, "a node that is listed as a child twice")                                   \
    X(NOT_CARRIED, "not-carried", LOSS, "what a file holds and the model has no place for")                                    \
    X(INDEX_OUT_OF_RANGE, "index-out-of-range", ERROR, "an index beyond the vertices")                                         \
    X(INDEX_WITHOUT_LIST, "index-without-list", WARNING, "an index of normals or texture coordinates where there are none")    \
    X(INDEX_COUNT, "index-count", WARNING, "the number of indices is not a multiple of 3")                                     \
    X(DEGENERATE_TRIANGLE, "degenerate-triangle", WARNING, "a triangle that uses a vertex twice")                              \
    X(ZERO_AREA_TRIANGLE, "zero-area-triangle", WARNING, "a triangle whose corners lie on a line or a point")                  \
    X(MESH_EMPTY, "mesh-empty", WARNING, "a mesh without vertices or without indices")                                         \
    X(MATERIAL_OUT_OF_RANGE, "material-out-of-range", ERROR, "a mesh refers to a material that is not there")                  \
    X(ID_NOT_POSITION, "id-not-position", WARNING, "an id that is not the position in its list")                               \
    X(ID_DUPLICATE, "id-duplicate", WARNING, "an id that another entry has too")                                               \
    X(COLOR_COUNT, "color-count", WARNING, "neither a colour for each triangle corner nor for each vertex")                    \
    X(TRI_LIST_SUM, "tri-list-sum", ERROR, "lists that have more triangles than there are")                                    \
    X(TRI_LIST_COUNT, "tri-list-count", WARNING, "not as many lists of triangles as skins")                                    \
    X(TRIANGLE_NOT_DRAWN, "triangle-not-drawn", NOTE, "a triangle that is in no list and holds no attachment")                 \
    X(ATTACHMENT_TRIANGLE, "attachment-triangle", ERROR, "an attachment to a triangle that is not there")                      \
    X(MORPH_INDEX, "morph-index", ERROR, "a morph of a vertex that is not there")                                              \
    X(SUBSTITUTION_INDEX, "substitution-index", WARNING, "a substitution of or by a vertex that is not there")                 \
    X(NONFINITE_POSITION, "nonfinite-position", ERROR, "NaN or infinity in a position")                                        \
    X(NONFINITE_NORMAL, "nonfinite-normal", ERROR, "NaN or infinity in a normal")                                              \
    X(NONFINITE_UV, "nonfinite-uv", WARNING, "NaN or infinity in a texture coordinate")                                        \
    X(NONFINITE_COLOR, "nonfinite-color", WARNING, "NaN or infinity in a colour")                                              \
    X(NONFINITE_TANGENT, "nonfinite-tangent", WARNING, "NaN or infinity in a tangent")                                         \
    X(NONFINITE_WEIGHT, "nonfinite-weight", ERROR, "NaN or infinity in a skin weight")                                         \
    X(NONFINITE_BONE, "nonfinite-bone", ERROR, "NaN or infinity in a bone's index, position or rotation")                      \
    X(NONFINITE_KEY, "nonfinite-key", ERROR, "NaN or infinity in a key")                                                       \
    X(NONFINITE_TRANSFORM, "nonfinite-transform", ERROR, "NaN or infinity in a matrix")                                        \
    X(TRANSFORM_NOT_AFFINE, "transform-not-affine", WARNING, "a matrix whose last row is not 0, 0, 0, 1")                      \
    X(NORMAL_ZERO, "normal-zero", WARNING, "a normal of length zero")                                                          \
    X(NORMAL_LENGTH, "normal-length", WARNING, "a normal whose length is not 1 within 1 %")                                    \
    X(TANGENT_ZERO, "tangent-zero", WARNING, "a tangent of length zero")                                                       \
    X(TANGENT_WITHOUT_UV, "tangent-without-uv", WARNING, "tangents in a mesh that has no texture coordinates")                 \
    X(WEIGHT_SUM, "weight-sum", WARNING, "skin weights that do not sum to 1 within 1 %")                                       \
    X(WEIGHT_NEGATIVE, "weight-negative", WARNING, "a negative skin weight")                                                   \
    X(WEIGHT_ALL_ZERO, "weight-all-zero", WARNING, "a vertex that no bone moves")                                              \
    X(BONE_NEGATIVE, "bone-negative", WARNING, "a vertex refers to a negative bone")                                           \
    X(BONE_FRACTIONAL, "bone-fractional", WARNING, "a vertex refers to a bone by a number that is not whole")                  \
    X(BONE_OUT_OF_RANGE, "bone-out-of-range", ERROR, "a vertex refers to a bone beyond the skeleton or the bone map")          \
    X(STRING_NO_NUL, "string-no-nul", WARNING, "a string without the terminating NUL that engines expect")                     \
    X(STRING_EMBEDDED_NUL, "string-embedded-nul", WARNING, "a string that engines cut short at a NUL inside it")               \
    X(STRING_NOT_UTF8, "string-not-utf8", WARNING, "a string that is not valid UTF-8")                                         \
    X(STRING_NOT_ASCII, "string-not-ascii", WARNING, "a string that is not ASCII, in a format that has only that")             \
    X(TEXTURE_WILDCARD, "texture-wildcard", NOTE, "a texture name that leaves its type to the engine (.*)")                    \
    X(TEXTURE_BROKEN_NAME, "texture-broken-name", WARNING, "a texture name that an exporter mangled")                          \
    X(TEXTURE_MISSING, "texture-missing", WARNING, "a texture that is not beside the model")                                   \
    X(TEXTURE_UNREADABLE, "texture-unreadable", WARNING, "an image that is not whole or cannot be decoded")                    \
    X(TEXTURE_OUT_OF_RANGE, "texture-out-of-range", ERROR, "a mesh refers to a texture that is not there")                     \
    X(MESH_OUT_OF_RANGE, "mesh-out-of-range", WARNING, "a texture refers to a mesh that is not there")                         \
    X(TEXTURE_RELATION, "texture-relation", WARNING, "meshes and textures disagree about who uses whom")                       \
    X(COMPANION_MISSING, "companion-missing", WARNING, "a file that belongs to the model is not beside it")                    \
    X(COMPANION_DAMAGED, "companion-damaged", WARNING, "a file that belongs to the model cannot be read, or has errors")       \
    X(NAME_LEAVES_FOLDER, "name-leaves-folder", WARNING, "a name that points out of the model's folder")                       \
    X(SKELETON_EMPTY, "skeleton-empty", WARNING, "a skeleton without bones")                                                   \
    X(SKIN_WITHOUT_SKELETON, "skin-without-skeleton", WARNING, "skin weights, but no skeleton is named")                       \
    X(CHILD_OUT_OF_RANGE, "child-out-of-range", ERROR, "a bone's child is not in the list of bones")                           \
    X(PARENT_OUT_OF_RANGE, "parent-out-of-range", ERROR, "a joint's parent is not in the list of joints")                      \
    X(BONE_CYCLE, "bone-cycle", ERROR, "bones that are their own ancestors")                                                   \
    X(BONE_TWO_PARENTS, "bone-two-parents", ERROR, "a bone that is listed as a child twice")                                   \
    X(JOINT_ID, "joint-id", ERROR, "a joint's id is another's or beyond the joints")                                           \
    X(PARENT_ORDER, "parent-order", WARNING, "a bone that comes before its parent")                                            \
    X(CHILD_COUNT, "child-count", WARNING, "a bone that has not as many children as it says")                                  \
    X(ROOT_FLAG, "root-flag", WARNING, "a bone's root flag and the children lists disagree")                                   \
    X(TRACK_UNKNOWN_BONE, "track-unknown-bone", ERROR, "a track for a bone that is not there")                                 \
    X(TRACK_DUPLICATE, "track-duplicate", WARNING, "two tracks of one clip for the same bone")                                 \
    X(TRACK_EMPTY, "track-empty", ERROR, "a track without keys, which crashes its engine")                                     \
    X(TIME_UNSORTED, "time-unsorted", WARNING, "a key earlier than the one before it")                                         \
    X(TIME_REPEATED, "time-repeated", WARNING, "two keys at the same time")                                                    \
    X(TIME_PAST_DURATION, "time-past-duration", WARNING, "a key later than the end of its animation")                          \
    X(TIME_NEGATIVE, "time-negative", WARNING, "a negative duration or speed")                                                 \
    X(ROTATION_NOT_UNIT, "rotation-not-unit", WARNING, "a quaternion whose length is not 1 within 1 %")                        \
    X(POSE_JOINTS, "pose-joints", ERROR, "a pose that lists a joint twice, or one that is not there")                          \
    X(IDENTITY_POSE, "identity-pose", WARNING, "a joint with vertices that its writer forgot to animate")                      \
    X(CLIP_DUPLICATE, "clip-duplicate", WARNING, "two clips of the same name: the engine keeps the last")                      \
    X(CLIP_EMPTY, "clip-empty", WARNING, "a clip without tracks or poses")                                                     \
    X(NAME_OUT_OF_RANGE, "name-out-of-range", ERROR, "an animation refers to a name that cannot be there")                     \
    X(STRINGS_MISSING, "strings-missing", ERROR, "the names of animations are missing or cut off")                             \
    X(FRAME_COUNT, "frame-count", WARNING, "animations that do not add up to the frames there are")                            \
    X(TARGET_LIMIT, "target-limit", ERROR, "more than the target engine can load correctly")                                   \
    X(TARGET_ODDITY, "target-oddity", WARNING, "loaded by the target engine, but not as the file says")                        \
    X(LOSS_TRAILING, "loss-trailing", LOSS, "bytes after the content are not carried over")                                    \
    X(LOSS_COLOR, "loss-color", LOSS, "material colours that the target cannot hold")                                          \
    X(LOSS_INDICES, "loss-indices", LOSS, "indices that are not carried over")                                                 \
    X(LOSS_UV, "loss-uv", LOSS, "vertices whose uvs were never written")                                                       \
    X(SKELETON_MADE_UP, "skeleton-made-up", WARNING, "joints that were only counted are written as roots at the origin")       \
    X(LOSS_TEXTURE, "loss-texture", LOSS, "textures that the target cannot hold")                                              \
    X(LOSS_HINT, "loss-hint", LOSS, "texture roles that the target cannot hold")                                               \
    X(LOSS_TANGENT, "loss-tangent", LOSS, "tangents that the target cannot hold")                                              \
    X(LOSS_SKIN, "loss-skin", LOSS, "skin weights that the target cannot hold")                                                \
    X(LOSS_ANIMATION, "loss-animation", LOSS, "animations, or the reference to them, that the target cannot hold")             \
    X(LOSS_POSES, "loss-poses", LOSS, "poses that the target cannot hold")                                                     \
    X(LOSS_NAME, "loss-name", LOSS, "names that the target cannot hold")                                                       \
    X(LOSS_SKELETON, "loss-skeleton", LOSS, "joints that the target cannot hold")                                              \
    X(LOSS_TRANSFORM, "loss-transform", LOSS, "a transform of the whole model that the target cannot hold")                    \
    X(LOSS_BONE_MAP, "loss-bone-map", NOTE, "a bone map that no vertex uses is not carried over")                              \
    X(LOSS_ROTATION, "loss-rotation", LOSS, "rest rotations that the target cannot hold")                                      \
    X(LOSS_GAP, "loss-gap", LOSS, "bytes between sections are not carried over")                                               \
    X(REPAIRED_NORMAL, "repaired-normal", WARNING, "normals that were made anew or brought to length 1")                       \
    X(REPAIRED_TANGENT, "repaired-tangent", WARNING, "tangents that were made anew or brought to length 1")                    \
    X(REPAIRED_UV, "repaired-uv", WARNING, "texture coordinates that were set to 0, or put where they belong")                 \
    X(REPAIRED_COLOR, "repaired-color", WARNING, "colours that were brought into 0 to 1")                                      \
    X(REPAIRED_WEIGHTS, "repaired-weights", WARNING, "skin weights that were made to sum to 1, or merged")                     \
    X(REPAIRED_ROTATION, "repaired-rotation", WARNING, "rotations that were brought to length 1")                              \
    X(REPAIRED_TIME, "repaired-time", WARNING, "keys that were put in order, or dropped because another has their time")       \
    X(REPAIRED_POSE, "repaired-pose", WARNING, "poses that a writer left out, taken from the bind pose")                       \
    X(REPAIRED_INDICES, "repaired-indices", WARNING, "triangles that are not complete were dropped")                           \
    X(NEUTRAL_JOINT, "neutral-joint", NOTE, "vertices that no joint moves are bound to one that stays where it is")            \
    X(CLIP_DROPPED, "clip-dropped", NOTE, "clips that are the same as another of that name, or only a name, are left out")     \
    X(TANGENTS_DROPPED, "tangents-dropped", LOSS, "tangents that are not needed or not usable are left out")                   \
    X(NORMALS_MADE, "normals-made", NOTE, "normals were computed, because there were none")                                    \
    X(UVS_MADE, "uvs-made", NOTE, "texture coordinates of zeros, where a format has them always")                              \
    X(SKIN_DROPPED, "skin-dropped", LOSS, "skin weights without a skeleton: the mesh does not move")                           \
    X(ASSUMED, "assumed", NOTE, "what the format leaves open was decided by the data")                                         \
    X(LOSS_VERTEX_COLOR, "loss-vertex-color", LOSS, "vertex colours that the target cannot hold")                              \
    X(LOSS_NORMAL, "loss-normal", LOSS, "normals that the target cannot hold")                                                 \
    X(LOSS_MATERIAL, "loss-material", LOSS, "materials, or properties of them, that the target cannot hold")                   \
    X(LOSS_MORPH, "loss-morph", LOSS, "morphs that the target cannot hold")                                                    \
    X(LOSS_ATTACHMENT, "loss-attachment", LOSS, "attachments that the target cannot hold")                                     \
    X(LOSS_INFLUENCES, "loss-influences", LOSS, "vertices with more joints than the target can hold")                          \
    X(LOSS_PRECISION, "loss-precision", LOSS, "numbers that the target cannot hold exactly")                                   \
    X(LOSS_MERGED, "loss-merged", LOSS, "meshes that became one, because the target holds one")                                \
    X(LOSS_TOPOLOGY, "loss-topology", LOSS, "lines and points that the target cannot hold")                                    \
    X(LOSS_SHEAR, "loss-shear", LOSS, "poses that are no translation, rotation and scale")                                     \
    X(LOSS_INTERPOLATION, "loss-interpolation", LOSS, "curves and steps that became straight lines between keys")              \
    X(LOSS_REST, "loss-rest", LOSS, "a rest pose that is not the bind pose: the target has only that")                         \
    X(LOSS_MESH, "loss-mesh", LOSS, "meshes that the target cannot hold")                                                      \
    X(LOSS_PROPERTY, "loss-property", LOSS, "properties (extras) that the target cannot hold")                                 \
    X(LOSS_HIERARCHY, "loss-hierarchy", LOSS, "nodes that group others, or draw a mesh again")                                 \
    X(LOSS_SAMPLING, "loss-sampling", LOSS, "how textures are sampled: wrap modes, filters, transforms")                       \
    X(COMPANION_NOT_COPIED, "companion-not-copied", WARNING, "a file of the model that is not copied because of its name")     \
    X(TEXTURE_NOT_COPIED, "texture-not-copied", WARNING, "a texture that is not beside the output")                            \
    X(STATEMENT_UNKNOWN, "statement-unknown", LOSS, "a line of text that begins with an unknown word is left out")             \
    X(POLYGON_TOO_LARGE, "polygon-too-large", WARNING, "a polygon that is not convex, with too many corners to be cut well")   \
    X(MATERIAL_UNDEFINED, "material-undefined", WARNING, "a material that is used, but not defined: it is taken as plain")     \
    X(IMPORTED, "imported", NOTE, "the file was read by Assimp, through stele-import")                                         \
    X(IMPORT_REPAIRED, "import-repaired", WARNING, "what was wrong in an imported file, and was put right")                    \
    X(IMPORT_MISSING, "import-missing", ERROR, "stele-import, which reads other formats, is not there or cannot run")          \
    X(IMPORT_FAILED, "import-failed", ERROR, "the file could not be imported")                                                 \
    X(LOSS_IMPORT, "loss-import", LOSS, "what was read from an imported file and the model cannot hold")                       \
    X(DOES_NOT_FIT, "does-not-fit", ERROR, "content that the target cannot hold at all: nothing is written")
