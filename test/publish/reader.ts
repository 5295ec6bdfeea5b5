import { createHash } from 'node:crypto';

export interface ReadDataset {
  readonly version: number;
  /** The content of each file by the last part of its name. */
  readonly files: { readonly [name: string]: Buffer };
  readonly places: readonly string[];
}

/**
 * Reads a dataset as any reader of Data Packages does: `datapackage.json`, then what it names. Throws if a file is missing or
 * isn't the one that it promises.
 */
export async function readDataset(read: (name: string) => Promise<Buffer | undefined>): Promise<ReadDataset | undefined> {
  const text = await read('datapackage.json');
  if (text === undefined) return undefined;
  const { resources, trawler } = JSON.parse(text.toString()) as {
    readonly resources: readonly { readonly path: string; readonly hash: string }[];
    readonly trawler: { readonly publication: { readonly version: number } };
  };
  const files: { [name: string]: Buffer } = {};
  for (const { path, hash } of resources) {
    const bytes = await read(path);
    if (bytes === undefined) throw new Error(`datapackage.json of version ${trawler.publication.version} names ${path}, which is missing`);
    if (`sha256:${createHash('sha256').update(bytes).digest('hex')}` !== hash) throw new Error(`${path} isn't the file that it should be`);
    files[path.split('/').at(-1)!] = bytes;
  }
  return { version: trawler.publication.version, files, places: resources.map(({ path }) => path) };
}
