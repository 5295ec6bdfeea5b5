import { gzipSync } from 'node:zlib';
import { Agent, interceptors, RetryAgent } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { AuthError, HttpError, RateLimitError } from '../../../src/errors/index.ts';
import { VirtualClock } from '../../../src/testing/VirtualClock.ts';
import { passTime } from '../passTime.ts';
import { envelope, reply, startServer } from '../startServer.ts';
import { errorOf, outcome, reviews, testClient } from '../testClient.ts';

const query = { data_id: 'a' };

function agentWith(...composed: Parameters<Agent['compose']>): ReturnType<Agent['compose']> {
  const agent = new Agent();
  onTestFinished(() => agent.close());
  return agent.compose(...composed);
}

describe('Exchange, where an interceptor turned the response into an error', () => {
  it.each([
    [401, AuthError],
    [404, HttpError],
  ])('reads a %i, which is sent once', async (status, kind) => {
    let asked = 0;
    await using server = await startServer((_, response) => {
      asked++;
      response.setHeader('content-type', 'application/json');
      response.writeHead(status).end(envelope({}, { code: status, message: 'no such thing', requestId: 'r-1' }));
    });
    await using client = testClient(server.url, { dispatcher: agentWith(interceptors.responseError()) });
    const error = await errorOf(client.mapsReviews(query));
    expect(error).toBeInstanceOf(kind);
    expect(error).toMatchObject({ status, requestId: 'r-1', attempts: 1 });
    expect((error as Error).message).toContain('no such thing');
    expect(asked).toBe(1);
  });

  it('honours the Retry-After of a 429', async () => {
    let asked = 0;
    await using server = await startServer((_, response) => {
      if (++asked > 1) return reply(response, reviews('at last'));
      response.writeHead(429, { 'retry-after': '2' }).end();
    });
    const clock = new VirtualClock();
    await using client = testClient(server.url, { clock, dispatcher: agentWith(interceptors.responseError()) });
    const { values } = await passTime(client, clock, outcome(client.mapsReviews(query)));
    expect(values[0]?.items).toEqual([{ snippet: 'at last' }]);
    expect(asked).toBe(2);
    expect(clock.now()).toBeGreaterThanOrEqual(2000);
  });

  it('leaves out a compressed body, which was read as text', async () => {
    await using server = await startServer((_, response) => {
      response.writeHead(404, { 'content-type': 'text/plain', 'content-encoding': 'gzip' }).end(gzipSync('no such thing'));
    });
    await using client = testClient(server.url, { dispatcher: agentWith(interceptors.responseError()) });
    const error = await errorOf(client.mapsReviews(query));
    expect(error).toMatchObject({ status: 404 });
    expect((error as Error).message).toMatch(/: HTTP 404; check baseUrl/);
  });

  it('reads the status with which retries of undici end', async () => {
    await using server = await startServer((_, response) => response.writeHead(429, { 'retry-after': '900' }).end());
    const agent = new Agent();
    onTestFinished(() => agent.close());
    const dispatcher = new RetryAgent(agent, { statusCodes: [429], maxRetries: 0 });
    await using client = testClient(server.url, { dispatcher });
    const error = await errorOf(client.mapsReviews(query));
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ status: 429, retryAfterMs: 900_000 });
  });
});
