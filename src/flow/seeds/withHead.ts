import { Readable } from 'node:stream';

/** A stream and its beginning, which stays in the stream too. */
export async function withHead(input: NodeJS.ReadableStream): Promise<{ readonly stream: NodeJS.ReadableStream; readonly head: string }> {
  const chunks = input[Symbol.asyncIterator]() as AsyncIterator<Buffer | string>;
  const read: (Buffer | string)[] = [];
  let head = '';
  while (!head.trimStart().includes('\n')) {
    const next = await chunks.next();
    if (next.done === true) break;
    read.push(next.value);
    head += next.value.toString();
  }
  const all = async function* (): AsyncGenerator<Buffer | string, void, undefined> {
    yield* read;
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) yield next.value;
  };
  return { stream: Readable.from(all(), { objectMode: false }), head };
}
