import { describe, expect, it } from 'vitest';
import { isLoopback, namesServer, serverUrl } from '../../../operators/kit/parsedUrl.ts';

describe('the hosts of this machine', () => {
  it('are known by name and by address', () => {
    for (const host of ['localhost', 'a.localhost', '127.0.0.1', '127.9.9.9', '::1', '[::1]'])
      expect([host, isLoopback(host)]).toEqual([host, true]);
    for (const host of ['', 'localhost.evil.example', '127.0.0.1.evil.example', '128.0.0.1', '[::2]', 'evil.example'])
      expect([host, isLoopback(host)]).toEqual([host, false]);
  });

  it('are what a Host header may name, and if others may connect, an address, the name and that of containers', () => {
    const named = (header: string | undefined, host: string): boolean => namesServer(header, host);
    for (const header of ['localhost:4780', '127.0.0.1', '[::1]:1', 'LOCALHOST'])
      expect([header, named(header, '127.0.0.1')]).toEqual([header, true]);
    for (const header of [undefined, '', 'evil.example', 'host.docker.internal', '10.0.0.1:4780'])
      expect([header, named(header, '127.0.0.1')]).toEqual([header, false]);
    for (const header of ['box.example:4780', '10.0.0.1:4780', '[fe80::1]', 'host.docker.internal:4780', 'localhost'])
      expect([header, named(header, 'box.example')]).toEqual([header, true]);
    for (const header of ['evil.example', 'host.docker.internal.evil.example', '10.0.0.1.evil.example'])
      expect([header, named(header, 'box.example')]).toEqual([header, false]);
  });

  it('stand in the URL of a server', () => {
    expect(['127.0.0.1', '::1', '0.0.0.0', '::'].map((host) => serverUrl(host, 1))).toEqual([
      'http://127.0.0.1:1',
      'http://[::1]:1',
      'http://localhost:1',
      'http://localhost:1',
    ]);
  });
});
