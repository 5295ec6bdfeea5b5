"""All servers of OpenStack Swift in one process: a python for each takes ten times as long to start."""

import json
import os
import sys

folder, secret = sys.argv[1:]
os.environ['SWIFT_DIR'] = folder


def write(name, *lines):
    with open(os.path.join(folder, name), 'w') as file:
        file.write('\n'.join(lines) + '\n')


write('swift.conf', '[swift-hash]', 'swift_hash_path_suffix = trawler', '[storage-policy:0]', 'name = only', 'default = yes')

import eventlet
from swift.common import utils

utils.eventlet_monkey_patch()
eventlet.hubs.use_hub(utils.get_hub())
eventlet.debug.hub_exceptions(False)
utils.set_swift_dir(folder)
utils.validate_hash_conf()

from eventlet import tpool, wsgi
from swift.common.http_protocol import SwiftHttpProtocol
from swift.common.ring import RingBuilder
from swift.common.wsgi import loadapp


class Cache:
    """What memcached would be."""

    def __init__(self):
        self.kept = {}

    def get(self, key, **_):
        return json.loads(self.kept.get(key, 'null'))

    def set(self, key, value, **_):
        self.kept[key] = json.dumps(value)

    def delete(self, key, **_):
        self.kept.pop(key, None)


class Silent:
    def write(self, _):
        pass


def serve(name, sockets):
    app = loadapp(os.path.join(folder, name + '.conf'), global_conf={'log_name': name})
    cache = Cache()

    def cached(environ, start):
        environ['swift.cache'] = cache
        return app(environ, start)

    # the SDK wants `ETag`, not `Etag`
    eventlet.spawn(wsgi.server, sockets, cached, Silent(), protocol=SwiftHttpProtocol, capitalize_response_headers=False)


common = ['[DEFAULT]', 'swift_dir = ' + folder, 'devices = ' + folder + '/disks', 'mount_check = false', 'fallocate_reserve = 0', 'log_level = ERROR']
os.makedirs(os.path.join(folder, 'disks', 'disk'))
for name in ('account', 'container', 'object'):
    listening = eventlet.listen(('127.0.0.1', 0))
    ring = RingBuilder(4, 1, 1)
    ring.add_dev({'region': 1, 'zone': 1, 'ip': '127.0.0.1', 'port': listening.getsockname()[1], 'device': 'disk', 'weight': 1.0})
    ring.rebalance()
    ring.get_ring().save(os.path.join(folder, name + '.ring.gz'))
    write(name + '.conf', *common, '[pipeline:main]', 'pipeline = ' + name + '-server', '[app:' + name + '-server]', 'use = egg:swift#' + name)
    serve(name, listening)

filters = ['catch_errors', 'gatekeeper', 'listing_formats', 's3api', 'tempauth', 'copy', 'slo', 'dlo']
settings = {'s3api': 'location = us-east-1\nmin_segment_size = 1', 'tempauth': 'user_test_publisher = ' + secret + ' .admin'}
sections = [line for name in filters for line in ('[filter:' + name + ']', 'use = egg:swift#' + name, settings.get(name, ''))]
proxy = ['[pipeline:main]', 'pipeline = ' + ' '.join(filters) + ' proxy-server', '[app:proxy-server]', 'use = egg:swift#proxy', 'account_autocreate = true']
write('proxy.conf', *common, *proxy, *sections)
listening = eventlet.listen(('127.0.0.1', 0))
serve('proxy', listening)
print(listening.getsockname()[1], flush=True)
tpool.execute(sys.stdin.read)  # until whoever started it ends
