import { Observable, type MonoTypeOperatorFunction } from 'rxjs';
import { DemandNode } from './demand/DemandNode.ts';
import { Outlet } from './kit/Outlet.ts';
import { optionError } from './options/OptionSet.ts';

/** The node of a named part of a pipe. It never holds. */
class Part extends DemandNode {}

/**
 * Gives the part of a pipe above it a name, up to the next `named`: in errors (`error.part`), in a client's events and in
 * `client.explain()`.
 *
 * - Order, concurrency, cancellation: as without it. Cost: none.
 *
 * @example
 * queries$.pipe(offsetPages(client.mapsSearch), items(), named('places'), placeReviews(client), named('reviews'))
 */
export function named<T>(name: string): MonoTypeOperatorFunction<T> {
  if (typeof name !== 'string' || name === '') throw optionError('named', 'the name', 'a text that is not empty', name);
  return (source) =>
    new Observable((destination) => {
      const out = new Outlet<T>(destination);
      const part = new Part(out.node, out.node?.depth ?? 0, name);
      const error = (error: unknown): void => {
        if (typeof error === 'object' && error !== null && !('part' in error) && Object.isExtensible(error)) {
          Object.defineProperty(error, 'part', { value: name, enumerable: true });
        }
        out.error(error);
      };
      out.listen(source, { next: out.next, error }, part);
    });
}

/** The name of the part that a node is in, or undefined. */
export function partOf(node: DemandNode | undefined): string | undefined {
  let at = node;
  while (at !== undefined && !(at instanceof Part)) at = at.parent;
  return at?.name;
}
