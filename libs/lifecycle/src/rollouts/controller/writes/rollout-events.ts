import type { FleetDecision } from '#core/kernel/api/fleet/fleet-decision';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import type { DecisionEffects } from '#core/rollout/controller/step/decisions';
import { decisionEvent, type MovedEvent, type RolloutEvent } from '#core/rollout/status/rollout-events';
import type { Clock } from '#platform/clock/clock.port';
import { KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';
import { eventRef, recordEvent } from '#platform/kube/write/record-event';
import type { Log } from '#platform/telemetry/log.port';
import { storedState } from '../../assignments/stored-rollout.js';

const COMPONENT = 'flotilla-fleet-controller';
/** Lifetime of an Event in an API server. An older one is not written again. */
const LIVES_MS = 3_600_000;

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
    events: readonly MovedEvent[],
    writtenAt?: number,
  ): Promise<void> {
    for (const { isOfSubject = false, ...event } of events) {
      await this.#say(rollout, event, writtenAt);
      if (isOfSubject && operator !== undefined) await this.#say(operator, event, writtenAt);
    }
  }

  async decided(
    rollout: Subject,
    { spec }: FleetDecision,
    outcome: Pick<DecisionEffects, 'reason' | 'message'>,
    writtenAt?: number,
  ): Promise<void> {
    await this.#say(rollout, decisionEvent(spec, outcome), writtenAt);
  }

  /**
   * Emits the Events of the last write of a rollout, and of its decisions. A controller that was killed may
   * have written none of them. An Event that is there stays as it is.
   */
  async again(rollout: Subject, operator: Subject | undefined, decisions: readonly FleetDecision[]): Promise<void> {
    const now = this.clock.now().getTime();
    const { at = Number.NEGATIVE_INFINITY, events = [] } = storedState(rollout) ?? {};
    if (now - at < LIVES_MS) await this.moved(rollout, operator, events, at);
    for (const decision of decisions) {
      const { metadata, spec } = decision;
      const outcome = (decision.status ?? {}) as Partial<Pick<DecisionEffects, 'reason' | 'message'> & { at: string }>;
      const { reason, at: text = '' } = outcome;
      const isOfRollout = spec.rollout === rollout.metadata.name && metadata.namespace === rollout.metadata.namespace;
      const decidedAt = Date.parse(text);
      if (!isOfRollout || reason === undefined || !(now - decidedAt < LIVES_MS)) continue;
      await this.decided(rollout, decision, { ...outcome, reason }, decidedAt);
    }
  }

  /** `writtenAt`: the Event may be there since that time, and then it stays as it is. */
  async #say({ kind, metadata }: Subject, event: RolloutEvent, writtenAt: number | undefined): Promise<void> {
    const { name, namespace = '', uid } = metadata;
    const about = { apiVersion: FLEET_API, kind, name, namespace, ...(typeof uid === 'string' ? { uid } : {}) };
    try {
      const emitted = { do: 'emitEvent', about, ...event } as const;
      const isThere = writtenAt !== undefined && (await this.hub.get(eventRef(emitted, COMPONENT))) !== undefined;
      const at = writtenAt === undefined ? this.clock.now() : new Date(writtenAt);
      if (!isThere) await recordEvent(this.hub, emitted, { component: COMPONENT }, at);
    } catch (error) {
      const isNews = KubeApiError.is(error, 'Forbidden') && !this.#isForbidden;
      this.#isForbidden ||= isNews;
      this.log[isNews ? 'warn' : 'debug']({ error, object: name }, 'could not write an Event about a rollout');
    }
  }
}
