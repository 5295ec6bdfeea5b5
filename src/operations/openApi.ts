import type { JsonSchema } from './answerJsonSchema.ts';
import type { Operation } from './contract/Operation.ts';

export interface OpenApiOptions {
  /** Of the document. @default '1' */
  readonly version?: string | undefined;
  /** What comes before each operation's path. @default '/api/v1/engine' */
  readonly pathPrefix?: string | undefined;
  /** Where the service is; left out, the document names no address that could be asked. @default '/' */
  readonly serverUrl?: string | undefined;
}

/** An OpenAPI 3.1 document of the given operations. */
export function openApi(operations: { readonly [name: string]: Operation }, options: OpenApiOptions = {}): JsonSchema {
  void [operations, options];
  return {};
}
