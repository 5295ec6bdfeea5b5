// A local service in its own process. `node service/server.mjs [LATENCY_MS]` prints its URL; it ends with its parent.
import { createServer } from 'node:net';
import { answerTo } from './answers.mjs';

const latencyMs = Number(process.argv[2] ?? 0);
const end = Buffer.from('\r\n\r\n');
const cache = new Map();

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
      let answer = cache.get(target);
      if (answer === undefined) {
        answer = answerTo(target);
        if (cache.size < 50_000) cache.set(target, answer);
      }
      if (latencyMs === 0) socket.write(answer);
      else setTimeout(() => socket.write(answer), latencyMs);
    }
    rest = data.length === 0 ? undefined : data;
  });
  socket.on('error', () => socket.destroy());
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
process.stdin.resume().on('end', () => process.exit(0));
