import { type CloudToken, readAccessToken, readImpersonatedToken } from '#core/cluster/cloud-logins/cloud-answers';
import { GKE_METADATA_HOST, GKE_SCOPES, type GkeLogin } from '#core/cluster/cloud-logins/gke-login';
import {
  exchangeForm,
  type Federation,
  readFederation,
  subjectTokenIn,
} from '#core/cluster/cloud-logins/google-federation';
import { askFor, type CloudAccess, form } from './cloud-access.js';
import { CloudLoginError } from './cloud-http.port.js';
import { readLoginFile } from './token-file.js';

const METADATA = `http://${GKE_METADATA_HOST}/computeMetadata/v1/instance/service-accounts/default/token`;

/**
 * Returns an access token of Google Cloud, which clusters of GKE accept: from the metadata server of the node
 * (https://cloud.google.com/kubernetes-engine/docs/how-to/workload-identity), or by workload identity
 * federation if a file describes it. `google-auth-library` takes 12 MB installed, and finds further files by
 * itself. Its requests are compared in test/vectors/cloud-logins.
 */
export async function gkeToken(login: GkeLogin, access: CloudAccess): Promise<CloudToken> {
  if (login.credentialsFile !== undefined) return federatedToken(login.credentialsFile, access);
  const question = {
    url: `${METADATA}?scopes=${encodeURIComponent(GKE_SCOPES.join(','))}`,
    service: 'the metadata server of Google Cloud',
    at: 'node',
    headers: { 'metadata-flavor': 'Google' },
  } as const;
  return askFor(question, access, ({ text, header }) =>
    // Another server at that address does not say so.
    header('metadata-flavor') === 'Google' ? readAccessToken(text, access.now()) : undefined,
  );
}

async function federatedToken(file: string, access: CloudAccess): Promise<CloudToken> {
  const federation = readFederation(await readLoginFile(file));
  if (typeof federation === 'string') throw new CloudLoginError(`${file} ${federation}`);
  const { source, tokenUrl, impersonationUrl } = federation;
  const subject = subjectTokenIn(await readLoginFile(source.file), source.field);
  if (subject === undefined) throw new CloudLoginError(`${source.file} has no token`);
  const question = {
    url: tokenUrl,
    service: 'Google STS',
    at: 'internet',
    ...form(exchangeForm(federation, subject)),
  } as const;
  const own = await askFor(question, access, ({ text }) => readAccessToken(text, access.now()));
  return impersonationUrl === undefined ? own : impersonated(impersonationUrl, own, access);
}

/** Asks for a token of a service account with the token of the identity itself. */
function impersonated(url: NonNullable<Federation['impersonationUrl']>, own: CloudToken, access: CloudAccess) {
  const question = {
    ...{ url, service: 'Google IAM', at: 'internet' as const },
    headers: { authorization: `Bearer ${own.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ scope: GKE_SCOPES, lifetime: '3600s' }),
  };
  return askFor(question, access, ({ text }) => readImpersonatedToken(text));
}
