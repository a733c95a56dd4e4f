import { expect, it } from 'vitest';
import { exchangeForm, readFederation, subjectTokenIn } from './google-federation.js';

const AUDIENCE = '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/hub/providers/cluster';
const FILE = {
  type: 'external_account',
  audience: AUDIENCE,
  subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
  token_url: 'https://sts.googleapis.com/v1/token',
  credential_source: { file: '/var/run/token' },
};
const IMPERSONATION =
  'https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/hub@p.iam.gserviceaccount.com:generateAccessToken';
const read = (more: object) => readFederation(JSON.stringify({ ...FILE, ...more }));

it('reads a file of workload identity federation', () => {
  expect(read({ service_account_impersonation_url: IMPERSONATION })).toEqual({
    audience: AUDIENCE,
    subjectTokenType: 'urn:ietf:params:oauth:token-type:jwt',
    tokenUrl: 'https://sts.googleapis.com/v1/token',
    source: { file: '/var/run/token' },
    impersonationUrl: IMPERSONATION,
  });
  const format = { type: 'json', subject_token_field_name: 'access' };
  expect(read({ credential_source: { file: '/f', format } })).toMatchObject({
    source: { file: '/f', field: 'access' },
  });
});

it.each([
  [{ type: 'service_account' }, 'has type "service_account"'],
  [{ type: 1 }, 'has no type'],
  [{ audience: '' }, 'cannot be read: audience is missing or wrong'],
  [{ token_url: 'https://sts.attacker.example/v1/token' }, 'not at sts.googleapis.com'],
  [{ token_url: 'https://sts.googleapis.com.attacker.example/' }, 'not at sts.googleapis.com'],
  [{ token_url: 'http://sts.googleapis.com/v1/token' }, 'not at sts.googleapis.com'],
  [{ token_url: 'https://sts.googleapis.com:8443/' }, 'not at sts.googleapis.com'],
  [{ service_account_impersonation_url: 'https://x.example/' }, 'not at iamcredentials.googleapis.com'],
  [{ credential_source: { url: 'http://169.254.169.254/' } }, 'has no credential_source.file'],
  [{ credential_source: { executable: { command: 'sh' } } }, 'has no credential_source.file'],
  [{ credential_source: { file: '/f', format: { type: 'json' } } }, 'subject_token_field_name'],
])('refuses %j', (more, why) => {
  expect(read(more)).toEqual(expect.stringContaining(why));
});

it('refuses a text that is no JSON', () => {
  expect(readFederation('{')).toBe('is not JSON');
  expect(readFederation('null')).toBe('has no type');
});

it.each([
  ['abc\n', undefined, 'abc'],
  [' ', undefined, undefined],
  ['{"access":"abc"}', 'access', 'abc'],
  ['{"access":1}', 'access', undefined],
  ['null', 'access', undefined],
  ['{', 'access', undefined],
])('finds the token in %j', (content, field, token) => {
  expect(subjectTokenIn(content, field)).toBe(token);
});

it('asks for the scopes of the plugin, and for the widest one before a service account', () => {
  const plain = read({});
  const other = read({ service_account_impersonation_url: IMPERSONATION });
  if (typeof plain === 'string' || typeof other === 'string') throw new Error('not read');
  const widest = 'https://www.googleapis.com/auth/cloud-platform';
  expect(exchangeForm(plain, 't')).toMatchObject({ scope: `${widest} https://www.googleapis.com/auth/userinfo.email` });
  expect(exchangeForm(other, 't')).toMatchObject({ scope: widest, subject_token: 't' });
});
