"""Figures 3 and 4 and each claim: evolved networks by four schemes, two million games each."""
