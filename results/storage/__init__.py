"""Storages of files, with a common interface: the local disk and object stores."""
