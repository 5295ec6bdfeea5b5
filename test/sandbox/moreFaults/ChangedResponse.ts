import { pagingRequestOf, responseOf } from '../../../src/contract/index.ts';
import type { SandboxCall } from '../../../src/sandbox/SandboxCall.ts';
import type { World, WorldQuery } from '../../../src/sandbox/world/World.ts';

export interface ListOptions {
  /** Which list, as a dotted path in `data`. @default the operation's own */
  readonly list?: string | undefined;
}

/** A mutable object of a response. */
interface Changeable {
  [field: string]: unknown;
}

/** A field of a response: the object that holds it, and its key. */
interface Spot {
  readonly holder: Changeable;
  readonly key: string;
}

/** A copy of the correct data for a fault to change. */
export class ChangedResponse {
  readonly data: Changeable;
  private readonly exchange: SandboxCall;

  constructor(exchange: SandboxCall, world?: World, query?: WorldQuery) {
    this.exchange = exchange;
    this.data = JSON.parse(JSON.stringify(exchange.data(world, query))) as Changeable;
  }

  /** Where the rows are: at the named path, or the operation's own list. */
  list(path: string | undefined): Spot {
    const at = path ?? responseOf(this.exchange.operation, this.exchange.query).rows;
    if (at === null) throw new Error(`${this.exchange.operation.name} has no list of rows; name one with 'list'`);
    return this.spot(at);
  }

  rows(path: string | undefined): unknown[] {
    const { holder, key } = this.list(path);
    return (holder[key] ??= []) as unknown[];
  }

  /** Where the token of the next page is, or would be. */
  token(): Spot {
    const { paging } = this.exchange.operation.spec;
    const at = pagingRequestOf(paging).tokenAt;
    if (at.length === 0) throw new Error(`${this.exchange.operation.name} has no tokens`);
    return this.spot(at.find((path) => this.has(path)) ?? at[0]!);
  }

  get hasTokens(): boolean {
    const { paging } = this.exchange.operation.spec;
    return pagingRequestOf(paging).tokenAt.length > 0;
  }

  /** Which walk the request is part of: its query without the cursor or the offset. */
  get walk(): string {
    const { operation, query } = this.exchange;
    const { paging } = operation.spec;
    const [walks] = pagingRequestOf(paging).params;
    const rest = Object.entries(query).filter(([param]) => param !== walks);
    return JSON.stringify([operation.name, rest]);
  }

  send(): void {
    this.exchange.json(this.exchange.wrap(this.data));
  }

  private has(path: string): boolean {
    let value: unknown = this.data;
    for (const key of path.split('.')) {
      if (typeof value !== 'object' || value === null || !(key in value)) return false;
      value = (value as Changeable)[key];
    }
    return true;
  }

  /** Creates missing objects on the path. */
  private spot(path: string): Spot {
    const keys = path.split('.');
    const key = keys.pop()!;
    let holder = this.data;
    for (const each of keys) holder = (holder[each] ??= {}) as Changeable;
    return { holder, key };
  }
}

/** Sends a bad response. It may keep state between requests. */
export type PlayFault = (exchange: SandboxCall) => void;

/** A fault that changes a correct response. `endless`: one from a world without ends. */
export function changed(change: (response: ChangedResponse, exchange: SandboxCall) => void, endless?: 'endless'): PlayFault {
  return (exchange) => {
    const response = new ChangedResponse(exchange, endless && exchange.world.withoutEnd());
    change(response, exchange);
    response.send();
  };
}
