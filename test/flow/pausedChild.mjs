// Runs a flow on the compiled package, in a process of its own, and prints the error that it ends with. Its lock is
// renewed, and watched, sixteen times as often as elsewhere.
const { dist, url, apiKey, flow, outDir } = JSON.parse(process.argv[2]);
const { createClient } = await import(`${dist}/bundle/index.js`);
const { runFlow } = await import(`${dist}/bundle/flow.js`);
const { nodeFileSystem } = await import(`${dist}/bundle/sinks.js`);
const after = (ms, run, idle) => nodeFileSystem.process.after(ms / 16, run, idle);
const fileSystem = { ...nodeFileSystem, process: { ...nodeFileSystem.process, after } };

const client = createClient({ baseUrl: url, apiKey });
runFlow(flow, { client, outDir, fileSystem, concurrency: 4, commitMs: 30 }).subscribe({
  error: (error) => {
    console.log(JSON.stringify({ name: error.name, message: error.message }));
    void client.close();
  },
  complete: () => {
    console.log('{}');
    void client.close();
  },
});
