import { connect } from 'node:net';

/** Numbers from 0 to 1, always the same for a seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Targets that a server gets wrong easily. Those of the server itself come on top. */
const oddTargets = [
  ...[
    '/',
    '//',
    '///',
    '//x',
    '/\\',
    '/%',
    '/%zz',
    '/%00',
    '/%c3',
    '/%2e%2e/',
    '/../../etc/passwd',
    '/?',
    '/?=',
    '/?&&=&',
    '/#',
    '/?%',
    '*',
  ],
  ...[
    '',
    '?',
    'x',
    ':',
    '[',
    'http://',
    'http://[',
    'http://x:99999999/',
    'http://127.0.0.1/',
    '/\u00e9',
    '/\u0000',
    `/${'a'.repeat(9000)}`,
  ],
  ...[
    '/?__proto__=1&constructor=2',
    '/__proto__',
    '/constructor',
    `/?${'q=1&'.repeat(2000)}`,
    '/?q=%F0%9F',
    '/;a=b',
    '/ /',
    '/?q=a+b%20c%',
  ],
];
const methods = ['GET', 'POST', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT', 'PATCH', 'PRI', 'get', 'G\u0000T', ''];
const heads = [
  ...[
    'Host: 127.0.0.1',
    'Host: localhost',
    'Host: a b',
    'Host:',
    'host: [::1',
    'Content-Length: 5',
    'Content-Length: -1',
    'Content-Length: 1e9',
  ],
  ...['Transfer-Encoding: chunked', 'Transfer-Encoding: gzip, chunked', 'Connection: upgrade', 'Upgrade: websocket', 'Upgrade: h2c'],
  ...[
    'Expect: 100-continue',
    'Expect: tea',
    'Origin: null',
    'Origin: ://',
    'Authorization: ',
    'Authorization: Bearer \u00ff',
    'Range: bytes=9-1',
  ],
  ...[
    'Connection: close',
    'Connection: keep-alive',
    'Content-Type: application/json',
    'Accept-Encoding: \u0001',
    `X: ${'y'.repeat(20_000)}`,
    ': ',
    'X',
  ],
];
const bodies = [
  '',
  '{',
  'null',
  '[[[[',
  '5\r\nhello\r\n0\r\n\r\n',
  'zz\r\n',
  'ffffffffffffffff\r\n',
  '{"__proto__":{"a":1}}',
  '\u0000'.repeat(50),
];
const others = [
  Buffer.from('16030100a5010000a10303', 'hex'), // a TLS client
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  Buffer.from('\r\n\r\n\r\n\r\n'),
  Buffer.from('GET / HTTP/9.9\r\n\r\n'),
  Buffer.from('GET /\r\n\r\n'),
];

/** What a hostile or broken client sends over one connection: nearly a request, several of them, or bytes. */
export function rawBytes(random: () => number, targets: readonly string[]): Buffer {
  const of = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const some = <T>(list: readonly T[], most: number): T[] => Array.from({ length: Math.floor(random() * (most + 1)) }, () => of(list));
  if (random() < 0.1) return Buffer.from(Array.from({ length: Math.floor(random() * 400) }, () => Math.floor(random() * 256)));
  if (random() < 0.05) return of(others);
  const requests = Array.from({ length: random() < 0.2 ? 5 : 1 }, () => {
    const target = random() < 0.5 ? of(oddTargets) : `${of(targets)}${random() < 0.5 ? of(oddTargets) : ''}`;
    const host = random() < 0.8 ? ['Host: 127.0.0.1'] : [];
    const method = random() < 0.6 ? of(['GET', 'POST']) : of(methods);
    return `${method} ${target} HTTP/1.1\r\n${[...host, ...some(heads, 3), '', ''].join('\r\n')}${of(bodies)}`;
  });
  const bytes = Buffer.from(requests.join(''), 'latin1');
  // Some bytes fall out, or become others.
  for (let times = random() < 0.4 ? Math.floor(random() * 5) : 0; times > 0; times -= 1)
    bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
  return random() < 0.2 ? bytes.subarray(0, Math.floor(random() * bytes.length)) : bytes;
}

/**
 * Sends bytes to a port of this machine, whole or in pieces, and ends the connection, resets it, or waits for the server to do so.
 * Resolves to the statuses of the responses.
 */
export function send(port: number, bytes: Buffer, random: () => number): Promise<readonly number[]> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    let text = '';
    let isReached = false;
    const way = random();
    socket.setTimeout(60, () => socket.destroy());
    socket.on('connect', () => {
      isReached = true;
      const cut = Math.floor(random() * bytes.length);
      socket.write(bytes.subarray(0, cut));
      setImmediate(() => {
        if (way < 0.1) socket.resetAndDestroy();
        else if (way < 0.6) socket.end(bytes.subarray(cut));
        else socket.write(bytes.subarray(cut));
      });
    });
    socket.on('data', (data) => (text += data.toString('latin1')));
    socket.on('error', (error) => (isReached ? undefined : reject(error)));
    socket.on('close', () => resolve([...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))));
  });
}
