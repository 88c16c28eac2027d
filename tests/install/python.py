#!/usr/bin/env python3
"""Reconstructs through libgantry.so from Python alone: ctypes, no compiler, arrays of Python's own.

python.py LIBRARY SCAN VOLUME KEY=VALUE ...

Takes the projections of SCAN as an array in memory, reconstructs with these settings, and compares all bits with VOLUME, which the command
made with the same ones. Exits with 1 and a sentence where anything is not as expected.
"""
import array
import ctypes
import sys

OK, ERR_ARG, ERR_UNKNOWN = 0, 1, 2


class Grid(ctypes.Structure):
    _fields_ = [("n", ctypes.c_size_t * 3), ("pitch", ctypes.c_double * 3), ("center", ctypes.c_double * 3)]


class Message(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("severity", ctypes.c_int), ("subject", ctypes.c_int), ("text", ctypes.c_char_p)]


class Progress(ctypes.Structure):
    """The first members of gt_recon_progress: the rest is not looked at, and size says that it is there."""
    _fields_ = [("size", ctypes.c_size_t), ("phase", ctypes.c_int), ("done", ctypes.c_double), ("iteration", ctypes.c_int)]


class Outcome(ctypes.Structure):
    """The first members of gt_recon_outcome; the library fills in as many as size says."""
    _fields_ = [("size", ctypes.c_size_t), ("iterations", ctypes.c_int), ("max", ctypes.c_int), ("reason", ctypes.c_char_p),
                ("stopped", ctypes.c_int), ("diverged", ctypes.c_int)]


SAY = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(Message))
EACH = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(Progress))
POINTERS = ("gt_projections_scan", "gt_projections_data", "gt_volume_data", "gt_volume_grid")


def load(path):
    lib = ctypes.CDLL(path)
    lib.gt_error.restype = ctypes.c_char_p
    lib.gt_recon_text.restype = ctypes.c_char_p
    lib.gt_scan_size.restype = ctypes.c_size_t
    for name in POINTERS:
        getattr(lib, name).restype = ctypes.c_void_p
    return lib


def expect(true, text):
    if not true:
        sys.exit("python.py: " + text)


class Gantry:
    def __init__(self, path):
        self.lib = load(path)

    def ok(self, status):
        expect(status == OK, "status %d: %s" % (status, self.error()))

    def error(self):
        return self.lib.gt_error().decode()

    def refused(self, status, code, text):
        expect(status == code and text in self.error(), "status %d: '%s', expected '%s'" % (status, self.error(), text))

    def projections(self, path):
        """Line integrals in an array of Python's, wrapped without a copy. Returns what must be kept while they are used."""
        read, p = ctypes.c_void_p(), ctypes.c_void_p()
        self.ok(self.lib.gt_read_projections(path.encode(), None, ctypes.byref(read)))
        scan = ctypes.c_void_p(self.lib.gt_projections_scan(read))
        n = self.lib.gt_scan_size(scan)
        values = array.array("f")
        values.frombytes(ctypes.string_at(self.lib.gt_projections_data(read), 4 * n))
        data = (ctypes.c_float * n).from_buffer(values)
        self.ok(self.lib.gt_projections_wrap(scan, data, None, None, ctypes.byref(p)))
        self.lib.gt_projections_free(read)
        return p, data

    def volume(self, grid):
        """Voxels in a NumPy array where there is NumPy, else in a buffer of ctypes'."""
        n, v = grid.n[0] * grid.n[1] * grid.n[2], ctypes.c_void_p()
        try:
            import numpy
            image = numpy.zeros(tuple(grid.n)[::-1], numpy.float32)
            data = image.ctypes.data_as(ctypes.c_void_p)
        except ImportError:
            image = data = (ctypes.c_float * n)()
        self.ok(self.lib.gt_volume_wrap(ctypes.byref(grid), data, None, None, ctypes.byref(v)))
        return v, image

    def voxels(self, path):
        v = ctypes.c_void_p()
        self.ok(self.lib.gt_read_volume(path.encode(), None, ctypes.byref(v)))
        grid = Grid.from_address(self.lib.gt_volume_grid(v))
        values = ctypes.string_at(self.lib.gt_volume_data(v), 4 * grid.n[0] * grid.n[1] * grid.n[2])
        self.lib.gt_volume_free(v)
        return values


def reconstruct(g, scan, settings, each):
    lib, r, grid, messages = g.lib, ctypes.c_void_p(), Grid(), []
    projections, data = g.projections(scan)
    g.ok(lib.gt_recon_new(projections, ctypes.byref(r)))
    say = SAY(lambda self, m: messages.append(m.contents.text.decode()))
    lib.gt_recon_on_message(r, say, None)
    lib.gt_recon_on_progress(r, each, None)
    g.refused(lib.gt_recon_set(r, b"solvr", b"pcg"), ERR_UNKNOWN, "did you mean 'solver'?")
    g.refused(lib.gt_recon_set(r, b"preset", b"best"), ERR_ARG, "expected one of none, fast, iterative")
    for key, value in settings:
        g.ok(lib.gt_recon_set(r, key.encode(), value.encode()))
    g.ok(lib.gt_recon_choose(r))
    g.ok(lib.gt_recon_chosen_grid(r, ctypes.byref(grid)))
    volume, image = g.volume(grid)
    g.ok(lib.gt_recon_run(r, volume))
    how = Outcome(size=ctypes.sizeof(Outcome))
    g.ok(lib.gt_recon_result(r, ctypes.byref(how)))
    expect(any(m.startswith("backend ") for m in messages), "no message names the backend: %s" % messages)
    expect(lib.gt_recon_text(r, b"parameters").startswith(b"solver="), "no parameters are recorded")
    bits = bytes(image) if isinstance(image, ctypes.Array) else image.tobytes()
    lib.gt_volume_free(volume)
    lib.gt_recon_free(r)
    lib.gt_projections_free(projections)
    return bits, how


def main(library, scan, volume, *settings):
    g, iterations = Gantry(library), []
    settings = [s.split("=", 1) for s in settings]
    each = EACH(lambda self, p: iterations.append(p.contents.iteration) or 0)
    bits, how = reconstruct(g, scan, settings, each)
    expect(bits == g.voxels(volume), "the volume is not that of the command")
    if how.max > 1:
        expect(how.iterations == how.max == max(iterations), "%d of %d iterations were told" % (max(iterations), how.max))
        stop = EACH(lambda self, p: p.contents.iteration == 1)
        bits, how = reconstruct(g, scan, settings, stop)
        expect(how.stopped == 1 and how.iterations == 1, "%d iterations were done, expected a stop after 1" % how.iterations)


main(*sys.argv[1:])
