/** Calls `before` in front of each text that anybody writes to a stream. Returns a function that ends that. */
export function beforeWrites(stream: { write: (text: string) => unknown }, before: (text: string) => void): () => void {
  const { write } = stream;
  const watched = (text: string | Uint8Array, ...more: readonly unknown[]): unknown => {
    before(typeof text === 'string' ? text : Buffer.from(text).toString());
    return Reflect.apply(write, stream, [text, ...more]);
  };
  stream.write = watched;
  return () => {
    if (stream.write === watched) stream.write = write;
  };
}
