import type { WalkedOperation } from './WalkedOperation.ts';

/** What a walk knows of a page factory: its operation's description, else what the function itself says. */
export function specOf(
  factory: Pick<WalkedOperation, 'name' | 'paging'> & { readonly spec?: WalkedOperation | undefined },
): WalkedOperation {
  return factory.spec ?? factory;
}
