import type { DecisionAction } from '#core/kernel/api/fleet/fleet-decision';

/** A person as the hub API names them. */
export type HubPerson = Readonly<{ user: string; groups: readonly string[] }>;

/** A decision of one person about one rollout. Absent parts do not narrow it. */
export type HubDecision = Readonly<{
  /** `NAMESPACE/NAME`. */
  rollout: string;
  action: DecisionAction;
  class?: string | undefined;
  /** The kinds of change that the class was shown with. */
  changes?: readonly string[] | undefined;
  wave?: string | undefined;
  reason: string;
  /** Makes the name of the FleetDecision: a second request with the same text makes no second one. */
  key: string;
}>;

/** The end of a decision. `unanswered`: it stands, and the fleet controller has not answered yet. */
export type HubDecisionEnd = Readonly<{
  outcome: 'effective' | 'no-effect' | 'refused' | 'unanswered';
  /** The name of the FleetDecision. Empty if none was made. */
  decision: string;
  /** Explains each outcome but `effective`. */
  message: string;
}>;

/** The hub API, asked with the ID token of a person. No login of the console is used. */
export abstract class HubDecisions {
  /**
   * Returns the person whom a token names. Returns undefined if the hub API does not accept the token.
   *
   * @throws HubNotAsked
   */
  abstract personOf(token: string): Promise<HubPerson | undefined>;
  /** Returns the actions that the person may decide about a rollout. @throws HubNotAsked */
  abstract allowed(
    token: string,
    rollout: string,
    actions: readonly DecisionAction[],
  ): Promise<ReadonlySet<DecisionAction>>;
  /** Makes a FleetDecision, and waits a while for its answer. @throws HubNotAsked */
  abstract decide(token: string, by: HubPerson, decision: HubDecision): Promise<HubDecisionEnd>;
  /** Ends all connections. */
  abstract close(): Promise<void>;
}
