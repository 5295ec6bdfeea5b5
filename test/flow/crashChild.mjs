// Runs a flow on the compiled package and kills itself with SIGKILL: before the disk's operation number `failAt`, half-way
// into it where it is a write and `torn`, or after `killAfterMs`.
import { failingDisk } from './failingDisk.mjs';

const { dist, url, apiKey, flow, outDir, failAt, torn, killAfterMs, update = false, commitMs = 2 } = JSON.parse(process.argv[2]);
const { createClient } = await import(`${dist}/bundle/index.js`);
const { runFlow } = await import(`${dist}/bundle/flow.js`);
const { nodeFileSystem } = await import(`${dist}/bundle/sinks.js`);

const die = () => process.kill(process.pid, 'SIGKILL');
const { fileSystem } = failingDisk(nodeFileSystem, { failAt, torn, die });
const client = createClient({ baseUrl: url, apiKey });
if (killAfterMs !== undefined) setTimeout(die, killAfterMs);
runFlow(flow, { client, outDir, fileSystem, concurrency: 2, commitMs, update }).subscribe({
  error: (error) => {
    console.error(error);
    process.exit(1);
  },
  complete: () => void client.close(),
});
