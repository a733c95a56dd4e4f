import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { CheckAnswer } from '#core/rollout/gates/cel-check';
import type { GateQuestion } from '#core/rollout/gates/gate-question';
import { ManualClock } from '#platform/clock/manual-clock';
import { silentLog } from '#platform/telemetry/log.port';
import { type DirectCluster, directCluster } from '#testing/cluster/direct-client';
import { fleetDefinitions, serveKinds } from '#testing/cluster/fleet-definitions';
import { RolloutController } from '../../../libs/lifecycle/src/rollouts/controller/rollout-controller.js';
import { AskedGates } from '../../../libs/lifecycle/src/rollouts/controller/state/asked-gates.js';
import { listedFrom } from '../../../libs/lifecycle/src/rollouts/controller/state/fleet-state.js';
import { carryOutOrders } from '../../../libs/lifecycle/src/rollouts/orders/carry-out-orders.js';
import { orderPlace, type PlaceParts } from '../../../libs/lifecycle/src/rollouts/orders/place/order-place.fixture.js';
import { ApplierBench } from './applier-bench.js';

/** A live controller makes its passes so far apart. */
const BETWEEN_PASSES_MS = 250;
/** Passes until a fleet of these tests must have reached its expected state. */
const MOST_PASSES = 80;
const HUB_NAMESPACE = 'platform';
const NO_NAMESPACE = new Set(['FleetCluster', 'FleetWindow']);

const fleetObject = (kind: string, name: string, spec: object, labels: Record<string, string> = {}): KubernetesObject =>
  ({
    apiVersion: FLEET_API,
    kind,
    metadata: { name, labels, ...(NO_NAMESPACE.has(kind) ? {} : { namespace: HUB_NAMESPACE }) },
    spec,
  }) as KubernetesObject;

/** The part of a rollout that users see. */
type SeenRollout = Readonly<{
  phase?: string;
  reason?: string;
  classes?: readonly Readonly<{ hash: string; changes: readonly string[] }>[];
  counts?: Readonly<Record<string, number>>;
}>;

/** A hub API with the fleet's controller, and clusters with Flotilla's own engine. */
export class FleetBench {
  readonly clock = new ManualClock('2026-01-05T00:00:00Z');
  readonly controller: RolloutController;
  /** Answers of gates outside of clusters; by default there is none. */
  gate: (question: GateQuestion) => CheckAnswer = () => ({ message: 'no answer' });
  /** Clusters that the services of the hub do not reach. */
  readonly away = new Set<string>();
  /** Further parts of the place of orders. */
  place: Partial<PlaceParts> = {};

  private constructor(
    readonly hub: DirectCluster,
    readonly benches: readonly ApplierBench[],
    private readonly namespace: string,
  ) {
    const { client } = hub;
    const gates = new AskedGates({ ask: async (question) => this.gate(question), clock: this.clock, log: silentLog });
    this.controller = new RolloutController(client, this.clock, silentLog, listedFrom(client), gates);
    gates.onAnswer(({ rollout, cluster }) => this.controller.noteNews(rollout, cluster));
  }

  /** Clusters with these labels; operators are in `namespace`. */
  static async start(
    clusters: Readonly<Record<string, Record<string, string>>>,
    namespace: string,
  ): Promise<FleetBench> {
    const hub = directCluster('hub');
    await serveKinds(hub, await fleetDefinitions());
    hub.cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: HUB_NAMESPACE } });
    const benches: ApplierBench[] = [];
    const fleet = new FleetBench(hub, benches, namespace);
    for (const [name, labels] of Object.entries(clusters)) {
      benches.push(await ApplierBench.start({ name }));
      await hub.client.create(fleetObject('FleetCluster', name, { access: { context: name } }, labels));
      await fleet.sight(name, { Reachable: 'True' });
    }
    return fleet;
  }

  bench(name: string): ApplierBench {
    const found = this.benches.find(({ client }) => client.cluster === name);
    if (found === undefined) throw new RangeError(`there is no cluster ${name}`);
    return found;
  }

  /** Reports a cluster as a poller does. */
  async sight(name: string, found: Readonly<Record<string, 'True' | 'False'>>, uid = name): Promise<void> {
    const stored = await this.hub.client.get({ apiVersion: FLEET_API, kind: 'FleetCluster', name });
    const lastTransitionTime = this.clock.now().toISOString();
    const conditions = Object.entries(found).map(([type, status]) => ({ type, status, lastTransitionTime }));
    await this.hub.client.updateStatus({ ...stored, status: { uid, conditions } } as KubernetesObject);
  }

  async apply(kind: string, name: string, spec: object): Promise<void> {
    await this.hub.client.create(fleetObject(kind, name, spec));
  }

  /** The status of an object of the hub, as a service that is not here writes it. */
  async setStatus(kind: string, name: string, status: object): Promise<void> {
    const stored = await this.hub.client.get({ apiVersion: FLEET_API, kind, name, namespace: HUB_NAMESPACE });
    await this.hub.client.updateStatus({ ...stored, status } as KubernetesObject);
  }

  /** Controller, appliers and engines work in turn until `isReached`. */
  async until(isReached: () => boolean | Promise<boolean>, what: string): Promise<void> {
    for (let passes = 0; passes < MOST_PASSES; passes++) {
      await this.clock.advance(BETWEEN_PASSES_MS);
      await this.pass();
      if (await isReached()) return;
    }
    const reports = this.benches.map(({ client }) => JSON.stringify(this.report(client.cluster)));
    const installed = this.benches.map((bench) => bench.describe(this.namespace));
    throw new Error(`${what}: ${JSON.stringify({ installed })} ${reports.join(' ')}`);
  }

  /** One pass of each. */
  async pass(): Promise<void> {
    await this.controller.pass();
    for (const bench of this.benches) {
      const { client } = bench;
      if (this.away.has(client.cluster)) continue;
      const { notes, previews } = bench.placeParts;
      const preview: PlaceParts['preview'] = (desired) => bench.preview(desired);
      const parts = { hub: this.hub.client, client, clock: this.clock, notes };
      await carryOutOrders(orderPlace({ ...parts, ...previews, preview, ...this.place }));
      await bench.observe(this.namespace);
      await bench.pass(this.namespace);
    }
    await this.controller.pass();
  }

  rollout(name: string): SeenRollout {
    return this.status('FleetRollout', name) as SeenRollout;
  }

  /** The status of an object of the hub. */
  status(kind: string, name: string): object {
    const ref = { apiVersion: FLEET_API, kind, name, namespace: HUB_NAMESPACE };
    return (this.hub.cluster.get(ref)?.['status'] ?? {}) as object;
  }

  /** Returns the report of a cluster about the only subject. */
  report(cluster: string): Readonly<Record<string, unknown>> | undefined {
    const found = this.hub.cluster.get({ apiVersion: FLEET_API, kind: 'FleetAssignment', name: cluster });
    return (found?.['status'] as Readonly<{ rows?: readonly Record<string, unknown>[] }> | undefined)?.rows?.[0];
  }

  async stop(): Promise<void> {
    for (const bench of this.benches) await bench.stop();
    await this.hub.stop();
  }
}
