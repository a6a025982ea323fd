"""What a run is: typed, documented field by field, validated as one thing."""
