/** The command was told to stop. */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError';
}
