"""The report of the last import or export, in a panel of the 3D view; a click on a finding selects what it concerns."""
import json

import bpy
import numpy as np
from bpy.props import CollectionProperty, IntProperty, StringProperty

from . import versions

ICONS = {"error": "CANCEL", "loss": "REMOVE", "warning": "ERROR", "note": "INFO"}
LEVELS = {"error": "ERROR", "loss": "WARNING", "warning": "WARNING", "note": "INFO"}
ORDER = ("error", "loss", "warning", "note")
MOST_LINES = 30  # in the info area; the panel has all


class SteleFinding(bpy.types.PropertyGroup):
    severity: StringProperty()
    identifier: StringProperty()
    text: StringProperty()
    path: StringProperty()
    kind: StringProperty()  # OBJECT, VERTICES, BONES, ACTION, or nothing
    target: StringProperty()
    items: StringProperty()  # numbers of vertices or names of bones, as JSON


def select_active(report, context):
    if 0 <= report.active < len(report.findings):
        select(context, report.findings[report.active])


class SteleReport(bpy.types.PropertyGroup):
    title: StringProperty()
    findings: CollectionProperty(type=SteleFinding)
    active: IntProperty(update=select_active)


def fill(context, title, findings):
    """The report of the window manager: it is not saved, and undo leaves it alone."""
    report = context.window_manager.stele_report
    report.title = title
    report.findings.clear()
    for d in sorted(findings, key=lambda d: ORDER.index(d["severity"])):
        item = report.findings.add()
        item.severity, item.identifier, item.text = d["severity"], d["id"], line_of(d)
        item.path = d.get("path") or ""
        item.kind, item.target, item.items = d.get("kind", ""), d.get("name", ""), json.dumps(d.get("items", []))
    report.active = -1


def line_of(d):
    where = f"{d['path']}: " if d.get("path") else ""
    times = f" ({d['count']} times)" if d.get("count", 1) > 1 else ""
    return f"{where}{d['text']}{times}"


def tell(operator, findings):
    """Into Blender's info area, the worst first."""
    ordered = sorted(findings, key=lambda d: ORDER.index(d["severity"]))
    for d in ordered[:MOST_LINES]:
        # An ERROR would be an exception for scripts: the operator decides about that
        level = "WARNING" if d["severity"] == "error" else LEVELS[d["severity"]]
        operator.report({level}, f"{d['severity']}: {line_of(d)} [{d['id']}]")
    if len(ordered) > MOST_LINES:
        operator.report({"INFO"}, f"and {len(ordered) - MOST_LINES} more: see the Stele tab of the 3D view")


# ---- Selecting -----------------------------------------------------------------------------------------------------------

def select(context, finding):
    """Selects what a finding concerns; False if that is not there any more."""
    items = json.loads(finding.items or "[]")
    if finding.kind == "ACTION":
        return select_action(context, finding.target)
    obj = bpy.data.objects.get(finding.target)
    if obj is None or obj.name not in context.view_layer.objects:
        return False
    if context.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    obj.hide_set(False)
    for other in context.view_layer.objects:
        other.select_set(False)
    obj.select_set(True)
    context.view_layer.objects.active = obj
    if finding.kind == "VERTICES" and obj.type == "MESH":
        select_vertices(obj, items)
    elif finding.kind == "BONES" and obj.type == "ARMATURE":
        bpy.ops.object.mode_set(mode="POSE")
        for bone in obj.data.bones:
            versions.select_bone(obj, bone.name, bone.name in items)
        if items and items[0] in obj.data.bones:
            obj.data.bones.active = obj.data.bones[items[0]]
    return True


def select_vertices(obj, items):
    mesh = obj.data
    for collection in (mesh.vertices, mesh.edges, mesh.polygons):
        collection.foreach_set("select", np.zeros(len(collection), bool))
    chosen = np.zeros(len(mesh.vertices), bool)
    chosen[[i for i in items if i < len(chosen)]] = True
    mesh.vertices.foreach_set("select", chosen)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.context.tool_settings.mesh_select_mode = (True, False, False)


def select_action(context, name):
    action = bpy.data.actions.get(name)
    if action is None:
        return False
    for obj in context.view_layer.objects:
        data = obj.animation_data
        tracks = [strip.action for track in data.nla_tracks for strip in track.strips] if data is not None else []
        if data is not None and (data.action == action or action in tracks):
            if context.mode != "OBJECT":
                bpy.ops.object.mode_set(mode="OBJECT")
            for other in context.view_layer.objects:
                other.select_set(other == obj)
            context.view_layer.objects.active = obj
            versions.assign(obj, action)
            return True
    return False


class STELE_OT_select_finding(bpy.types.Operator):
    """Select what this finding concerns"""
    bl_idname = "stele.select_finding"
    bl_label = "Select What It Concerns"
    bl_options = {"REGISTER", "UNDO"}
    index: IntProperty(default=-1)

    def execute(self, context):
        report = context.window_manager.stele_report
        index = self.index if self.index >= 0 else report.active
        if not 0 <= index < len(report.findings):
            return {"CANCELLED"}
        if not select(context, report.findings[index]):
            self.report({"INFO"}, "it concerns nothing in the scene")
            return {"CANCELLED"}
        return {"FINISHED"}


class STELE_UL_findings(bpy.types.UIList):
    def draw_item(self, context, layout, data, item, icon, active_data, active_property, index=0):
        layout.label(text=item.text, icon=ICONS.get(item.severity, "INFO"))


class STELE_PT_report(bpy.types.Panel):
    bl_label = "Last Import or Export"
    bl_idname = "STELE_PT_report"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Stele"

    def draw(self, context):
        report, layout = context.window_manager.stele_report, self.layout
        layout.label(text=report.title or "Nothing was imported or exported yet")
        if not len(report.findings):
            return
        layout.template_list("STELE_UL_findings", "", report, "findings", report, "active", rows=6)
        if 0 <= report.active < len(report.findings):
            finding = report.findings[report.active]
            box = layout.box().column(align=True)
            box.label(text=f"{finding.severity}: {finding.identifier}", icon=ICONS.get(finding.severity, "INFO"))
            for start in range(0, len(finding.text), 60):
                box.label(text=finding.text[start:start + 60])
            if finding.kind:
                layout.operator("stele.select_finding", icon="RESTRICT_SELECT_OFF").index = report.active


CLASSES = (SteleFinding, SteleReport, STELE_OT_select_finding, STELE_UL_findings, STELE_PT_report)


def register():
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    bpy.types.WindowManager.stele_report = bpy.props.PointerProperty(type=SteleReport)


def unregister():
    del bpy.types.WindowManager.stele_report
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
