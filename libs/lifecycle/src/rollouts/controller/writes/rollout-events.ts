import type { FleetDecision } from '#core/kernel/api/fleet/fleet-decision';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import type { DecisionEffects } from '#core/rollout/controller/step/decisions';
import type { RolloutStatus } from '#core/rollout/controller/step/rollout-state';
import {
  decisionEvent,
  lapseEvents,
  phaseEvent,
  type RolloutEvent,
  waveEvents,
} from '#core/rollout/status/rollout-events';
import type { Clock } from '#platform/clock/clock.port';
import { KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';
import { recordEvent } from '#platform/kube/write/record-event';
import type { Log } from '#platform/telemetry/log.port';

const COMPONENT = 'flotilla-fleet-controller';

type Subject = Readonly<{ kind: string; metadata: Readonly<{ name: string; namespace?: string; uid?: unknown }> }>;

/** Writes Events about rollouts into the hub API. One that cannot be written holds up nothing. */
export class RolloutEvents {
  #isForbidden = false;

  constructor(
    private readonly hub: KubeClient,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Emits the Events of a step once it is stored. `operator`: undefined for rollouts of a catalog. */
  async moved(
    rollout: Subject,
    operator: Subject | undefined,
    waves: readonly string[],
    { before, after }: Readonly<{ before: RolloutStatus | undefined; after: RolloutStatus }>,
  ): Promise<void> {
    const phase = phaseEvent(rollout.metadata.name, before, after);
    for (const event of waveEvents(before, after, waves)) await this.#say(rollout, event);
    for (const event of lapseEvents(before, after)) await this.#say(rollout, event);
    if (phase === undefined) return;
    await this.#say(rollout, phase);
    if (operator !== undefined) await this.#say(operator, phase);
  }

  async decided(
    rollout: Subject,
    { spec }: FleetDecision,
    outcome: Pick<DecisionEffects, 'reason' | 'message'>,
  ): Promise<void> {
    await this.#say(rollout, decisionEvent(spec, outcome));
  }

  async #say({ kind, metadata }: Subject, event: RolloutEvent): Promise<void> {
    const { name, namespace = '', uid } = metadata;
    const about = { apiVersion: FLEET_API, kind, name, namespace, ...(typeof uid === 'string' ? { uid } : {}) };
    try {
      await recordEvent(this.hub, { do: 'emitEvent', about, ...event }, { component: COMPONENT }, this.clock.now());
    } catch (error) {
      const isNews = KubeApiError.is(error, 'Forbidden') && !this.#isForbidden;
      this.#isForbidden ||= isNews;
      this.log[isNews ? 'warn' : 'debug']({ error, object: name }, 'an Event about a roll-out could not be written');
    }
  }
}
