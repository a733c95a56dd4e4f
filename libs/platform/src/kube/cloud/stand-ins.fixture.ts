import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CloudHttp } from './cloud-http.port.js';

/** A request that a stand-in has got. */
export type StandInRequest = Readonly<{
  method: string;
  host: string;
  path: string;
  query: Readonly<Record<string, string>>;
  headers: IncomingMessage['headers'];
  /** The fields of a form. */
  form: Readonly<Record<string, string>>;
  body: string;
}>;
export type StandInAnswer = Readonly<{ status?: number; headers?: Record<string, string>; body: string }>;
type Service = (request: StandInRequest) => StandInAnswer;

/**
 * Stand-ins of services of clouds, by host. They answer as the pages of their vendors say, and refuse what
 * these pages do not allow. No real service was asked.
 */
export type StandIns = Readonly<{
  http: CloudHttp;
  asked: StandInRequest[];
  /** Replaces the next answers. */
  failing: (answer: StandInAnswer | 'hang' | undefined) => void;
  stop: () => Promise<void>;
}>;

/** Starts the stand-ins behind one server of this machine. Names lead there, whatever their host. */
export async function startStandIns(hosts: Readonly<Record<string, Service>> = CLOUDS): Promise<StandIns> {
  const asked: StandInRequest[] = [];
  let failure: StandInAnswer | 'hang' | undefined;
  const server = createServer(async (incoming, response) => {
    const request = await requestOf(incoming);
    asked.push(request);
    if (failure === 'hang') return;
    const { status = 200, headers = {}, body } = failure ?? hosts[request.host]?.(request) ?? NOBODY;
    response.writeHead(status, headers).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    asked,
    failing: (answer) => {
      failure = answer;
    },
    http: {
      ask: async ({ url, headers = {}, body }, signal) => {
        const { host, pathname, search } = new URL(url);
        const answer = await fetch(`http://127.0.0.1:${port}${pathname}${search}`, {
          method: body === undefined ? 'GET' : 'POST',
          headers: { ...headers, 'x-stand-in': host },
          ...(body === undefined ? {} : { body }),
          signal,
        });
        return {
          status: answer.status,
          header: (name) => answer.headers.get(name) ?? undefined,
          text: await answer.text(),
        };
      },
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const NOBODY: StandInAnswer = { status: 404, body: 'no such host' };

async function requestOf(incoming: IncomingMessage): Promise<StandInRequest> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part as Buffer);
  const body = Buffer.concat(parts).toString('utf8');
  const url = new URL(incoming.url ?? '/', 'http://stand-in');
  const { 'x-stand-in': host, ...headers } = incoming.headers;
  const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true;
  return {
    ...{ method: incoming.method ?? '', host: String(host ?? headers.host), path: url.pathname, headers, body },
    query: Object.fromEntries(url.searchParams),
    form: isForm ? Object.fromEntries(new URLSearchParams(body)) : {},
  };
}

/** Times of the stand-ins end an hour after this one. */
export const NOW = Date.parse('2026-11-30T12:00:00Z');
const ENDS = new Date(NOW + 3_600_000).toISOString();
export const ROLE = 'arn:aws:iam::111122223333:role/hub';
export const OTHER_ROLE = 'arn:aws:iam::444455556666:role/harbour';

/**
 * https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRoleWithWebIdentity.html is not signed,
 * https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html is.
 */
const sts: Service = ({ method, form, headers }) => {
  if (method !== 'POST' || form['Version'] !== '2011-06-15') return stsError(400, 'InvalidAction', 'no such action');
  const isSigned = /^AWS4-HMAC-SHA256 Credential=\w+\/20261130\/eu-central-1\/sts\/aws4_request, /.test(
    headers.authorization ?? '',
  );
  const token = form['WebIdentityToken'];
  if (form['Action'] === 'AssumeRoleWithWebIdentity') {
    if (isSigned || token !== 'pod.token.eks' || form['RoleArn'] !== ROLE)
      return stsError(403, 'AccessDenied', 'Not authorized to perform sts:AssumeRoleWithWebIdentity');
    return credentials('AssumeRoleWithWebIdentity', 'ASIAWEB');
  }
  if (form['Action'] !== 'AssumeRole' || !isSigned || form['RoleArn'] !== OTHER_ROLE || !form['RoleSessionName'])
    return stsError(403, 'AccessDenied', 'User is not authorized to perform: sts:AssumeRole');
  return credentials('AssumeRole', 'ASIAROLE');
};

const credentials = (action: string, id: string): StandInAnswer => ({
  headers: { 'content-type': 'text/xml' },
  body: `<${action}Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
  <${action}Result>
    <AssumedRoleUser><Arn>arn:aws:sts::111122223333:assumed-role/hub/flotilla</Arn></AssumedRoleUser>
    <Credentials>
      <SessionToken>session/of+${id}==</SessionToken>
      <SecretAccessKey>secret-of-${id}</SecretAccessKey>
      <Expiration>${ENDS}</Expiration>
      <AccessKeyId>${id}</AccessKeyId>
    </Credentials>
  </${action}Result>
</${action}Response>`,
});

const stsError = (status: number, code: string, message: string): StandInAnswer => ({
  status,
  body: `<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
  <Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error><RequestId>1</RequestId>
</ErrorResponse>`,
});

/** https://docs.aws.amazon.com/sdkref/latest/guide/feature-container-credentials.html */
const agent: Service = ({ path, headers }) => {
  if (path !== '/v1/credentials' || headers.authorization !== 'pod.token.agent')
    return { status: 400, body: '{"code":"AccessDenied","message":"the token is not valid"}' };
  const keys = { AccessKeyId: 'ASIAPOD', SecretAccessKey: 'secret-of-pod', Token: 'session-of-pod', Expiration: ENDS };
  return { body: JSON.stringify({ ...keys, AccountId: '111122223333' }) };
};

/** https://cloud.google.com/compute/docs/access/authenticate-workloads#applications */
const metadata: Service = ({ path, headers, query }) => {
  if (headers['metadata-flavor'] !== 'Google') return { status: 403, body: 'Missing Metadata-Flavor:Google header.' };
  const isToken = path === '/computeMetadata/v1/instance/service-accounts/default/token';
  if (!isToken || !query['scopes']?.includes('cloud-platform')) return { status: 404, body: 'Not Found' };
  return {
    headers: { 'metadata-flavor': 'Google', 'content-type': 'application/json' },
    body: JSON.stringify({ access_token: 'ya29.of-the-node', expires_in: 3_599, token_type: 'Bearer' }),
  };
};

/** https://cloud.google.com/iam/docs/reference/sts/rest/v1/TopLevel/token */
const googleSts: Service = ({ method, path, form }) => {
  const isExchange = form['grant_type'] === 'urn:ietf:params:oauth:grant-type:token-exchange';
  if (method !== 'POST' || path !== '/v1/token' || !isExchange)
    return { status: 400, body: '{"error":"invalid_request","error_description":"Invalid grant type."}' };
  if (form['subject_token'] !== 'pod.token.google')
    return { status: 400, body: '{"error":"invalid_grant","error_description":"ID Token issued at 0 is stale."}' };
  const answer = { access_token: 'ya29.federated', expires_in: 3_600, token_type: 'Bearer' };
  return { body: JSON.stringify({ ...answer, issued_token_type: form['requested_token_type'] }) };
};

/** https://cloud.google.com/iam/docs/reference/credentials/rest: `generateAccessToken`. */
const googleIam: Service = ({ path, headers, body }) => {
  const isCaller = headers.authorization === 'Bearer ya29.federated';
  if (!isCaller || !path.endsWith(':generateAccessToken') || !body.includes('cloud-platform'))
    return { status: 403, body: '{"error":{"code":403,"message":"Permission denied","status":"PERMISSION_DENIED"}}' };
  return { body: JSON.stringify({ accessToken: 'ya29.impersonated', expireTime: ENDS }) };
};

/** https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow */
const entra: Service = ({ method, path, form }) => {
  const isKind = form['client_assertion_type'] === 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
  if (method !== 'POST' || path !== '/tenant-1/oauth2/v2.0/token' || !isKind)
    return { status: 400, body: '{"error":"invalid_request","error_description":"AADSTS900144: malformed"}' };
  if (form['client_assertion'] !== 'pod.token.azure' || form['grant_type'] !== 'client_credentials')
    return {
      status: 401,
      body: '{"error":"invalid_client","error_description":"AADSTS700211: No matching federated identity record found."}',
    };
  if (form['scope'] !== '6dae42f8-4368-4678-94ff-3960e28e3630/.default' || form['client_id'] !== 'client-1')
    return { status: 400, body: '{"error":"invalid_scope","error_description":"AADSTS70011: the scope is not valid"}' };
  return {
    body: JSON.stringify({
      token_type: 'Bearer',
      expires_in: 86_399,
      ext_expires_in: 86_399,
      access_token: 'entra.token.1',
    }),
  };
};

const CLOUDS: Readonly<Record<string, Service>> = {
  'sts.eu-central-1.amazonaws.com': sts,
  '169.254.170.23': agent,
  '169.254.169.254': metadata,
  'sts.googleapis.com': googleSts,
  'iamcredentials.googleapis.com': googleIam,
  'login.microsoftonline.com': entra,
};
