import { CLUSTER_PROXY } from '#core/classic/csv/cluster-proxy';
import { type CsvWorld, type ListRead } from '#core/classic/csv/csv-world';
import { ADMISSION, RBAC, readsForCsv, rightsOf, WEBHOOK_CONFIGURATIONS } from '#core/classic/csv/reads-for-csv';
import { certificatesToIssue } from '#core/classic/csv/serving/certificates-of';
import type { ServingCertificate } from '#core/classic/csv/serving/serving-certificate';
import type { ClusterServiceVersion } from '#core/kernel/api/cluster-service-version';
import { joinApiVersion, type KubernetesObject, type ObjectRef } from '#core/kernel/api/kubernetes-object';
import type { OperatorCondition } from '#core/kernel/api/operator-condition';
import { servedKey } from '#core/kernel/api/served-key';
import { issueServingCertificate } from '#platform/certificates/issue-serving-certificate';
import { readServingCertificate } from '#platform/certificates/read-serving-certificate';
import { KubeApiError } from '#platform/kube/client/kube-client.port';
import type { NamespaceStageInput } from '../namespaces/stage.js';

const NAMESPACE_LISTS = new Set(['ClusterServiceVersion', 'OperatorGroup', 'Subscription']);

/** Those with the CSV's labels, and those with the names that its Services give them; each once. */
const authReaders = (
  labelled: readonly KubernetesObject[],
  named: ReadonlyMap<string, KubernetesObject>,
): readonly KubernetesObject[] =>
  [...labelled.filter(({ metadata }) => !named.has(metadata.name ?? '')), ...named.values()].map((one) => ({
    ...one,
    apiVersion: RBAC,
    kind: 'RoleBinding',
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
      webhookConfigurations: WEBHOOK_CONFIGURATIONS.flatMap((kind) =>
        of(kind, true).map((one) => ({ ...one, apiVersion: ADMISSION, kind })),
      ),
      authReaders: authReaders(of('RoleBinding', true), named('RoleBinding')),
      clusterProxy: named('Proxy').get(CLUSTER_PROXY.name),
      serverVersion,
      servedKinds: served,
    };
  }

  /**
   * Whether the API server has cluster-scoped RBAC of the CSV that this pass has not read, because the cache
   * lags. From then on the pass reads those kinds from the API server.
   */
  async hasUnreadRights(csv: ClusterServiceVersion): Promise<boolean> {
    const { client, reader } = this.input;
    if (reader.live) return false;
    const left = await Promise.all(
      rightsOf(csv).map(async ({ apiVersion, kind, labelSelector = '' }) => {
        const found = await client.list({ apiVersion, kind }, { labelSelector });
        return (found?.items ?? []).length > 0 ? [kind] : [];
      }),
    );
    for (const kind of left.flat()) reader.doubt(kind);
    return left.flat().length > 0;
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
        const secret = await this.input.reader.get({ apiVersion: 'v1', kind: 'Secret', name, namespace });
        return [name, readServingCertificate(secret)] as const;
      }),
    );
    return new Map(found.flatMap(([name, certificate]) => (certificate === undefined ? [] : [[name, certificate]])));
  }

  /** Only where the following step installs with them. */
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
