import { canonicalJson } from '#core/kernel/canonical/canonical-json';
import type { ApiObject } from '#testing/cluster/objects/api-object';
import type { SimulatedCluster } from '#testing/cluster/simulated-cluster';
import { normalised } from '../../story/normalised-dump.js';
import { firstDifference } from './left-state.js';

const DEPLOYMENTS = 'deployments.apps';
/** Resources whose contents follow from the desired state alone: bundle, Subscription, OperatorGroup. */
const JUDGED = new Set([
  DEPLOYMENTS,
  'serviceaccounts',
  'services',
  'configmaps',
  'roles.rbac.authorization.k8s.io',
  'rolebindings.rbac.authorization.k8s.io',
  'clusterroles.rbac.authorization.k8s.io',
  'clusterrolebindings.rbac.authorization.k8s.io',
  'customresourcedefinitions.apiextensions.k8s.io',
  'clusterserviceversions.operators.coreos.com',
  'validatingwebhookconfigurations.admissionregistration.k8s.io',
  'mutatingwebhookconfigurations.admissionregistration.k8s.io',
  'networkpolicies.networking.k8s.io',
]);
/** The set of plans depends on the time of each; the request of one plan never changes. */
const PLANS = 'installplans.operators.coreos.com';
/** Values that are new for each install, or follow from the present state. */
const RANDOM = new Set(['olmcahash', 'olmCAKey', 'ca.crt', 'caBundle', 'olm.deployment-spec-hash']);
const UID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
/** An environment variable of each Deployment. Its value counts the changes of its cluster. */
const SETTING = /\{"name":"CHAOS_SETTING","value":"change-(\d+)"\},?/;
/** A label that objects of an operator get at a time of their own. */
const COMPONENT = /"operators\.coreos\.com\/[^"]+":"",?/g;

/** Contents written to objects of all clusters, by the version of the operator. */
export class WrittenContents {
  /** Contents as JSON, by `resource namespace/name for version`. */
  readonly byIntent = new Map<string, Set<string>>();
  /** Deployments that were given an older version or setting than they had, by a late writer. */
  readonly wentBack: string[] = [];
  /** InstallPlans that ask for something else than they once did, approval aside. */
  readonly rewritten: string[] = [];
  readonly #newest = new Map<string, readonly [version: number, setting: number]>();

  watch(cluster: SimulatedCluster): void {
    cluster.onChange(({ type, resource, object, previous }) => {
      if (resource === PLANS && type === 'MODIFIED' && previous !== undefined)
        this.#compare(cluster.name, object, previous);
      if (type === 'DELETED' || !JUDGED.has(resource) || isOfCluster(object)) return;
      const { namespace = '', name } = object.metadata;
      const key = `${resource} ${namespace}/${name} for ${versionOf(object)}`;
      this.byIntent.set(key, (this.byIntent.get(key) ?? new Set()).add(contentOf(object)));
      if (resource === DEPLOYMENTS) this.#follow(cluster.name, object);
    });
  }

  /** A cluster that was restored from a backup rightly goes back. */
  forget(cluster: string): void {
    for (const key of [...this.#newest.keys()]) if (key.startsWith(`${cluster} `)) this.#newest.delete(key);
  }

  /** Returns contents of this run that the other run never wrote to the same object for the same version. */
  beyond(other: WrittenContents): readonly string[] {
    return [...this.byIntent].flatMap(([key, contents]) => {
      const known = other.byIntent.get(key) ?? new Set();
      const more = [...contents].filter((content) => !known.has(content));
      return more.map((content) => `${key}: ${firstDifference([...known].at(-1), content)}`);
    });
  }

  #compare(cluster: string, plan: ApiObject, previous: ApiObject): void {
    const { namespace, name, uid } = plan.metadata;
    const [before, after] = [askedFor(previous), askedFor(plan)];
    if (uid === previous.metadata.uid && before !== after)
      this.rewritten.push(`${cluster} InstallPlan ${namespace}/${name}: ${before} → ${after}`);
  }

  #follow(cluster: string, deployment: ApiObject): void {
    const { namespace, name, uid } = deployment.metadata;
    const key = `${cluster} ${namespace}/${name} ${uid}`;
    const version = Number(/\.v(\d+)\./.exec(versionOf(deployment))?.[1] ?? 0);
    const setting = Number(SETTING.exec(canonicalJson(deployment['spec']))?.[1] ?? 0);
    const [oldVersion, oldSetting] = this.#newest.get(key) ?? [0, 0];
    // Between two versions a Deployment is without a setting for a moment, as in OLM.
    const older = setting > 0 && setting < oldSetting;
    if (version < oldVersion || older)
      this.wentBack.push(`${key}: version ${oldVersion} → ${version}, setting ${oldSetting} → ${setting}`);
    this.#newest.set(key, [version, setting > 0 ? setting : oldSetting]);
  }
}

/** True for objects that the cluster itself writes: aggregated roles, and objects that are being deleted. */
const isOfCluster = (object: ApiObject): boolean =>
  'aggregationRule' in object || object.metadata.deletionTimestamp !== undefined;

const askedFor = ({ spec }: ApiObject): string => {
  const { approved: _approved, ...asked } = Object(spec);
  return canonicalJson(asked);
};

const versionOf = ({ metadata }: ApiObject): string => metadata.labels?.['olm.owner'] ?? '-';

/**
 * Returns the object without status, which follows from its history, and without fields that change at times
 * of their own.
 */
function contentOf({ status: _status, ...object }: ApiObject): string {
  const plain: unknown = JSON.parse(
    JSON.stringify(normalised(object, object.kind), (key, value: unknown) => (RANDOM.has(key) ? 'random' : value)),
  );
  const text = canonicalJson(plain).replaceAll(UID, 'a uid').replace(SETTING, '').replaceAll(COMPONENT, '');
  return text.replaceAll(',}', '}').replaceAll(',]', ']').replaceAll('"labels":{},', '').replaceAll('"env":[],', '');
}
