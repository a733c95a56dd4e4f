import { describe, expect, it } from 'vitest';
import { cloudLogin } from './cloud-login.js';
import { stsHost } from './eks-login.js';

const KEYS = { AWS_ACCESS_KEY_ID: 'AKIA1', AWS_SECRET_ACCESS_KEY: 'hidden' };
const source = { from: 'keys', keys: { id: 'AKIA1', secret: 'hidden' } };
const ROLE = 'arn:aws:iam::111122223333:role/team/hub';
const call = (line: string, environment: Record<string, string> = {}) => {
  const [command = '', ...args] = line.split(' ');
  return cloudLogin({ command, args, environment });
};

describe('EKS', () => {
  it.each([
    // As `aws eks update-kubeconfig` writes it, without and with --role-arn.
    ['aws --region eu-central-1 eks get-token --cluster-name harbour --output json', {}],
    [
      `aws --region eu-central-1 eks get-token --cluster-name harbour --output json --role ${ROLE}`,
      { assume: { role: ROLE, session: 'EKSGetTokenAuth' } },
    ],
    [
      `/usr/local/bin/aws eks get-token --cluster-name=harbour --region=eu-central-1 --role-arn=${ROLE} --session-name me`,
      { assume: { role: ROLE, session: 'me' } },
    ],
    ['aws-iam-authenticator token -i harbour --region eu-central-1', {}],
    [
      `C:\\bin\\aws-iam-authenticator.exe token --cluster-id harbour --region eu-central-1 -r ${ROLE}`,
      { assume: { role: ROLE, session: 'EKSGetTokenAuth' } },
    ],
  ])('reads %s', (line, more) => {
    const login = { cloud: 'EKS', cluster: 'harbour', region: 'eu-central-1', source };
    expect(call(line, KEYS)).toEqual({ ...login, ...more });
  });

  const LINE = 'aws eks get-token --cluster-name harbour';
  const IRSA = { AWS_ROLE_ARN: ROLE, AWS_WEB_IDENTITY_TOKEN_FILE: '/var/run/token' };
  const POD = {
    AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://169.254.170.23/v1/credentials',
    AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: '/var/run/pod-token',
  };
  it.each([
    [
      'keys, with their session',
      { ...KEYS, AWS_SESSION_TOKEN: 's', ...IRSA },
      { ...source, keys: { ...source.keys, token: 's' } },
    ],
    [
      'a web identity before an agent',
      { ...IRSA, ...POD },
      { from: 'web identity', role: ROLE, tokenFile: '/var/run/token', session: 'flotilla' },
    ],
    [
      'an agent',
      POD,
      { from: 'pod identity', url: 'http://169.254.170.23/v1/credentials', tokenFile: '/var/run/pod-token' },
    ],
  ])('takes %s', (_name, environment, expected) => {
    expect(call(LINE, { AWS_REGION: 'eu-central-1', ...environment })).toMatchObject({ source: expected });
  });

  it('takes AWS_REGION before AWS_DEFAULT_REGION, and the argument before both', () => {
    const regions = { ...KEYS, AWS_REGION: 'eu-west-1', AWS_DEFAULT_REGION: 'eu-west-2' };
    expect(call(LINE, regions)).toMatchObject({ region: 'eu-west-1' });
    expect(call(`${LINE} --region eu-west-3`, regions)).toMatchObject({ region: 'eu-west-3' });
  });

  const REGION = { AWS_REGION: 'eu-central-1' };
  it.each([
    ['aws s3 ls', KEYS, 'stands in for "aws eks get-token" alone'],
    ['aws eks update-kubeconfig --cluster-name harbour', KEYS, '"aws eks get-token" alone'],
    [`${LINE} --endpoint-url http://10.0.0.1`, KEYS, '"--endpoint-url" is not known to the hub'],
    [`${LINE} --role-arn`, KEYS, '--role-arn has no value'],
    [`${LINE} --role-arn admin`, { ...KEYS, ...REGION }, 'its role is not the ARN of a role'],
    ['aws eks get-token', { ...KEYS, ...REGION }, 'name no cluster'],
    ['aws eks get-token --cluster-name a/b', { ...KEYS, ...REGION }, 'name no cluster'],
    [LINE, KEYS, 'no region is named: set AWS_REGION'],
    [LINE, { ...KEYS, AWS_REGION: 'x.attacker.example/' }, 'not a region of AWS'],
    [LINE, { ...KEYS, ...REGION, AWS_PROFILE: 'prod' }, 'remove AWS_PROFILE and --profile'],
    [`${LINE} --profile prod`, { ...KEYS, ...REGION }, 'remove AWS_PROFILE and --profile'],
    [LINE, REGION, 'there are no credentials of AWS'],
    [LINE, { ...REGION, ...IRSA, AWS_ROLE_ARN: 'hub' }, 'AWS_ROLE_ARN is not the ARN of a role'],
    ['aws-iam-authenticator token -i harbour --token-only', KEYS, '"--token-only" is not known'],
    [`${LINE} ${'-v '.repeat(70).trim()}`, KEYS, 'more than 64 arguments'],
    [`${LINE} ${'x'.repeat(3_000)}`, KEYS, 'too long'],
  ])('does not stand in for %s', (line, environment, why) => {
    expect(call(line, environment)).toEqual(expect.stringContaining(why));
  });

  it.each([
    'http://169.254.169.254/latest/meta-data/iam/security-credentials/hub',
    'http://169.254.170.23:8080/v1/credentials',
    'https://169.254.170.23/v1/credentials',
    'http://169.254.170.23@attacker.example/',
    'http://10.0.0.1/v1/credentials',
    'no address',
  ])('asks no agent at %s', (url) => {
    const environment = { ...REGION, ...POD, AWS_CONTAINER_CREDENTIALS_FULL_URI: url };
    expect(call(LINE, environment)).toMatch(/is not the address of the agent of EKS pod identity/);
  });

  it.each([
    ['eu-central-1', 'sts.eu-central-1.amazonaws.com'],
    ['us-gov-west-1', 'sts.us-gov-west-1.amazonaws.com'],
    ['cn-north-1', 'sts.cn-north-1.amazonaws.com.cn'],
    ['eusc-de-east-1', 'sts.eusc-de-east-1.amazonaws.eu'],
  ])('asks the STS of %s at %s', (region, host) => {
    expect(stsHost(region)).toBe(host);
  });
});

describe('GKE', () => {
  it.each([
    ['gke-gcloud-auth-plugin', {}, { cloud: 'GKE' }],
    ['gke-gcloud-auth-plugin --use_application_default_credentials', {}, { cloud: 'GKE' }],
    [
      'gke-gcloud-auth-plugin',
      { GOOGLE_APPLICATION_CREDENTIALS: '/etc/adc' },
      { cloud: 'GKE', credentialsFile: '/etc/adc' },
    ],
  ])('reads %s', (line, environment, login) => {
    expect(call(line, environment)).toEqual(login);
  });

  it.each(['gke-gcloud-auth-plugin --use_edge_cloud', 'gke-gcloud-auth-plugin version'])(
    'does not stand in for %s',
    (line) => {
      expect(call(line)).toEqual(expect.stringMatching(/not known to the hub|alone/));
    },
  );
});

describe('AKS', () => {
  const ENVIRONMENT = {
    AZURE_CLIENT_ID: 'client-1',
    AZURE_TENANT_ID: 'tenant-1',
    AZURE_FEDERATED_TOKEN_FILE: '/var/run/token',
  };
  const SERVER = '6dae42f8-4368-4678-94ff-3960e28e3630';
  const LINE = `kubelogin get-token --login workloadidentity --server-id ${SERVER}`;
  const LOGIN = {
    cloud: 'AKS',
    tokenUrl: 'https://login.microsoftonline.com/tenant-1/oauth2/v2.0/token',
    client: 'client-1',
    tokenFile: '/var/run/token',
    scope: `${SERVER}/.default`,
  };
  it.each([
    [`${LINE} --environment AzurePublicCloud`, ENVIRONMENT, LOGIN],
    [
      `${LINE} --client-id c --tenant-id t --federated-token-file /f`,
      {},
      { ...LOGIN, client: 'c', tokenFile: '/f', tokenUrl: 'https://login.microsoftonline.com/t/oauth2/v2.0/token' },
    ],
    [`${LINE} --client-id c -t t`, ENVIRONMENT, LOGIN],
    [`kubelogin get-token --server-id ${SERVER}`, { ...ENVIRONMENT, AAD_LOGIN_METHOD: 'workloadidentity' }, LOGIN],
    [
      `${LINE} -e AzureUSGovernmentCloud`,
      ENVIRONMENT,
      { ...LOGIN, tokenUrl: 'https://login.microsoftonline.us/tenant-1/oauth2/v2.0/token' },
    ],
    [
      LINE,
      { ...ENVIRONMENT, AZURE_AUTHORITY_HOST: 'https://login.azure.example/' },
      { ...LOGIN, tokenUrl: 'https://login.azure.example/tenant-1/oauth2/v2.0/token' },
    ],
  ])('reads %s', (line, environment, login) => {
    expect(call(line, environment)).toEqual(login);
  });

  it.each([
    [`kubelogin get-token --login devicecode --server-id ${SERVER}`, ENVIRONMENT, '--login workloadidentity alone'],
    [`kubelogin get-token --server-id ${SERVER}`, ENVIRONMENT, '--login workloadidentity alone'],
    [`${LINE} --pop-enabled`, ENVIRONMENT, '"--pop-enabled" is not known'],
    ['kubelogin get-token -l workloadidentity', ENVIRONMENT, '--server-id has no ID'],
    [LINE, { ...ENVIRONMENT, AZURE_CLIENT_ID: '' }, 'AZURE_CLIENT_ID has no ID'],
    [LINE, { ...ENVIRONMENT, AZURE_TENANT_ID: '../x' }, 'AZURE_TENANT_ID has no ID'],
    [LINE, { ...ENVIRONMENT, AZURE_FEDERATED_TOKEN_FILE: '' }, 'AZURE_FEDERATED_TOKEN_FILE names no file'],
    [LINE, { ...ENVIRONMENT, AZURE_AUTHORITY_HOST: 'http://login.example' }, 'not an https address'],
    [`${LINE} -e Moon`, ENVIRONMENT, 'not an https address'],
  ])('does not stand in for %s', (line, environment, why) => {
    expect(call(line, environment)).toEqual(expect.stringContaining(why));
  });
});

it('knows no program of another kind', () => {
  expect(call('vault token', KEYS)).toBeUndefined();
  expect(call('constructor')).toBeUndefined();
  expect(call('/opt/aws/')).toBeUndefined();
});
