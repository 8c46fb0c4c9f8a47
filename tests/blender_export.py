"""glTF files of Blender's exporter: blender --background --python blender_export.py -- FOLDER writes them there."""
import math
import sys

import bpy

folder = sys.argv[sys.argv.index("--") + 1]


def clear():
    bpy.ops.wm.read_factory_settings(use_empty=True)


def export(name, **more):
    for ending, kind in (("glb", "GLB"), ("gltf", "GLTF_SEPARATE")):
        bpy.ops.export_scene.gltf(filepath=f"{folder}/{name}.{ending}", export_format=kind, **more)
    bpy.ops.export_scene.gltf(filepath=f"{folder}/{name}_embedded.gltf", export_format="GLTF_EMBEDDED", **more)


def shapes():
    """Objects in a hierarchy, a material with a texture, and what glTF calls extras."""
    clear()
    bpy.ops.mesh.primitive_monkey_add(location=(1, 2, 3), rotation=(0.1, 0.2, 0.3))
    head = bpy.context.object
    head["team"], head["numbers"] = "red", [1.0, 2.0]
    bpy.ops.mesh.primitive_uv_sphere_add(segments=16, ring_count=8)
    bpy.context.object.parent = head
    bpy.context.object.scale = (1, -2, 0.5)
    image = bpy.data.images.new("checker", 8, 8)
    image.generated_type = "COLOR_GRID"
    image.pack()
    material = bpy.data.materials.new("paint")
    material.use_nodes = True
    texture = material.node_tree.nodes.new("ShaderNodeTexImage")
    texture.image = image
    principled = material.node_tree.nodes["Principled BSDF"]
    material.node_tree.links.new(texture.outputs["Color"], principled.inputs["Base Color"])
    principled.inputs["Metallic"].default_value = 0.25
    head.data.materials.append(material)
    export("shapes", export_extras=True)


def arm():
    """A skinned column with shape keys and two actions."""
    clear()
    bpy.ops.mesh.primitive_cylinder_add(vertices=8, depth=4)
    column = bpy.context.object
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.subdivide(number_cuts=6)
    bpy.ops.object.mode_set(mode="OBJECT")
    column.shape_key_add(name="Basis")
    for name, factor in (("fat", 1.5), ("thin", 0.5)):
        key = column.shape_key_add(name=name)
        for i, vertex in enumerate(column.data.vertices):
            if vertex.co.z > 0:
                key.data[i].co = (vertex.co.x * factor, vertex.co.y * factor, vertex.co.z)
        key.value = 0.25
    bpy.ops.object.armature_add(location=(0, 0, -2))
    armature = bpy.context.object
    bpy.ops.object.mode_set(mode="EDIT")
    bones = armature.data.edit_bones
    bones[0].tail = (0, 0, 2)
    upper = bones.new("upper")
    upper.head, upper.tail, upper.parent = (0, 0, 2), (0, 0.5, 4), bones[0]
    bpy.ops.object.mode_set(mode="OBJECT")
    for bone in armature.data.bones:
        group = column.vertex_groups.new(name=bone.name)
        for vertex in column.data.vertices:
            along = min(max((vertex.co.z + 2) / 4, 0), 1)
            weight = along if bone.name == "upper" else 1 - along
            if weight:
                group.add([vertex.index], weight, "REPLACE")
    column.parent = armature
    column.matrix_parent_inverse = armature.matrix_world.inverted()
    column.modifiers.new("rig", "ARMATURE").object = armature
    pose = armature.pose.bones["upper"]
    pose.rotation_mode = "QUATERNION"
    for frame, angle in ((1, 0), (12, 1), (24, -0.5)):
        pose.rotation_quaternion = (math.cos(angle / 2), math.sin(angle / 2), 0, 0)
        pose.keyframe_insert("rotation_quaternion", frame=frame)
        column.data.shape_keys.key_blocks["fat"].value = frame / 24
        column.data.shape_keys.key_blocks["fat"].keyframe_insert("value", frame=frame)
    export("arm")
    export("arm_sampled", export_force_sampling=True)


shapes()
arm()
