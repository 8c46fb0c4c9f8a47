"""The operators, their options and their menus; formats and what they leave open come from `stele formats`."""
import os
import traceback

import bpy
from bpy.props import BoolProperty, EnumProperty, StringProperty
from bpy_extras.io_utils import ExportHelper, ImportHelper

from . import command, exporter, importer, records, report, versions
from .findings import finding

known = []  # what `stele formats` says; nothing if the command is not there


def load_formats():
    known.clear()
    try:
        known.extend(command.formats())
    except command.Failure as failure:
        print(f"Stele: {failure}")


def readable():
    return [f for f in known if any(d["read"] for d in f["dialects"])]


def writable():
    return [f for f in known if any(d["write"] for d in f["dialects"])]


def extensions(formats):
    return [e for f in formats for e in f["extensions"]]


def glob(formats):
    return ";".join(f"*.{e};*.{e.upper()}" for e in extensions(formats))


def format_of(path):
    ending = os.path.splitext(path)[1].lower().lstrip(".")
    return next((f for f in known if ending in f["extensions"]), None)


def choice_name(choice):
    return "choice_" + choice["name"].replace(".", "_")


def choice_properties():
    """A menu for everything that a format leaves open."""
    return {choice_name(c): EnumProperty(name=c["name"], description=c["title"],
                                         items=[(v, v, c["title"]) for v in c["values"]], default=c["values"][0])
            for f in known for c in f["choices"]}


def chosen(operator):
    """What --set is given: all that is not the default."""
    arguments = []
    for f in known:
        for c in f["choices"]:
            value = getattr(operator, choice_name(c), c["values"][0])
            if value != c["values"][0]:
                arguments += ["--set", f"{c['name']}={value}"]
    return arguments


def show_status(context, text):
    if context.workspace is not None:
        context.workspace.status_text_set(text)


def name_of_choice(name):
    return name.split(".", 1)[1].replace("_", " ").capitalize()


class Reports:
    """What import and export share: the command's failures become reports, nothing else passes silently."""

    def guarded(self, context, what, work):
        show_status(context, f"Stele: {what} {os.path.basename(self.filepath)} …")
        context.window_manager.progress_begin(0, 100)
        try:
            return work()
        except command.Failure as failure:
            self.fail(context, str(failure), failure.diagnostics)
        except exporter.Nothing as nothing:
            self.fail(context, str(nothing), [])
        except MemoryError:
            self.fail(context, "there is not enough memory for it", [])
        except OSError as error:
            self.fail(context, f"{error.strerror or error}: {error.filename or self.filepath}", [])
        except Exception as error:  # a defect of ours must not look like success
            traceback.print_exc()
            self.fail(context, f"the add-on failed: {error!r}; the console has more", [])
        finally:
            context.window_manager.progress_end()
            show_status(context, None)
        return {"CANCELLED"}

    def fail(self, context, text, diagnostics):
        report.fill(context, f"{os.path.basename(self.filepath)}: failed",
                    diagnostics or [finding("error", "failed", text)])
        for d in diagnostics[:report.MOST_LINES]:
            self.report({"WARNING"}, f"{d['severity']}: {report.line_of(d)} [{d['id']}]")
        self.report({"ERROR"}, f"{os.path.basename(self.filepath)}: {text}")


class ImportStele(bpy.types.Operator, ImportHelper, Reports):
    """Import a model of a game engine with its skeleton, clips and textures"""
    bl_idname = "import_scene.stele"
    bl_label = "Import Game Model"
    bl_options = {"REGISTER", "UNDO", "PRESET"}

    # Not remembered: a path that is given when the operator is invoked is one that was dropped
    filepath: StringProperty(name="File Path", subtype="FILE_PATH", options={"SKIP_SAVE"})
    filter_glob: StringProperty(default="*", options={"HIDDEN"})
    files: bpy.props.CollectionProperty(type=bpy.types.OperatorFileListElement, options={"HIDDEN", "SKIP_SAVE"})
    directory: StringProperty(subtype="DIR_PATH", options={"HIDDEN", "SKIP_SAVE"})
    set_scene: BoolProperty(name="Set Frame Rate and Range", default=True,
                            description="Give the scene the format's frames a second and the length of the longest clip")
    repair: BoolProperty(name="Repair", default=True, description="Repair what writers got wrong; each repair is reported")

    def paths(self):
        if self.directory and (len(self.files) > 1 or (len(self.files) == 1 and not self.filepath)):
            return [os.path.join(self.directory, f.name) for f in self.files]
        return [self.filepath]

    def execute(self, context):
        done = {"CANCELLED"}
        for path in self.paths():
            self.filepath = bpy.path.abspath(path)
            if self.guarded(context, "reading", lambda: self.read(context)) == {"FINISHED"}:
                done = {"FINISHED"}
        return done

    def read(self, context):
        options = {"set_scene": self.set_scene, "arguments": chosen(self) + ([] if self.repair else ["--no-repair"])}
        work = importer.Importer(context, self.filepath, options)
        work.run()
        objects = len(work.collection.objects)
        report.fill(context, f"{os.path.basename(self.filepath)}: {objects} objects, {len(work.glb.list('animations'))} clips",
                    work.findings)
        report.tell(self, [d for d in work.findings if d["severity"] != "note"])
        self.report({"INFO"}, f"{os.path.basename(self.filepath)}: {objects} objects imported")
        return {"FINISHED"}

    def invoke(self, context, event):
        if os.path.isfile(self.filepath) or (self.directory and len(self.files) and self.files[0].name):
            return self.execute(context)
        return ImportHelper.invoke(self, context, event)

    def draw(self, context):
        layout = self.layout
        layout.use_property_split = True
        layout.prop(self, "set_scene")
        layout.prop(self, "repair")
        draw_choices(layout, self, format_of(self.filepath))


class ExportStele(bpy.types.Operator, ExportHelper, Reports):
    """Export a model for a game engine, and prove that it is what the scene shows"""
    bl_idname = "export_scene.stele"
    bl_label = "Export Game Model"
    bl_options = {"PRESET"}

    filename_ext = ""
    check_extension = None
    filter_glob: StringProperty(default="*", options={"HIDDEN"})
    format: StringProperty(name="Format", description="As in `stele formats`; empty: by the extension", options={"HIDDEN"})
    dialect: StringProperty(name="Dialect", description="Empty: the one that the imported file had, or the usual one")

    use_selection: BoolProperty(name="Selected Objects", default=False, description="Only what is selected, and what moves it")
    use_visible: BoolProperty(name="Visible Objects", default=False, description="Only what is not hidden")
    use_active_collection: BoolProperty(name="Active Collection", default=False, description="Only objects of the active collection")
    objects: EnumProperty(name="Objects", default="KEEP", items=(
        ("KEEP", "Keep", "A mesh for each material of each object, in the order of the import; new objects behind them"),
        ("JOIN", "Join", "One mesh for each material"),
        ("SEPARATE", "Separate Files", "A file for each object: model.Object.sgm")))
    apply_modifiers: BoolProperty(name="Apply Modifiers", default=True, description="Armatures are never applied")
    apply_transforms: BoolProperty(name="Apply Transforms", default=True, description="Places of objects; otherwise all are at the origin")
    textures: EnumProperty(name="Textures", default="NAMES", items=(
        ("NAMES", "By Name", "Write the names of the images"), ("COPY", "Copy", "and put the images beside the file"),
        ("EMBED", "Embed", "Put the images into the file, where the format can")))
    texture_extension: StringProperty(name="Extension", default="",
                                      description="Of the names of images: png, dds, * (the engine decides); empty: as they are")
    tangents: EnumProperty(name="Tangents", default="AUTO", items=(
        ("AUTO", "Where Needed", "As the file had them; otherwise where a normal map needs them"),
        ("ALWAYS", "Always", "For every mesh with texture coordinates"), ("NEVER", "Never", "")))
    color_space: EnumProperty(name="Vertex Colours", default="AUTO", items=(
        ("AUTO", "As the File Had", "Linear for what is new"), ("LINEAR", "Linear", "As the engine reads them"),
        ("SRGB", "sRGB", "As the exporters for Blender 2.7 to 3.x wrote them"),
        ("POWER", "Power 2.2", "As the exporter for Blender 4.x wrote them")))
    animations: EnumProperty(name="Animations", default="ALL", items=(
        ("ALL", "All Actions", "Every action that moves what is written, and strips that change its timing; each once"),
        ("NLA", "NLA Strips", "What is in tracks of the NLA"), ("ACTIVE", "Active Action", "The one that is assigned"),
        ("NONE", "None", "")))
    deform_only: BoolProperty(name="Only Deforming Bones", default=False, description="Leave out controls of a rig")
    prove: BoolProperty(name="Prove", default=True,
                        description="Read what was written, compare it with the scene and check it for the engine")

    def execute(self, context):
        self.filepath = bpy.path.abspath(self.filepath)
        return self.guarded(context, "writing", lambda: self.write(context))

    def write(self, context):
        described = next((f for f in known if f["name"] == self.format), None) if self.format else format_of(self.filepath)
        if described is None:
            raise command.Failure(f"no format has this extension; these are known: {', '.join(extensions(writable()))}")
        if not os.path.splitext(self.filepath)[1]:
            self.filepath += "." + described["extensions"][0]
        work = exporter.Exporter(context, self.filepath, described["name"], self.wishes(context))
        work.run()
        name = os.path.basename(self.filepath)
        report.fill(context, f"{name}: {work.how}", work.findings)
        report.tell(self, work.findings)
        self.report({"INFO"}, f"{name}: {work.how}")
        return {"FINISHED"}

    def wishes(self, context):
        names = ("use_selection", "use_visible", "use_active_collection", "objects", "apply_modifiers", "apply_transforms", "textures",
                 "texture_extension", "tangents", "animations", "deform_only", "prove", "dialect")
        options = {name: getattr(self, name) for name in names}
        texts = {records.source_of(o) for o in context.view_layer.objects} - {None}
        source = next((t.get("stele.colors") for t in texts if t.get("stele.colors") == "SRGB"), "LINEAR")
        options["source_color_space"] = source
        options["color_space"] = source if self.color_space == "AUTO" else self.color_space
        options["arguments"] = chosen(self)
        return options

    def check(self, context):
        """Called while the artist types the name: adds the extension of the format that the menu asked for."""
        described = next((f for f in known if f["name"] == self.format), None)
        if described is not None and os.path.splitext(self.filepath)[1].lower().lstrip(".") not in described["extensions"]:
            self.filepath = os.path.splitext(self.filepath)[0] + "." + described["extensions"][0]
            return True
        return False

    def invoke(self, context, event):
        described = next((f for f in known if f["name"] == self.format), None)
        if not self.filepath:
            stem = os.path.splitext(bpy.data.filepath)[0] if bpy.data.filepath else "untitled"
            self.filepath = stem + ("." + described["extensions"][0] if described else "")
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def draw(self, context):
        layout = self.layout
        layout.use_property_split = True
        described = next((f for f in known if f["name"] == self.format), None) or format_of(self.filepath)
        holds = set(described["capabilities"] + described["beside"]) if described else set()
        box = self.section("Objects")
        for name in ("use_selection", "use_visible", "use_active_collection", "objects", "apply_modifiers", "apply_transforms"):
            box.prop(self, name)
        if not described or holds & {"textures", "colors", "tangents"}:
            box = self.section("Surface")
            for name, needs in (("textures", "textures"), ("texture_extension", "textures"), ("color_space", "colors"),
                                ("tangents", "tangents")):
                if not described or needs in holds:
                    box.prop(self, name)
        if not described or holds & {"animation", "skeleton"}:
            box = self.section("Animation")
            box.prop(self, "animations")
            box.prop(self, "deform_only")
        box = self.section("File")
        if described and len(described["dialects"]) > 1:
            box.prop(self, "dialect")
        box.prop(self, "prove")
        draw_choices(layout, self, described)

    def section(self, title):
        box = self.layout.box()
        box.label(text=title)
        return box.column()


def draw_choices(layout, operator, described):
    if described and described["choices"]:
        box = layout.box()
        box.label(text=f"What {described['name'].upper()} Leaves Open")
        for choice in described["choices"]:
            if hasattr(operator, choice_name(choice)):
                box.prop(operator, choice_name(choice), text=name_of_choice(choice["name"]))


# ---- Menus ---------------------------------------------------------------------------------------------------------------

def draw_import(self, context):
    for f in readable():
        entry = self.layout.operator(ImportStele.bl_idname, text=f"{f['title']} (.{'/.'.join(f['extensions'])})")
        entry.filter_glob = glob([f])
    if not known:
        self.layout.operator(ImportStele.bl_idname, text="Game Model (Stele is not found)")


def draw_export(self, context):
    for f in writable():
        entry = self.layout.operator(ExportStele.bl_idname, text=f"{f['title']} (.{'/.'.join(f['extensions'])})")
        entry.format, entry.filter_glob = f["name"], glob([f])


class STELE_MT_import(bpy.types.Menu):
    bl_label = "Game Models (Stele)"
    bl_idname = "STELE_MT_import"
    draw = draw_import


class STELE_MT_export(bpy.types.Menu):
    bl_label = "Game Models (Stele)"
    bl_idname = "STELE_MT_export"
    draw = draw_export


def add_import_menu(self, context):
    self.layout.menu(STELE_MT_import.bl_idname)


def add_export_menu(self, context):
    self.layout.menu(STELE_MT_export.bl_idname)


registered = []


def register():
    load_formats()
    choices = choice_properties()
    ImportStele.__annotations__ = {**ImportStele.__annotations__, **choices}
    classes = [ImportStele, ExportStele, STELE_MT_import, STELE_MT_export]
    handler = versions.file_handler(ImportStele.bl_idname, extensions(readable())) if known else None
    if handler is not None:
        classes.append(handler)
    for cls in classes:
        bpy.utils.register_class(cls)
        registered.append(cls)
    bpy.types.TOPBAR_MT_file_import.append(add_import_menu)
    bpy.types.TOPBAR_MT_file_export.append(add_export_menu)


def unregister():
    bpy.types.TOPBAR_MT_file_import.remove(add_import_menu)
    bpy.types.TOPBAR_MT_file_export.remove(add_export_menu)
    while registered:
        bpy.utils.unregister_class(registered.pop())
