"""The case tables, one file per family of ops. Test files and the tier runs read them; how to add a row: tests/README.md."""
