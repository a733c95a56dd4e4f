import { readFile } from 'node:fs/promises';
import type { Settings } from '../config/settings.js';
import type { ContentStore } from '../content/content-store.port.js';
import type { Provenance } from '../content/provenance.port.js';
import { fileError } from '../files/file-tree.error.js';
import type { OutboundPolicy } from '../outbound/outbound-policy.js';
import { registryLimitsOf } from './configured-limits.js';
import type { LoginsOf } from './http/session.js';
import { HttpRegistryClient, type RegistryClientOptions } from './http-registry-client.js';
import type { FailedPulls } from './image/failed-pulls.js';
import type { MirrorRule } from './mirrors/mirror-sets.js';

type ConfiguredWith = Readonly<{
  store?: ContentStore;
  provenance?: Provenance;
  loginsOf?: LoginsOf;
  /** Policy for servers that clusters name; all are allowed by default. */
  policy?: OutboundPolicy;
  /** Failed pulls of a service: a service tries again by itself. */
  failedPulls?: FailedPulls;
  /** Called with each part of the signature policy that cannot be read, for the operator of the hub. */
  onPolicyProblem?: (problem: string) => void;
}>;

/** The registry client as set: limits, mirrors, certificates, hosts without TLS. Throws InvalidMirrors. */
export async function configuredRegistryClient(
  settings: Settings,
  { store, provenance, loginsOf, policy, failedPulls, onPolicyProblem }: ConfiguredWith = {},
): Promise<HttpRegistryClient> {
  const { registryMirrorsFile: file, registryCa, registryCertsDir } = settings;
  const mirrors = file === '' ? [] : await mirrorsIn(file);
  const judge =
    settings.signaturePolicyFile === '' ? undefined : await judgeBy(settings.signaturePolicyFile, onPolicyProblem);
  return new HttpRegistryClient({
    limits: registryLimitsOf(settings),
    mirrors,
    plainHttpHosts: settings.registryPlainHttpHosts,
    connections: {
      certificates: { authorities: registryCa, directories: registryCertsDir },
      ...(policy && { policy }),
    },
    ...(judge && { judge }),
    ...(failedPulls && { failedPulls }),
    ...(store === undefined ? {} : { store }),
    ...(provenance === undefined ? {} : { provenance }),
    ...(loginsOf === undefined ? {} : { loginsOf }),
  });
}

/** Loaded late: most hubs have no signature policy. */
async function judgeBy(
  file: string,
  onProblem: ConfiguredWith['onPolicyProblem'],
): Promise<NonNullable<RegistryClientOptions['judge']>> {
  const { readSignaturePolicy } = await import('./signatures/policy-file.js');
  const { ContentAdmission } = await import('./signatures/content-admission.js');
  const read = await readSignaturePolicy(file);
  for (const { problem } of [read.policy, ...read.policy.rules]) if (problem !== undefined) onProblem?.(problem.text);
  return (transport) => new ContentAdmission(read, transport);
}

/** Loaded late: most hubs have no mirror registries configured. */
async function mirrorsIn(file: string): Promise<MirrorRule[]> {
  const { InvalidMirrors, parseMirrorSets } = await import('./mirrors/mirror-sets.js');
  try {
    return parseMirrorSets(await readFile(file, 'utf8'), file);
  } catch (error) {
    if (error instanceof InvalidMirrors) throw error;
    throw new InvalidMirrors(`FLOTILLA_REGISTRY_MIRRORS_FILE: ${fileError('open', file, error).message}`);
  }
}
