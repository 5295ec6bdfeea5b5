/** Calls `before` in front of each text that anybody writes to a stream. Returns a function that ends that. */
export function beforeWrites(stream: { write(text: string): unknown }, before: (text: string) => void): () => void {
  const { write } = stream;
  const watched = (text: string, ...more: readonly []): unknown => {
    before(String(text));
    return write.call(stream, text, ...more);
  };
  stream.write = watched;
  return () => {
    if (stream.write === watched) stream.write = write;
  };
}
