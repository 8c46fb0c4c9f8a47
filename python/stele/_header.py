"""What include/stele.h declares, for ctypes: printed by tools/make_python.py."""
from ctypes import (POINTER, Structure, c_bool, c_char, c_char_p, c_double, c_float, c_int, c_size_t, c_uint, c_uint8, c_uint16,
                    c_uint32, c_uint64, c_void_p)  # noqa: F401

NONE = 4294967295
NOWHERE = 18446744073709551615
OK = 0
DAMAGED = 1
USAGE = 2
IO = 3
UNSUPPORTED = 4
NO_MEMORY = 5
CANCELLED = 6
LOSSY = 7
DIFFERENT = 8
EXISTS = 9
TOO_MUCH_WORK = 10
OFF = 0
NOTE = 1
WARNING = 2
LOSS = 3
ERROR = 4
CHECK_SAFE = 0
CHECK_STRUCTURE = 1
CHECK_FULL = 2
U8 = 0
U16 = 1
U32 = 2
U64 = 3
I32 = 4
F32 = 5
F64 = 6
CHAR = 7
BYTES = 8
I8 = 9
I16 = 10
F16 = 11
POSITION = 0
NORMAL = 1
TANGENT = 2
UV = 3
COLOR = 4
JOINTS = 5
WEIGHTS = 6
TRIANGLES = 0
LINES = 1
POINTS = 2
TRANSLATION = 0
ROTATION = 1
SCALE = 2
MORPH_WEIGHTS = 3
LINEAR = 0
STEP = 1
CUBIC = 2
ROLE_BASE_COLOR = 0
ROLE_NORMAL = 1
ROLE_METALLIC_ROUGHNESS = 2
ROLE_OCCLUSION = 3
ROLE_EMISSIVE = 4
ROLE_SPECULAR = 5
ROLE_SPECULAR_COLOR = 6
ROLE_COUNT = 7
OPAQUE = 0
MASK = 1
BLEND = 2
PART_NODE = 0
PART_PRIMITIVE = 1
PART_MATERIAL = 2
PART_TEXTURE = 3
PART_CLIP = 4
TEXTURES_REFER = 0
TEXTURES_COPY = 1
TEXTURES_EMBED = 2
TEXTURES_NAME = 3
OVERLAY_WIREFRAME = 1
OVERLAY_JOINTS = 2
OVERLAY_NORMALS = 4
OVERLAY_UV_CHECKER = 8
OVERLAY_BOUNDS = 16
OVERLAY_GRID = 32
OVERLAY_SHADOW = 64
MOST_SLOTS = 16
TEXT_WIDTH = 6
TEXT_HEIGHT = 10


class stele_diagnostic(Structure):
    _fields_ = [
        ("id", c_char_p),
        ("severity", c_int),
        ("offset", c_uint64),
        ("unpacked", c_bool),
        ("count", c_uint64),
        ("path", c_char_p),
        ("text", c_char_p),
    ]


class stele_diagnostic_kind(Structure):
    _fields_ = [
        ("id", c_char_p),
        ("severity", c_int),
        ("summary", c_char_p),
    ]


class stele_rule(Structure):
    _fields_ = [
        ("id", c_char_p),
        ("severity", c_int),
    ]


class stele_allocator(Structure):
    _fields_ = [
        ("allocate", c_void_p),
        ("release", c_void_p),
        ("user", c_void_p),
    ]


class stele_choice(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("value", c_char_p),
    ]


class stele_load_options(Structure):
    _fields_ = [
        ("fps", c_double),
        ("no_repair", c_bool),
        ("choices", POINTER(stele_choice)),
        ("choice_count", c_size_t),
        ("allow_outside", c_bool),
        ("origins", c_bool),
    ]


class stele_options(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("allocator", stele_allocator),
        ("memory_limit", c_uint64),
        ("work_limit", c_uint64),
        ("format", c_char_p),
        ("name", c_char_p),
        ("beside", c_char_p),
        ("check", c_int),
        ("target", c_char_p),
        ("rules", POINTER(stele_rule)),
        ("rule_count", c_size_t),
        ("read_file", c_bool),
        ("separate_allocations", c_bool),
        ("lookup", c_void_p),
        ("lookup_user", c_void_p),
        ("parallel", c_void_p),
        ("parallel_user", c_void_p),
        ("load", stele_load_options),
        ("progress", c_void_p),
        ("progress_user", c_void_p),
    ]


class stele_bounds(Structure):
    _fields_ = [
        ("known", c_bool),
        ("min", c_float * 3),
        ("max", c_float * 3),
    ]


class stele_mesh_info(Structure):
    _fields_ = [
        ("vertices", c_uint64),
        ("indices", c_uint64),
        ("triangles", c_uint64),
        ("lines", c_uint64),
        ("points", c_uint64),
        ("material", c_uint32),
        ("attributes", POINTER(c_char_p)),
        ("attribute_count", c_size_t),
        ("bounds", stele_bounds),
    ]


class stele_texture_info(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("role", c_char_p),
        ("found", c_char_p),
        ("uv_set", c_uint32),
        ("data", c_void_p),
        ("bytes", c_uint64),
        ("width", c_uint32),
        ("height", c_uint32),
    ]


class stele_color_info(Structure):
    _fields_ = [
        ("role", c_char_p),
        ("rgba", c_float * 4),
    ]


class stele_material_info(Structure):
    _fields_ = [
        ("textures", POINTER(stele_texture_info)),
        ("texture_count", c_size_t),
        ("colors", POINTER(stele_color_info)),
        ("color_count", c_size_t),
    ]


class stele_clip_info(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("seconds", c_double),
        ("tracks", c_uint64),
        ("keys", c_uint64),
        ("repeats", c_bool),
    ]


class stele_companion_info(Structure):
    _fields_ = [
        ("role", c_char_p),
        ("name", c_char_p),
        ("found", c_bool),
    ]


class stele_info(Structure):
    _fields_ = [
        ("meshes", POINTER(stele_mesh_info)),
        ("mesh_count", c_size_t),
        ("materials", POINTER(stele_material_info)),
        ("material_count", c_size_t),
        ("skeleton", c_char_p),
        ("joints", c_uint64),
        ("clips", POINTER(stele_clip_info)),
        ("clip_count", c_size_t),
        ("companions", POINTER(stele_companion_info)),
        ("companion_count", c_size_t),
        ("morphs", c_uint64),
        ("attachments", c_uint64),
        ("bounds", stele_bounds),
    ]


class stele_drawn(Structure):
    _fields_ = [
        ("meshes", c_uint64),
        ("vertices", c_uint64),
        ("triangles", c_uint64),
        ("lines", c_uint64),
        ("points", c_uint64),
        ("bounds", stele_bounds),
    ]


class stele_column(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("type", c_int),
        ("components", c_uint32),
    ]


class stele_field(Structure):
    _fields_ = [
        ("offset", c_uint64),
        ("size", c_uint64),
        ("unpacked", c_bool),
        ("path", c_char_p),
        ("meaning", c_char_p),
        ("data", POINTER(c_uint8)),
        ("type", c_int),
        ("array", c_bool),
        ("rows", c_uint64),
        ("columns", POINTER(stele_column)),
        ("column_count", c_size_t),
        ("number", c_uint64),
    ]


class stele_view(Structure):
    _fields_ = [
        ("data", c_void_p),
        ("count", c_uint64),
        ("stride", c_uint32),
        ("components", c_uint32),
        ("type", c_int),
        ("normalized", c_bool),
    ]


class stele_property(Structure):
    _fields_ = [
        ("key", c_char_p),
        ("text", c_char_p),
        ("json", c_char_p),
        ("numbers", POINTER(c_double)),
        ("number_count", c_size_t),
    ]


class stele_properties(Structure):
    _fields_ = [
        ("items", POINTER(stele_property)),
        ("count", c_size_t),
    ]


class stele_transform(Structure):
    _fields_ = [
        ("translation", c_float * 3),
        ("rotation", c_float * 4),
        ("scale", c_float * 3),
    ]


class stele_node(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("parent", c_uint32),
        ("local", stele_transform),
        ("matrix", POINTER(c_float)),
        ("mesh", c_uint32),
        ("skin", c_uint32),
        ("weights", POINTER(c_float)),
        ("attachment", c_bool),
        ("properties", stele_properties),
    ]


class stele_attribute(Structure):
    _fields_ = [
        ("semantic", c_int),
        ("set", c_uint32),
        ("view", stele_view),
    ]


class stele_morph(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("vertices", stele_view),
        ("position", stele_view),
        ("normal", stele_view),
        ("tangent", stele_view),
    ]


class stele_primitive(Structure):
    _fields_ = [
        ("topology", c_int),
        ("vertex_count", c_uint64),
        ("attributes", POINTER(stele_attribute)),
        ("attribute_count", c_size_t),
        ("indices", stele_view),
        ("material", c_uint32),
        ("morphs", POINTER(stele_morph)),
        ("morph_count", c_size_t),
        ("properties", stele_properties),
    ]


class stele_mesh(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("primitives", POINTER(stele_primitive)),
        ("primitive_count", c_size_t),
        ("weights", POINTER(c_float)),
        ("properties", stele_properties),
    ]


class stele_skin(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("joints", POINTER(c_uint32)),
        ("joint_count", c_size_t),
        ("inverse_bind", stele_view),
        ("skeleton", c_uint32),
        ("properties", stele_properties),
    ]


class stele_channel(Structure):
    _fields_ = [
        ("node", c_uint32),
        ("path", c_int),
        ("interpolation", c_int),
        ("times", stele_view),
        ("values", stele_view),
    ]


class stele_clip(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("duration", c_double),
        ("channels", POINTER(stele_channel)),
        ("channel_count", c_size_t),
        ("properties", stele_properties),
    ]


class stele_texture(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("file", c_char_p),
        ("data", c_void_p),
        ("size", c_uint64),
        ("mime_type", c_char_p),
        ("wrap_u", c_uint16),
        ("wrap_v", c_uint16),
        ("mag_filter", c_uint16),
        ("min_filter", c_uint16),
        ("properties", stele_properties),
    ]


class stele_texture_use(Structure):
    _fields_ = [
        ("texture", c_uint32),
        ("uv_set", c_uint32),
        ("strength", c_float),
        ("offset", c_float * 2),
        ("rotation", c_float),
        ("scale", c_float * 2),
    ]


class stele_material(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("base_color", c_float * 4),
        ("metallic", c_float),
        ("roughness", c_float),
        ("emissive", c_float * 3),
        ("emissive_strength", c_float),
        ("specular", c_float),
        ("specular_color", c_float * 3),
        ("textures", stele_texture_use * 7),
        ("alpha_mode", c_int),
        ("alpha_cutoff", c_float),
        ("double_sided", c_bool),
        ("unlit", c_bool),
        ("properties", stele_properties),
    ]


class stele_model(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("nodes", POINTER(stele_node)),
        ("node_count", c_size_t),
        ("order", POINTER(c_uint32)),
        ("meshes", POINTER(stele_mesh)),
        ("mesh_count", c_size_t),
        ("skins", POINTER(stele_skin)),
        ("skin_count", c_size_t),
        ("clips", POINTER(stele_clip)),
        ("clip_count", c_size_t),
        ("materials", POINTER(stele_material)),
        ("material_count", c_size_t),
        ("textures", POINTER(stele_texture)),
        ("texture_count", c_size_t),
        ("properties", stele_properties),
        ("first_weight", POINTER(c_size_t)),
        ("weight_count", c_size_t),
    ]


class stele_origin(Structure):
    _fields_ = [
        ("file", c_char_p),
        ("unpacked", c_bool),
        ("offset", c_uint64),
        ("size", c_uint64),
        ("path", c_char_p),
    ]


class stele_slot(Structure):
    _fields_ = [
        ("semantic", c_int),
        ("set", c_uint32),
        ("type", c_int),
        ("components", c_uint32),
        ("normalized", c_bool),
        ("stride", c_uint32),
        ("offset", c_uint64),
        ("bias", c_float * 4),
        ("scale", c_float * 4),
    ]


class stele_pose(Structure):
    _fields_ = [
        ("locals", POINTER(stele_transform)),
        ("local_count", c_size_t),
        ("weights", POINTER(c_float)),
        ("weight_count", c_size_t),
    ]


class stele_deform(Structure):
    _fields_ = [
        ("matrices", POINTER(c_float)),
        ("matrix_count", c_size_t),
        ("weights", POINTER(c_float)),
        ("weight_count", c_size_t),
    ]


class stele_measure(Structure):
    _fields_ = [
        ("vertices", c_uint64),
        ("triangles", c_uint64),
        ("vertex_bytes", c_uint64),
        ("index_bytes", c_uint64),
        ("acmr", c_double),
        ("atvr", c_double),
        ("overfetch", c_double),
        ("clips", c_uint64),
        ("channels", c_uint64),
        ("keys", c_uint64),
        ("materials", c_uint64),
        ("textures", c_uint64),
    ]


class stele_optimize_errors(Structure):
    _fields_ = [
        ("position", c_double),
        ("normal", c_double),
        ("uv", c_double),
        ("color", c_double),
        ("weight", c_double),
        ("node", c_double),
        ("picture", c_double),
    ]


class stele_optimize_options(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("tolerance", c_double),
        ("key_tolerance", c_double),
        ("simplify", c_double),
        ("max_error", c_double),
        ("round", c_double),
        ("prune", c_bool),
        ("keep_order", c_bool),
        ("whole_rows", c_bool),
    ]


class stele_optimize_report(Structure):
    _fields_ = [
        ("before", stele_measure),
        ("after", stele_measure),
        ("errors", stele_optimize_errors),
        ("limit", c_double),
        ("proven", c_bool),
        ("changed", c_bool),
    ]


class stele_difference(Structure):
    _fields_ = [
        ("path", c_char_p),
        ("a", c_char_p),
        ("b", c_char_p),
        ("error", c_double),
        ("equal", c_bool),
    ]


class stele_save_options(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("format", c_char_p),
        ("dialect", c_char_p),
        ("textures", c_int),
        ("fps", c_double),
        ("strict", c_bool),
        ("overwrite", c_bool),
        ("sync", c_bool),
        ("progress", c_void_p),
        ("progress_user", c_void_p),
        ("dry_run", c_bool),
        ("same_is_fine", c_bool),
        ("check", c_bool),
    ]


class stele_picture(Structure):
    _fields_ = [
        ("width", c_uint32),
        ("height", c_uint32),
        ("rgba", POINTER(c_uint8)),
    ]


class stele_framing(Structure):
    _fields_ = [
        ("center", c_float * 3),
        ("radius", c_float),
        ("lowest", c_float * 3),
        ("left", c_float),
        ("right", c_float),
        ("bottom", c_float),
        ("top", c_float),
    ]


class stele_render_options(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("camera", c_bool),
        ("yaw", c_float),
        ("pitch", c_float),
        ("distance", c_float),
        ("posed", c_bool),
        ("clip", c_uint32),
        ("seconds", c_double),
        ("up", c_char),
        ("background", POINTER(c_uint8)),
        ("overlays", c_uint),
        ("framing", POINTER(stele_framing)),
    ]


class stele_movie_options(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("lossless", c_bool),
        ("parallel", c_void_p),
        ("parallel_user", c_void_p),
    ]


class stele_dialect_info(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("title", c_char_p),
    ]


class stele_choice_info(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("values", c_char_p),
        ("title", c_char_p),
    ]


class stele_format_info(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("title", c_char_p),
        ("extensions", c_char_p),
        ("capabilities", c_uint64),
        ("beside", c_uint64),
        ("companions", c_char_p),
        ("dialects", POINTER(stele_dialect_info)),
        ("dialect_count", c_size_t),
        ("choices", POINTER(stele_choice_info)),
        ("choice_count", c_size_t),
        ("uv_sets", c_uint32),
        ("color_sets", c_uint32),
        ("influences", c_uint32),
    ]


FUNCTIONS = {
    "stele_version": (c_char_p, []),
    "stele_build_facts": (None, [c_char_p, c_size_t]),
    "stele_diagnostic_kinds": (POINTER(stele_diagnostic_kind), [POINTER(c_size_t)]),
    "stele_open": (c_void_p, [c_char_p, POINTER(stele_options)]),
    "stele_open_memory": (c_void_p, [c_void_p, c_size_t, POINTER(stele_options)]),
    "stele_open_callback": (c_void_p, [c_void_p, c_void_p, POINTER(stele_options)]),
    "stele_close": (None, [c_void_p]),
    "stele_file_status": (c_int, [c_void_p]),
    "stele_file_message": (c_char_p, [c_void_p]),
    "stele_open_status": (c_int, [c_void_p]),
    "stele_open_message": (c_char_p, [c_void_p]),
    "stele_file_format": (c_char_p, [c_void_p]),
    "stele_file_dialect": (c_char_p, [c_void_p]),
    "stele_file_bytes": (c_void_p, [c_void_p, POINTER(c_uint64)]),
    "stele_file_diagnostics": (POINTER(stele_diagnostic), [c_void_p, POINTER(c_size_t)]),
    "stele_file_report": (c_int, [c_void_p, c_int, c_char_p, c_uint64, c_char_p]),
    "stele_file_inputs": (POINTER(c_char_p), [c_void_p, POINTER(c_size_t)]),
    "stele_file_changed": (c_bool, [c_void_p]),
    "stele_file_memory": (c_uint64, [c_void_p]),
    "stele_file_memory_limit": (c_uint64, [c_void_p]),
    "stele_file_work": (c_uint64, [c_void_p]),
    "stele_file_info": (POINTER(stele_info), [c_void_p]),
    "stele_file_drawn": (c_int, [c_void_p, POINTER(stele_drawn)]),
    "stele_type_name": (c_char_p, [c_int]),
    "stele_type_size": (c_uint32, [c_int]),
    "stele_file_explain": (c_int, [c_void_p, c_void_p, c_void_p]),
    "stele_field_element": (c_double, [POINTER(stele_field), c_uint64, c_size_t, c_uint32]),
    "stele_field_range": (c_bool, [POINTER(stele_field), c_size_t, c_uint32, POINTER(c_double), POINTER(c_double)]),
    "stele_field_ranges": (None, [POINTER(stele_field), POINTER(c_double), POINTER(c_double)]),
    "stele_view_number": (c_double, [POINTER(stele_view), c_uint64, c_uint32]),
    "stele_view_row": (None, [POINTER(stele_view), c_uint64, POINTER(c_float)]),
    "stele_primitive_view": (POINTER(stele_view), [POINTER(stele_primitive), c_int, c_uint32]),
    "stele_role_name": (c_char_p, [c_int]),
    "stele_file_model": (POINTER(stele_model), [c_void_p]),
    "stele_find_property": (POINTER(stele_property), [POINTER(stele_properties), c_char_p]),
    "stele_row_origin": (c_bool, [c_void_p, POINTER(stele_view), c_uint64, POINTER(stele_origin)]),
    "stele_part_origin": (c_bool, [c_void_p, c_int, c_uint32, POINTER(stele_origin)]),
    "stele_new": (c_void_p, [POINTER(stele_options)]),
    "stele_memory": (c_void_p, [c_void_p, c_uint64]),
    "stele_default_node": (stele_node, []),
    "stele_default_material": (stele_material, []),
    "stele_default_texture_use": (stele_texture_use, []),
    "stele_add_node": (c_uint32, [c_void_p, POINTER(stele_node)]),
    "stele_add_mesh": (c_uint32, [c_void_p, POINTER(stele_mesh)]),
    "stele_add_skin": (c_uint32, [c_void_p, POINTER(stele_skin)]),
    "stele_add_clip": (c_uint32, [c_void_p, POINTER(stele_clip)]),
    "stele_add_material": (c_uint32, [c_void_p, POINTER(stele_material)]),
    "stele_add_texture": (c_uint32, [c_void_p, POINTER(stele_texture)]),
    "stele_float_view": (stele_view, [POINTER(c_float), c_uint64, c_uint32]),
    "stele_read_floats": (c_uint64, [POINTER(stele_view), c_uint32, POINTER(c_float), c_size_t, c_uint64]),
    "stele_view_range": (c_bool, [POINTER(stele_view), POINTER(c_float), POINTER(c_float)]),
    "stele_read_vertices": (c_int, [POINTER(stele_primitive), POINTER(stele_slot), c_size_t, c_void_p, c_size_t]),
    "stele_own_layout": (c_void_p, [POINTER(stele_primitive), POINTER(stele_slot), POINTER(c_size_t), POINTER(c_size_t)]),
    "stele_index_count": (c_uint64, [POINTER(stele_primitive)]),
    "stele_read_indices": (c_int, [POINTER(stele_primitive), c_uint32, c_int, c_void_p, c_size_t]),
    "stele_find_clip": (c_uint32, [POINTER(stele_model), c_char_p]),
    "stele_find_node": (c_uint32, [POINTER(stele_model), c_char_p]),
    "stele_sample": (c_int, [POINTER(stele_model), c_uint32, c_double, POINTER(c_uint32), c_size_t, POINTER(stele_pose)]),
    "stele_blend": (c_int, [POINTER(stele_model), POINTER(stele_pose), POINTER(stele_pose), c_float, POINTER(c_float), c_size_t]),
    "stele_node_matrices": (c_int, [POINTER(stele_model), POINTER(stele_pose), POINTER(c_float), c_size_t]),
    "stele_skin_matrices": (c_int, [POINTER(stele_model), c_uint32, POINTER(c_float), c_size_t, c_uint32, POINTER(c_float), c_size_t]),
    "stele_deform_vertices": (c_int, [POINTER(stele_primitive), POINTER(stele_deform), c_uint64, c_uint64, POINTER(stele_slot), c_size_t, c_void_p, c_size_t]),
    "stele_texture_bytes": (c_void_p, [c_void_p, c_uint32, POINTER(c_size_t)]),
    "stele_evaluate_nodes": (c_bool, [POINTER(stele_model), c_uint32, c_double, c_void_p, c_size_t]),
    "stele_evaluate_vertices": (c_bool, [POINTER(stele_model), c_uint32, c_uint32, c_uint32, c_double, c_void_p, c_size_t, POINTER(c_float), POINTER(c_float), c_uint64]),
    "stele_bake": (c_int, [c_void_p, c_uint32, c_double]),
    "stele_make_normals": (c_int, [c_void_p]),
    "stele_optimize": (c_int, [c_void_p, POINTER(stele_optimize_options), POINTER(stele_optimize_report)]),
    "stele_diff": (c_int, [c_void_p, c_void_p, c_double, c_void_p, c_void_p]),
    "stele_file_save": (c_int, [c_void_p, c_char_p, POINTER(stele_save_options)]),
    "stele_file_outputs": (POINTER(c_char_p), [c_void_p, POINTER(c_size_t)]),
    "stele_file_output_bytes": (c_uint64, [c_void_p]),
    "stele_file_write": (c_int, [c_void_p, c_void_p, c_void_p, POINTER(stele_save_options)]),
    "stele_sweep": (c_size_t, [c_char_p]),
    "stele_decode_picture": (c_int, [c_void_p, c_size_t, c_char_p, POINTER(stele_picture), c_char_p, c_size_t]),
    "stele_render": (c_int, [c_void_p, POINTER(stele_picture), POINTER(stele_render_options)]),
    "stele_frame": (c_int, [c_void_p, POINTER(stele_render_options), c_bool, POINTER(stele_framing)]),
    "stele_bytes_save": (c_int, [c_void_p, c_size_t, c_char_p, POINTER(stele_save_options), c_char_p, c_size_t]),
    "stele_picture_save": (c_int, [POINTER(stele_picture), c_char_p, POINTER(stele_save_options), c_char_p, c_size_t]),
    "stele_picture_write": (c_int, [POINTER(stele_picture), c_void_p, c_void_p, POINTER(stele_save_options), c_char_p, c_size_t]),
    "stele_movie_begin": (c_void_p, [c_uint32, c_uint32, POINTER(stele_movie_options)]),
    "stele_movie_add": (c_int, [c_void_p, POINTER(stele_picture), c_uint32]),
    "stele_movie_save": (c_int, [c_void_p, c_char_p, POINTER(stele_save_options)]),
    "stele_movie_write": (c_int, [c_void_p, c_void_p, c_void_p, POINTER(stele_save_options)]),
    "stele_movie_status": (c_int, [c_void_p]),
    "stele_movie_message": (c_char_p, [c_void_p]),
    "stele_movie_close": (None, [c_void_p]),
    "stele_text_places": (c_int, [c_char_p]),
    "stele_draw_text": (None, [POINTER(stele_picture), c_int, c_int, c_char_p, POINTER(c_uint8), c_int]),
    "stele_capability_name": (c_char_p, [c_uint]),
    "stele_known_choice": (c_bool, [POINTER(stele_choice)]),
    "stele_format_at": (POINTER(stele_format_info), [c_size_t]),
    "stele_format_of_name": (POINTER(stele_format_info), [c_char_p]),
}
