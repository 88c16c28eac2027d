"""Geometries of other packages, there and back: gantry.interop.astra."""
