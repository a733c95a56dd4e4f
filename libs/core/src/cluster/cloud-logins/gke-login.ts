import { type FlagTable, type PluginCall, readFlags } from './plugin-call.js';

/** A login to a cluster of Google GKE: an access token of Google Cloud. */
export type GkeLogin = Readonly<{
  cloud: 'GKE';
  /** A file of Application Default Credentials. Absent: the metadata server of the node is asked. */
  credentialsFile?: string;
}>;

/** The flags of gcloud's own configuration are left out: it is not there either. */
const FLAGS: FlagTable = { '--use_application_default_credentials': true };

/** The scopes that the plugin of Google asks for. */
export const GKE_SCOPES: readonly string[] = [
  'https://www.googleapis.com/auth/cloud-platform',
  'https://www.googleapis.com/auth/userinfo.email',
];

/** The address of the metadata server on a node of Google Cloud. */
export const GKE_METADATA_HOST = '169.254.169.254';

/** Reads a call of `gke-gcloud-auth-plugin`. */
export function gkeLogin({ args, environment }: PluginCall): GkeLogin | string {
  const flags = readFlags(args, FLAGS);
  if (typeof flags === 'string') return flags;
  if (flags.words.length > 0) return 'the hub stands in for "gke-gcloud-auth-plugin" without a subcommand alone';
  const credentialsFile = environment['GOOGLE_APPLICATION_CREDENTIALS'];
  return { cloud: 'GKE', ...(credentialsFile ? { credentialsFile } : {}) };
}
