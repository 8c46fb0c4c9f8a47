# The front door. Everything real is in CMakeLists.txt and tools/.
.PHONY: all wasm web bundle windows demo check check-long check-portable dist bench fuzz samples gallery blender amalgamation format install clean setup
MAKEFLAGS += --no-print-directory
JOBS ?= $(shell nproc 2>/dev/null || echo 2)

# PAGE=OFF leaves out the page of `stele view`, which is WebAssembly
all:
	@tools/setup.sh build
	@$(if $(filter OFF,$(PAGE)),:,tools/page.sh)
	@cmake --preset release -DSTELE_PAGE=$(or $(PAGE),ON) >/dev/null
	@cmake --build build -j $(JOBS) -- -s

# For JavaScript: build/wasm is a package for npm
wasm:
	@tools/setup.sh wasm
	@tools/wasm.sh

# For Windows: build/windows has stele.exe, stele.dll, its import library and header
windows:
	@tools/setup.sh windows
	@tools/windows.sh

# The page: build/web/index.html, and the command with the page of `stele view` in it
web:
	@tools/setup.sh wasm
	@tools/web.sh

# What npm makes of web/src: web/dist, which is committed, so that nobody else needs npm
bundle:
	@tools/setup.sh bundle
	@tools/web.sh --bundle

demo: all
	@tools/demo.sh

check:
	@tools/setup.sh check
	@tools/check.sh

# What takes longer: an hour
check-long:
	@tools/setup.sh check
	@tools/setup.sh long
	@tools/check_long.sh

# The same bytes everywhere: WebAssembly, Windows (wine), musl, i686, aarch64, armhf and s390x (qemu), or PORTABLE="wine s390x"
check-portable:
	@tools/setup.sh portable
	@tools/check_portable.sh $(PORTABLE)

# What a release is made of, twice, in two places, and compared: build/dist (RELEASING.md)
dist:
	@tools/setup.sh dist
	@tools/dist.sh --twice

bench: all
	@tools/setup.sh bench
	@tools/bench.sh

# FUZZ_SECONDS for each format
fuzz:
	@tools/setup.sh check
	@tools/fuzz.sh $(or $(FUZZ_SECONDS),600)

samples:
	@tools/setup.sh check
	python3 tools/make_samples.py

format:
	@clang-format -i include/*.h $(shell find src -name "*.[ch]") cli/*.[ch] wasm/*.[ch] wasm/include/*.h import/*.[ch] sandbox/*.[ch] tests/*.[ch] fuzz/*.c examples/*.[ch] examples/*.cpp $(wildcard bench/*.c)

# PREFIX (usually /usr/local) and DESTDIR
install: all
	@cmake --install build $(if $(PREFIX),--prefix "$(PREFIX)")

# The pictures of docs/gallery.md
gallery: all
	@tools/gallery.sh

# The library as one pair of files: build/amalgamation/stele.c and stele.h
amalgamation:
	@python3 tools/amalgamate.py build/amalgamation

# The add-on for Blender, installable as it is; PLATFORMS adds commands of other machines, as macos-arm64=path/to/stele
blender: all
	@python3 tools/make_blender.py build/stele-blender.zip build/stele $(PLATFORMS)

setup:
	@tools/setup.sh check

clean:
	rm -rf build
