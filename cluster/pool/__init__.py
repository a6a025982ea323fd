"""Who plays which chunk: workers, what they have in hand, what is lost; and Ray actors as such."""
