import type { ActionEnd, ActionResult, ActionTarget, ConsoleAction } from '#core/view/actions/console-action';

/** An action as an applier gets it. Nothing of it counts before its proof was checked. */
export type SentAction = Readonly<{
  action: ConsoleAction;
  /** Empty: none came with it. */
  proof: string;
  /** Names the message that carried both. A message that is sent again has another name. */
  delivery: string;
}>;

/** Sends actions of the console, once each. */
export type ActionSender = Readonly<{
  /**
   * Returns the id. `key` is the person’s own for this action: one that was used before sends nothing, and
   * then no proof is made.
   */
  send(action: ConsoleAction, key: string, prove: () => Promise<string>): Promise<string>;
  /** Undefined for one that is not known, or no longer: an hour. */
  find(id: string): Promise<ConsoleAction | undefined>;
  results(id: string): Promise<readonly ActionResult[]>;
}>;

/** Receives actions in an applier: those of the last half a minute, then new ones. */
export type ActionReceiver = Readonly<{
  /** Calls back with each, and not again; a callback that throws loses it. */
  follow(take: (sent: SentAction) => void): void;
  report(id: string, target: ActionTarget, end: ActionEnd): Promise<void>;
  /** Like {@link report}, unless an end of the target exists already: a forged message changes no answer. */
  refuse(id: string, target: ActionTarget, end: ActionEnd): Promise<void>;
  stop(): Promise<void>;
}>;
