import { type AwsRequest, presignedUrl, signedHeaders } from '#core/cluster/cloud-logins/aws-signature';
import { type CloudToken, readContainerKeys, readStsKeys } from '#core/cluster/cloud-logins/cloud-answers';
import { type AwsKeys, type AwsRole, type EksLogin, stsHost } from '#core/cluster/cloud-logins/eks-login';
import { askFor, type CloudAccess, form } from './cloud-access.js';
import { readTokenFile } from './token-file.js';

const STS = 'AWS STS';
const VERSION = '2011-06-15';
/** Validity of a signed question, as in the AWS CLI. EKS accepts it for 15 minutes after its date. */
const SIGNED_FOR_S = 60;
const VALID_FOR_MS = 14 * 60_000;

/**
 * Returns the token of a cluster of EKS: a URL that asks AWS STS about the caller, signed together with the
 * name of the cluster
 * (https://github.com/kubernetes-sigs/aws-iam-authenticator#api-authorization-from-outside-a-cluster).
 * Signing needs no request. No library of AWS makes the token. `@smithy/signature-v4`, for signatures alone,
 * takes 8 MB installed. Its signatures are compared in test/vectors/cloud-logins.
 */
export async function eksToken(login: EksLogin, access: CloudAccess): Promise<CloudToken> {
  const own = await keysOf(login, access);
  const keys = login.assume === undefined ? own : await assumed(login, login.assume, own, access);
  const now = access.now();
  const request: AwsRequest = {
    ...signable(login, 'GET'),
    headers: { 'x-k8s-aws-id': login.cluster },
    query: { Action: 'GetCallerIdentity', Version: VERSION },
  };
  const url = presignedUrl(request, keys, SIGNED_FOR_S, new Date(now));
  const until = Math.min(now + VALID_FOR_MS, keys.until ?? Number.POSITIVE_INFINITY);
  return { token: `k8s-aws-v1.${Buffer.from(url).toString('base64url')}`, until };
}

const signable = ({ region }: EksLogin, method: AwsRequest['method']) => ({
  ...{ method, region, service: 'sts', body: '' },
  host: stsHost(region),
});

async function keysOf(login: EksLogin, access: CloudAccess): Promise<AwsKeys> {
  const { source } = login;
  if (source.from === 'keys') return source.keys;
  if (source.from === 'web identity') {
    const token = await readTokenFile(source.tokenFile);
    const fields = { ...roleFields('AssumeRoleWithWebIdentity', source), WebIdentityToken: token };
    const question = {
      url: `https://${stsHost(login.region)}/`,
      service: STS,
      at: 'internet',
      ...form(fields),
    } as const;
    return askFor(question, access, ({ text }) => readStsKeys(text));
  }
  const headers = { authorization: await readTokenFile(source.tokenFile) };
  const question = { url: source.url, service: 'the agent of EKS pod identity', at: 'node', headers } as const;
  return askFor(question, access, ({ text }) => readContainerKeys(text));
}

/** Assumes a role with other credentials, in a request that they sign. */
function assumed(login: EksLogin, role: AwsRole, keys: AwsKeys, access: CloudAccess): Promise<AwsKeys> {
  const { headers, body } = form(roleFields('AssumeRole', role));
  const request: AwsRequest = { ...signable(login, 'POST'), headers, body, query: {} };
  const { host, ...signed } = signedHeaders(request, keys, new Date(access.now()));
  const question = { url: `https://${host}/`, service: STS, at: 'internet', headers: signed, body } as const;
  return askFor(question, access, ({ text }) => readStsKeys(text));
}

const roleFields = (action: string, { role, session }: AwsRole) => ({
  Action: action,
  RoleArn: role,
  RoleSessionName: session,
  Version: VERSION,
});
