"""The command line: it parses and prints, and leaves the work to the library."""
