import type { HostProcess } from '../files/FileSystem.ts';
import { nodeProcess } from '../files/nodeProcess.ts';

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
