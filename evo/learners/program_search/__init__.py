"""``program-search``: a population of programs, changed by a mutator such as a language model."""

from evo.learners.program_search.learner import ProgramSearchOptions

LEARNER = ProgramSearchOptions
