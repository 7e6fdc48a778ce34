"""Archives built field by field, which no well-behaved writer would produce; they may have holes that take no disk space."""
import struct

STORED, DEFLATED = 0, 8
LIMIT = 0xFFFFFFFF  # larger values are stored in a zip64 field


def npy_header(dtype, shape):
    text = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}"
    text += " " * (-(len(text) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()


class Archive:
    """Writes members one after the other, the directory at the end of the `with`."""

    def __init__(self, path, always_zip64=False):
        self.file = open(path, "wb")
        self.always_zip64 = always_zip64
        self.directory = []

    def __enter__(self):
        return self

    def add(self, name, content, checksum, hole=0, method=STORED, size=None):
        """`content`, then `hole` zeros that are not written; `size` is the declared unpacked size."""
        packed = len(content) + hole
        size = packed if size is None else size
        offset = self.file.tell()
        is_large = self.always_zip64 or packed >= LIMIT or size >= LIMIT
        extra = struct.pack("<HHQQ", 1, 16, size, packed) if is_large else b""
        shown = (LIMIT, LIMIT) if is_large else (packed, size)
        encoded = name.encode()
        self.file.write(struct.pack("<IHHHHHIIIHH", 0x04034B50, 45, 0, method, 0, 0x21, checksum, *shown,
                                    len(encoded), len(extra)) + encoded + extra)
        self.file.write(content)
        self.file.seek(hole, 1)
        self.directory.append((encoded, method, checksum, packed, size, offset))

    def __exit__(self, *_):
        begin = self.file.tell()
        for name, method, checksum, packed, size, offset in self.directory:
            fields = [value for value in (size, packed, offset) if value >= LIMIT]
            extra = struct.pack(f"<HH{len(fields)}Q", 1, 8 * len(fields), *fields) if fields else b""
            self.file.write(struct.pack("<IHHHHHHIIIHHHHHII", 0x02014B50, 45, 45, 0, method, 0, 0x21, checksum,
                                        min(packed, LIMIT), min(size, LIMIT), len(name), len(extra), 0, 0, 0, 0,
                                        min(offset, LIMIT)) + name + extra)
        end = self.file.tell()
        count = len(self.directory)
        if begin >= LIMIT or self.always_zip64:
            self.file.write(struct.pack("<IQHHIIQQQQ", 0x06064B50, 44, 45, 45, 0, 0, count, count, end - begin, begin))
            self.file.write(struct.pack("<IIQI", 0x07064B50, 0, end, 1))
        self.file.write(struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, count, count, end - begin, min(begin, LIMIT), 0))
        self.file.close()
