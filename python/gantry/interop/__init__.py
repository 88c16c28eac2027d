"""Geometries of other packages: gantry.interop.astra, .cil, .leap, .odl, .tigre; gantry.interop.deepinv makes a physics of a projector.

Each takes live objects by their documented members: the packages need not be installed to import these modules.
"""
