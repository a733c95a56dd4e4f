import {
  type FlagTable,
  type PluginCall,
  type PluginEnvironment,
  type PluginFlags,
  programName,
  readFlags,
} from './plugin-call.js';

/** A login to a cluster of Amazon EKS: a signed question to AWS STS about the caller. */
export type EksLogin = Readonly<{
  cloud: 'EKS';
  /** The name of the cluster; the ID of a local cluster on Outposts. */
  cluster: string;
  region: string;
  source: AwsSource;
  /** A role that is assumed before the question is signed. */
  assume?: AwsRole;
}>;

export type AwsRole = Readonly<{ role: string; session: string }>;

/** The place of the credentials of AWS. */
type AwsSource =
  | Readonly<{ from: 'keys'; keys: AwsKeys }>
  | (Readonly<{ from: 'web identity'; tokenFile: string }> & AwsRole)
  | Readonly<{ from: 'pod identity'; url: string; tokenFile: string }>;

export type AwsKeys = Readonly<{
  id: string;
  secret: string;
  token?: string;
  /** Milliseconds since 1970. Absent: they do not say when they end. */
  until?: number;
}>;

/** `--role` is short for `--role-arn`: `aws eks update-kubeconfig` writes it. */
const AWS_FLAGS: FlagTable = {
  '--region': 'region',
  '--profile': 'profile',
  '--output': 'output',
  '--cluster-name': 'cluster',
  '--cluster-id': 'cluster',
  '--role-arn': 'role',
  '--role': 'role',
  '--session-name': 'session',
  '--no-cli-pager': true,
};
const AUTHENTICATOR_FLAGS: FlagTable = {
  '--region': 'region',
  '--cluster-id': 'cluster',
  '-i': 'cluster',
  '--role': 'role',
  '-r': 'role',
  '--session-name': 'session',
  '-s': 'session',
  '--cache': true,
};

/** The address of the agent of EKS pod identity on a node, in IPv4 and IPv6. */
export const POD_IDENTITY_HOSTS: readonly string[] = ['169.254.170.23', '[fd00:ec2::23]'];
/** Session name of a role that the plugin assumes, as in the AWS CLI. */
const ROLE_SESSION = 'EKSGetTokenAuth';
const WEB_SESSION = 'flotilla';

/** Reads a call of `aws eks get-token` or of `aws-iam-authenticator token`. */
export function eksLogin({ command, args, environment }: PluginCall): EksLogin | string {
  const isAws = programName(command) === 'aws';
  const flags = readFlags(args, isAws ? AWS_FLAGS : AUTHENTICATOR_FLAGS);
  if (typeof flags === 'string') return flags;
  const { values, words } = flags;
  const subcommand = isAws ? 'eks get-token' : 'token';
  if (words.join(' ') !== subcommand) return `the hub stands in for "${programName(command)} ${subcommand}" alone`;
  const { cluster } = values;
  if (cluster === undefined || !NAME.test(cluster)) return 'its arguments name no cluster';
  const region = values['region'] ?? regionOf(environment);
  if (region === undefined) return 'no region is named: set AWS_REGION, or add --region to the arguments';
  if (!REGION.test(region)) return 'its region is not a region of AWS';
  const source = sourceOf(environment, values['profile']);
  if (typeof source === 'string') return source;
  const assume = roleOf(values, isAws ? undefined : environment['DEFAULT_ROLE']);
  if (typeof assume === 'string') return assume;
  return { cloud: 'EKS', cluster, region, source, ...(assume === undefined ? {} : { assume }) };
}

function roleOf(values: PluginFlags['values'], byDefault: string | undefined): AwsRole | string | undefined {
  const role = values['role'] || byDefault || undefined;
  if (role === undefined) return undefined;
  return isRole(role) ? { role, session: values['session'] ?? ROLE_SESSION } : 'its role is not the ARN of a role';
}

const regionOf = (environment: PluginEnvironment): string | undefined =>
  environment['AWS_REGION'] || environment['AWS_DEFAULT_REGION'] || undefined;

/** Chooses the credentials in the order of AWS's SDKs. */
function sourceOf(environment: PluginEnvironment, named: string | undefined): AwsSource | string {
  if (named || environment['AWS_PROFILE'] || environment['AWS_DEFAULT_PROFILE'])
    return 'it has a profile of AWS, which the hub does not read: remove AWS_PROFILE and --profile';
  const id = environment['AWS_ACCESS_KEY_ID'];
  const secret = environment['AWS_SECRET_ACCESS_KEY'];
  const token = environment['AWS_SESSION_TOKEN'];
  if (id && secret) return { from: 'keys', keys: { id, secret, ...(token ? { token } : {}) } };
  const tokenFile = environment['AWS_WEB_IDENTITY_TOKEN_FILE'];
  const role = environment['AWS_ROLE_ARN'];
  if (tokenFile && role) {
    if (!isRole(role)) return 'AWS_ROLE_ARN is not the ARN of a role';
    return { from: 'web identity', role, tokenFile, session: environment['AWS_ROLE_SESSION_NAME'] || WEB_SESSION };
  }
  const url = environment['AWS_CONTAINER_CREDENTIALS_FULL_URI'];
  const agentToken = environment['AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE'];
  if (url && agentToken) return podIdentity(url, agentToken);
  return 'there are no credentials of AWS: give the Pod a role (IRSA or EKS pod identity), or set AWS_ACCESS_KEY_ID';
}

function podIdentity(url: string, tokenFile: string): AwsSource | string {
  const parsed = URL.parse(url);
  const isAgent = parsed?.protocol === 'http:' && parsed.port === '' && POD_IDENTITY_HOSTS.includes(parsed.hostname);
  if (!isAgent) return 'AWS_CONTAINER_CREDENTIALS_FULL_URI is not the address of the agent of EKS pod identity';
  return { from: 'pod identity', url: parsed.href, tokenFile };
}

const NAME = /^[\w.-]{1,128}$/;
const REGION = /^[a-z]{2,4}(?:-[a-z]{2,12}){1,3}-\d{1,2}$/;
const isRole = (text: string): boolean => /^arn:[\w-]{1,32}:iam::\d{12}:role\/[\w+=,.@/-]{1,512}$/.test(text);

/** The domains of partitions of AWS, by the beginning of their regions. */
const DOMAINS: readonly (readonly [prefix: string, domain: string])[] = [
  ['cn-', 'amazonaws.com.cn'],
  ['us-iso-', 'c2s.ic.gov'],
  ['us-isob-', 'sc2s.sgov.gov'],
  ['us-isof-', 'csp.hci.ic.gov'],
  ['eu-isoe-', 'cloud.adc-e.uk'],
  ['eusc-', 'amazonaws.eu'],
];

/** Returns the host of AWS STS in a region. */
export function stsHost(region: string): string {
  const [, domain = 'amazonaws.com'] = DOMAINS.find(([prefix]) => region.startsWith(prefix)) ?? [];
  return `sts.${region}.${domain}`;
}
