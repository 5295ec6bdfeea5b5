// From a CommonJS script: require works as it does for any package, on every supported Node.
const { lastValueFrom, of } = require('rxjs');
const { createClient, TrawlerError } = require('trawler');
const { items, offsetPages } = require('trawler/operators');
const { startSandbox } = require('trawler/sandbox');
const { toCsv } = require('trawler/sinks');

async function main() {
  const sandbox = await startSandbox();
  const client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });
  try {
    const pages$ = of({ query: 'museum', ll: '@38.72,-9.14,13z' }).pipe(offsetPages(client.mapsSearch));
    const { path, rows } = await lastValueFrom(pages$.pipe(items(), toCsv('museums.csv')));
    console.log(`${path}: ${rows} places`);
  } catch (error) {
    if (!(error instanceof TrawlerError)) throw error;
    console.error(`${error.name}: ${error.message}`);
    process.exitCode = 1;
  } finally {
    await client.close();
    await sandbox.close();
  }
}
void main();

/* prints
museums.csv: 56 places
*/
