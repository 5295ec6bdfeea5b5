import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { jsonOrText } from '../../operators/kit/parsedJson.ts';
import type { FileSystem } from '../files/FileSystem.ts';
import { nodeFileSystem } from '../files/nodeFileSystem.ts';
import { openStore } from './openStore.ts';
import { requestOfKey } from './ResponseIndex.ts';
import type { StoredResponse } from '../contract/index.ts';

/** A stored response, decoded. */
export interface ExportedResponse {
  readonly service: string;
  readonly operation: string;
  /** The parameters of the query as text, without those that have their default. */
  readonly query: { readonly [param: string]: string };
  /** When it arrived, as ISO 8601. */
  readonly at: string;
  readonly status: number;
  /** The body as JSON, or as text if it isn't JSON. */
  readonly body: unknown;
}

const decoders: { readonly [encoding: string]: (body: Buffer) => Buffer } = {
  gzip: (body) => gunzipSync(body),
  'x-gzip': (body) => gunzipSync(body),
  deflate: (body) => inflateSync(body),
  br: (body) => brotliDecompressSync(body),
};

/**
 * The current response of each request, decoded, in the order in which they were stored. Damaged responses are skipped: `verifyStore`
 * reports them.
 */
export function* exportStore(folder: string, fileSystem: FileSystem = nodeFileSystem): Iterable<ExportedResponse> {
  const store = openStore(folder, { mode: 'replay', fileSystem });
  try {
    for (const [key, entry] of store.current()) {
      const record = store.read(entry);
      if (typeof record === 'string') continue;
      const { service, operation, query } = requestOfKey(key);
      const params = Object.fromEntries(new URLSearchParams(query));
      yield { service, operation, query: params, at: new Date(record.at).toISOString(), status: record.status, body: bodyOf(record) };
    }
  } finally {
    void store.close();
  }
}

function bodyOf({ headers, body }: StoredResponse): unknown {
  const encoding = headers['content-encoding'];
  const decode = typeof encoding === 'string' ? decoders[encoding] : undefined;
  return jsonOrText((decode === undefined ? body : decode(body)).toString());
}
