import { stepCopies } from '#core/classic/csv/copies/step-copies';
import { stepCsv } from '#core/classic/csv/step-csv';
import type { CsvStep, CsvWorld } from '#core/classic/csv/world/csv-world';
import { stepOperatorCondition } from '#core/classic/operator-condition/step-operator-condition';
import { stepOperatorGroup } from '#core/classic/operator-group/step-operator-group';
import { adoptionLabels } from '#core/classic/operators/adoption-labels';
import type { Action } from '#core/kernel/actions/action';
import type { ClusterServiceVersion } from '#core/kernel/api/cluster-service-version';
import type { KubernetesObject, ObjectRef } from '#core/kernel/api/kubernetes-object';
import type { OperatorCondition } from '#core/kernel/api/operator-condition';
import type { OperatorGroup } from '#core/kernel/api/operator-group';
import type { Subscription } from '#core/kernel/api/subscription';

type Json = Record<string, unknown>;
export type Digest = Readonly<{ object: string; phase?: string; reason?: string; message?: string; deleted?: boolean }>;

export const CLUSTER_SCOPED = new Set(['Namespace', 'ClusterRole', 'ClusterRoleBinding', 'CustomResourceDefinition']);
const isObject = (value: unknown): value is Json =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** JSON merge patch (RFC 7386). */
function merge(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const result: Json = isObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = merge(result[key], value);
  }
  return result;
}

/**
 * The smallest cluster that the steps can run against: it keeps objects, counts versions, refuses stale
 * writes, collects what loses its owner, and makes Deployments ready one visible state at a time.
 */
export class ReplayCluster {
  readonly #objects = new Map<string, KubernetesObject>();
  readonly timeline: Digest[] = [];
  readonly events: Extract<Action, { do: 'emitEvent' }>[] = [];
  writes = 0;
  now = new Date('2026-01-01T00:00:00Z');
  /** Deployments never become available, and miss their deadline instead. */
  deadlineExceeded = false;
  /** Kinds that discovery knows, as `Kind.version.group`. */
  servedKinds: ReadonlySet<string> = new Set();
  #count = 0;

  static key = (ref: ObjectRef) =>
    `${ref.kind}/${CLUSTER_SCOPED.has(ref.kind) ? '' : (ref.namespace ?? '')}/${ref.name}`;

  list<T extends KubernetesObject>(kind: string, namespace?: string): readonly T[] {
    return [...this.#objects.values()].filter(
      (one): one is T => one.kind === kind && (namespace === undefined || one.metadata.namespace === namespace),
    );
  }

  get<T extends KubernetesObject>(kind: string, namespace: string, name: string): T | undefined {
    return this.list<T>(kind).find(
      ({ metadata }) => metadata.name === name && (CLUSTER_SCOPED.has(kind) || metadata.namespace === namespace),
    );
  }

  /** Creates an object as a user or an InstallPlan does; owners get the uid of the object that is there. */
  seed(manifest: KubernetesObject): void {
    const namespace = manifest.metadata.namespace ?? '';
    const owners = (manifest.metadata.ownerReferences ?? []).map((owner) => ({
      ...owner,
      uid: this.get(owner.kind, namespace, owner.name)?.metadata.uid ?? '',
    }));
    const metadata = owners.length > 0 ? { ...manifest.metadata, ownerReferences: owners } : manifest.metadata;
    this.#create({ ...manifest, metadata });
  }

  patch(ref: ObjectRef, patch: Json): void {
    this.perform([{ do: 'patch', ref, patch }]);
  }

  perform(actions: readonly Action[]): void {
    for (const action of actions) this.#perform(action);
  }

  #perform(action: Action): void {
    switch (action.do) {
      case 'create':
        this.#create(action.object);
        return;
      case 'update':
      case 'updateStatus':
        this.#put(action.object, action.do === 'updateStatus');
        return;
      case 'apply':
        this.#change(this.#existing(refOf(action.object)), (live) => merge(live, action.object));
        return;
      case 'patch':
        this.#patch(action.ref, action.patch);
        return;
      case 'delete':
        this.#delete(action.ref);
        return;
      case 'emitEvent':
        this.events.push(action);
        return;
    }
  }

  #patch(ref: ObjectRef, patch: Readonly<Json>): void {
    const live = this.#existing(ref);
    const wanted = isObject(patch['metadata']) ? patch['metadata']['resourceVersion'] : undefined;
    if (wanted !== undefined && wanted !== live.metadata.resourceVersion) throw new Error(`conflict at ${ref.name}`);
    this.#change(live, (object) => merge(object, patch));
  }

  #existing(ref: ObjectRef): KubernetesObject {
    const live = this.#objects.get(ReplayCluster.key(ref));
    if (live === undefined) throw new Error(`no ${ReplayCluster.key(ref)}`);
    return live;
  }

  #create(object: KubernetesObject): void {
    const key = ReplayCluster.key(refOf(object));
    if (this.#objects.has(key)) return;
    this.#count += 1;
    const { status: _status, ...content } = object;
    const metadata = {
      ...object.metadata,
      uid: `uid-${this.#count}`,
      resourceVersion: `${this.#count}`,
      generation: 1,
    };
    this.#store(key, { ...content, metadata } as KubernetesObject);
    this.#afterCreate(object.kind, key);
  }

  #afterCreate(kind: string, key: string): void {
    if (kind !== 'CustomResourceDefinition') return;
    const conditions = ['NamesAccepted', 'Established'].map((type) => ({ type, status: 'True' }));
    this.#change(this.#objects.get(key), (crd) => ({ ...(crd as Json), status: { conditions } }));
  }

  #put(object: KubernetesObject, statusOnly: boolean): void {
    const live = this.#existing(refOf(object));
    if (object.metadata.resourceVersion !== live.metadata.resourceVersion) {
      throw new Error(`conflict at ${ReplayCluster.key(refOf(object))}`);
    }
    this.#change(live, () => {
      if (statusOnly) return { ...live, status: object['status'] };
      const changed = JSON.stringify(live['spec']) !== JSON.stringify(object['spec']);
      const generation = (live.metadata.generation ?? 0) + (changed ? 1 : 0);
      const { uid } = live.metadata;
      return { ...object, metadata: { ...object.metadata, uid, generation }, status: live['status'] };
    });
  }

  #change(live: KubernetesObject | undefined, next: (live: KubernetesObject) => unknown): void {
    if (live === undefined) throw new Error('object is gone');
    const changed = next(live) as KubernetesObject;
    this.#count += 1;
    const metadata = { ...changed.metadata, resourceVersion: `${this.#count}` };
    if (live.kind === 'OperatorCondition' && JSON.stringify(live['spec']) !== JSON.stringify(changed['spec'])) {
      metadata.generation = (live.metadata.generation ?? 0) + 1;
    }
    const key = ReplayCluster.key(refOf(live));
    const deleting = metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).length === 0;
    if (deleting) {
      this.#remove(key);
      return;
    }
    this.#store(key, { ...changed, metadata });
  }

  #store(key: string, object: KubernetesObject): void {
    this.writes += 1;
    this.#objects.set(key, object);
    if (object.kind !== 'ClusterServiceVersion') return;
    const { phase, reason, message } = (object as ClusterServiceVersion).status ?? {};
    const digest = { ...named(object), ...(phase ? { phase, reason, message } : {}) } as Digest;
    const last = this.timeline.findLast((one) => one.object === digest.object);
    if (JSON.stringify(last) !== JSON.stringify(digest)) this.timeline.push(digest);
  }

  #delete(ref: ObjectRef): void {
    const live = this.#objects.get(ReplayCluster.key(ref));
    if (live === undefined || live.metadata.deletionTimestamp !== undefined) return;
    if ((live.metadata.finalizers ?? []).length === 0) {
      this.#remove(ReplayCluster.key(ref));
      return;
    }
    this.#change(live, (one) => merge(one, { metadata: { deletionTimestamp: this.now.toISOString() } }));
  }

  #remove(key: string): void {
    const gone = this.#objects.get(key);
    if (gone === undefined) return;
    this.writes += 1;
    this.#objects.delete(key);
    if (gone.kind === 'ClusterServiceVersion') this.timeline.push({ ...named(gone), deleted: true });
    for (const [other, { metadata }] of this.#objects) {
      const owners = metadata.ownerReferences ?? [];
      const live = owners.filter(({ uid }) => [...this.#objects.values()].some((one) => one.metadata.uid === uid));
      if (owners.some(({ uid }) => uid === gone.metadata.uid) && live.length === 0) this.#remove(other);
    }
  }

  /** Every Deployment takes one step: observed, not yet available or with an old replica left, available. */
  rollOut(): boolean {
    let moved = false;
    for (const one of this.list('Deployment')) {
      const generation = one.metadata.generation ?? 1;
      const status = (one['status'] ?? {}) as Json;
      const next = this.#rolled(status, generation);
      if (next === undefined) continue;
      moved = true;
      this.#change(one, (live) => ({ ...live, status: next }));
    }
    return moved;
  }

  #rolled(status: Json, generation: number): Json | undefined {
    const conditions = (available: string, message: string) => [
      { type: 'Available', status: available, message },
      { type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable' },
    ];
    const unavailable = conditions('False', 'Deployment does not have minimum availability.');
    if (status['observedGeneration'] === undefined) {
      return { observedGeneration: generation, replicas: 1, updatedReplicas: 1, conditions: unavailable };
    }
    if (status['observedGeneration'] !== generation) {
      return { ...status, observedGeneration: generation, replicas: 2, updatedReplicas: 1 };
    }
    if (this.deadlineExceeded) {
      const exceeded = [unavailable[0], { type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }];
      return JSON.stringify(exceeded) === JSON.stringify(status['conditions'])
        ? undefined
        : { ...status, conditions: exceeded };
    }
    const available = conditions('True', 'Deployment has minimum availability.');
    const done = { observedGeneration: generation, replicas: 1, updatedReplicas: 1, conditions: available };
    return JSON.stringify(done) === JSON.stringify(status) ? undefined : done;
  }

  worldOf(csv: ClusterServiceVersion): CsvWorld {
    const namespace = csv.metadata.namespace ?? '';
    const byName = <T extends KubernetesObject>(list: readonly T[]) =>
      new Map(list.map((one) => [one.metadata.name ?? '', one] as const));
    const groups = this.list<OperatorGroup>('OperatorGroup');
    return {
      now: this.now,
      csvs: this.list<ClusterServiceVersion>('ClusterServiceVersion', namespace),
      operatorGroups: groups.filter(({ metadata }) => metadata.namespace === namespace),
      otherOperatorGroups: groups.filter(({ metadata }) => metadata.namespace !== namespace),
      subscriptions: this.list<Subscription>('Subscription', namespace),
      crds: byName(this.list('CustomResourceDefinition')),
      apiServices: new Map(),
      serviceAccounts: this.list('ServiceAccount', namespace),
      roles: this.list('Role', namespace),
      roleBindings: this.list('RoleBinding', namespace),
      deployments: this.list('Deployment', namespace),
      services: new Map(),
      pods: [],
      clusterRoles: this.list('ClusterRole'),
      clusterRoleBindings: this.list('ClusterRoleBinding'),
      operatorConditions: byName(this.list<OperatorCondition>('OperatorCondition', namespace)),
      servingCertificates: new Map(),
      issuedCertificates: new Map(),
      webhookConfigurations: [],
      authReaders: [],
      serverVersion: 'v1.34.4',
      servedKinds: this.servedKinds,
    };
  }

  #take(csv: ClusterServiceVersion, step: CsvStep): void {
    this.perform(step.actions);
    if (step.status !== undefined) this.perform([{ do: 'updateStatus', object: { ...csv, status: step.status } }]);
    this.perform(step.afterwards);
  }

  #stepGroups(): void {
    for (const { metadata } of this.list<OperatorGroup>('OperatorGroup')) {
      const group = this.get<OperatorGroup>('OperatorGroup', metadata.namespace ?? '', metadata.name ?? '');
      if (group === undefined) continue;
      const namespace = metadata.namespace ?? '';
      const step = stepOperatorGroup(group, {
        now: this.now,
        operatorGroups: this.list('OperatorGroup', namespace),
        namespaces: this.list('Namespace'),
        csvs: this.list('ClusterServiceVersion', namespace),
        serviceAccount: this.get('ServiceAccount', namespace, group.spec?.serviceAccountName ?? ''),
        clusterRoles: this.list('ClusterRole'),
      });
      this.perform(step.actions);
      if (step.status !== undefined) this.perform([{ do: 'updateStatus', object: { ...group, status: step.status } }]);
      this.perform(step.afterwards);
    }
  }

  #stepConditions(csv: ClusterServiceVersion): void {
    const namespace = csv.metadata.namespace ?? '';
    const condition = this.get<OperatorCondition>('OperatorCondition', namespace, csv.metadata.name ?? '');
    const roles = this.list('Role', namespace);
    const { actions, status } = stepOperatorCondition(csv, {
      condition,
      roles,
      roleBindings: this.list('RoleBinding', namespace),
    });
    this.perform(actions);
    if (condition !== undefined && status !== undefined) {
      this.perform([{ do: 'updateStatus', object: { ...condition, status } }]);
    }
  }

  #stepAdoption(subscription: Subscription): void {
    const namespace = subscription.metadata.namespace ?? '';
    const csv = this.get<ClusterServiceVersion>(
      'ClusterServiceVersion',
      namespace,
      subscription.status?.installedCSV ?? '',
    );
    const kinds = ['Deployment', 'ServiceAccount', 'Role', 'RoleBinding', 'OperatorCondition'];
    const candidates = kinds.flatMap((kind) => this.list(kind, namespace));
    const clusterScoped = ['ClusterRole', 'ClusterRoleBinding'].flatMap((kind) => this.list(kind));
    const crds = new Map(this.list('CustomResourceDefinition').map((crd) => [crd.metadata.name ?? '', crd] as const));
    this.perform(adoptionLabels(subscription, { csv, plans: [], candidates: [...candidates, ...clusterScoped], crds }));
  }

  #stepCopies(csv: ClusterServiceVersion): void {
    const group = this.list<OperatorGroup>('OperatorGroup', csv.metadata.namespace)[0];
    if (group === undefined) return;
    const { name, namespace } = csv.metadata;
    const all = this.list<ClusterServiceVersion>('ClusterServiceVersion');
    const namespaces = this.list('Namespace').map(({ metadata }) => metadata.name ?? '');
    const namesakes = all.filter(({ metadata }) => metadata.name === name && metadata.namespace !== namespace);
    const rbac = { roles: this.list('Role'), roleBindings: this.list('RoleBinding') };
    this.perform(stepCopies(csv, { group, namespaces, namesakes, ...rbac }));
  }

  /** One round over everything, once; true when something was written. */
  round(): boolean {
    const before = this.writes;
    this.#stepGroups();
    const csvs = () => this.list<ClusterServiceVersion>('ClusterServiceVersion');
    for (const { metadata } of csvs()) {
      const again = () =>
        this.get<ClusterServiceVersion>('ClusterServiceVersion', metadata.namespace ?? '', metadata.name ?? '');
      const csv = again();
      if (csv !== undefined) this.#take(csv, stepCsv(csv, this.worldOf(csv)));
      const stepped = again();
      if (stepped !== undefined) this.#stepConditions(stepped);
      const settled = again();
      if (settled !== undefined) this.#stepCopies(settled);
    }
    // As in a pass of the applier: labels come once nothing else moves.
    if (this.writes > before) return true;
    for (const subscription of this.list<Subscription>('Subscription')) this.#stepAdoption(subscription);
    return this.writes > before;
  }

  /** Rounds until nothing is written any more, Deployments taking a step whenever everything else rests. */
  settle(): void {
    for (let rounds = 0; rounds < 200; rounds += 1) {
      if (!this.round() && !this.rollOut()) return;
    }
    throw new Error('does not come to rest');
  }
}

export const refOf = (object: KubernetesObject): ObjectRef => ({
  apiVersion: object.apiVersion,
  kind: object.kind,
  name: object.metadata.name ?? '',
  namespace: object.metadata.namespace,
});

const named = ({ metadata }: KubernetesObject): { object: string } => ({
  object: `ClusterServiceVersion ${metadata.namespace}/${metadata.name}`,
});
