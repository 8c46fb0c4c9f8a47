"""Stele in Blender: models of game engines in and out, with a proof on every export. See docs/blender.md."""
bl_info = {
    "name": "Stele: game models",
    "author": "The Stele authors",
    "version": (0, 0, 0),  # tools/make_blender.py writes that of stele.h
    "blender": (2, 93, 0),
    "location": "File > Import, File > Export, and the Stele tab of the 3D view",
    "description": "SGM, SGA, TWM, MESH, SFF, CTC, glTF and OBJ, with skeletons and animations",
    "doc_url": "",
    "category": "Import-Export",
}

if "bpy" in locals():  # Blender reloads add-ons
    import importlib
    import sys
    for name in [n for n in sys.modules if n.startswith(__package__ + ".")]:
        importlib.reload(sys.modules[name])

import bpy

from . import command, operators, report


class StelePreferences(bpy.types.AddonPreferences):
    bl_idname = __package__

    def apply(self, context):
        command.asked_path = bpy.path.abspath(self.command) if self.command else ""
        operators.load_formats()

    command: bpy.props.StringProperty(name="Command", subtype="FILE_PATH", update=apply,
                                      description="The stele command; empty: the one that came with the add-on")

    def draw(self, context):
        self.layout.prop(self, "command")
        try:
            self.layout.label(text=f"In use: {command.program()}")
        except command.Failure as failure:
            self.layout.label(text=str(failure), icon="ERROR")


def register():
    bpy.utils.register_class(StelePreferences)
    preferences = bpy.context.preferences.addons.get(__package__)
    if preferences is not None and preferences.preferences is not None and preferences.preferences.command:
        command.asked_path = bpy.path.abspath(preferences.preferences.command)
    report.register()
    operators.register()


def unregister():
    operators.unregister()
    report.unregister()
    bpy.utils.unregister_class(StelePreferences)
