import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { presignedUrl, signedHeaders } from '#core/cluster/cloud-logins/aws-signature';
import type { CloudLogin } from '#core/cluster/cloud-logins/cloud-login';
import { type AwsKeys, stsHost } from '#core/cluster/cloud-logins/eks-login';
import type { CloudHttp, CloudQuestion } from '#platform/kube/cloud/cloud-http.port';
import { cloudToken } from '#platform/kube/cloud/cloud-logins';

type Recorded = Readonly<{ method: string; url: string; headers: Record<string, string>; body: string }>;
type Signed = Readonly<{ kind: string; region: string; keys: AwsKeys; now: string }> &
  Readonly<{ cluster: string; query: object; body: string; headers: object }>;
type Requests = Readonly<{ kind: string; file?: Record<string, unknown>; requests: readonly Recorded[] }>;

const lines = <T>(file: string): readonly T[] =>
  readFileSync(join(import.meta.dirname, file), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T);

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-vectors-'));
  await writeFile(join(folder, 'SUBJECT_TOKEN'), 'pod.token.google');
  await writeFile(join(folder, 'azure'), 'pod.token.azure');
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

describe('AWS', () => {
  const vectors = lines<Signed>('aws.jsonl');
  const common = { service: 'sts', body: '', query: {}, headers: {} };
  it.each(vectors.filter(({ kind }) => kind === 'token'))('signs the URL of a token in $region', (vector) => {
    const { region, keys, now, cluster } = vector;
    const query = { Action: 'GetCallerIdentity', Version: '2011-06-15' };
    const headers = { 'x-k8s-aws-id': cluster };
    const request = { ...common, method: 'GET' as const, host: stsHost(region), region, query, headers };
    const url = new URL(presignedUrl(request, keys, 60, new Date(now)));
    expect(Object.fromEntries(url.searchParams)).toEqual(vector.query);
  });

  it.each(vectors.filter(({ kind }) => kind === 'role'))('signs AssumeRole in $region', (vector) => {
    const { region, keys, now, body } = vector;
    const headers = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' };
    const request = { ...common, method: 'POST' as const, host: stsHost(region), region, headers, body };
    expect(signedHeaders(request, keys, new Date(now))).toEqual(vector.headers);
  });
});

/** The requests of a login, with answers that let it go on. */
async function requestsOf(login: CloudLogin): Promise<readonly Recorded[]> {
  const asked: Recorded[] = [];
  const http: CloudHttp = {
    ask: async ({ url, headers = {}, body }: CloudQuestion) => {
      asked.push({ method: body === undefined ? 'GET' : 'POST', url, headers: { ...headers }, body: body ?? '' });
      const text = url.includes(':generateAccessToken')
        ? '{"accessToken":"ya29.i","expireTime":"2026-11-30T13:00:00Z"}'
        : '{"access_token":"ya29.f","expires_in":3600}';
      return { status: 200, header: () => 'Google', text };
    },
  };
  await cloudToken(login, {
    http,
    now: () => Date.parse('2026-11-30T12:00:00Z'),
    signal: new AbortController().signal,
  });
  return asked;
}

const COMPARED = ['authorization', 'content-type', 'metadata-flavor'];
const OF_THE_LIBRARY = /^(?:x-client-|x-ms-|client-request-id$)/;

/** The parts of a request that count. */
function compared({ method, url, headers, body }: Recorded) {
  const { origin, pathname, searchParams } = new URL(url);
  const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true;
  const fields = (all: URLSearchParams) => Object.fromEntries([...all].filter(([name]) => !OF_THE_LIBRARY.test(name)));
  return {
    ...{ method, origin, pathname, query: fields(searchParams) },
    headers: Object.fromEntries(
      Object.entries(headers).flatMap(([name, value]) =>
        COMPARED.includes(name) ? [[name, value.split(';')[0]]] : [],
      ),
    ),
    body: isForm ? fields(new URLSearchParams(body)) : body === '' ? '' : (JSON.parse(body) as unknown),
  };
}

describe('Google Cloud', () => {
  it.each(lines<Requests>('google.jsonl'))('asks as the library: $kind', async ({ file, requests }) => {
    const credentialsFile = join(folder, 'federation.json');
    const source = { file: join(folder, 'SUBJECT_TOKEN') };
    await writeFile(credentialsFile, JSON.stringify({ ...file, credential_source: source }));
    const asked = await requestsOf({ cloud: 'GKE', ...(file === undefined ? {} : { credentialsFile }) });
    expect(asked.map(compared)).toEqual(requests.map(compared));
  });
});

describe('Azure', () => {
  it.each(lines<Requests>('azure.jsonl'))('asks as the library: $kind', async ({ requests }) => {
    const asked = await requestsOf({
      cloud: 'AKS',
      tokenUrl: 'https://login.microsoftonline.com/tenant-1/oauth2/v2.0/token',
      client: 'client-1',
      tokenFile: join(folder, 'azure'),
      scope: '6dae42f8-4368-4678-94ff-3960e28e3630/.default',
    });
    expect(asked.map(compared)).toEqual(requests.map(compared));
  });
});
