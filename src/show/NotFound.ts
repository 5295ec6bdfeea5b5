/** The run or the file of a request doesn't exist. */
export class NotFound extends Error {
  override readonly name = 'NotFound';
}
