import { z } from 'zod';
import {
  configFor,
  mergedVariables,
  PodSpec,
  type SubscriptionConfig,
  withConfig,
  withMissing,
} from '../../../catalog/bundle/subscription-config.js';
import type { Action } from '../../../kernel/actions/action.js';
import type { ClusterServiceVersion, StrategyDeployment } from '../../../kernel/api/cluster-service-version.js';
import { csvName, csvNamespace, strategyDeployments } from '../../../kernel/api/csv-facts.js';
import { KIND } from '../../../kernel/api/kinds.js';
import { type KubernetesObject, refOf } from '../../../kernel/api/kubernetes-object.js';
import {
  csvOwnerLabels,
  hasLabels,
  isOwnedBy,
  MANAGED_LABEL,
  nonBlockingOwner,
} from '../../../kernel/api/owner-labels.js';
import { canonicalJson } from '../../../kernel/canonical/canonical-json.js';
import { deepHash } from '../../../kernel/hashes/digest.js';
import { componentLabelsOf } from '../../operators/component-label.js';
import { CA_HASH_ANNOTATION } from '../certificates/serving-names.js';
import { servingServices } from '../certificates/serving-service.js';
import { withServingCertificate } from '../certificates/serving-volumes.js';
import { certificateFor } from '../world/certificates-of.js';
import { withClusterProxy } from '../world/cluster-proxy.js';
import type { CsvWorld } from '../world/csv-world.js';
import { podAnnotationsOf } from '../world/hub-annotations.js';

export const DEPLOYMENT_SPEC_HASH_LABEL = 'olm.deployment-spec-hash';
const COMPONENT_LABEL_PREFIX = 'operators.coreos.com/';
const REVISION_ANNOTATION = 'deployment.kubernetes.io/revision';
const OPERATOR_CONDITION_ENV = 'OPERATOR_CONDITION_NAME';

const DeploymentSpec = z.looseObject({
  template: z.looseObject({
    metadata: z
      .looseObject({
        labels: z.record(z.string(), z.string()).nullish(),
        annotations: z.record(z.string(), z.string()).nullish(),
      })
      .nullish(),
    spec: PodSpec.nullish(),
  }),
});

/** A Deployment the CSV asks for, complete, and the hash its spec is recognised by. */
export type WantedDeployment = Readonly<{ name: string; object: KubernetesObject; hash: string }>;

/** The last result for each CSV, and the other inputs it was computed from. */
const COMPUTED = new WeakMap<ClusterServiceVersion, Readonly<{ of: string; wanted: readonly WantedDeployment[] }>>();

/**
 * The Deployments of a CSV as they should be, in its order (spec: csv-lifecycle.md §5 and §11). Each round of
 * a pass asks for them, and hashing them takes long: for the same object they are the same.
 */
export function wantedDeployments(csv: ClusterServiceVersion, world: CsvWorld): readonly WantedDeployment[] {
  const config = withClusterProxy(configFor(csvName(csv), world.subscriptions), world.clusterProxy);
  const services = servingServices(csv);
  const parts = strategyDeployments(csv).map((deployment) => {
    const service = services.find((one) => one.deployment === deployment.name);
    const caHash = service && certificateFor(world, service)?.caHash;
    return service === undefined ? undefined : { secretName: service.secretName, caHash: caHash ?? '' };
  });
  const of = JSON.stringify([config, parts]);
  const known = COMPUTED.get(csv);
  if (known?.of === of) return known.wanted;
  const wanted = strategyDeployments(csv).map((deployment, at) => wantedDeployment(csv, deployment, config, parts[at]));
  COMPUTED.set(csv, { of, wanted });
  return wanted;
}

/** The Secret with a Deployment's serving certificate, and the authority of that certificate. */
type Serving = Readonly<{ secretName: string; caHash: string }>;

/**
 * Adds parts in this order: certificates, CSV annotations, Subscription config, OPERATOR_CONDITION_NAME,
 * hash.
 */
function wantedDeployment(
  csv: ClusterServiceVersion,
  { name, label, spec }: StrategyDeployment,
  config: SubscriptionConfig,
  serving: Serving | undefined,
): WantedDeployment {
  const finished = finishedSpec(csv, spec, config, serving);
  // Sorted keys: the hash must not depend on the order of the API server's answer.
  const hash = deepHash(JSON.parse(canonicalJson(finished)));
  const object: KubernetesObject = {
    ...KIND.Deployment,
    metadata: {
      name,
      namespace: csvNamespace(csv),
      labels: { ...label, [MANAGED_LABEL]: 'true', ...csvOwnerLabels(csv), [DEPLOYMENT_SPEC_HASH_LABEL]: hash },
      annotations: { ...config.annotations },
      ownerReferences: [nonBlockingOwner(csv)],
    },
    spec: finished,
  };
  return { name, object, hash };
}

function finishedSpec(
  csv: ClusterServiceVersion,
  spec: StrategyDeployment['spec'],
  config: SubscriptionConfig,
  serving: Serving | undefined,
): Readonly<Record<string, unknown>> {
  const parsed = DeploymentSpec.safeParse(spec);
  // A spec without a readable pod template is sent unchanged: the API server describes the mistake best.
  if (!parsed.success) return { ...spec, revisionHistoryLimit: 1 };
  const { template } = parsed.data;
  const authority = serving === undefined ? {} : { [CA_HASH_ANNOTATION]: serving.caHash };
  const annotations = { ...template.metadata?.annotations, ...authority, ...podAnnotationsOf(csv) };
  const called =
    serving === undefined ? template.spec : withServingCertificate(template.spec ?? {}, serving.secretName);
  const pod = withConfig(called ?? {}, config);
  const named = { name: OPERATOR_CONDITION_ENV, value: csvName(csv) };
  const containers = (pod.containers ?? []).map((one) => ({
    ...one,
    env: [...mergedVariables(one.env ?? [], [named])],
  }));
  return {
    ...parsed.data,
    revisionHistoryLimit: 1,
    template: {
      ...template,
      metadata: { ...template.metadata, annotations: withMissing(annotations, config.annotations) },
      spec: { ...pod, containers },
    },
  };
}

/**
 * Creates or PUTs every Deployment, then deletes those that the CSV owns but no longer lists (§5, Install).
 */
export function installDeployments(csv: ClusterServiceVersion, world: CsvWorld): readonly Action[] {
  const wanted = wantedDeployments(csv, world);
  const writes = wanted.map(({ name, object }): Action => {
    const live = world.deployments.find(({ metadata }) => metadata.name === name);
    return live === undefined
      ? { do: 'create', object: gathered(object, csv) }
      : { do: 'update', object: onTopOf(live, object) };
  });
  const names = new Set(wanted.map(({ name }) => name));
  const deletions = ownedDeployments(csv, world)
    .filter((one) => !names.has(one.metadata.name ?? '') && isOwnedBy(one, csv))
    .map((one): Action => ({ do: 'delete', ref: refOf(one), propagation: 'Foreground', uid: one.metadata.uid }));
  return [...writes, ...deletions];
}

/** A new object is a part of its CSV's operator at once (decision 0163). */
function gathered(object: KubernetesObject, csv: ClusterServiceVersion): KubernetesObject {
  const labels = Object.fromEntries(componentLabelsOf(csv).map((label) => [label, '']));
  return { ...object, metadata: { ...object.metadata, labels: { ...labels, ...object.metadata.labels } } };
}

/** Deployments that carry this CSV's owner labels. */
export const ownedDeployments = (csv: ClusterServiceVersion, world: CsvWorld): readonly KubernetesObject[] =>
  world.deployments.filter((one) => hasLabels(one, csvOwnerLabels(csv)));

/**
 * Builds a PUT that takes the object over, but keeps values of other controllers: component labels and the
 * revision.
 */
function onTopOf(live: KubernetesObject, wanted: KubernetesObject): KubernetesObject {
  const kept = Object.entries(live.metadata.labels ?? {}).filter(([key]) => key.startsWith(COMPONENT_LABEL_PREFIX));
  const revision = live.metadata.annotations?.[REVISION_ANNOTATION];
  const { resourceVersion } = live.metadata;
  return {
    ...wanted,
    metadata: {
      ...wanted.metadata,
      labels: { ...Object.fromEntries(kept), ...wanted.metadata.labels },
      annotations: {
        ...(revision === undefined ? {} : { [REVISION_ANNOTATION]: revision }),
        ...wanted.metadata.annotations,
      },
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
  };
}
