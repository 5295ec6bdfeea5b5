import type { Dispatcher } from 'undici';

/** A response, or what comes in its place: the connection breaks. */
export interface Reply {
  readonly status: number;
  readonly headers?: { readonly [name: string]: string };
  readonly body: string;
  readonly instead?: 'reset' | undefined;
}

/** Who sends requests. */
export interface Visitor {
  readonly name: string;
  readonly isAlive: boolean;
  inFlight: number;
  requests: number;
}

/** Takes a request, and calls `respond` some time later or never. Returns what to do if the client gives up before that. */
export type Serve = (options: Dispatcher.DispatchOptions, respond: (reply: Reply) => void) => () => void;

/** The way of a visitor to a service in memory: undici's own interface, without a socket. */
export function simulatedDispatcher(visitor: Visitor, serve: Serve): Dispatcher {
  const dispatch = (options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean => {
    if (!visitor.isAlive) return true;
    let isOver = false;
    let forget = (): void => undefined;
    const end = (): boolean => {
      if (isOver) return false;
      isOver = true;
      visitor.inFlight -= 1;
      return true;
    };
    const controller = { abort: () => void (end() && forget()) } as unknown as Dispatcher.DispatchController;
    visitor.requests += 1;
    visitor.inFlight += 1;
    forget = serve(options, ({ status, headers, body, instead }) => {
      if (!end()) return;
      if (instead === 'reset')
        return handler.onResponseError?.(controller, Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }));
      handler.onResponseStart?.(controller, status, { 'content-type': 'application/json', ...headers }, '');
      handler.onResponseData?.(controller, Buffer.from(body));
      handler.onResponseEnd?.(controller, {});
    });
    if (visitor.isAlive) handler.onRequestStart?.(controller, {});
    return true;
  };
  return { dispatch } as unknown as Dispatcher;
}
