"""Reads a trace in Perfetto's format without its tools: the wire format, and the fields that are asked for."""

import collections

Slice = collections.namedtuple("Slice", "track name begin end depth flows_in annotations")
Moment = collections.namedtuple("Moment", "track name ns flow_out flow_in annotations")


def fields(data):
    """Each field of a message: its number, and a number, or the bytes of what has a length."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(data):
        key = varint()
        kind = key & 7
        if kind == 0:
            yield key >> 3, varint()
        elif kind == 1:
            yield key >> 3, int.from_bytes(data[at:at + 8], "little")
            at += 8
        elif kind == 2:
            length = varint()
            if at + length > len(data):
                raise ValueError("a part is longer than the whole")
            yield key >> 3, data[at:at + length]
            at += length
        else:
            raise ValueError(f"wire type {kind}")


def one(data, number, default=None):
    return next((value for field, value in fields(data) if field == number), default)


def every(data, number):
    return [value for field, value in fields(data) if field == number]


class Trace:
    """Slices and moments by their tracks; raises ValueError for what viewers would refuse."""

    def __init__(self, data):
        self.packets = every(data, 1)
        self.tracks = {}
        self.processes = {}
        self.slices = []
        self.moments = []
        self._open = collections.defaultdict(list)
        self._names = {}
        self._latest = {}
        for packet in self.packets:
            self._take(packet)
        unfinished = [uuid for uuid, slices in self._open.items() if slices]
        if unfinished:
            raise ValueError(f"slices without an end on tracks {unfinished}")

    def lanes(self):
        """The slices of each track in their order."""
        by_track = {uuid: [] for uuid in self.tracks}
        for each in sorted(self.slices, key=lambda s: (s.begin, s.depth)):
            by_track[each.track].append(each)
        return by_track

    def named(self, beginning):
        return [each for each in self.slices + self.moments if each.name.startswith(beginning)]

    def _take(self, packet):
        sequence = one(packet, 10)
        if one(packet, 13, 0) & 1:
            self._names[sequence] = {2: {}, 1: {}, 3: {}}
        descriptor = one(packet, 60)
        if descriptor is not None:
            self._describe(descriptor)
        for interned in every(packet, 12):
            for kind, entry in fields(interned):
                self._names[sequence][kind][one(entry, 1)] = one(entry, 2).decode()
        event = one(packet, 11)
        if event is not None:
            if one(packet, 13, 0) & 2 == 0:
                raise ValueError("an event that names texts does not say so")
            self._event(one(packet, 8), event, self._names[sequence])

    def _describe(self, descriptor):
        thread, process = one(descriptor, 4), one(descriptor, 3)
        if thread is not None:
            self.tracks[one(descriptor, 1)] = one(thread, 5).decode()
        if process is not None:
            self.processes[one(process, 1)] = one(process, 6).decode()

    def _event(self, ns, event, names):
        track, kind = one(event, 11), one(event, 9)
        if track not in self.tracks:
            raise ValueError(f"an event on track {track}, which is not described")
        if ns < self._latest.get(track, 0):
            raise ValueError("events of a track are out of order")
        self._latest[track] = ns
        annotations = {names[3][one(part, 1)]: one(part, 3, one(part, 7, one(part, 6))) for part in every(event, 4)}
        if kind == 2:
            if not self._open[track]:
                raise ValueError(f"an end without a beginning at {ns}")
            begun = self._open[track].pop()
            self.slices.append(begun._replace(end=ns))
            return
        name = names[2][one(event, 10)]
        if one(event, 3) not in names[1]:
            raise ValueError("a category that was not told")
        if kind == 1:
            depth = len(self._open[track])
            self._open[track].append(Slice(track, name, ns, None, depth, every(event, 48), annotations))
        elif kind == 3:
            self.moments.append(Moment(track, name, ns, one(event, 47), one(event, 48), annotations))
        else:
            raise ValueError(f"type {kind}")
