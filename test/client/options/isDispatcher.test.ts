import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { Agent, Client, EnvHttpProxyAgent, interceptors, MockAgent, Pool, ProxyAgent, RetryAgent } from 'undici';
import { describe, expect, inject, it } from 'vitest';
import { isDispatcher } from '../../../src/client/options/clientOptions.ts';

const origin = 'http://localhost:1';

/** What `createClient` says to dispatchers made of that of Node's own `fetch`, in a process where no other undici has set one. */
async function toldOfNode(changes: readonly string[]): Promise<readonly string[]> {
  const script = `
    await fetch('data:,');
    const own = globalThis[Symbol.for('undici.globalDispatcher.1')];
    const { createClient } = await import('${pathToFileURL(join(inject('dist'), 'bundle/index.js')).href}');
    for (const dispatcher of [${changes.join()}]) {
      try {
        createClient({ baseUrl: '${origin}', apiKey: 'abc', dispatcher });
        console.log('taken');
      } catch (error) {
        console.log(error.message);
      }
    }`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
  return stdout.trimEnd().split('\n');
}

describe('isDispatcher', () => {
  it.each<[string, () => object]>([
    ['Agent', () => new Agent()],
    ['Pool', () => new Pool(origin)],
    ['Client', () => new Client(origin)],
    ['ProxyAgent', () => new ProxyAgent(origin)],
    ['EnvHttpProxyAgent', () => new EnvHttpProxyAgent()],
    ['RetryAgent', () => new RetryAgent(new Agent())],
    ['MockAgent', () => new MockAgent()],
    ['MockPool', () => new MockAgent().get(origin)],
    ['Agent with interceptors', () => new Agent().compose(interceptors.retry()).compose(interceptors.responseError())],
    ['object with dispatch', () => ({ dispatch: () => true })],
  ])('takes the %s of undici 7', (_, make) => expect(isDispatcher(make())).toBe(true));

  // Node 20 and 22 contain undici 6
  it('refuses undici 6, and says what to install', async () => {
    const isOld = Number.parseInt(process.versions['undici']!) < 7;
    const words = expect.stringMatching(/^createClient: dispatcher must be .* undici 7 or 8.*npm install undici@7/) as string;
    const said = await toldOfNode(['own', 'own.compose((dispatch) => (options, handler) => dispatch(options, handler))']);
    expect(said).toEqual(isOld ? [words, words] : ['taken', 'taken']);
  });

  it('leaves no listener', () => {
    const agent = new Agent();
    const before = agent.eventNames();
    isDispatcher(agent);
    expect(agent.eventNames()).toEqual(before);
  });
});
