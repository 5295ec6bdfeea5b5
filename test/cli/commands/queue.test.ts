import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasRedis, startRedis, type TestRedis } from '../../bullmq/startRedis.ts';
import { postgresBin, startPostgres, type Postgres } from '../../startPostgres.ts';
import { runInProcess } from '../runInProcess.ts';

describe('trawler queue init', () => {
  const init = (address: string): ReturnType<typeof runInProcess> => runInProcess(['queue', 'init', address]);

  it.each([
    ['redis://:hush@127.0.0.1:1', /^trawler: Redis at 127\.0\.0\.1:1 can't be reached: .*ECONNREFUSED/],
    ['postgres://me:hush@127.0.0.1:1/crawls', /^trawler: PostgreSQL at 127\.0\.0\.1:1 can't be reached: .*ECONNREFUSED/],
    ['postgres://127.0.0.1:1/crawls?schema=a%20b', /^trawler: the schema of a queue is a name such as trawler_queue, not 'a b'/],
    ['mysql://127.0.0.1/crawls', /^trawler: the queue must be a URL such as redis:/],
  ])('says what is wrong with %s', async (address, message) => {
    const { code, stdout, stderr } = await init(address);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(message)]);
    expect(stderr).not.toMatch(/hush|TRAWLER_DEBUG/);
  });

  describe.skipIf(!hasRedis())('with a Redis', () => {
    let redis: TestRedis;
    beforeAll(async () => void (redis = await startRedis()));
    afterAll(() => redis?.close());

    it('looks whether it is there', async () => {
      expect(await init(redis.url)).toMatchObject({ code: 0, stdout: 'The queue is ready.\n' });
    });
  });

  describe.skipIf(postgresBin === undefined)('with a PostgreSQL', () => {
    let postgres: Postgres;
    beforeAll(async () => void (postgres = await startPostgres()), 60_000);
    afterAll(() => postgres?.close());

    it('makes the tables, or says what the database refuses', async () => {
      expect(await init(postgres.url)).toMatchObject({ code: 0, stdout: 'The queue is ready.\n' });
      const none = await init(postgres.url.replace(/\/postgres$/, '/none'));
      expect([none.code, none.stderr]).toEqual([
        2,
        expect.stringMatching(/^trawler: PostgreSQL at \S+ refuses: .*"none" does not exist \(3D000\)\n$/),
      ]);
      await postgres.psql('CREATE ROLE guest LOGIN; REVOKE CREATE ON DATABASE postgres FROM PUBLIC;');
      const guest = await init(`${postgres.url.replace('trawler@', 'guest@')}?schema=other`);
      expect([guest.code, guest.stderr]).toEqual([
        2,
        expect.stringMatching(/^trawler: PostgreSQL at \S+ refuses: permission denied .* \(42501\)\n$/),
      ]);
    });
  });
});
