/** What was requested isn't there. */
export class NotFound extends Error {
  override readonly name = 'NotFound';
}
