import type { AksLogin } from '#core/cluster/cloud-logins/aks-login';
import { type CloudToken, readAccessToken } from '#core/cluster/cloud-logins/cloud-answers';
import { askFor, type CloudAccess, form } from './cloud-access.js';
import { readTokenFile } from './token-file.js';

const ASSERTION = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/**
 * Returns a token of Entra ID for the server application of AKS: the token of the Pod is exchanged for it
 * (https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow, third case).
 * `@azure/identity` takes 49 MB installed for this request. Its requests are compared in
 * test/vectors/cloud-logins.
 */
export async function aksToken(login: AksLogin, access: CloudAccess): Promise<CloudToken> {
  const { tokenUrl: url, client, scope, tokenFile } = login;
  const assertion = await readTokenFile(tokenFile);
  const fields = {
    ...{ client_id: client, scope, grant_type: 'client_credentials' },
    ...{ client_assertion_type: ASSERTION, client_assertion: assertion },
  };
  const question = { url, service: 'Entra ID', at: 'internet', ...form(fields) } as const;
  return askFor(question, access, ({ text }) => readAccessToken(text, access.now()));
}
