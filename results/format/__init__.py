"""What is in those files: schema, genomes, tables, metadata."""
