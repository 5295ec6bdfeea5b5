import { pagingKindOf, pagingRequestOf, type ResponseStore } from '../../contract/index.ts';
import type { Settings } from '../options/resolveOptions.ts';
import type { SpanReader, SpanRequest } from '../spans/SpanReader.ts';
import { firstQueryOf, HandedOut, type Source } from './HandedOut.ts';
import { StoredResponses } from './StoredResponses.ts';

const maxWalk = 1000;
const nothing = (): void => {};

/** A store as a client uses it. A page from the store takes no slot, no pace and no budget. */
export class ClientStore {
  readonly responses: StoredResponses;
  readonly handedOut: HandedOut;
  /** Whether calls read the store. They don't once the client is closed. */
  open = true;

  constructor(store: ResponseStore, settings: Settings, spans: SpanReader) {
    this.responses = new StoredResponses(store, settings, spans);
    this.handedOut = new HandedOut(settings.service);
  }

  /** Where a value of a query came from: a page read earlier, or, after a restart, the stored pages of its walk. */
  sourceOf({ operation, query }: SpanRequest, done: (source: Source | undefined) => void): void {
    const known = this.handedOut.sourceOf(operation, query);
    const { paging } = operation.spec;
    if (known !== undefined || pagingRequestOf(paging).tokenAt.length === 0) return done(known);
    const first = firstQueryOf(operation, query);
    const read = (page: object, left: number): void => {
      this.responses.find({ operation, query: page }, nothing, (found) => {
        if (found === undefined || left === 0) return done(undefined);
        const token = this.handedOut.note(operation, page, found.payload.data, found.at);
        const source = this.handedOut.sourceOf(operation, query);
        if (source !== undefined || token === undefined) return done(source);
        setImmediate(() => read(pagingKindOf(paging).move(page, token, {}), left - 1));
      });
    };
    read(first, maxWalk);
  }

  /**
   * Notes again what a page handed out, if `query` needs that: a flow that resumes knows which page led to a query, not
   * what was in it.
   */
  recall(query: SpanRequest, page: SpanRequest): void {
    const { handedOut, responses } = this;
    if (!responses.records || !handedOut.takesExpiring(query.operation)) return;
    if (handedOut.sourceOf(query.operation, query.query) !== undefined) return;
    responses.find(page, nothing, (found) => {
      if (found !== undefined) handedOut.noteExpiring(page.operation, page.query, found.payload.data, found.at);
    });
  }
}
