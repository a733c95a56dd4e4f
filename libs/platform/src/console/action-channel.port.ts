import type { ActionEnd, ActionResult, ActionTarget, ConsoleAction } from '#core/fleet/console-actions/console-action';

/** What the console sends: actions, once each. */
export type ActionSender = Readonly<{
  /** `key` is the person’s own for this action: one that was used before sends nothing. Answers the id. */
  send(action: ConsoleAction, key: string): Promise<string>;
  /** Undefined for one that is not known, or no longer: an hour. */
  find(id: string): Promise<ConsoleAction | undefined>;
  results(id: string): Promise<readonly ActionResult[]>;
}>;

/** What an applier gets: the actions of the last half a minute, then those that come. */
export type ActionReceiver = Readonly<{
  /** Calls back with each, and not again; a callback that throws loses it. */
  follow(take: (action: ConsoleAction) => void): void;
  /** Whether this process is the one that carries the action out in this cluster. */
  claim(id: string, cluster: string): Promise<boolean>;
  report(id: string, target: ActionTarget, end: ActionEnd): Promise<void>;
  stop(): Promise<void>;
}>;
