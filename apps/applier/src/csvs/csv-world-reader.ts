import type { ClusterServiceVersion } from '#core/api/cluster-service-version';
import { joinApiVersion, type KubernetesObject, type ObjectRef } from '#core/api/kubernetes-object';
import type { OperatorCondition } from '#core/api/operator-condition';
import { type CsvWorld, type ListRead, servedKey } from '#core/csv/csv-world';
import { readsForCsv } from '#core/csv/reads-for-csv';
import type { KubeClient } from '#platform/kube/kube-client.port';
import type { StageInput } from '../namespaces/stage.js';

const NAMESPACE_LISTS = new Set(['ClusterServiceVersion', 'OperatorGroup', 'Subscription']);

/** Reads what a CSV's step looks at; a list or object that several CSVs of a pass want is read once. */
export class CsvWorldReader {
  readonly #lists = new Map<string, Promise<readonly KubernetesObject[]>>();
  readonly #objects = new Map<string, Promise<KubernetesObject | undefined>>();
  #version: Promise<string | undefined> | undefined;

  constructor(private readonly input: StageInput) {}

  async worldOf(csv: ClusterServiceVersion): Promise<CsvWorld> {
    const { read, now } = this.input;
    const reads = readsForCsv(csv);
    const lists = reads.lists.filter(({ kind }) => !NAMESPACE_LISTS.has(kind));
    const [listed, objects, served, serverVersion] = await Promise.all([
      Promise.all(lists.map(async (list) => [list.kind, await this.#list(list)] as const)),
      Promise.all(reads.refs.map(async (ref) => [ref, await this.#object(ref)] as const)),
      this.#servedOf(reads.served),
      this.#serverVersion(),
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

  #list(list: ListRead): Promise<readonly KubernetesObject[]> {
    const { apiVersion, kind, namespace } = list;
    return once(this.#lists, `${apiVersion} ${kind} ${namespace ?? ''}`, async () => {
      const found = await this.#client.list({ apiVersion, kind }, namespace === undefined ? {} : { namespace });
      return (found?.items ?? []).map((item) => ({ ...item, apiVersion, kind }));
    });
  }

  #object(ref: ObjectRef): Promise<KubernetesObject | undefined> {
    return once(this.#objects, `${ref.apiVersion} ${ref.kind} ${ref.namespace ?? ''}/${ref.name}`, () =>
      this.#client.get(ref),
    );
  }

  async #servedOf(
    apis: readonly Readonly<{ group: string; version: string; kind: string }>[],
  ): Promise<ReadonlySet<string>> {
    const answers = await Promise.all(
      apis.map(async (api) => {
        const { group, version, kind } = api;
        return (await this.#client.serves({ apiVersion: joinApiVersion(group, version), kind })) ? servedKey(api) : '';
      }),
    );
    return new Set(answers.filter((key) => key !== ''));
  }

  #serverVersion(): Promise<string | undefined> {
    this.#version ??= this.#client.serverVersion().catch(() => undefined);
    return this.#version;
  }

  get #client(): KubeClient {
    return this.input.client;
  }
}

function once<T>(memo: Map<string, Promise<T>>, key: string, read: () => Promise<T>): Promise<T> {
  const known = memo.get(key);
  if (known !== undefined) return known;
  const reading = read();
  memo.set(key, reading);
  return reading;
}
