"""A corpus of broken files, made from good ones by seeded mutations, that says how good `runner validate` is."""
