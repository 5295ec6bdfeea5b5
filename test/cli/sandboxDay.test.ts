import { expect, it } from 'vitest';
import { runInProcess } from './runInProcess.ts';

it('--day lets days pass in the sandbox of a command, and is refused without one', async () => {
  const call = (...more: readonly string[]) => runInProcess(['call', 'webSearch', '--query', 'coffee', ...more]);
  const rowsOf = async (...more: readonly string[]): Promise<unknown> =>
    (JSON.parse((await call('--sandbox', ...more)).stdout) as { readonly data: { readonly organic_results: unknown } }).data
      .organic_results;
  const first = await rowsOf();
  expect(await rowsOf('--day', '0')).toEqual(first);
  expect(await rowsOf('--day', '40')).not.toEqual(first);
  expect(await call('--day', '2')).toMatchObject({ code: 2, stderr: 'trawler: --day is for the sandbox: add --sandbox.\n' });
});
