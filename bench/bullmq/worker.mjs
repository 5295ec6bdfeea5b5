// A worker of the benches, which says how much CPU it took. With `canned`, each response comes at once from this process.
import { createClient } from '../../dist/src/index.js';
import { startWorker } from '../../dist/src/bullmq/index.js';
import { responder } from '../service/responses.mjs';

const { flow, queue, baseUrl, concurrency, canned } = JSON.parse(process.argv[2]);
const client = createClient({ baseUrl, concurrency, dispatcher: canned === true ? cannedDispatcher() : undefined });
const worker = await startWorker(flow, { client, queue });
process.once('SIGTERM', () => worker.close());
process.send('ready');
const before = process.cpuUsage();
await worker.done;
const { user, system } = process.cpuUsage(before);
process.send({ cpuMs: (user + system) / 1000 });
await client.close();
process.disconnect();

function cannedDispatcher() {
  const responseTo = responder();
  const bodies = new Map();
  const bodyOf = (path) => {
    if (!bodies.has(path)) {
      const response = responseTo(path);
      bodies.set(path, response.subarray(response.indexOf('\r\n\r\n') + 4));
    }
    return Buffer.from(bodies.get(path));
  };
  return {
    dispatch({ path }, handler) {
      const controller = { abort() {}, pause() {}, resume() {} };
      setImmediate(() => {
        handler.onRequestStart(controller, {});
        handler.onResponseStart(controller, 200, { 'content-type': 'application/json' }, 'OK');
        handler.onResponseData(controller, bodyOf(path));
        handler.onResponseEnd(controller, {});
      });
      return true;
    },
  };
}
