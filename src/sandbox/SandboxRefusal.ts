/** Thrown to refuse a request. */
export class SandboxRefusal extends Error {
  override readonly name = 'SandboxRefusal';
  readonly status: number;
  readonly code: number;
  readonly headers: { readonly [name: string]: string };

  /** `code` is the envelope's code. @default the HTTP status */
  constructor(status: number, message: string, code: number = status, headers: SandboxRefusal['headers'] = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}
