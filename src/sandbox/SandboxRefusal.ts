/** Thrown to refuse a request. */
export class SandboxRefusal extends Error {
  override readonly name = 'SandboxRefusal';
  readonly status: number;
  readonly code: number;

  /** `code` is the envelope's code. @default the HTTP status */
  constructor(status: number, message: string, code: number = status) {
    super(message);
    this.status = status;
    this.code = code;
  }
}
