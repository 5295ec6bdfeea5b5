import { sha256 } from '../files/blocks.ts';

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
