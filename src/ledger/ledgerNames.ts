import type { HostProcess } from '../files/FileSystem.ts';
import { nodeProcess } from '../files/nodeProcess.ts';
import { sha256 } from '../files/blocks.ts';

/** The name of the one who spends: TRAWLER_WHO, else the user and the machine. */
export function ownName(): string {
  const given = process.env['TRAWLER_WHO'];
  if (given) return given;
  const { hostname, userInfo } = process.getBuiltinModule('node:os');
  try {
    return `${userInfo().username}@${hostname()}`;
  } catch {
    return hostname(); // the user of a container may have no name
  }
}

/** A name for a writer of a ledger. No other writer has it, now or ever. */
export function newWriter(process: HostProcess = nodeProcess): string {
  return [process.host, process.pid, process.now(), process.unique(), Math.random().toString(36).slice(2, 8)].join('.');
}

const accountLength = 12;

/** The name of the balance for a key. The account is a digest of the key, and of the user if there is one. */
export function balanceOf(
  service: { readonly name: string },
  { key, user = '' }: { readonly key: string; readonly user?: string | undefined },
): string {
  if (key === '') return `${service.name} none`;
  const digest = sha256()
    .update(JSON.stringify([service.name, user, key]))
    .digest('hex');
  return `${service.name} ${digest.slice(0, accountLength)}`;
}
