/**
 * Uses something and closes it. If both fail, the first error is thrown: it says why, and `await using` would hide it in an
 * error without a message.
 */
export async function closeAfter<T extends AsyncDisposable, R>(open: T, use: (open: T) => Promise<R>): Promise<R> {
  let result: R;
  try {
    result = await use(open);
  } catch (error) {
    await open[Symbol.asyncDispose]().then(undefined, () => undefined);
    throw error;
  }
  await open[Symbol.asyncDispose]();
  return result;
}
