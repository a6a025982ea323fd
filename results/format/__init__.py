"""The content of these files: schema, genomes, tables and metadata."""
