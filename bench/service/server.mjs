// A local service in its own process. `node service/server.mjs [LATENCY_MS] [FORM] [ROWS]` prints its URL; it ends with its parent.
// FORM `unique`: no two bodies are the same; `gzip`: and they come compressed; `drift`: reviews lack a documented object and
// have an undocumented one. ROWS: of a page of reviews.
import { createServer } from 'node:net';
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { responder } from './responses.mjs';

const latencyMs = Number(process.argv[2] ?? 0);
const form = process.argv[3] ?? 'plain';
const drifting = ({ user, ...row }) => ({ ...row, author: { id: user.contributor_id, badges: [user.local_guide ? 'guide' : 'none'] } });
const responseTo = responder({ rows: Number(process.argv[4] ?? 20), change: form === 'drift' ? drifting : undefined });
const end = Buffer.from('\r\n\r\n');
const cache = new Map();

/** The response with a request id of its own, perhaps compressed. */
function uniqueResponse(target) {
  const response = Buffer.from(responseTo(target));
  const id = createHash('sha256').update(target).digest('hex').slice(0, 36);
  response.write(id, response.indexOf('"requestId":"') + 13, 'latin1');
  if (form !== 'gzip') return response;
  const at = response.indexOf(end);
  const body = gzipSync(response.subarray(at + 4));
  const head = response.latin1Slice(0, at).replace(/Content-Length: \d+/, `Content-Length: ${body.length}\r\nContent-Encoding: gzip`);
  return Buffer.concat([Buffer.from(`${head}\r\n\r\n`, 'latin1'), body]);
}

const formed = form === 'unique' || form === 'gzip' ? uniqueResponse : responseTo;
const server = createServer((socket) => {
  socket.setNoDelay(true);
  let rest;
  socket.on('data', (chunk) => {
    let data = rest === undefined ? chunk : Buffer.concat([rest, chunk]);
    for (;;) {
      const at = data.indexOf(end);
      if (at === -1) break;
      const target = data.latin1Slice(4, data.indexOf(' ', 4));
      data = data.subarray(at + 4);
      let response = cache.get(target);
      if (response === undefined) {
        response = formed(target);
        if (cache.size < 50_000) cache.set(target, response);
      }
      if (latencyMs === 0) socket.write(response);
      else setTimeout(() => socket.write(response), latencyMs);
    }
    rest = data.length === 0 ? undefined : data;
  });
  socket.on('error', () => socket.destroy());
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
process.stdin.resume().on('end', () => process.exit(0));
