import { getOrInsert } from '../../../operators/kit/once.ts';
import type { Lazy } from '../../../operators/LazyRow.ts';
import {
  costPath,
  envelopeOf,
  headerIn,
  rowPlaceOf,
  pagingKindOf,
  pagingRequestOf,
  responseOf,
  type ResponseSpec,
  type EnvelopeSpec,
  type FailureSpec,
  type Operation,
  type Service,
  type Shape,
} from '../../contract/index.ts';
import type { MatchRules } from '../attempt/failurePolicy.ts';
import { asRow, entryShape } from '../../contract/fieldAt.ts';
import { valueAt } from '../../../operators/kit/path.ts';
import { parseResponse, type Payload } from '../response/parseResponse.ts';
import { RowScanner } from './RowScanner.ts';

const fewMisses = 8;
const often = 64;

/** What a client knows of the lists of an operation. */
export interface ListPlan {
  /** The shape of its responses and where their rows are. undefined: that depends on the query. */
  readonly response: ResponseSpec | undefined;
  /** The list that was read last without parsing its rows. */
  lastList: KnownList | undefined;
}

/** How to read a body. */
export interface SpanRequest {
  readonly operation: Operation;
  /** What the client knows of the operation. */
  readonly plan?: ListPlan | undefined;
  readonly query: object;
  /** A list other than the operation's own. */
  readonly rows?: string | undefined;
  /** A list that is missing is an empty one. */
  readonly missing?: 'empty' | undefined;
  /** Whether rows may stay unparsed. */
  readonly lazy?: Lazy | undefined;
}

/** A list, and how often its bodies had to be parsed. */
interface KnownList {
  readonly operation: Operation;
  readonly path: string;
  /** The only fields that are wanted. undefined: all. */
  readonly only: readonly string[] | undefined;
  /** `"key":` in front of the list, as it stands in a body; '' if the body is the list. */
  readonly token: string;
  /** undefined: its rows are always parsed. */
  readonly scanner: RowScanner | undefined;
  readonly envelope: EnvelopeSpec;
  /** Its operation's data is a list, else an object. */
  readonly list: boolean;
  /** Where in the body the parameters of the next page are. */
  readonly nextAt: string | undefined;
  /** The number of bodies in a row that had to be parsed. */
  misses: number;
}

/**
 * Reads a body without parsing its rows. Only the rest of the body is parsed. If the bodies of a list keep needing the
 * parser, the list is tried only now and then.
 */
export class SpanReader {
  readonly #service: Service;
  readonly #costAt: string | undefined;
  readonly #lists = new Map<unknown, KnownList[]>();
  /** Replaces the rows in the rest of the body, to check that they were cut out at the right place. */
  readonly #standIn = `rows ${process.getBuiltinModule('node:crypto').randomUUID()}`;

  constructor(service: Service) {
    this.#service = service;
    this.#costAt = costPath(service.price);
  }

  /** undefined: the body has to be parsed. */
  read(body: Buffer, { operation, plan, query, rows, lazy = false }: SpanRequest, judge?: MatchRules): Payload | undefined {
    if (lazy === false) return undefined;
    const { response, rows: list } = plan?.response ?? responseOf(operation, query);
    const path = rows ?? list;
    if (path === null) return undefined;
    const only = lazy === true ? undefined : lazy;
    const last = plan?.lastList;
    const known =
      last?.path === path && last.only === only && plan?.response !== undefined ? last : this.#listOf(operation, response, path, only);
    if (plan !== undefined) plan.lastList = known;
    const { scanner } = known;
    if (scanner === undefined || (known.misses >= fewMisses && ++known.misses % often !== 0)) return undefined;
    const payload = this.#cut(body, known, scanner, judge);
    if (payload === undefined) known.misses++;
    else known.misses = 0;
    return payload;
  }

  /** Whether the rows are always parsed. `entry`: the shape of each, if it is documented. */
  #isParsed(operation: Operation, list: string, entry: Shape | undefined): boolean {
    if (entry !== undefined && asRow(entry) !== entry) return true;
    const { failures } = this.#service;
    const { keyed, outer, columns } = rowPlaceOf(operation, list);
    if ((operation.spec.format ?? 'json') !== 'json' || [keyed, outer, columns].some((one) => one !== undefined) || list.includes('['))
      return true;
    return failures !== undefined && this.#looksInto(failures, operation, list);
  }

  /** Whether a rule of failures looks at rows. */
  #looksInto(failures: readonly FailureSpec[], operation: Operation, list: string): boolean {
    const { data } = envelopeOf(this.#service, operation);
    const place = [data, list].filter(Boolean).join('.');
    const isInside = (at: string | undefined): boolean =>
      at !== undefined && headerIn(at) === undefined && (place === '' || (at.startsWith(place) && /^[.[]?$/.test(at.charAt(place.length))));
    return failures.some(({ at, until }) => isInside(at) || isInside(until));
  }

  #cut(body: Buffer, known: KnownList, scanner: RowScanner, judge: MatchRules | undefined): Payload | undefined {
    const { path, token, envelope, list: isList, nextAt } = known;
    const source = body.toString('latin1');
    const open = source.indexOf(`${token}[`) + token.length;
    if (source[open] !== '[' || (token === '' && open !== 0)) return undefined;
    const spans = scanner.scan(body, source, open);
    if (spans === undefined) return undefined;
    const rest = `${source.slice(0, open + 1)}"${this.#standIn}"${source.slice(spans.end)}`;
    const payload = parseResponse(Buffer.from(rest, 'latin1'), envelope, { list: isList, nextAt, costAt: this.#costAt, spans, judge });
    if (payload.kind !== 'payload' || !payload.good || payload.verdict !== undefined) return undefined;
    const list = path === '' ? payload.data : valueAt(payload.data, path);
    if (!Array.isArray(list) || list.length !== 1 || list[0] !== this.#standIn) return undefined; // another list with the same name
    list.pop();
    return payload;
  }

  #listOf(
    operation: Operation,
    response: ReturnType<typeof responseOf>['response'],
    path: string,
    only: readonly string[] | undefined,
  ): KnownList {
    const lists = getOrInsert(this.#lists, response, () => []);
    let known: KnownList | undefined;
    for (const one of lists)
      if (one.operation === operation && one.path === path && (one.only === only || isSame(one.only, only))) known = one;
    if (known === undefined) {
      // A walk that counts rows compares them by their id.
      const { id, claims, rows: list, paging } = operation.spec;
      const counts = claims !== undefined || pagingKindOf(paging).countsRows;
      const isMissing = only !== undefined && counts && id !== undefined && !only.includes(id);
      const fields = isMissing ? [...only, id] : only;
      const entry = entryShape(response, path);
      known = {
        operation,
        path,
        only,
        token: this.#tokenOf(operation, path),
        scanner: this.#isParsed(operation, path, entry) ? undefined : new RowScanner(entry, path, fields),
        envelope: envelopeOf(this.#service, operation),
        list: list === '',
        nextAt: pagingRequestOf(paging).fromBody,
        misses: 0,
      };
      lists.push(known);
    }
    return known;
  }

  #tokenOf(operation: Operation, path: string): string {
    const key = path === '' ? envelopeOf(this.#service, operation).data : path;
    return key === undefined ? '' : Buffer.from(`${JSON.stringify(key.split('.').at(-1))}:`).toString('latin1');
  }
}

function isSame(fields: readonly string[] | undefined, others: readonly string[] | undefined): boolean {
  return fields !== undefined && others !== undefined && fields.join() === others.join();
}
