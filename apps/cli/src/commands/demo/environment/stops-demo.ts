import { constants } from 'node:os';
import type { Io } from '../../../terminal/io.js';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
export type StopSignal = (typeof SIGNALS)[number];

/** The handling of signals until the end of a demo. */
type DemoStop = Readonly<{
  /** Signals are no longer heard. */
  ignore: () => void;
  /** True after a signal: later failures come from the end of the environment. */
  signalled: () => boolean;
}>;

/** Ends an environment at once on a signal, with the process. */
export function stopsDemo(io: Io, starting: Promise<Readonly<{ stop: () => Promise<void> }>>): DemoStop {
  let isSignalled = false;
  const ignore = onceSignalled((signal) => {
    isSignalled = true;
    const abandon = async (environment: Readonly<{ stop: () => Promise<void> }>) => {
      io.err(`\n${ENDING}`);
      await environment.stop().finally(() => process.exit(128 + constants.signals[signal]));
    };
    void starting.then(abandon, () => process.exit(128 + constants.signals[signal]));
  });
  return { ignore, signalled: () => isSignalled };
}

/** Never settles: the process ends when its environment is stopped. */
export const untilExit = (): Promise<never> => new Promise<never>(() => undefined);

/** The text that the demo prints when a signal ends it. */
export const ENDING = 'ending: services, Redis and clusters of the demo\n';

/**
 * Calls back at the first signal; a second one ends this process at once, and then all that it started ends
 * by itself.
 */
export function onceSignalled(act: (signal: StopSignal) => void): () => void {
  const onSignal = (signal: NodeJS.Signals) => {
    ignore();
    const known = SIGNALS.find((one) => one === signal);
    if (known !== undefined) act(known);
  };
  const ignore = () => {
    for (const signal of SIGNALS) process.off(signal, onSignal);
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return ignore;
}
