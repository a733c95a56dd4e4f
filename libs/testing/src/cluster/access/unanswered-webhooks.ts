import { type LabelSelector, readSelector } from '#core/kernel/labels/label-selector';
import { type ApiObject, storageKey } from '../objects/api-object.js';
import { arrayAt, objectAt, stringAt } from '../objects/json.js';
import { Refusal } from '../objects/refusal.js';
import type { ClusterState } from '../state/cluster-state.js';
import type { RequestTarget } from './request-target.js';

const GROUP = 'admissionregistration.k8s.io';
const CONFIGURATIONS = [`mutatingwebhookconfigurations.${GROUP}`, `validatingwebhookconfigurations.${GROUP}`];
const OPERATIONS: Readonly<Record<string, string>> = {
  create: 'CREATE',
  update: 'UPDATE',
  patch: 'UPDATE',
  delete: 'DELETE',
};

/**
 * Refuses a write if an admission webhook with failurePolicy Fail would be called and nothing answers: at a
 * Service that does not exist, or at a URL. A Service that exists admits everything.
 */
export function refuseUnanswered(cluster: ClusterState, target: RequestTarget, verb: string): void {
  const operation = OPERATIONS[verb];
  if (operation === undefined || target.group === GROUP) return;
  for (const webhook of CONFIGURATIONS.flatMap((resource) => webhooksOf(cluster, resource))) {
    const why = matches(cluster, webhook, target, operation) ? silence(cluster, webhook) : undefined;
    if (why === undefined) continue;
    const name = stringAt(webhook, 'name') ?? '';
    const message = `Internal error occurred: failed calling webhook "${name}": failed to call webhook: ${why}`;
    throw new Refusal(500, 'InternalError', message);
  }
}

const webhooksOf = (cluster: ClusterState, resource: string): readonly unknown[] =>
  cluster.storage.list(resource).flatMap((configuration) => arrayAt(configuration, 'webhooks'));

function matches(cluster: ClusterState, webhook: unknown, target: RequestTarget, operation: string): boolean {
  if (stringAt(webhook, 'failurePolicy') === 'Ignore') return false;
  const { group, version, resource, subresource, namespace } = target;
  const has = (rule: unknown, field: string, ...values: string[]) =>
    arrayAt(rule, field).some((one) => values.includes(String(one)));
  const resources =
    subresource === undefined ? ['*', resource] : [`${resource}/${subresource}`, `${resource}/*`, `*/${subresource}`];
  const ruled = arrayAt(webhook, 'rules').some(
    (rule) =>
      has(rule, 'operations', '*', operation) &&
      has(rule, 'apiGroups', '*', group) &&
      has(rule, 'apiVersions', '*', version) &&
      has(rule, 'resources', '*/*', ...resources),
  );
  if (!ruled || namespace === undefined) return ruled;
  const selects = readSelector(objectAt(webhook, 'namespaceSelector') as LabelSelector | undefined);
  return 'error' in selects || selects(labelsOf(cluster.namespace(namespace)));
}

const labelsOf = (object: ApiObject | undefined): Readonly<Record<string, string>> => object?.metadata.labels ?? {};

/** Returns the reason for a missing answer; undefined if the Service exists. */
function silence(cluster: ClusterState, webhook: unknown): string | undefined {
  const [namespace, name] = ['namespace', 'name'].map((field) => stringAt(webhook, 'clientConfig', 'service', field));
  if (name === undefined) {
    const url = stringAt(webhook, 'clientConfig', 'url') ?? '';
    return `Post "${url}?timeout=10s": dial tcp: connect: connection refused`;
  }
  if (cluster.storage.get('services', storageKey(namespace, name)) !== undefined) return undefined;
  const path = stringAt(webhook, 'clientConfig', 'service', 'path') ?? '/';
  return `Post "https://${name}.${namespace}.svc:443${path}?timeout=10s": service "${name}" not found`;
}
