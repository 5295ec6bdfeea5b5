// Runs a flow on the compiled package and kills itself with SIGKILL: before the disk's operation number `failAt`, half-way
// into it where it is a write and `torn`, or after `killAfterMs`. Its lock is renewed, and watched, `hurry` times as often.
import { failingDisk } from './failingDisk.mjs';

const { dist, url, apiKey, flow, outDir, failAt, torn, killAfterMs, update = false, hurry = 1 } = JSON.parse(process.argv[2]);
const { createClient } = await import(`${dist}/bundle/index.js`);
const { runFlow } = await import(`${dist}/bundle/flow.js`);
const { nodeFileSystem } = await import(`${dist}/bundle/sinks.js`);

const die = () => process.kill(process.pid, 'SIGKILL');
const after = (ms, run, idle) => nodeFileSystem.process.after(ms / hurry, run, idle);
const disk = { ...nodeFileSystem, process: { ...nodeFileSystem.process, after } };
const { fileSystem } = failingDisk(disk, { failAt, torn, die });
const client = createClient({ baseUrl: url, apiKey });
if (killAfterMs !== undefined) setTimeout(die, killAfterMs);
runFlow(flow, { client, outDir, fileSystem, concurrency: 2, commitMs: 2, update }).subscribe({
  error: (error) => {
    console.error(error);
    process.exit(1);
  },
  complete: () => void client.close(),
});
