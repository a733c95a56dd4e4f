import { z } from 'zod';
import { CLUSTER_EXTENSION_API, type ClusterExtension } from '../../kernel/api/cluster-extension.js';
import {
  CLUSTER_OBJECT_SET_API,
  type ClusterObjectSet,
  type CollisionProtection,
} from '../../kernel/api/cluster-object-set.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { byCodeUnit, canonicalHash } from '../../kernel/canonical/canonical-json.js';
import type { Phase } from '../bundle-render/phases.js';
import { DEFAULT_PROBES } from './default-probes.js';
import { type ExternaliseOptions, externalisePhases } from './externalise-phases.js';
import type { InstalledRevision } from './installed-revision.js';
import {
  BUNDLE_NAME_KEY,
  BUNDLE_REFERENCE_KEY,
  BUNDLE_RELEASE_KEY,
  BUNDLE_VERSION_KEY,
  CERTIFICATES_KEY,
  CONTENT_KEY,
  DIGEST_KEY,
  INPUTS_KEY,
  KINDS_KEY,
  OLM_PROPERTIES_KEY,
  OWNER_KIND_LABEL,
  OWNER_NAME_LABEL,
  PACKAGE_NAME_KEY,
  QUERY_KEY,
} from './revision-keys.js';

/** The inputs of a new revision. */
export type DesiredRevision = Readonly<{
  from: InstalledRevision;
  /** Phases with owner labels; see {@link ownedPhases}. */
  phases: readonly Phase[];
  /** The bundle's merged `olm.properties`, as JSON text. */
  olmProperties?: string | undefined;
  /**
   * Hashes of the rendering's inputs and of the desired bundle it answers; digest of the image, empty if none
   * was pulled.
   */
  inputs: string;
  query: string;
  digest: string;
  /** The time to replace its certificates, as RFC 3339; absent if it has none from Flotilla. */
  certificatesUntil?: string | undefined;
  /** The earlier installation that becomes this revision. Absent: no existing object is adopted. */
  adoption?: Adoption | undefined;
}>;

/** The way a revision adopts the objects that another program has installed. */
type Adoption = Readonly<{
  protection: CollisionProtection;
  labels?: Readonly<Record<string, string>>;
  annotations?: Readonly<Record<string, string>>;
}>;

type RevisionPlan = Readonly<{ revision: ClusterObjectSet; secrets: readonly KubernetesObject[] }>;

/**
 * Returns the hash of a revision's desired content: two with the same hash are the same, under any number.
 */
export const contentHash = (phases: readonly Phase[]): string => canonicalHash(phases);

/**
 * The objects as revisions keep them: of an extension, a package and a version (spec: v1-apply.md §5, §7).
 */
export function ownedPhases(
  phases: readonly Phase[],
  extension: string,
  { packageName, version }: Readonly<{ packageName: string; version: string }>,
): Phase[] {
  return phases.map(({ name, objects }) => ({
    name,
    objects: objects.map(({ status: _status, stringData, metadata, ...object }) => ({
      ...object,
      ...asStored(object.kind, object['data'], stringData),
      metadata: {
        ...(metadata.name === undefined ? {} : { name: metadata.name }),
        ...(metadata.namespace === undefined || CLUSTER_SCOPED.has(String(object.kind))
          ? {}
          : { namespace: metadata.namespace }),
        labels: { ...metadata.labels, ...ownerLabels(extension) },
        annotations: {
          ...withoutLastApplied(metadata.annotations),
          [BUNDLE_VERSION_KEY]: version,
          [PACKAGE_NAME_KEY]: packageName,
        },
      },
    })),
  }));
}

/**
 * Returns a Secret's data as the API server stores it. The API server never shows `stringData` again, so the
 * written form must be the one compared with the cluster later.
 */
function asStored(kind: string, data: unknown, stringData: unknown): Readonly<Record<string, unknown>> {
  if (stringData === undefined) return {};
  const texts = Texts.safeParse(stringData);
  if (kind !== 'Secret' || !texts.success) return { stringData };
  const encoded = Object.entries(texts.data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]);
  return { data: { ...Texts.safeParse(data).data, ...Object.fromEntries(encoded) } };
}

const Texts = z.record(z.string(), z.string());

/**
 * Kinds that bundles and their rendering give a namespace though they have none: the
 * API server would drop it.
 */
const CLUSTER_SCOPED: ReadonlySet<string> = new Set([
  ...['CustomResourceDefinition', 'ClusterRole', 'ClusterRoleBinding', 'PriorityClass'],
  ...['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'],
  ...['ConsoleYAMLSample', 'ConsoleQuickStart', 'ConsoleCLIDownload', 'ConsoleLink', 'ConsolePlugin'],
]);

const ownerLabels = (extension: string): Record<string, string> => ({
  [OWNER_KIND_LABEL]: CLUSTER_EXTENSION_API.kind,
  [OWNER_NAME_LABEL]: extension,
});

function withoutLastApplied(annotations: Readonly<Record<string, string>> = {}): Record<string, string> {
  const { 'kubectl.kubernetes.io/last-applied-configuration': _dropped, ...rest } = annotations;
  return rest;
}

/**
 * Builds revision `number` of the extension and the Secrets with its manifests, which must be created first;
 * or returns the reason it cannot. The extension owns both, since the uid of the revision is not known before
 * it is stored.
 */
export function buildRevision(
  extension: ClusterExtension,
  number: number,
  desired: DesiredRevision,
  options: Pick<ExternaliseOptions, 'systemNamespace' | 'compress'>,
): RevisionPlan | Readonly<{ error: string }> {
  const owner = extension.metadata.name ?? '';
  const name = `${owner}-${number}`;
  const external = externalisePhases(desired.phases, { ...options, revision: name, extension: owner });
  if ('error' in external) return external;
  const { progressDeadlineMinutes } = extension.spec;
  const ownerReferences = [
    {
      ...CLUSTER_EXTENSION_API,
      name: owner,
      uid: extension.metadata.uid ?? '',
      controller: true,
      blockOwnerDeletion: true,
    },
  ];
  const revision: ClusterObjectSet = {
    ...CLUSTER_OBJECT_SET_API,
    metadata: {
      name,
      labels: { ...ownerLabels(owner), ...desired.adoption?.labels },
      annotations: annotationsOf(extension, desired),
      ownerReferences,
    },
    spec: {
      lifecycleState: 'Active',
      collisionProtection: desired.adoption?.protection ?? 'Prevent',
      revision: number,
      phases: [...external.phases],
      progressionProbes: [...DEFAULT_PROBES],
      ...(progressDeadlineMinutes === undefined ? {} : { progressDeadlineMinutes }),
    },
  };
  const secrets = external.secrets.map((secret) => ({ ...secret, metadata: { ...secret.metadata, ownerReferences } }));
  return { revision, secrets };
}

function annotationsOf({ spec }: ClusterExtension, desired: DesiredRevision): Record<string, string> {
  const { bundle, image } = desired.from;
  return {
    [BUNDLE_NAME_KEY]: bundle.name,
    [BUNDLE_VERSION_KEY]: bundle.version,
    ...(bundle.release === undefined ? {} : { [BUNDLE_RELEASE_KEY]: bundle.release }),
    [BUNDLE_REFERENCE_KEY]: image,
    [PACKAGE_NAME_KEY]: spec.source.catalog?.packageName ?? '',
    ...(desired.olmProperties === undefined ? {} : { [OLM_PROPERTIES_KEY]: desired.olmProperties }),
    ...(desired.certificatesUntil === undefined ? {} : { [CERTIFICATES_KEY]: desired.certificatesUntil }),
    [INPUTS_KEY]: desired.inputs,
    [QUERY_KEY]: desired.query,
    ...(desired.digest === '' ? {} : { [DIGEST_KEY]: desired.digest }),
    [CONTENT_KEY]: contentHash(desired.phases),
    [KINDS_KEY]: JSON.stringify(kindsOf(desired.phases)),
    ...desired.adoption?.annotations,
  };
}

const kindsOf = (phases: readonly Phase[]): string[] => [
  ...new Set(
    phases.flatMap(({ objects }) => objects.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`)).sort(byCodeUnit),
  ),
];
