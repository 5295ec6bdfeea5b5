import type { FanOutSpec } from './FanOutSpec.ts';
import type { Operation } from './Operation.ts';

/** A service as data: its operations, how the key is sent, and how a response wraps its data. */
export interface Service<
  Operations extends { readonly [name: string]: Operation } = { readonly [name: string]: Operation },
  FanOuts extends { readonly [name: string]: FanOutSpec } = { readonly [name: string]: FanOutSpec },
> {
  readonly name: string;
  /** What it is, in a sentence. */
  readonly about?: string | undefined;
  /** Prefix of each operation's path, such as `/v2`. @default none */
  readonly basePath?: string | undefined;
  /** How the API key is sent. @default no key is sent */
  readonly key?: KeySpec | undefined;
  /** How a response wraps its data. @default the body is the data */
  readonly envelope?: EnvelopeSpec | undefined;
  readonly operations: Operations;
  /** Ready fan-outs, by name. @default none */
  readonly fanOuts: FanOuts;
  /** Command lines for help, by command ('' for the overview): what to type, and what it does. @default none */
  readonly examples?: { readonly [command: string]: readonly (readonly [line: string, about: string])[] } | undefined;
}

export interface KeySpec {
  readonly header: string;
  /** The header's value. @default the key itself */
  readonly value?: ((key: string) => string) | undefined;
}

/** Where the parts of a response are: dotted paths in the JSON body. */
export interface EnvelopeSpec {
  /** The data. @default the whole body */
  readonly data?: string | undefined;
  /** A code in the body, and its value for success. Any other value is an error, whatever the HTTP status. */
  readonly code?: { readonly at: string; readonly good: number | string | boolean } | undefined;
  /** The service's error message. */
  readonly message?: string | undefined;
  readonly requestId?: string | undefined;
  /** When the service responded, in milliseconds since 1970. */
  readonly timestamp?: string | undefined;
}
