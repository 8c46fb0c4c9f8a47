"""The sample models. Nothing here is shared with the library: the tests take these files as independent truth."""
