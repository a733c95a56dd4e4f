import { Inject, Injectable } from '@nestjs/common';
import { COPIED_FROM_LABEL } from '#core/classic/csv/copies/step-copies';
import {
  clusterOperatorStatus,
  type OperatorCompatibility,
} from '#core/cluster/openshift/cluster-operator-upgradeable';
import {
  type InstalledOperator,
  incompatibilityText,
  incompatibleOperators,
  nextMinorVersion,
} from '#core/cluster/openshift/incompatible-operators';
import { CLUSTER_OBJECT_SET_API } from '#core/kernel/api/cluster-object-set';
import { CSV_API } from '#core/kernel/api/cluster-service-version';
import { KIND } from '#core/kernel/api/kinds';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { asRecord, asText } from '#core/kernel/crd/loose-value';
import { Timers } from '#platform/clock/timers';
import { OlmDetectors } from '#platform/clusters/olm-detectors';
import type { Hub } from '#platform/hub/hub';
import { HUB } from '#platform/hub/hub-tokens';
import { Reflector } from '#platform/kube/cache/reflector';
import { type KindRef, KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';
import type { HealthCheck } from '#platform/telemetry/health-check';
import type { ClusterPart } from '../../engine/membership/cluster-membership.js';
import { installedCsvs, installedExtensions } from './installed-operators.js';

const CLUSTER_VERSION = { ...KIND.ClusterVersion, name: 'version' };

/**
 * Installed operators of one kind, and the ClusterOperator that reports them: OpenShift
 * reads it before an upgrade.
 */
type Gate = Readonly<{
  clusterOperator: string;
  kind: Parameters<typeof incompatibilityText>[0];
  installed: (client: KubeClient) => Promise<InstalledOperator[]>;
}>;

/** OLM Classic's own ClusterOperator, and that of OLM v1 (why: classic.md "`olm.maxOpenShiftVersion`"). */
const GATES: readonly Gate[] = [
  { clusterOperator: 'operator-lifecycle-manager', kind: 'ClusterServiceVersions', installed: installedCsvs },
  { clusterOperator: 'olm', kind: 'ClusterExtensions', installed: installedExtensions },
];

/** Pause after a check that failed. */
const AGAIN_MS = 5 * 60_000;
/** An install changes many objects at once: they are checked together. */
const SOON_MS = 1_000;
/** The kinds that decide whether operators block a cluster's next minor version. */
const DECIDING: readonly Readonly<{ kind: KindRef; labelSelector?: string }>[] = [
  { kind: KIND.ClusterVersion },
  { kind: CSV_API, labelSelector: `!${COPIED_FROM_LABEL}` },
  { kind: CLUSTER_OBJECT_SET_API },
];
const NAMED = 5;

/**
 * Reports to OpenShift clusters if installed operators allow their next minor version (why: classic.md
 * "`olm.maxOpenShiftVersion`"): at the ClusterOperator if there is one, and at the hub always. Writes only to
 * a cluster in which Flotilla alone acts.
 */
@Injectable()
export class ClusterUpgrades {
  readonly #blocked = new Map<string, string>();

  constructor(
    @Inject(HUB) private readonly hub: Pick<Hub, 'clock' | 'log' | 'metrics'>,
    @Inject(OlmDetectors) private readonly detectors: Pick<OlmDetectors, 'status'>,
  ) {}

  /** A cluster that must not be upgraded works as well as any other. */
  readonly check: HealthCheck = {
    name: 'openshift',
    check: async () => {
      const blocked = [...this.#blocked].map(
        ([cluster, message]) => `${cluster}: ${message.replaceAll(/\s*\n\s*/g, ' ')}`,
      );
      if (blocked.length === 0) return { up: true, detail: 'no operator blocks an upgrade of OpenShift' };
      const more = blocked.length > NAMED ? ` and ${blocked.length - NAMED} more clusters` : '';
      return { up: true, detail: `${blocked.slice(0, NAMED).join('; ')}${more}` };
    },
  };

  /** The checks of one cluster, as a part of its membership. */
  partOf(client: KubeClient): ClusterPart {
    const timers = new Timers(this.hub.clock);
    const checked: CheckedCluster = { client, timers, watches: [], isDue: false, isRetried: false };
    const end = async () => {
      checked.timers.stop();
      await Promise.all(checked.watches.splice(0).map((watch) => watch.stop()));
    };
    return {
      start: async () => {
        this.#checkIn(0, checked);
      },
      touchAll: () => undefined,
      // A safety net, and how a cluster that was not OpenShift becomes one: changes are reported by watches.
      resyncs: () => [{ name: 'upgrades', run: () => this.#checkIn(0, checked) }],
      stop: end,
      leave: async () => {
        await end();
        this.#blocked.delete(client.cluster);
        this.hub.metrics.openShiftBlockers(client.cluster, undefined);
      },
    };
  }

  /** One check is due at a time. */
  #checkIn(delayMs: number, checked: CheckedCluster): void {
    if (checked.isDue) return;
    checked.isDue = true;
    checked.timers.after(delayMs, () => {
      checked.isDue = false;
      void this.#checkNow(checked).catch((error: unknown) => {
        const { cluster } = checked.client;
        this.hub.log.debug({ cluster, error }, 'could not determine OpenShift upgrade blockers');
        this.#retry(checked);
      });
    });
  }

  #retry(checked: CheckedCluster): void {
    if (checked.isRetried) return;
    checked.isRetried = true;
    checked.timers.after(AGAIN_MS, () => {
      checked.isRetried = false;
      this.#checkIn(0, checked);
    });
  }

  #watch(checked: CheckedCluster): void {
    const { client, timers, watches } = checked;
    if (timers.stopped || watches.length > 0) return;
    const { clock, log } = this.hub;
    const soon = () => this.#checkIn(SOON_MS, checked);
    for (const {
      kind: { apiVersion, kind },
      labelSelector,
    } of DECIDING) {
      const options = labelSelector === undefined ? {} : { labelSelector };
      const handlers = { onChange: soon, onDelete: soon };
      watches.push(
        new Reflector({ client, clock, log, kind: { apiVersion, kind }, options, handlers, keep: namesOnly }),
      );
    }
    for (const watch of watches) watch.start();
  }

  async #checkNow(checked: CheckedCluster): Promise<void> {
    const { client, timers } = checked;
    if (!(await client.serves(CLUSTER_VERSION))) return;
    const standing = await this.detectors.status(client.cluster);
    this.#watch(checked);
    const version = await client.get(CLUSTER_VERSION);
    const answers = await Promise.all(GATES.map((gate) => askGate(client, gate, version)));
    if (timers.stopped) return;
    this.#note(client.cluster, answers);
    if (standing.signs.length > 0) return; // OLM itself reports to the cluster
    for (const { gate, compatibility } of answers) await this.#report(client, gate, compatibility);
  }

  #note(cluster: string, answers: readonly GateAnswer[]): void {
    this.hub.metrics.openShiftBlockers(
      cluster,
      answers.reduce((sum, { blockers }) => sum + blockers, 0),
    );
    const messages = answers.flatMap(({ compatibility }) =>
      compatibility.kind === 'compatible' ? [] : [compatibility.message],
    );
    if (messages.length === 0) this.#blocked.delete(cluster);
    else this.#blocked.set(cluster, [...new Set(messages)].join('; '));
  }

  async #report(
    client: KubeClient,
    { clusterOperator: name }: Gate,
    compatibility: OperatorCompatibility,
  ): Promise<void> {
    const ref = { ...KIND.ClusterOperator, name };
    const operator = await client.get(ref);
    const status = operator && clusterOperatorStatus(operator, compatibility, this.hub.clock.now());
    if (operator === undefined || status === undefined) return;
    await writeStatus(client, { ...operator, ...KIND.ClusterOperator, status });
  }
}

/** Keeps only names and versions of watched objects: the check reads again. */
function namesOnly({ apiVersion, kind, metadata }: KubernetesObject): KubernetesObject {
  const { name, namespace, uid, resourceVersion } = metadata;
  return { apiVersion, kind, metadata: { name, namespace, uid, resourceVersion } };
}

/** Another writer was first: the next check is soon enough. */
async function writeStatus(client: KubeClient, operator: KubernetesObject): Promise<void> {
  try {
    await client.updateStatus(operator);
  } catch (error) {
    if (!KubeApiError.is(error, 'Conflict')) throw error;
  }
}

/** A cluster that is checked. `isDue`: a check is due, `isRetried`: another one after it failed. */
type CheckedCluster = {
  readonly client: KubeClient;
  readonly timers: Timers;
  readonly watches: Reflector[];
  isDue: boolean;
  isRetried: boolean;
};

type GateAnswer = Readonly<{ gate: Gate; blockers: number; compatibility: OperatorCompatibility }>;

async function askGate(client: KubeClient, gate: Gate, version: KubernetesObject | undefined): Promise<GateAnswer> {
  const release = asText(asRecord(asRecord(version?.['status'])['desired'])['version']);
  const next = nextMinorVersion(release);
  if ('error' in next) {
    const message = `cluster version has invalid desired release version: ${next.error}`;
    return { gate, blockers: 0, compatibility: { kind: 'unknown', message } };
  }
  const found = incompatibleOperators(await gate.installed(client), next);
  if (found.length === 0) return { gate, blockers: 0, compatibility: { kind: 'compatible' } };
  const message = incompatibilityText(gate.kind, found, next);
  return { gate, blockers: found.length, compatibility: { kind: 'incompatible', message } };
}
