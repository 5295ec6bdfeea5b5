import { expect, it } from 'vitest';
import { parsedUrl } from '../../../operators/kit/parsedUrl.ts';
import { isWanted, testsOf } from '../../../operators/rowConditions.ts';

it('reads an address with an umlaut, however often', () => {
  const tests = testsOf('where', { link: { domain: 'xn--bcher-kva.example' } });
  for (let n = 0; n < 20_000; n += 1) {
    const link = `https://b\u00FCcher.example/${n}`;
    expect(parsedUrl(link)?.hostname).toBe('xn--bcher-kva.example');
    expect(isWanted({ link }, tests), `the ${n}th`).toBe(true);
  }
  expect(parsedUrl('/next?page=2', 'https://api.example.com/v1/x')?.href).toBe('https://api.example.com/next?page=2');
  expect(parsedUrl('no address')).toBeUndefined();
});
