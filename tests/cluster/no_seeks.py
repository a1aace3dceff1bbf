#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Serves the files of a folder by HTTP, and says that parts of them can be asked for, which is not true: of
a file error.* such a request fails, of others it is never answered.

    no_seeks.py FOLDER     prints the URI of the folder, then serves until it is killed
"""
import http.server
import pathlib
import sys
import time


class Handler(http.server.BaseHTTPRequestHandler):
    def do_HEAD(self):
        self.answer(False)

    def do_GET(self):
        self.answer(True)

    def answer(self, with_content):
        name = pathlib.PurePosixPath(self.path).name
        if self.headers.get('Range', 'bytes=0-') != 'bytes=0-':
            if name.startswith('error.'):
                self.send_error(503)
                return
            time.sleep(3600)
        content = (pathlib.Path(sys.argv[1]) / name).read_bytes()
        self.send_response(200)
        self.send_header('Accept-Ranges', 'bytes')
        self.send_header('Content-Length', str(len(content)))
        self.end_headers()
        if with_content:
            self.wfile.write(content)


server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
server.daemon_threads = True
print(f'http://127.0.0.1:{server.server_port}', flush=True)
server.serve_forever()
