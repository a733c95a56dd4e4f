import type { KubernetesObject } from '#core/api/kubernetes-object';
import { asRecord, asText } from '#core/crd-safety/loose-value';
import { clusterOperatorStatus, type OperatorCompatibility } from '#core/openshift/cluster-operator-upgradeable';
import {
  type InstalledOperator,
  incompatibilityText,
  incompatibleOperators,
  nextMinorVersion,
} from '#core/openshift/incompatible-operators';
import type { Hub } from '#platform/hub/hub';
import type { OlmLookouts } from '#platform/joining/olm-lookouts';
import { KubeApiError, type KubeClient } from '#platform/kube/kube-client.port';
import type { HealthCheck } from '#platform/telemetry/health-check';
import { installedCsvs, installedExtensions } from './installed-operators.js';

export type ClusterUpgradesOptions = Readonly<{
  hub: Pick<Hub, 'clock' | 'log' | 'metrics'>;
  clients: readonly KubeClient[];
  lookouts: Pick<OlmLookouts, 'standing'>;
  /** Evenly from 0 up to 1: spreads the looks over time. */
  random: () => number;
}>;

const CONFIG = 'config.openshift.io/v1';
const CLUSTER_OPERATOR = { apiVersion: CONFIG, kind: 'ClusterOperator' };
const CLUSTER_VERSION = { apiVersion: CONFIG, kind: 'ClusterVersion', name: 'version' };

/** Installed operators of one kind, and the ClusterOperator at which they are told: that is asked before an upgrade. */
type Gate = Readonly<{
  clusterOperator: string;
  kind: Parameters<typeof incompatibilityText>[0];
  installed: (client: KubeClient) => Promise<InstalledOperator[]>;
}>;

/** OLM Classic's own ClusterOperator, and that of OLM v1 (decision 26). */
const GATES: readonly Gate[] = [
  { clusterOperator: 'operator-lifecycle-manager', kind: 'ClusterServiceVersions', installed: installedCsvs },
  { clusterOperator: 'olm', kind: 'ClusterExtensions', installed: installedExtensions },
];

const LOOK_EVERY_MS = 5 * 60_000;
const NAMED = 5;

/**
 * Tells OpenShift clusters whether installed operators allow their next minor version (decision 26): at the ClusterOperator
 * where there is one, and at the hub always. Only a cluster in which Flotilla alone acts is written to.
 */
export class ClusterUpgrades {
  readonly #blocked = new Map<string, string>();
  readonly #cancels = new Map<string, () => void>();
  #stopped = false;

  constructor(private readonly options: ClusterUpgradesOptions) {}

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

  start(): void {
    for (const client of this.options.clients) this.#lookLater(client, this.options.random());
  }

  stop(): void {
    this.#stopped = true;
    for (const cancel of this.#cancels.values()) cancel();
  }

  #lookLater(client: KubeClient, part: number): void {
    const look = async () => {
      await this.#look(client).catch((error: unknown) => {
        const { cluster } = client;
        this.options.hub.log.debug({ cluster, error }, 'whether operators block an upgrade of OpenShift is not known');
      });
      if (!this.#stopped) this.#lookLater(client, 1);
    };
    this.#cancels.set(
      client.cluster,
      this.options.hub.clock.after(LOOK_EVERY_MS * part, () => void look()),
    );
  }

  async #look(client: KubeClient): Promise<void> {
    if (!(await client.serves(CLUSTER_VERSION))) return;
    const standing = await this.options.lookouts.standing(client.cluster);
    if (!standing.acts) return;
    const version = await client.get(CLUSTER_VERSION);
    const looks = await Promise.all(GATES.map((gate) => lookAt(client, gate, version)));
    this.#note(client.cluster, looks);
    if (standing.signs.length > 0) return; // OLM itself tells the cluster
    for (const { gate, compatibility } of looks) await this.#tell(client, gate, compatibility);
  }

  #note(cluster: string, looks: readonly Look[]): void {
    this.options.hub.metrics.openShiftBlockers(
      cluster,
      looks.reduce((sum, { blockers }) => sum + blockers, 0),
    );
    const messages = looks.flatMap(({ compatibility }) =>
      compatibility.kind === 'compatible' ? [] : [compatibility.message],
    );
    if (messages.length === 0) this.#blocked.delete(cluster);
    else this.#blocked.set(cluster, [...new Set(messages)].join('; '));
  }

  async #tell(
    client: KubeClient,
    { clusterOperator: name }: Gate,
    compatibility: OperatorCompatibility,
  ): Promise<void> {
    const ref = { ...CLUSTER_OPERATOR, name };
    const operator = await client.get(ref);
    const status = operator && clusterOperatorStatus(operator, compatibility, this.options.hub.clock.now());
    if (operator === undefined || status === undefined) return;
    await writeStatus(client, { ...operator, ...CLUSTER_OPERATOR, status });
  }
}

/** Somebody else wrote first: the next look is soon enough. */
async function writeStatus(client: KubeClient, operator: KubernetesObject): Promise<void> {
  try {
    await client.updateStatus(operator);
  } catch (error) {
    if (!KubeApiError.is(error, 'Conflict')) throw error;
  }
}

type Look = Readonly<{ gate: Gate; blockers: number; compatibility: OperatorCompatibility }>;

async function lookAt(client: KubeClient, gate: Gate, version: KubernetesObject | undefined): Promise<Look> {
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
