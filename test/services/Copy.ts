import type { IncomingHttpHeaders } from 'node:http';

export interface CopiedRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  /** As text. */
  readonly body: string;
}

export interface CopiedResponse {
  readonly status?: number;
  readonly headers?: { readonly [name: string]: string };
  readonly body: unknown;
}

/** One query of a service, and what it must bring. */
export interface CopiedQuery {
  readonly operation: string;
  readonly query: { readonly [param: string]: unknown };
  /** The field that says which row it is, as a dotted path. */
  readonly id: string;
  /** The ids of all rows, in any order. */
  readonly rows: readonly string[];
  /** How many requests all of them need. */
  readonly needed: number;
}

/** A copy of a service, made from its documentation: it refuses what the service refuses. */
export interface Copy {
  /** The file in `examples/services` that describes the service. */
  readonly service: string;
  /** The page that the copy was made from, and when. */
  readonly source: string;
  readonly apiKey?: string;
  readonly queries: readonly CopiedQuery[];
  /** So many requests fail once, the first of all. */
  readonly failsFirst?: number;
  /** What else shows the key: a token that was made from it. */
  readonly secrets?: readonly string[];
  /** The next request with a token has the next rows, whoever sends it. */
  readonly keepsPlace?: true;
  answer(request: CopiedRequest): CopiedResponse;
}

/** `count` names: a-1, a-2, … */
export const named = (prefix: string, count: number): string[] => Array.from({ length: count }, (_, i) => `${prefix}-${i + 1}`);

export const refused = (status: number, body: unknown): CopiedResponse => ({ status, body });
