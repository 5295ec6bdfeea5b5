export interface NginxLimit {
  /** The path it is at, and the name of its zone. */
  readonly name: string;
  /** The directive that makes its zone; `ZONE` stands for the zone. */
  readonly zone: string;
  /** Directives of its location; `ZONE` stands for the zone, `CONN` for its name. */
  readonly rules: string;
  /** Responses come from the backend. @default false: from a file */
  readonly slow?: boolean;
}

export interface Nginx {
  readonly url: string;
  close(): Promise<void>;
}

/** A real nginx on a free port of 127.0.0.1, with a path for each limit, and each answering `autocomplete`. */
export function startNginx(options: { readonly limits: readonly NginxLimit[]; readonly backend?: string }): Promise<Nginx>;
