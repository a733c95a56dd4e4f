import type { ClusterServiceVersion } from '#core/api/cluster-service-version';
import { joinApiVersion, type KubernetesObject } from '#core/api/kubernetes-object';
import type { OperatorCondition } from '#core/api/operator-condition';
import { type CsvWorld, type ListRead, servedKey } from '#core/csv/csv-world';
import { readsForCsv } from '#core/csv/reads-for-csv';
import type { StageInput } from '../namespaces/stage.js';

const NAMESPACE_LISTS = new Set(['ClusterServiceVersion', 'OperatorGroup', 'Subscription']);

/** Reads what a CSV's step looks at. */
export class CsvWorldReader {
  constructor(private readonly input: StageInput) {}

  async worldOf(csv: ClusterServiceVersion): Promise<CsvWorld> {
    const { read, now, reader } = this.input;
    const reads = readsForCsv(csv);
    const lists = reads.lists.filter(({ kind }) => !NAMESPACE_LISTS.has(kind));
    const [listed, objects, served, serverVersion] = await Promise.all([
      Promise.all(lists.map(async (list) => [list.kind, await this.#list(list)] as const)),
      Promise.all(reads.refs.map(async (ref) => [ref, await reader.get(ref)] as const)),
      this.#servedOf(reads.served),
      reader.serverVersion(),
    ]);
    const of = (kind: string): readonly KubernetesObject[] =>
      listed.find(([listedKind]) => listedKind === kind)?.[1] ?? [];
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
      clusterRoles: of('ClusterRole'),
      clusterRoleBindings: of('ClusterRoleBinding'),
      operatorConditions: new Map(
        of('OperatorCondition').map((condition) => [condition.metadata.name ?? '', condition as OperatorCondition]),
      ),
      serverVersion,
      servedKinds: served,
    };
  }

  #list({ apiVersion, kind, namespace }: ListRead): Promise<readonly KubernetesObject[]> {
    return this.input.reader.list({ apiVersion, kind }, namespace === undefined ? {} : { namespace });
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
