"""Reads WARC files with nothing but Python's own library, checks every digest, and prints a line of JSON for each record."""
import gzip
import hashlib
import json
import sys


def read_line(file):
    line = file.readline()
    assert line.endswith(b"\r\n"), line
    return line[:-2]


def digest(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


for path in sys.argv[1:]:
    with gzip.open(path) as file:
        while version := file.readline():
            assert version == b"WARC/1.1\r\n", version
            fields = {}
            while line := read_line(file):
                name, value = line.decode("latin-1").split(": ", 1)
                fields[name.lower()] = value
            block = file.read(int(fields["content-length"]))
            assert len(block) == int(fields["content-length"])
            assert file.read(4) == b"\r\n\r\n"
            out = {"type": fields["warc-type"], "url": fields.get("warc-target-uri"), "id": fields["warc-record-id"]}
            if fields["warc-type"] == "response":
                head, body = block.split(b"\r\n\r\n", 1)
                assert digest(body) == fields["warc-payload-digest"], path
                gzipped = b"content-encoding: gzip" in head
                out["status"] = int(head.split(b" ")[1])
                out["body"] = (gzip.decompress(body) if gzipped and body else body).decode()
            print(json.dumps(out))
