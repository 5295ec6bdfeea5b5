// A client that spends what its ledger lets it: node spenderChild.mjs DIST OPTIONS, the key in TRAWLER_API_KEY.
import { pathToFileURL } from 'node:url';

const [dist, text] = process.argv.slice(2);
const { ledger, baseUrl } = JSON.parse(text);
const { createClient, BudgetError } = await import(pathToFileURL(`${dist}/bundle/index.js`));
const client = createClient({ ledger, baseUrl, concurrency: 4, rate: 'unlimited', retry: { maxAttempts: 1 } });
const one = (query) => new Promise((resolve) => client.webSearch({ query }).subscribe({ error: resolve, complete: resolve }));
let error;
const spend = async (name) => {
  for (let count = 0; !(error instanceof BudgetError); count++) error = (await one(`${name} ${count}`)) ?? error;
};
await Promise.all(['a', 'b', 'c', 'd'].map(spend));
await client.close();
process.stdout.write(JSON.stringify({ because: error.because, until: error.until }));
