#!/usr/bin/env python3
"""The library in other people's projects: by find_package, by add_subdirectory, without what it can do without, and as one file."""
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = Path(os.environ.get("STELE_BUILD", ROOT / "build"))
VERSION = re.search(r'#define STELE_VERSION "(.*)"', (ROOT / "include/stele.h").read_text())[1]
MINOR = VERSION.rpartition(".")[0]
SAMPLES = sorted(p for p in (ROOT / "samples").rglob("*.*") if p.suffix != ".png")

# Opens files with all checks, and tells everything of them that a format could get wrong.
TELL = r"""
#include <stdio.h>
#include <stele.h>

static unsigned long long sum;

static bool add(void *user, const void *data, size_t size)
{
    const unsigned char *p = (const unsigned char *)data;
    (void)user;
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ p[i]) * 1099511628211ull;
    return true;
}

static bool field(void *user, const stele_field *f)
{
    (void)user;
    printf("%llu %llu %s\n", (unsigned long long)f->offset, (unsigned long long)f->size, f->path);
    return true;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        stele_options options = {0};
        options.check = STELE_CHECK_FULL;
        stele_file *file = stele_open(argv[i], &options);
        size_t count;
        printf("%s %s\n", stele_file_format(file), stele_file_dialect(file));
        stele_file_explain(file, field, NULL);
        const char *const targets[] = {"glb", "obj", "mesh", "ctc", "sgm"};
        for (int t = 0; t < 5; t++) {
            stele_save_options save = {0};
            save.format = targets[t];
            sum = 14695981039346656037ull;
            int status = (int)stele_file_write(file, add, NULL, &save);
            printf("%s %d %llx\n", targets[t], status, sum);
        }
        const stele_diagnostic *d = stele_file_diagnostics(file, &count);
        for (size_t k = 0; k < count; k++)
            printf("%s %s\n", d[k].id, d[k].path);
        static unsigned char pixels[64 * 64 * 4]; /* without textures, which need libraries */
        stele_picture picture = {64, 64, pixels};
        sum = 14695981039346656037ull;
        const stele_model *model = stele_file_model(file);
        if (model && !model->texture_count && stele_render(file, &picture, NULL) == STELE_OK)
            add(NULL, pixels, sizeof pixels);
        printf("picture %llx\n", sum);
        stele_close(file);
    }
    return 0;
}
"""
USE = '#include <stdio.h>\n#include <stele.h>\nint main(void) { puts(stele_version()); stele_close(stele_open("x", NULL)); return 0; }\n'
CORE = ["-DSTELE_WITH_RENDER=OFF", "-DSTELE_WITH_IMAGES=OFF", "-DSTELE_WITH_BRIDGES=OFF", "-DSTELE_WITH_LZ4=OFF",
        "-DCMAKE_BUILD_TYPE=Debug"]  # which is built in half the time


def run(*command, **options):
    done = subprocess.run([os.fspath(word) for word in command], capture_output=True, text=True, timeout=900, check=False, **options)
    if done.returncode:
        raise AssertionError(f"{command} ended with {done.returncode}:\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
    return done.stdout


def libraries():
    """As the README has them."""
    return re.search(r"libstele\.a((?: -l\w+)+)$", (ROOT / "README.md").read_text(), re.M)[1].split()


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def project(self, lines):
        (self.folder / "main.c").write_text(USE)
        (self.folder / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.16)\nproject(user C)\n" + lines)
        return self.folder


class Projects(InFolder):
    def build(self, *options):
        run("cmake", "-S", self.folder, "-B", self.folder / "build", *options)
        run("cmake", "--build", self.folder / "build", "-j2")

    def test_find_package(self):
        run("cmake", "--install", BUILD, "--prefix", self.folder / "usr")
        for kind in ("static", "shared"):
            self.project(f"find_package(stele {MINOR} REQUIRED COMPONENTS {kind})\nadd_executable(main main.c)\n"
                         "target_link_libraries(main stele::stele)\n")
            shutil.rmtree(self.folder / "build", ignore_errors=True)
            self.build(f"-DCMAKE_PREFIX_PATH={self.folder}/usr")
            self.assertEqual(run(self.folder / "build/main"), VERSION + "\n")
            linked = run("readelf", "-d", self.folder / "build/main")
            self.assertEqual("libstele.so" in linked, kind == "shared")

    def test_what_is_missing_is_said(self):
        """Which library, and which package has it: when Stele is built, and when the static library is used."""
        without = "-DCMAKE_DISABLE_FIND_PACKAGE_PNG=ON"

        def refused(*options):
            done = subprocess.run(["cmake", *map(os.fspath, options)], capture_output=True, text=True, check=False, timeout=300)
            self.assertNotEqual(done.returncode, 0)
            return " ".join(done.stderr.split())

        said = refused("-S", ROOT, "-B", self.folder / "own", without)
        self.assertIn("Stele needs libpng (on Debian: libpng-dev), or leave out", said)
        run("cmake", "--install", BUILD, "--prefix", self.folder / "usr")
        found = f"-DCMAKE_PREFIX_PATH={self.folder}/usr"
        self.project("find_package(stele REQUIRED)\n")
        said = refused("-S", self.folder, "-B", self.folder / "build", found, without)
        self.assertIn("the static library needs libpng (on Debian: libpng-dev); COMPONENTS shared needs none", said)
        self.project("find_package(stele REQUIRED COMPONENTS shared)\n")
        run("cmake", "-S", self.folder, "-B", self.folder / "other", found, without)

    def test_with_all_that_it_can_do_in_a_project(self):
        """The libraries that it was found with come to the parent: only configured, for building is the test below."""
        self.project(f'add_subdirectory("{ROOT}" stele)\nadd_executable(main main.c)\ntarget_link_libraries(main stele::stele)\n')
        run("cmake", "-S", self.folder, "-B", self.folder / "build")
        link = (self.folder / "build/CMakeFiles/main.dir/link.txt").read_text()
        for name in ("png", "jpeg", "webpmux", "lz4"):
            self.assertRegex(link, rf"lib{name}\.(so|a)")

    def test_only_the_library_comes_into_a_project(self):
        self.project(f'add_subdirectory("{ROOT}" stele)\nadd_executable(main main.c)\ntarget_link_libraries(main stele::stele)\n'
                     "install(TARGETS main DESTINATION bin)\n")
        self.build(*CORE)
        self.assertEqual(run(self.folder / "build/main"), VERSION + "\n")
        made = {p.name for p in (self.folder / "build/stele").iterdir() if p.is_file()}
        self.assertIn("libstele.a", made)
        self.assertFalse(made & {"stele", "libstele.so", "stele-import", "stele.pc"})
        run("cmake", "--install", self.folder / "build", "--prefix", self.folder / "usr")
        self.assertEqual([p.name for p in (self.folder / "usr").rglob("*") if p.is_file()], ["main"])
        # nothing but libc is left, and of our names only those of the header
        linked = set(re.findall(r"\[(lib\w+)", run("readelf", "-d", self.folder / "build/main")))
        self.assertLessEqual(linked, {"libc", "libm"})
        names = {line.split()[-1] for line in run("nm", "-g", "--defined-only", self.folder / "build/stele/libstele.a").splitlines()
                 if len(line.split()) == 3}
        self.assertEqual([n for n in names if not n.startswith("stele_")], [])

    def test_what_is_left_out_says_so(self):
        tell = self.folder / "tell.c"
        tell.write_text(r"""
#include <stdio.h>
#include <stele.h>
int main(int argc, char **argv)
{
    stele_file *file = stele_open(argv[argc - 1], NULL);
    unsigned char pixels[16];
    stele_picture picture = {2, 2, pixels};
    printf("%d %d\n", stele_render(file, &picture, NULL), stele_open_status(file));
    puts(stele_file_message(file));
    stele_close(file);
    char message[80];
    stele_movie *movie = stele_movie_begin(2, 2, NULL);
    printf("%d %d %d\n", stele_picture_save(&picture, "no.png", NULL, message, sizeof message), stele_movie_status(movie),
           stele_movie_add(movie, &picture, 10));
    puts(message);
    stele_movie_close(movie);
    return 0;
}
""")
        run("cmake", "-S", ROOT, "-B", self.folder / "core", "-DSTELE_WITH_IMPORT=OFF", *CORE)
        run("cmake", "--build", self.folder / "core", "-j2", "--target", "stele_static", "stele")
        run("cc", "-std=c11", f"-I{ROOT}/include", tell, self.folder / "core/libstele.a", "-lm", "-o", self.folder / "tell")
        self.assertEqual(run(self.folder / "tell", ROOT / "samples/scribe.sgm"),
                         "4 0\nthis library was built without rendering\n4 4 4\nthis library was built without images\n")
        # compressed TWM is read and written all the same
        packed, again, plain = self.folder / "packed.twm", self.folder / "again.glb", self.folder / "plain.glb"
        stele = self.folder / "core/stele"
        run(stele, "convert", "-q", ROOT / "samples/dialects/v3.twm", packed, "--dialect", "v0")
        for source, target in ((packed, again), (ROOT / "samples/dialects/v3.twm", plain)):
            run(BUILD / "stele", "convert", "-q", source, target)
        run(BUILD / "stele", "diff", again, plain)
        self.assertEqual(run(stele, "explain", ROOT / "samples/dialects/v0.twm"),
                         run(BUILD / "stele", "explain", ROOT / "samples/dialects/v0.twm"))


class OneFile(InFolder):
    """make amalgamation"""

    def setUp(self):
        super().setUp()
        run("python3", ROOT / "tools/amalgamate.py", self.folder)
        (self.folder / "tell.c").write_text(TELL)

    def compile(self, compiler, *options):
        run(compiler, *options, "-c", "stele.c", "-o", "stele.o", cwd=self.folder)

    def test_it_is_the_library(self):
        """The same bytes and findings, of every sample."""
        run("cc", "-std=c11", "-O1", f"-I{ROOT}/include", "tell.c", BUILD / "libstele.a", *libraries(), "-o", "expected", cwd=self.folder)
        expected = run(self.folder / "expected", *SAMPLES)
        self.assertGreater(len(expected), 10000)
        for compiler in ("gcc", "clang"):
            if not shutil.which(compiler):
                continue
            with self.subTest(compiler):
                self.compile(compiler, "-std=c11", "-pedantic-errors", "-Wall", "-Wextra", "-Werror")
                run(compiler, "-std=c11", "-I.", "tell.c", "stele.o", "-lm", "-o", "tell", cwd=self.folder)
                self.assertEqual(run(self.folder / "tell", *SAMPLES), expected)
        again = self.folder / "again"
        run("python3", ROOT / "tools/amalgamate.py", again)
        self.assertEqual((again / "stele.c").read_bytes(), (self.folder / "stele.c").read_bytes())

    def test_in_a_project_of_cpp(self):
        self.compile("cc", "-std=c11")
        (self.folder / "main.cpp").write_text(TELL)
        run("g++", "-std=c++11", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wno-missing-field-initializers", "-Werror", "-I.",
            "main.cpp", "stele.o", "-o", "main", cwd=self.folder)
        self.assertIn("sgm v3", run(self.folder / "main", ROOT / "samples/scribe.sgm"))

    @unittest.skipUnless(shutil.which("clang-14") and Path("/usr/include/wasm32-wasi").exists(), "no wasi-libc here")
    def test_for_webassembly(self):
        self.compile("clang-14", "--target=wasm32-wasi", "-std=c11", "-Wall", "-Wextra", "-Werror")
        self.assertEqual((self.folder / "stele.o").read_bytes()[:4], b"\0asm")


if __name__ == "__main__":
    unittest.main()
