import { z } from 'zod';
import { GKE_SCOPES } from './gke-login.js';

/** Workload identity federation of Google: a file that says how another token is exchanged. */
export type Federation = Readonly<{
  audience: string;
  subjectTokenType: string;
  tokenUrl: string;
  /** The file with the token that is exchanged, and the field that has it if the file is JSON. */
  source: Readonly<{ file: string; field?: string }>;
  /** The address that gives a token of a service account. Absent: the token is the identity's own. */
  impersonationUrl?: string;
}>;

const text = z.string().min(1).max(2_048);
const ExternalAccount = z.object({
  type: z.string(),
  audience: text,
  subject_token_type: text,
  token_url: text,
  service_account_impersonation_url: text.nullish(),
  credential_source: z.object({
    file: text.optional(),
    format: z.object({ type: z.string(), subject_token_field_name: text.optional() }).optional(),
  }),
});
const AnyKind = z.object({ type: z.string().max(64) });

/**
 * Reads a file of Application Default Credentials (https://google.aip.dev/auth/4117). Returns a text if the
 * hub does not use it. Tokens go to hosts of Google alone, whatever the file says.
 */
export function readFederation(source: string): Federation | string {
  let document: unknown;
  try {
    document = JSON.parse(source);
  } catch {
    return 'is not JSON';
  }
  const kind = AnyKind.safeParse(document).data?.type;
  if (kind === undefined) return 'has no type';
  if (kind !== 'external_account')
    return `has type ${JSON.stringify(kind)}: the hub uses workload identity federation alone (external_account)`;
  const { data, error } = ExternalAccount.safeParse(document);
  if (data === undefined)
    return `cannot be read: ${error.issues[0]?.path.join('.') || 'the document'} is missing or wrong`;
  const { credential_source: place, service_account_impersonation_url: impersonation } = data;
  if (place.file === undefined) return 'has no credential_source.file: the hub reads the token from a file alone';
  if (!isOfGoogle(data.token_url, 'sts')) return 'has a token_url that is not at sts.googleapis.com';
  if (impersonation && !isOfGoogle(impersonation, 'iamcredentials'))
    return 'has a service_account_impersonation_url that is not at iamcredentials.googleapis.com';
  const field = place.format?.type === 'json' ? place.format.subject_token_field_name : undefined;
  if (place.format?.type === 'json' && field === undefined)
    return 'has no credential_source.format.subject_token_field_name';
  return {
    audience: data.audience,
    subjectTokenType: data.subject_token_type,
    tokenUrl: data.token_url,
    source: { file: place.file, ...(field === undefined ? {} : { field }) },
    ...(impersonation ? { impersonationUrl: impersonation } : {}),
  };
}

function isOfGoogle(address: string, service: string): boolean {
  const url = URL.parse(address);
  if (url?.protocol !== 'https:' || url.port !== '' || url.username !== '') return false;
  return new RegExp(`^(?:[a-z0-9-]{1,40}\\.)?${service}\\.(?:[a-z0-9-]{1,40}\\.)?googleapis\\.com$`).test(url.hostname);
}

/** Returns the token that the file has, as a whole or in a field of JSON. */
export function subjectTokenIn(content: string, field: string | undefined): string | undefined {
  if (field === undefined) return content.trim() || undefined;
  try {
    const value = (JSON.parse(content) as Readonly<Record<string, unknown>>)[field];
    return typeof value === 'string' && value !== '' ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns the form of the exchange
 * (https://cloud.google.com/iam/docs/reference/sts/rest/v1/TopLevel/token).
 */
export const exchangeForm = (federation: Federation, subjectToken: string): Readonly<Record<string, string>> => ({
  grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
  audience: federation.audience,
  // A token that is exchanged for one of a service account needs the widest scope.
  scope: federation.impersonationUrl === undefined ? GKE_SCOPES.join(' ') : (GKE_SCOPES[0] ?? ''),
  requested_token_type: 'urn:ietf:params:oauth:token-type:access_token',
  subject_token: subjectToken,
  subject_token_type: federation.subjectTokenType,
});
