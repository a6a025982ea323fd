"""Karate: orders, priors, probability matching and levels of a mind reader, and what evolves."""
