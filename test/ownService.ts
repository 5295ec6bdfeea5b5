import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, inject } from 'vitest';
import { loadService, type Service } from '../src/contract/index.ts';

/** A service that a module describes, as users have it. */
export interface OwnService {
  /** A folder beside the bundle, with the module and whatever a test puts there. */
  readonly folder: string;
  /** The module. */
  readonly file: string;
  /** The file of the flow, if there is one. */
  readonly flow: string;
  /** There as soon as the tests begin. */
  readonly service: Service;
}

/** `code`: the module, from its `export default defineService(` on or what is in front of that. All of it goes after the tests around it. */
export function ownService(name: string, code: string, flow?: object): OwnService {
  const folder = join(inject('dist'), `own-${name}`);
  const own = { folder, file: join(folder, 'service.mjs'), flow: join(folder, 'flow.json'), service: undefined as unknown as Service };
  beforeAll(async () => {
    await mkdir(folder, { recursive: true });
    await writeFile(own.file, `import { defineOperation, defineService } from '../bundle/index.js';\n${code}`);
    if (flow !== undefined) await writeFile(own.flow, JSON.stringify({ ...flow, service: './service.mjs' }));
    own.service = await loadService(own.file);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  return own;
}
