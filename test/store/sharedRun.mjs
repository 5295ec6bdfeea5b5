// Runs a flow on the compiled package with a store, and prints how many requests it sent.
const { dist, url, apiKey, flow, outDir, folder } = JSON.parse(process.argv[2]);
const { createClient } = await import(`${dist}/bundle/index.js`);
const { runFlow } = await import(`${dist}/bundle/flow.js`);
const { openStore } = await import(`${dist}/bundle/store.js`);

const store = openStore(folder);
const client = createClient({ baseUrl: url, apiKey, rate: 'unlimited', store });
runFlow(flow, { client, outDir }).subscribe({
  complete: async () => {
    console.log(JSON.stringify(client.stats()));
    await client.close();
    await store.close();
  },
});
