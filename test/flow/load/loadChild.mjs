// Runs a flow on the compiled package, and kills itself with SIGKILL `killAfterMs` after its start, or after its last commit: it loads then.
const { dist, url, apiKey, flow, outDir, postgres, killAfterMs, since } = JSON.parse(process.argv[2]);
const { createClient } = await import(`${dist}/bundle/index.js`);
const { runFlow } = await import(`${dist}/bundle/flow.js`);
const { postgresDestination } = await import(`${dist}/bundle/sinks.js`);

const client = createClient({ baseUrl: url, apiKey });
let timer;
const destinations = { postgres: postgresDestination(postgres) };
runFlow(flow, { client, outDir, concurrency: 2, commitMs: 2, destinations }).subscribe({
  next({ type }) {
    if (type !== since) return;
    clearTimeout(timer);
    timer = setTimeout(() => process.kill(process.pid, 'SIGKILL'), killAfterMs);
  },
  error(error) {
    console.error(error);
    process.exit(1);
  },
  complete: () => void client.close(),
});
