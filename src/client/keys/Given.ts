import type { SecretSpec } from '../../contract/EnvelopeSpec.ts';

/** What the user gives to say who sends requests. Only the transport and its credential have it. */
export interface Given {
  /** '' for none. */
  readonly key: string;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  /** The service's other keys, each with what says how it is sent. */
  readonly secrets: readonly (readonly [spec: SecretSpec, value: string])[];
  /** Where tokens are requested. */
  readonly tokenUrl?: URL | undefined;
}
