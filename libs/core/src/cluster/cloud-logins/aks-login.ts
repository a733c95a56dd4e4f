import { type FlagTable, type PluginCall, type PluginEnvironment, readFlags } from './plugin-call.js';

/** A login to a cluster of Azure AKS: a token of Entra ID for the server application of AKS. */
export type AksLogin = Readonly<{
  cloud: 'AKS';
  /** The address that exchanges the token of the Pod. */
  tokenUrl: string;
  client: string;
  /** A file with the token of the Pod's ServiceAccount. */
  tokenFile: string;
  scope: string;
}>;

const FLAGS: FlagTable = {
  '--login': 'login',
  '-l': 'login',
  '--server-id': 'server',
  '--client-id': 'client',
  '--tenant-id': 'tenant',
  '-t': 'tenant',
  '--environment': 'environment',
  '-e': 'environment',
  '--authority-host': 'authority',
  '--federated-token-file': 'tokenFile',
  '--token-cache-dir': 'cache',
};
const AUTHORITIES: ReadonlyMap<string, string> = new Map([
  ['AZUREPUBLICCLOUD', 'https://login.microsoftonline.com/'],
  ['AZURECHINACLOUD', 'https://login.chinacloudapi.cn/'],
  ['AZUREUSGOVERNMENT', 'https://login.microsoftonline.us/'],
  ['AZUREUSGOVERNMENTCLOUD', 'https://login.microsoftonline.us/'],
]);

/** Reads a call of `kubelogin get-token` with workload identity. As there, the environment goes first. */
export function aksLogin({ args, environment }: PluginCall): AksLogin | string {
  const flags = readFlags(args, FLAGS);
  if (typeof flags === 'string') return flags;
  const { values, words } = flags;
  if (words.join(' ') !== 'get-token') return 'the hub stands in for "kubelogin get-token" alone';
  if ((environment['AAD_LOGIN_METHOD'] || values['login']) !== 'workloadidentity')
    return 'the hub stands in for --login workloadidentity alone: run kubelogin convert-kubeconfig -l workloadidentity';
  const client = environment['AZURE_CLIENT_ID'] || values['client'];
  const tenant = environment['AZURE_TENANT_ID'] || values['tenant'];
  const tokenFile = environment['AZURE_FEDERATED_TOKEN_FILE'] || values['tokenFile'];
  const { server } = values;
  if (!client || !ID.test(client)) return 'AZURE_CLIENT_ID has no ID of an application';
  if (!tenant || !ID.test(tenant)) return 'AZURE_TENANT_ID has no ID of a tenant';
  if (!tokenFile) return 'AZURE_FEDERATED_TOKEN_FILE names no file: give the Pod a workload identity of Azure';
  if (!server || !SERVER.test(server)) return 'its --server-id has no ID of an application';
  const tokenUrl = URL.parse(`${tenant}/oauth2/v2.0/token`, authorityOf(environment, values))?.href;
  if (tokenUrl === undefined) return 'AZURE_AUTHORITY_HOST is not an https address';
  return { cloud: 'AKS', tokenUrl, client, tokenFile, scope: `${server}/.default` };
}

function authorityOf(environment: PluginEnvironment, values: PluginEnvironment): string | undefined {
  const named = environment['AZURE_AUTHORITY_HOST'] || values['authority'];
  const known = AUTHORITIES.get((values['environment'] ?? 'AzurePublicCloud').toUpperCase());
  const text = named ?? known ?? '';
  const url = URL.parse(/^[a-z]+:\/\//.test(text) ? text : `https://${text}`);
  return url?.protocol === 'https:' && url.username === '' ? url.href : undefined;
}

const ID = /^[\w.-]{1,128}$/;
const SERVER = /^[\w.:/-]{1,256}$/;
