# SPDX-License-Identifier: LGPL-2.1-or-later
"""Files of edge maps as images: numbered PNG files in a tar archive, and packed bits in a PBM file."""
import tarfile

import stops

PNG_BEGINS, PNG_ENDS = b'\x89PNG\r\n\x1a\n', b'IEND\xaeB`\x82'
MODIFIED = 315532800  # 1980, so that a file depends on the frames alone; tar warns of 1970
BLOCK = 512
TO_BITS = bytes([0]) + bytes([1]) * 255


class Tar:
    """PNG files 00000001.png ... and times.txt, with the time and the duration of each frame."""

    def __init__(self, file):
        self.file, self.times = file, []

    def add(self, _, png, times):
        self.times.append(' '.join(times) + '\n')
        self._add_member(f'{len(self.times):08}.png', png)

    def _add_member(self, name, data):
        info = tarfile.TarInfo(name)
        info.size, info.mtime = len(data), MODIFIED
        self.file.write(info.tobuf(tarfile.USTAR_FORMAT))
        self.file.write(data)
        self.file.write(bytes(-len(data) % BLOCK))

    def finish(self):
        self._add_member('times.txt', ''.join(self.times).encode())
        self.file.write(bytes(2 * BLOCK))
        self.file.flush()

    @staticmethod
    def count(file):
        """The number of images; raises ValueError if the archive is not whole."""
        frames = 0
        while True:
            stops.look()
            try:
                info = tarfile.TarInfo.frombuf(file.read(BLOCK), 'ascii', 'strict')
            except tarfile.HeaderError as error:
                raise ValueError(f'after image {frames}: {error}') from None
            data = file.read(info.size)
            file.seek(-info.size % BLOCK, 1)
            if info.name == 'times.txt':
                break
            frames += 1
            if info.name != f'{frames:08}.png' or data[:8] != PNG_BEGINS or data[-8:] != PNG_ENDS:
                raise ValueError(f'image {frames} is not whole')
        if len(data.splitlines()) != frames or file.read() != bytes(2 * BLOCK):
            raise ValueError('the end of the archive is missing')
        return frames


def packed(pixels):
    """A bit for each byte, of which there are a multiple of 8: 1 unless it is 0, the first in the highest bit."""
    bits = int.from_bytes(pixels.translate(TO_BITS), 'big')
    for shift in (7, 14, 28):  # 2, 4 and 8 bits come together at the end of 2, 4 and 8 bytes
        bits |= bits >> shift
    return bits.to_bytes(len(pixels), 'big')[7::8]


class Bits:
    """Images of the format P4 of Netpbm, one after another, each of the same number of bytes. A comment has the
    time and the duration of the frame. 1 is an edge, which programs show in black."""

    def __init__(self, file):
        self.file = file

    def add(self, size, pixels, times):
        width, height = size
        padding = bytes(-width % 8)
        rows = (pixels[y * width:(y + 1) * width] + padding for y in range(height))
        # 19 digits hold any time.
        self.file.write(b'P4\n# %19s %19s\n%d %d\n' % (*(text.encode() for text in times), width, height))
        self.file.write(packed(b''.join(rows)))

    def finish(self):
        self.file.flush()

    @staticmethod
    def count(file):
        """The number of images; raises ValueError if the last is not whole."""
        frames = 0
        while magic := file.readline():
            stops.look()
            file.readline()
            try:
                width, height = map(int, file.readline().split())
            except ValueError:
                width = height = 0
            pixels = file.read((width + 7) // 8 * height)
            frames += 1
            if magic != b'P4\n' or not pixels or len(pixels) != (width + 7) // 8 * height:
                raise ValueError(f'image {frames} is not whole')
        return frames


# Of the encoders that archive.py names. The frames of a file have one size, which frames.Sums sees to.
FORMS = {'png': Tar, 'png-rgb': Tar, 'bits': Bits}
