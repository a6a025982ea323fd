"""Ratings, progress and diagnoses from outcomes of matches."""
