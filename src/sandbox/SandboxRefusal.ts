/** Thrown while a request is answered: the sandbox says no. */
export class SandboxRefusal extends Error {
  override readonly name = 'SandboxRefusal';
  readonly status: number;
  readonly code: number;

  /** `code` is the envelope's; without it, the HTTP status. */
  constructor(status: number, message: string, code: number = status) {
    super(message);
    this.status = status;
    this.code = code;
  }
}
