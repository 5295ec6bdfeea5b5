// Requests through a dispatcher of your own: a proxy, a mock, an interceptor that looks at what goes out.
// (`npm install undici`: the client comes with one, but what you import yourself should be a dependency of yours.)
import { firstValueFrom } from 'rxjs';
import { createClient } from 'trawler';
import { startSandbox } from 'trawler/sandbox';
import { Agent } from 'undici';

const sandbox = await startSandbox();

// `new ProxyAgent('http://proxy.example:3128')` would send everything through a proxy. This one writes down what passes.
const dispatcher = new Agent({ connections: 2, pipelining: 1 }).compose((dispatch) => (request, handler) => {
  console.log(`${request.method} ${request.path}`);
  return dispatch(request, handler);
});

const client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey, dispatcher });
const page = await firstValueFrom(client.autocomplete({ query: 'tea' }));
console.log(page.items.length, 'suggestions');

await client.close();
await dispatcher.close(); // what you made is yours to close
await sandbox.close();

/* prints
GET /api/v1/engine/autocomplete?query=tea
10 suggestions
*/
