import type { CatalogKey } from '#core/catalog/model/package-record';
import type { ObservedNamespace } from '#core/classic/resolution/problem/resolution-problem';
import { CATALOG_SOURCE_API } from '#core/kernel/api/catalog-source';
import { OPERATOR_GROUP_API, type OperatorGroup } from '#core/kernel/api/operator-group';
import { SUBSCRIPTION_API, type Subscription } from '#core/kernel/api/subscription';
import type { Manifest } from '../inputs/read-manifests.js';
import { UsageError } from '../terminal/io.js';
import type { CatalogOption } from './catalog-option.js';
import { MalformedObject, observedNamespace } from './classic-case.js';

/**
 * The question: a namespace as it would be, the catalogs visible to it, and the assumptions that were made.
 */
export type PlanQuestion = Readonly<{
  observed: ObservedNamespace;
  catalogs: readonly Readonly<{ key: CatalogKey; priority: number; reference: string }>[];
  notes: readonly string[];
  /** True if no OperatorGroup was given: one is assumed. */
  assumesGroup?: true;
}>;

type Wanted = Readonly<{
  catalogs: readonly CatalogOption[];
  namespace?: string | undefined;
  globalNamespace?: string | undefined;
}>;

const DEFAULT_GLOBAL_NAMESPACE = 'olm';

/** Puts the question together; whatever is missing and has an ordinary value is assumed and noted. */
export function planQuestion(given: readonly Manifest[], wanted: Wanted): PlanQuestion {
  const { manifests, repeated } = lastOfEach(given);
  const namespace = wanted.namespace ?? onlyNamespace(manifests);
  const inNamespace = manifests.filter(({ object }) => (object.metadata.namespace ?? namespace) === namespace);
  const catalogs = wanted.catalogs.map((option) => placed(option, manifests, wanted.globalNamespace));
  const globalNamespace = wanted.globalNamespace ?? inferredGlobal(catalogs, namespace);
  const observed = observe(namespace, globalNamespace, inNamespace);
  const notes = [
    ...repeated,
    ...unreadKinds(inNamespace),
    ...withoutContent(manifests, catalogs),
    ...notGiven(observed.subscriptions, catalogs),
  ];
  if (observed.subscriptions.length === 0) {
    throw new UsageError(
      `no Subscription in namespace ${namespace}; name manifests that hold one with -f, or another namespace with -n`,
    );
  }
  if (observed.operatorGroups.length > 0) return { observed, catalogs, notes };
  const assumed = `no OperatorGroup in namespace ${namespace}: one that targets this namespace alone is assumed`;
  return {
    observed: { ...observed, operatorGroups: [ownNamespaceGroup(namespace)] },
    catalogs,
    notes: [...notes, assumed],
    assumesGroup: true,
  };
}

/**
 * Keeps the last manifest of each object: if manifests are applied one after the other, the last one is in
 * the cluster.
 */
function lastOfEach(
  given: readonly Manifest[],
): Readonly<{ manifests: readonly Manifest[]; repeated: readonly string[] }> {
  const identity = ({ object: { apiVersion, kind, metadata } }: Manifest) =>
    metadata.name === undefined ? undefined : JSON.stringify([apiVersion, kind, metadata.namespace, metadata.name]);
  const last = new Map(given.map((manifest) => [identity(manifest), manifest]));
  const isLast = (manifest: Manifest) => {
    const key = identity(manifest);
    return key === undefined || last.get(key) === manifest;
  };
  const repeated = given
    .filter((manifest) => !isLast(manifest))
    .map((manifest) => {
      const { object, where } = manifest;
      const taken = last.get(identity(manifest))?.where ?? '';
      return `${object.kind} ${object.metadata.name} of ${where} is left out: ${taken} gives it again`;
    });
  return { manifests: given.filter(isLast), repeated };
}

const isSubscription = ({ object }: Manifest): boolean =>
  object.kind === SUBSCRIPTION_API.kind && object.apiVersion === SUBSCRIPTION_API.apiVersion;

function onlyNamespace(manifests: readonly Manifest[]): string {
  const subscriptions = manifests.filter(isSubscription);
  const namespaces = new Set(subscriptions.map(({ object }) => object.metadata.namespace ?? 'default'));
  const [only, ...others] = namespaces;
  if (only === undefined) throw new UsageError('the manifests hold no Subscription; name files that do with -f');
  if (others.length === 0) return only;
  throw new UsageError(
    `the manifests hold Subscriptions of namespaces ${[...namespaces].join(', ')}: choose one with -n`,
  );
}

/**
 * Returns the key of a catalog that is named without namespace: the one that a Subscription names by this
 * name, otherwise a global one.
 */
function placed(option: CatalogOption, manifests: readonly Manifest[], globalNamespace: string | undefined) {
  const spec = manifests
    .filter(isSubscription)
    .map(({ object }) => object['spec'] as Readonly<Record<string, unknown>> | undefined)
    .find((candidate) => candidate?.['source'] === option.name);
  const named = typeof spec?.['sourceNamespace'] === 'string' ? spec['sourceNamespace'] : undefined;
  const namespace = option.namespace ?? named ?? globalNamespace ?? DEFAULT_GLOBAL_NAMESPACE;
  const key = { namespace, name: option.name };
  return { key, priority: option.priority ?? priorityOf(key, manifests), reference: option.reference };
}

const isSourceOf = ({ object }: Manifest, key: CatalogKey): boolean =>
  object.kind === CATALOG_SOURCE_API.kind &&
  object.metadata.name === key.name &&
  (object.metadata.namespace ?? key.namespace) === key.namespace;

function priorityOf(key: CatalogKey, manifests: readonly Manifest[]): number {
  const source = manifests.find((manifest) => isSourceOf(manifest, key));
  const spec = source?.object['spec'] as Readonly<Record<string, unknown>> | undefined;
  return typeof spec?.['priority'] === 'number' ? spec['priority'] : 0;
}

/**
 * Returns the global namespace. If all catalogs outside the namespace lie in one other namespace, it is that
 * one; otherwise it is the default.
 */
function inferredGlobal(catalogs: readonly Readonly<{ key: CatalogKey }>[], namespace: string): string {
  const [only, ...others] = new Set(catalogs.map(({ key }) => key.namespace).filter((other) => other !== namespace));
  return only !== undefined && others.length === 0 ? only : DEFAULT_GLOBAL_NAMESPACE;
}

function observe(namespace: string, globalNamespace: string, manifests: readonly Manifest[]): ObservedNamespace {
  for (const { object, where } of manifests) {
    try {
      observedNamespace(namespace, globalNamespace, [object]);
    } catch (error) {
      if (error instanceof MalformedObject) throw new UsageError(`${where}: ${error.message}`);
      throw error;
    }
  }
  return observedNamespace(
    namespace,
    globalNamespace,
    manifests.map(({ object }) => object),
  );
}

const READ = new Set(['Subscription', 'OperatorGroup', 'ClusterServiceVersion', 'CatalogSource', 'Namespace']);

function unreadKinds(manifests: readonly Manifest[]): string[] {
  const kinds = new Set(manifests.map(({ object }) => object.kind).filter((kind) => !READ.has(kind)));
  return [...kinds].map((kind) => `objects of kind ${kind} take no part in this plan`);
}

function withoutContent(manifests: readonly Manifest[], catalogs: PlanQuestion['catalogs']): string[] {
  return manifests
    .filter(({ object }) => object.kind === CATALOG_SOURCE_API.kind)
    .filter((manifest) => !catalogs.some(({ key }) => isSourceOf(manifest, key)))
    .map(({ object }) => {
      const name = `${object.metadata.namespace ?? ''}/${object.metadata.name ?? ''}`;
      return `CatalogSource ${name} is left out: give its content with --catalog ${name}=REFERENCE`;
    });
}

function notGiven(subscriptions: readonly Subscription[], catalogs: PlanQuestion['catalogs']): string[] {
  return subscriptions
    .filter(
      ({ spec }) => !catalogs.some(({ key }) => key.name === spec.source && key.namespace === spec.sourceNamespace),
    )
    .map(({ metadata, spec }) => {
      const name = `${spec.sourceNamespace}/${spec.source}`;
      return `Subscription ${metadata.name} asks for catalog ${name}, which is not given: add --catalog ${name}=REF`;
    });
}

const ownNamespaceGroup = (namespace: string): OperatorGroup => ({
  ...OPERATOR_GROUP_API,
  metadata: { name: 'assumed', namespace },
  spec: { targetNamespaces: [namespace] },
});
