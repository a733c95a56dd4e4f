import type { ServingCertificate } from '#core/classic/csv/certificates/serving-certificate';
import { readsForCsv, rightsOf } from '#core/classic/csv/reads-for-csv';
import { certificatesToIssue } from '#core/classic/csv/world/certificates-of';
import { CLUSTER_PROXY } from '#core/classic/csv/world/cluster-proxy';
import { type CsvWorld, type ListRead } from '#core/classic/csv/world/csv-world';
import { WEBHOOK_CONFIGURATION_KINDS } from '#core/kernel/admission/webhook-refusal';
import type { ClusterServiceVersion } from '#core/kernel/api/cluster-service-version';
import { clusterPermissions } from '#core/kernel/api/csv-facts';
import { KIND } from '#core/kernel/api/kinds';
import { joinApiVersion, type KubernetesObject, type ObjectRef } from '#core/kernel/api/kubernetes-object';
import type { OperatorCondition } from '#core/kernel/api/operator-condition';
import { servedKey } from '#core/kernel/api/served-key';
import { issueServingCertificate } from '#platform/keys/issue-serving-certificate';
import { readServingCertificate } from '#platform/keys/read-serving-certificate';
import { KubeApiError } from '#platform/kube/client/kube-client.port';
import type { NamespaceStageInput } from '../namespaces/namespace-stage.js';

/** A watch reports a deletion within milliseconds. After this time, the API server is asked. */
const WATCH_PATIENCE_MS = 500;

const NAMESPACE_LISTS = new Set(['ClusterServiceVersion', 'OperatorGroup', 'Subscription']);

/**
 * Returns the auth-reader bindings with the CSV's labels, and those with the names that its Services give
 * them; each once.
 */
const authReaders = (
  labelled: readonly KubernetesObject[],
  named: ReadonlyMap<string, KubernetesObject>,
): readonly KubernetesObject[] =>
  [...labelled.filter(({ metadata }) => !named.has(metadata.name ?? '')), ...named.values()].map((one) => ({
    ...one,
    ...KIND.RoleBinding,
  }));

/** Reads the input of a CSV's step. */
export class CsvWorldReader {
  constructor(private readonly input: NamespaceStageInput) {}

  async worldOf(csv: ClusterServiceVersion): Promise<CsvWorld> {
    const { read, now, reader } = this.input;
    const reads = readsForCsv(csv);
    const lists = reads.lists.filter(({ kind }) => !NAMESPACE_LISTS.has(kind));
    const [listed, objects, served, serverVersion, servingCertificates] = await Promise.all([
      Promise.all(lists.map(async (list) => [list, await this.#list(list)] as const)),
      Promise.all(reads.refs.map(async (ref) => [ref, await this.#get(ref)] as const)),
      this.#servedOf(reads.served),
      csv.spec.minKubeVersion === undefined ? undefined : reader.serverVersion(),
      this.#certificates(reads.certificates),
    ]);
    const of = (kind: string, selected = false): readonly KubernetesObject[] =>
      listed.find(([list]) => list.kind === kind && (list.labelSelector !== undefined) === selected)?.[1] ?? [];
    const named = (kind: string) =>
      new Map(objects.flatMap(([ref, object]) => (ref.kind === kind && object ? [[ref.name, object] as const] : [])));
    return {
      now,
      csvs: read.csvs,
      operatorGroups: read.operatorGroups,
      otherOperatorGroups: read.otherOperatorGroups,
      subscriptions: read.subscriptions,
      crds: named('CustomResourceDefinition'),
      apiServices: named('APIService'),
      serviceAccounts: of('ServiceAccount'),
      roles: of('Role'),
      roleBindings: of('RoleBinding'),
      deployments: of('Deployment'),
      services: named('Service'),
      pods: of('Pod'),
      clusterRoles: of('ClusterRole'),
      clusterRoleBindings: of('ClusterRoleBinding'),
      operatorConditions: new Map(
        of('OperatorCondition').map((condition) => [condition.metadata.name ?? '', condition as OperatorCondition]),
      ),
      servingCertificates,
      issuedCertificates: await this.#issue(csv, servingCertificates),
      webhookConfigurations: WEBHOOK_CONFIGURATION_KINDS.flatMap((kind) =>
        of(kind, true).map((one) => ({ ...one, ...KIND[kind] })),
      ),
      authReaders: authReaders(of('RoleBinding', true), named('RoleBinding')),
      clusterProxy: named('Proxy').get(CLUSTER_PROXY.name),
      serverVersion,
      servedKinds: served,
    };
  }

  /**
   * Doubts the cache about cluster-scoped RBAC of the CSV. Returns true if the cluster has some that this
   * pass lacks. A cache that has reached the CSV's own version has all objects that were created before its
   * deletion. For missing objects the API server is asked, from then on by the pass as well.
   */
  async doubtUnreadRights(csv: ClusterServiceVersion): Promise<boolean> {
    const { client, reader } = this.input;
    if (reader.live) return false;
    const { resourceVersion = '' } = csv.metadata;
    const rights = rightsOf(csv);
    const seen = Object.fromEntries(rights.map(({ kind }) => [kind, resourceVersion]));
    // Its own rights were deleted a moment ago, so the watch is about to say so.
    const lagging = await reader.lagging(seen, clusterPermissions(csv).length > 0 ? WATCH_PATIENCE_MS : 0);
    const left = await Promise.all(
      rights.map(async ({ apiVersion, kind, labelSelector = '' }) => {
        const [of, where] = [{ apiVersion, kind }, { labelSelector }];
        const lags = lagging.includes(kind);
        const found = lags ? ((await client.list(of, where))?.items ?? []) : await reader.list(of, where);
        if (lags && found.length > 0) reader.doubt(kind);
        return found.length;
      }),
    );
    return left.some((count) => count > 0);
  }

  /** A hub that may not read the proxy of an OpenShift cluster installs without it. */
  async #get(ref: ObjectRef): Promise<KubernetesObject | undefined> {
    try {
      return await this.input.reader.get(ref);
    } catch (error) {
      if (ref.kind === CLUSTER_PROXY.kind && KubeApiError.is(error, 'Forbidden')) return undefined;
      throw error;
    }
  }

  async #certificates(secrets: readonly string[]): Promise<ReadonlyMap<string, ServingCertificate>> {
    const { namespace } = this.input.read;
    const found = await Promise.all(
      secrets.map(async (name) => {
        const secret = await this.input.reader.get({ ...KIND.Secret, name, namespace });
        return [name, readServingCertificate(secret)] as const;
      }),
    );
    return new Map(found.flatMap(([name, certificate]) => (certificate === undefined ? [] : [[name, certificate]])));
  }

  /** Issues certificates only if the following step installs with them. */
  async #issue(
    csv: ClusterServiceVersion,
    servingCertificates: ReadonlyMap<string, ServingCertificate>,
  ): Promise<ReadonlyMap<string, ServingCertificate>> {
    if (csv.status?.phase !== 'InstallReady') return new Map();
    const { now } = this.input;
    const due = certificatesToIssue(csv, { now, servingCertificates });
    return new Map(
      await Promise.all(
        due.map(async ({ secretName, hosts }) => [secretName, await issueServingCertificate(hosts, now)] as const),
      ),
    );
  }

  #list({ apiVersion, kind, namespace, labelSelector }: ListRead): Promise<readonly KubernetesObject[]> {
    const where = { ...(namespace === undefined ? {} : { namespace }) };
    return this.input.reader.list(
      { apiVersion, kind },
      { ...where, ...(labelSelector === undefined ? {} : { labelSelector }) },
    );
  }

  async #servedOf(
    apis: readonly Readonly<{ group: string; version: string; kind: string }>[],
  ): Promise<ReadonlySet<string>> {
    const answers = await Promise.all(
      apis.map(async (api) => {
        const { group, version, kind } = api;
        return (await this.input.client.serves({ apiVersion: joinApiVersion(group, version), kind }))
          ? servedKey(api)
          : '';
      }),
    );
    return new Set(answers.filter((key) => key !== ''));
  }
}
