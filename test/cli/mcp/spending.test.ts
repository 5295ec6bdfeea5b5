import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Random } from '../../simulation/Random.ts';
import { runInProcess } from '../runInProcess.ts';
import { apiKey, countedService, flowOf } from './countedService.ts';
import { HandClient, idIn, untilEnded } from './HandClient.ts';

const madeUp = '0123456789ab';
const sequencesOfOne = process.env['TRAWLER_LONG'] === '1' ? 100 : 15;

describe('what an agent spends through trawler mcp', () => {
  let folder: string;
  let service: Awaited<ReturnType<typeof countedService>>;
  const clients: HandClient[] = [];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trawler-mcp-spending-'));
    service = await countedService(folder);
  });
  afterAll(async () => {
    if (clients.some(({ heard }) => heard.includes(apiKey))) throw new Error('the key was said');
    await service.close();
    await rm(folder, { recursive: true, force: true });
  });
  const connect = async (env: object = {}): Promise<HandClient> => {
    const client = await HandClient.start({ folder: join(folder, 'runs'), env: { ...service.env, ...env }, options: service.options });
    clients.push(client);
    return client;
  };
  const two = (): Promise<[HandClient, HandClient]> => Promise.all([connect(), connect()]);

  it(`is never more than it was given, in ${2 * sequencesOfOne} random sequences of two clients, whose servers are killed now and then`, async () => {
    const seed = Math.floor(Date.now() / 86_400_000); // others every day
    const random = new Random(seed);
    const flows = [flowOf('small', 40), flowOf('large', 160)];
    const ids = new Map<string, string>();
    const given = new Map<string, number>();
    const left = { kills: 1, cancels: 3 };
    const quote = async (server: HandClient, flow: ReturnType<typeof flowOf>): Promise<void> => {
      const { text } = await server.call('quote', { flow });
      ids.set(flow.name, idIn(text));
    };
    const step = async (server: HandClient): Promise<HandClient> => {
      const flow = random.pick(flows);
      const id = random.happens(0.1) ? madeUp : (ids.get(flow.name) ?? madeUp);
      const roll = random.next();
      if (roll < 0.3) await quote(server, flow);
      else if (roll < 0.6) {
        const most = random.whole(1, 250);
        if (/^Run \w+ (started|resumed)/.test((await server.call('start', { quote: id, most })).text))
          given.set(id, Math.max(most, given.get(id) ?? 0));
      } else if (roll < 0.88) await server.call('status', random.happens(0.5) ? {} : { run: id });
      else if (roll < 0.93 && left.cancels-- > 0) await server.call('cancel', { run: id });
      else if (roll < 0.95) await server.call('query', { run: id, file: 'rows.jsonl', sql: 'SELECT count(*) FROM found' });
      else if (left.kills-- > 0) {
        await server.close('SIGKILL');
        return connect();
      }
      return server;
    };
    const sequences = async (flow: ReturnType<typeof flowOf>): Promise<HandClient> => {
      let server = await connect();
      await quote(server, flow);
      for (let n = 0; n < sequencesOfOne; n += 1) for (let calls = random.whole(1, 3); calls > 0; calls -= 1) server = await step(server);
      return server;
    };
    const servers = await Promise.all(flows.map(sequences));
    const started = [...ids].filter(([, id]) => given.has(id));
    expect(started.length, `seed ${seed}`).toBeGreaterThan(1);
    for (const [name, id] of started) {
      await untilEnded((tool, args) => servers[0]!.call(tool, args), id);
      const spent = service.counts.get(name)!;
      expect(spent, `${name} of seed ${seed}`).toBeLessThanOrEqual(given.get(id)!);
    }
    await Promise.all(servers.map((server) => server.close()));
  });

  it('is spent once where two start a quote at once, and its run is found when both servers were killed', async () => {
    const flow = flowOf('once', 60);
    const pair = await two();
    const { text: quoted } = await pair[0].call('quote', { flow });
    expect(quoted).toMatch(/^Quote \w+: at most 60 requests, .* in money\./);
    expect((await pair[1].call('quote', { flow })).text).toBe(quoted);
    expect(service.counts.get('once')).toBe(undefined);
    const quote = idIn(quoted);
    const started = await Promise.all(pair.map((client) => client.call('start', { quote, most: 1000 })));
    expect(started.map(({ text }) => text.split(' ').slice(2, 4).join(' ')).toSorted()).toEqual(['started. It', 'was started.']);
    await Promise.all(pair.map((client) => client.close('SIGKILL')));
    const client = await connect();
    expect((await client.call('status')).text).toContain(`${quote}: a run of once`);
    expect(await untilEnded((tool, args) => client.call(tool, args), quote)).toContain(': done');
    expect(service.counts.get('once')).toBe(60);
    expect((await client.call('start', { quote, most: 1000 })).text).toContain('was started');
    await client.close();
  });

  it('is spent once where two let a run go on at once', async () => {
    const clients = await two();
    const quote = idIn((await clients[0].call('quote', { flow: flowOf('further', 60) })).text);
    await clients[0].call('start', { quote, most: 20 });
    expect(await untilEnded((tool, args) => clients[0].call(tool, args), quote)).toContain(': stopped');
    const started = await Promise.all(clients.map((client) => client.call('start', { quote, most: 1000 })));
    expect(started.map(({ text }) => text.split(' ')[2])).toContain('resumed.');
    expect(await untilEnded((tool, args) => clients[0].call(tool, args), quote)).toContain(': done');
    expect(service.counts.get('further')).toBe(60);
    await Promise.all(clients.map((client) => client.close()));
  });

  it('is nothing for ids that are made up or lead elsewhere, and for arguments that are wrong', async () => {
    const client = await connect();
    const before = [service.total(), await readdir(folder, { recursive: true })];
    const calls: readonly (readonly [tool: string, args: object])[] = [
      ['start', { quote: madeUp, most: 10 }],
      ['start', { quote: '../../runs', most: 10 }],
      ['start', { quote: madeUp }],
      ['start', { quote: madeUp, most: -1 }],
      ['status', { run: '../..' }],
      ['status', { run: madeUp }],
      ['cancel', { run: madeUp }],
      ['query', { run: '..', file: 'x', sql: 'SELECT 1' }],
      ['query', { run: madeUp, file: '/etc/passwd', sql: 'SELECT 1' }],
      ['quote', { flow: flowOf('x', 3), service: 'other' }],
      ['quote', { flow: { ...flowOf('x', 3), service: './x.mjs' } }],
      ['quote', { flow: { ...flowOf('x', 3), env: ['TRAWLER_API_KEY'] } }],
      ['quote', { flow: { name: 'x', stages: { rows: { call: 'rows', each: '-', to: 'rows.jsonl' } } } }],
      ['quote', { flow: { name: 'x', stages: { rows: { call: 'rows', to: 'postgres:rows' } } } }],
      ['quote', { flow: { name: 'x', stages: { rows: { call: 'rows', to: '../rows.jsonl' } } } }],
      ['quote', { flow: { name: 'x', stages: { rows: { call: 'rows', each: '/etc/passwd.csv', to: 'rows.jsonl' } } } }],
      ['quote', { flow: { name: 'x', stages: { rows: { call: 'x'.repeat(1e6) } } } }],
      ['describe', { operation: 'x'.repeat(1e6) }],
      ['y'.repeat(1e6), {}],
    ];
    for (const [tool, args] of calls) {
      const { text, isError } = await client.call(tool, args);
      expect([tool.slice(0, 10), args, isError, text.length < 4000]).toEqual([tool.slice(0, 10), args, true, true]);
    }
    expect([service.total(), await readdir(folder, { recursive: true })]).toEqual(before);
    await client.close();
  });

  it('is never above the limit of a ledger, whatever was given', async () => {
    const env = { TRAWLER_LEDGER: join(folder, 'ledger'), TRAWLER_API_KEY: apiKey };
    await runInProcess(['spend', 'limit', '60', '--service', service.service], { env });
    const client = await connect(env);
    const before = service.total();
    const ids: string[] = [];
    for (const flow of [flowOf('first', 45), flowOf('second', 45)]) {
      ids.push(idIn((await client.call('quote', { flow })).text));
      await client.call('start', { quote: ids.at(-1), most: 1000 });
      await untilEnded((tool, args) => client.call(tool, args), ids.at(-1)!);
    }
    const { text } = await client.call('status', { run: ids[1] });
    expect(text).toMatch(/: stopped.*[^]*limit of 60 requests/);
    expect(service.total() - before).toBe(60);
    const third = idIn((await client.call('quote', { flow: flowOf('third', 10) })).text);
    await client.call('start', { quote: third, most: 10 });
    expect(await untilEnded((tool, args) => client.call(tool, args), third)).toContain('limit of 60 requests');
    expect(service.total() - before).toBe(60);
    await client.close();
  });
});
