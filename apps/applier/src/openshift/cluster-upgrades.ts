import { type ClusterServiceVersion, CSV_API } from '#core/api/cluster-service-version';
import type { KubernetesObject } from '#core/api/kubernetes-object';
import { asRecord, asText } from '#core/crd-safety/loose-value';
import { COPIED_FROM_LABEL } from '#core/csv/copies/step-copies';
import { isCopied } from '#core/csv/csv-facts';
import { clusterOperatorStatus, type OperatorCompatibility } from '#core/openshift/cluster-operator-upgradeable';
import { incompatibilityText, incompatibleOperators, nextMinorVersion } from '#core/openshift/incompatible-operators';
import type { Hub } from '#platform/hub/hub';
import type { OlmLookouts } from '#platform/joining/olm-lookouts';
import { KubeApiError, type KubeClient } from '#platform/kube/kube-client.port';
import type { HealthCheck } from '#platform/telemetry/health-check';

export type ClusterUpgradesOptions = Readonly<{
  hub: Pick<Hub, 'clock' | 'log' | 'metrics'>;
  clients: readonly KubeClient[];
  lookouts: Pick<OlmLookouts, 'standing'>;
  /** Evenly from 0 up to 1: spreads the looks over time. */
  random: () => number;
}>;

const CONFIG = 'config.openshift.io/v1';
const CLUSTER_VERSION = { apiVersion: CONFIG, kind: 'ClusterVersion', name: 'version' };
/** OLM Classic's own, which the cluster's version operator asks before it upgrades. */
const CLUSTER_OPERATOR = { apiVersion: CONFIG, kind: 'ClusterOperator', name: 'operator-lifecycle-manager' };
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
    const { blockers, compatibility } = await compatibilityOf(client);
    const { metrics, clock } = this.options.hub;
    metrics.openShiftBlockers(client.cluster, blockers);
    if (compatibility.kind === 'compatible') this.#blocked.delete(client.cluster);
    else this.#blocked.set(client.cluster, compatibility.message);
    if (standing.signs.length > 0) return; // OLM itself tells the cluster
    const operator = await client.get(CLUSTER_OPERATOR);
    const status = operator && clusterOperatorStatus(operator, compatibility, clock.now());
    if (operator === undefined || status === undefined) return;
    await writeStatus(client, { ...operator, ...CLUSTER_OPERATOR, status });
  }
}

/** Somebody else wrote first: the next look is soon enough. */
async function writeStatus(client: KubeClient, { name: _name, ...operator }: KubernetesObject): Promise<void> {
  try {
    await client.updateStatus(operator);
  } catch (error) {
    if (!KubeApiError.is(error, 'Conflict')) throw error;
  }
}

async function compatibilityOf(
  client: KubeClient,
): Promise<Readonly<{ blockers: number; compatibility: OperatorCompatibility }>> {
  const [version, csvs] = await Promise.all([
    client.get(CLUSTER_VERSION),
    client.list<ClusterServiceVersion>(CSV_API, { labelSelector: `!${COPIED_FROM_LABEL}` }),
  ]);
  const release = asText(asRecord(asRecord(version?.['status'])['desired'])['version']);
  const next = nextMinorVersion(release);
  if ('error' in next) {
    const message = `cluster version has invalid desired release version: ${next.error}`;
    return { blockers: 0, compatibility: { kind: 'unknown', message } };
  }
  const operators = (csvs?.items ?? [])
    .filter((csv) => !isCopied(csv))
    .map(({ metadata }) => ({
      name: `${metadata.namespace}/${metadata.name}`,
      annotations: metadata.annotations ?? {},
    }));
  const found = incompatibleOperators(operators, next);
  if (found.length === 0) return { blockers: 0, compatibility: { kind: 'compatible' } };
  const message = incompatibilityText('ClusterServiceVersions', found, next);
  return { blockers: found.length, compatibility: { kind: 'incompatible', message } };
}
