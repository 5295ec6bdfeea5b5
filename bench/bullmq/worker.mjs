// A worker of the benches; with `canned`, every request is answered at once in the process, with a page of that many bytes.
import { createClient } from '../../dist/src/index.js';
import { startWorker } from '../../dist/src/bullmq/index.js';

const { flow, queue, baseUrl, concurrency, canned } = JSON.parse(process.argv[2]);
const client = createClient({ baseUrl, concurrency, dispatcher: canned === undefined ? undefined : cannedDispatcher(canned) });
const worker = await startWorker(flow, { client, queue });
process.once('SIGTERM', () => worker.close());
process.send('ready');
await worker.done;
await client.close();
process.disconnect();

function cannedDispatcher(bytes) {
  const suggestions = [{ value: 'x'.repeat(Math.max(0, bytes - 120)) }];
  const body = Buffer.from(JSON.stringify({ code: 200, message: 'ok', data: { suggestions }, requestId: 'r', timestamp: 1 }));
  return {
    dispatch(_options, handler) {
      const controller = { abort() {}, pause() {}, resume() {} };
      setImmediate(() => {
        handler.onRequestStart(controller, {});
        handler.onResponseStart(controller, 200, { 'content-type': 'application/json' }, 'OK');
        handler.onResponseData(controller, body);
        handler.onResponseEnd(controller, {});
      });
      return true;
    },
  };
}
