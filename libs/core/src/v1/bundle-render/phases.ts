import { ADMISSION_GROUP, CRD_GROUP, RBAC_GROUP } from '../../kernel/api/kinds.js';
import { type KubernetesObject, splitApiVersion } from '../../kernel/api/kubernetes-object.js';
import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';

/**
 * A step of a rollout: its objects are applied together, once those of the phases before
 * it are there and healthy.
 */
export type Phase = Readonly<{ name: string; objects: readonly KubernetesObject[] }>;

const CERT_MANAGER = 'cert-manager.io';
const CONSOLE = 'console.openshift.io';
const MONITORING = 'monitoring.coreos.com';

/**
 * Phases in their order, each with its kinds as `Kind` of the core group or `Kind.group`. All other kinds
 * belong to the phase deploy.
 */
const KINDS_OF_PHASES: readonly (readonly [phase: string, kinds: readonly string[]])[] = [
  ['namespaces', ['Namespace']],
  ['policies', ['NetworkPolicy.networking.k8s.io', 'PodDisruptionBudget.policy', 'PriorityClass.scheduling.k8s.io']],
  ['identity', ['ServiceAccount']],
  ['configuration', ['Secret', 'ConfigMap']],
  ['storage', ['PersistentVolume', 'PersistentVolumeClaim', 'StorageClass.storage.k8s.io']],
  ['crds', [`CustomResourceDefinition.${CRD_GROUP}`]],
  ['roles', [`ClusterRole.${RBAC_GROUP}`, `Role.${RBAC_GROUP}`]],
  ['bindings', [`ClusterRoleBinding.${RBAC_GROUP}`, `RoleBinding.${RBAC_GROUP}`]],
  ['infrastructure', ['Service', `Issuer.${CERT_MANAGER}`, `Certificate.${CERT_MANAGER}`]],
  ['deploy', ['Deployment.apps']],
  ['scaling', ['VerticalPodAutoscaler.autoscaling.k8s.io']],
  [
    'publish',
    [
      `PrometheusRule.${MONITORING}`,
      `ServiceMonitor.${MONITORING}`,
      `PodMonitor.${MONITORING}`,
      'Ingress.networking.k8s.io',
      'Route.route.openshift.io',
      ...['ConsoleYAMLSample', 'ConsoleQuickStart', 'ConsoleCLIDownload', 'ConsoleLink', 'ConsolePlugin'].map(
        (kind) => `${kind}.${CONSOLE}`,
      ),
    ],
  ],
  [
    'admission',
    [`ValidatingWebhookConfiguration.${ADMISSION_GROUP}`, `MutatingWebhookConfiguration.${ADMISSION_GROUP}`],
  ],
];
const DEPLOY = 'deploy';
const PHASES = new Map(KINDS_OF_PHASES.flatMap(([phase, kinds]) => kinds.map((kind) => [kind, phase] as const)));

function phaseOf({ apiVersion, kind }: KubernetesObject): string {
  const { group } = splitApiVersion(apiVersion);
  return PHASES.get(group === '' ? kind : `${kind}.${group}`) ?? DEPLOY;
}

/**
 * Sorts the objects of a revision into the phases of their rollout; empty phases are left out (spec:
 * v1-apply.md §7, "Phases"). Inside a phase: by group, version, kind, namespace, name.
 */
export function phasesOf(objects: readonly KubernetesObject[]): readonly Phase[] {
  const byPhase = Map.groupBy(objects, phaseOf);
  return KINDS_OF_PHASES.flatMap(([name]) => {
    const found = byPhase.get(name);
    return found === undefined ? [] : [{ name, objects: found.toSorted(byIdentity) }];
  });
}

/** Compares by group, version, kind, namespace and name. */
function byIdentity(a: KubernetesObject, b: KubernetesObject): number {
  const [one, other] = [splitApiVersion(a.apiVersion), splitApiVersion(b.apiVersion)];
  return (
    byCodeUnit(one.group, other.group) ||
    byCodeUnit(one.version, other.version) ||
    byCodeUnit(a.kind, b.kind) ||
    byCodeUnit(a.metadata.namespace ?? '', b.metadata.namespace ?? '') ||
    byCodeUnit(a.metadata.name ?? '', b.metadata.name ?? '')
  );
}
