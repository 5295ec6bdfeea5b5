import { backoffMs } from '../../../operators/limits/backoff.ts';
import type { OAuth2Spec } from '../../contract/index.ts';
import type { CredentialTools } from './Credential.ts';
import type { Given } from './Given.ts';
import { keyParts, oauthBasic } from './keyParts.ts';
import { Renewed, type Made } from './Renewed.ts';
import { requestToken, type Tokens } from './requestToken.ts';
import { TokenFile } from './TokenFile.ts';

/** A token is renewed so long before its end, or a tenth of its life. */
const maxMarginMs = 60_000;

/** Carries access tokens, and requests new ones. */
export function oauth2Credential(
  { grant, send = 'basic', scope, file }: OAuth2Spec,
  { key, user, password, tokenUrl }: Given,
  { secrets, settings, dispatcherFor }: CredentialTools,
): Renewed {
  const { clock, baseMs, capMs, fileSystem } = settings;
  const { id, secret } = keyParts(key);
  const basic = oauthBasic(id, secret);
  for (const each of [basic, secret, password]) if (each !== undefined) secrets.add(each);
  const authorization = send === 'basic' ? `Basic ${basic}` : undefined;
  const client = send === 'basic' ? {} : { client_id: id, client_secret: secret };
  const request = async (more: { readonly [field: string]: string | undefined }): Promise<Tokens> => {
    const url = tokenUrl!;
    const tokens = await requestToken(
      { url, authorization, form: { grant_type: grant, scope, ...client, ...more } },
      dispatcherFor(url.origin),
      settings,
    );
    for (const token of [tokens.access, tokens.refresh]) if (token !== undefined) secrets.addPassing(token);
    return tokens;
  };
  const tokenFile = file === undefined ? undefined : new TokenFile(file, fileSystem);
  const tokens = (): Promise<Tokens> => {
    if (tokenFile === undefined) return request(grant === 'password' ? { username: user, password } : {});
    return tokenFile.use(async (refresh) => {
      secrets.addPassing(refresh);
      const result = await request({ refresh_token: refresh });
      return { result, next: result.refresh };
    });
  };
  const make = async (): Promise<Made> => {
    const startedAt = clock.now();
    const { access, lifeMs } = await tokens();
    const until = startedAt + lifeMs - Math.min(maxMarginMs, lifeMs / 10);
    return { carried: { headers: ['authorization', `Bearer ${access}`] }, until };
  };
  return new Renewed(make, clock, (failures) => backoffMs(failures, clock.random(), baseMs, capMs));
}
