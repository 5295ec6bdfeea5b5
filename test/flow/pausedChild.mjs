// Runs a flow on the compiled package, as a process of the machine `host`, and prints the error that it ends with.
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';

const { dist, url, apiKey, flow, outDir, host } = JSON.parse(process.argv[2]);
os.hostname = () => host;
syncBuiltinESMExports();
const { createClient } = await import(`${dist}/bundle/index.js`);
const { runFlow } = await import(`${dist}/bundle/flow.js`);

const client = createClient({ baseUrl: url, apiKey });
runFlow(flow, { client, outDir, concurrency: 4, commitMs: 500 }).subscribe({
  error: (error) => {
    console.log(JSON.stringify({ name: error.name, message: error.message }));
    void client.close();
  },
  complete: () => {
    console.log('{}');
    void client.close();
  },
});
