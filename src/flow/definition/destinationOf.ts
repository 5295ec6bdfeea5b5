/** A destination outside of the folder, as `to` names it. */
export interface StageTarget {
  /** `postgres:schema.table`. */
  readonly to: string;
  /** What stands before the colon. */
  readonly scheme: string;
  readonly name: string;
}

/** The destination that `to` names. undefined: it is a file. One letter is a drive of Windows. */
export function destinationOf(to: string): StageTarget | undefined {
  const [, scheme, name] = /^([a-z][a-z0-9]+):(.*)$/s.exec(to) ?? [];
  return scheme === undefined || name === undefined ? undefined : { to, scheme, name };
}
