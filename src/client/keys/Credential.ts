import type { Dispatcher } from 'undici';
import type { SecretValues } from '../../contract/secrets.ts';
import type { SignedHeaders, UnsignedRequest } from '../../contract/index.ts';
import type { Settings } from '../options/resolveOptions.ts';
import type { Secrets } from './Secrets.ts';

/** The secrets that a request carries. The same ones are the same object. */
export type Proof = SecretValues;

/** Gives the secrets for requests. */
export interface Credential {
  /** For a request that is about to be sent: at once, or when a token has come. */
  carry(): Proof | Promise<Proof>;
  /** The service refused what was carried. True: the next request carries something new. */
  refused(carried: Proof): boolean;
  /** More headers for a request that is complete otherwise. They take the place of those with the same name. */
  readonly sign?: ((request: UnsignedRequest) => Promise<SignedHeaders>) | undefined;
}

/** What a credential is made with. */
export interface CredentialTools {
  readonly secrets: Secrets;
  readonly settings: Settings;
  /** What sends requests to an origin. */
  readonly dispatcherFor: (origin: string) => Dispatcher;
}
