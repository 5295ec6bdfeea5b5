import Module from 'node:module';
import { vi } from 'vitest';

/** Runs something as if a package weren't installed. */
export async function withoutPackage(missing: string, run: () => Promise<void>): Promise<void> {
  const modules = Module as unknown as { _resolveFilename: (name: string, ...rest: readonly unknown[]) => string };
  const resolve = modules._resolveFilename;
  const spy = vi.spyOn(modules, '_resolveFilename').mockImplementation((name, ...rest) => {
    if (name === missing) throw new Error('not found');
    return resolve.call(modules, name, ...rest);
  });
  try {
    await run();
  } finally {
    spy.mockRestore();
  }
}
