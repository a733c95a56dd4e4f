import { gunzipSync, gzipSync } from 'node:zlib';
import { z } from 'zod';
import { CLUSTER_EXTENSION_API, ClusterExtension } from '#core/kernel/api/cluster-extension';
import { KIND } from '#core/kernel/api/kinds';
import { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { Subscription } from '#core/kernel/api/subscription';
import { canonicalHash } from '#core/kernel/canonical/canonical-json';
import { asRecord, asText } from '#core/kernel/crd/loose-value';
import { KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';

const KEY = 'record';
/** A ClusterServiceVersion has a MiB or two at most. */
const MOST_BYTES = 16 * 2 ** 20;
/**
 * Label of the Secret of a move to a ClusterExtension: hash of the namespace and name of the Subscription.
 */
const SUBSCRIPTION_LABEL = 'flotilla.dev/migrated-subscription';

const Ref = z.object({
  apiVersion: z.string(),
  kind: z.string(),
  name: z.string(),
  namespace: z.string().optional(),
});

/** Labels of OLM Classic on an object, and whether its ClusterServiceVersion owns it. */
const ClassicMarks = z.object({ labels: z.record(z.string(), z.string()), owned: z.boolean() });

/** A Deployment as far as a restart of its pods shows in it. */
const RunningWorkload = z.object({
  name: z.string(),
  uid: z.string(),
  template: z.string(),
  pods: z.array(z.string()),
});
export type RunningWorkload = z.infer<typeof RunningWorkload>;

/**
 * Removes an empty account. Go writes an account without a name; definitions of ClusterExtensions refuse it.
 */
function withoutEmptyAccount({ spec, ...extension }: ClusterExtension): ClusterExtension {
  const { serviceAccount, ...others } = spec;
  return { ...extension, spec: serviceAccount?.name ? spec : others };
}

/**
 * The record that a move keeps in the cluster until it is rolled back. With it a move that was killed at any
 * line can be repeated, and undone from another machine.
 */
export const MigrationRecord = z.object({
  v: z.literal(1),
  extension: ClusterExtension.transform(withoutEmptyAccount),
  /** The Subscription with its status. */
  subscription: Subscription,
  /** The CSV in a form that can be created again. */
  csv: KubernetesObject,
  bundle: z.object({ name: z.string(), version: z.string() }),
  image: z.string(),
  /**
   * The objects of the bundle, as OLM v1 renders them, with the marks that OLM Classic had written on them.
   */
  objects: z.array(Ref.extend({ classic: ClassicMarks.optional() })),
  /** Roles and bindings that OLM Classic has made, as they can be made again. */
  roles: z.array(z.object({ object: KubernetesObject, owned: z.boolean() })),
  workloads: z.array(RunningWorkload),
});
export type MigrationRecord = z.infer<typeof MigrationRecord>;

/** A record, and the Secret that it lies in. */
type KeptRecord = Readonly<{ record: MigrationRecord; secret: KubernetesObject }>;

const secretName = (extension: string): string => `${extension}-from-subscription`;
const labelOf = (namespace: string, name: string): string => canonicalHash({ namespace, name }).slice(0, 40);

/** Returns the record of a Subscription that was moved, or is being moved. */
export async function recordOfSubscription(
  client: KubeClient,
  systemNamespace: string,
  { namespace, name }: Readonly<{ namespace: string; name: string }>,
): Promise<KeptRecord | undefined> {
  const labelSelector = `${SUBSCRIPTION_LABEL}=${labelOf(namespace, name)}`;
  const [secret] = (await client.list(KIND.Secret, { namespace: systemNamespace, labelSelector }))?.items ?? [];
  return secret && kept({ ...secret, ...KIND.Secret });
}

/** Returns the record of the ClusterExtension that a Subscription has become. */
export async function recordOfExtension(
  client: KubeClient,
  systemNamespace: string,
  extension: string,
): Promise<KeptRecord | undefined> {
  const secret = await client.get({ ...KIND.Secret, namespace: systemNamespace, name: secretName(extension) });
  return secret && kept(secret);
}

function kept(secret: KubernetesObject): KeptRecord {
  const { namespace, name } = secret.metadata;
  try {
    const bytes = Buffer.from(asText(asRecord(secret['data'])[KEY]), 'base64');
    const text = gunzipSync(bytes, { maxOutputLength: MOST_BYTES }).toString('utf8');
    return { secret, record: MigrationRecord.parse(JSON.parse(text)) };
  } catch (error) {
    throw new Error(`Secret ${namespace}/${name} is not a record of a move: inspect or delete it`, { cause: error });
  }
}

/** Keeps a record; one that is there already stays, since it is of the state before the first try. */
export async function keepRecord(client: KubeClient, systemNamespace: string, record: MigrationRecord): Promise<void> {
  const { namespace = '', name = '' } = record.subscription.metadata;
  const data = gzipSync(JSON.stringify(record)).toString('base64');
  const labels = { [SUBSCRIPTION_LABEL]: labelOf(namespace, name) };
  const secret: KubernetesObject = {
    ...KIND.Secret,
    metadata: { name: secretName(record.extension.metadata.name ?? ''), namespace: systemNamespace, labels },
    immutable: true,
    data: { [KEY]: data },
  };
  await createUnlessThere(client, { ...KIND.Namespace, metadata: { name: systemNamespace } });
  await createUnlessThere(client, secret);
}

/** Creates an object. Returns true if it did not exist. */
export async function createUnlessThere(client: KubeClient, object: KubernetesObject): Promise<boolean> {
  try {
    await client.create(object);
    return true;
  } catch (error) {
    if (KubeApiError.is(error, 'AlreadyExists')) return false;
    throw error;
  }
}

/** The owner that makes a record, or a revision, go with its extension. */
export const ownedByExtension = ({ metadata }: KubernetesObject) => [
  {
    ...CLUSTER_EXTENSION_API,
    name: metadata.name ?? '',
    uid: metadata.uid ?? '',
    controller: true,
    blockOwnerDeletion: true,
  },
];
