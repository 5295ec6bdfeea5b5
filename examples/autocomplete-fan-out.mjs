// What people look for: the suggestions for a word, then the suggestions for each of these.
import { lastValueFrom, map, of } from 'rxjs';
import { createClient } from 'trawler';
import { distinctBy, fanOut, items } from 'trawler/operators';
import { startSandbox } from 'trawler/sandbox';
import { toCsv } from 'trawler/sinks';

const sandbox = await startSandbox();
const client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });

const suggestions = ({ text }) =>
  client.autocomplete({ query: text }).pipe(
    items(),
    map(({ value }) => ({ text: value, under: text })),
  );
const suggest = () => fanOut(suggestions, { by: 'text' }); // each text is requested once

const report = await lastValueFrom(
  of({ text: 'tea' }).pipe(suggest(), suggest(), distinctBy('text'), toCsv('suggestions.csv', { columns: ['text', 'under'] })),
);
console.log(`${report.path}: ${report.rows} suggestions, in ${sandbox.count()} requests`);

await client.close();
await sandbox.close();

/* prints
suggestions.csv: 52 suggestions, in 9 requests
*/
