import { plainLine } from '#platform/telemetry/plain-log';
import { type Motion, stoppedLast } from './motion.js';

const MOST_STOPPED = 3;
const MOST_SERVICES = 2;
const MOST_LENGTH = 200;

/** A demo stopped moving. Names the awaited object and the objects that stopped. */
export class StoryStuck extends Error {
  constructor(
    readonly waitingFor: string,
    readonly motion: Motion,
  ) {
    super(`nothing has moved for ${seconds(motion.stillMs)} while the demo waited for ${waitingFor}`);
  }
}

/** The state of a service when a demo stopped moving. */
export type ServiceNote = Readonly<{
  name: string;
  /** True if the service has ended. */
  ended: boolean;
  exitCode: number | undefined;
  /** Its last warning or error as it was logged, in JSON. */
  trouble: string | undefined;
}>;

type Circumstances = Readonly<{
  services: readonly ServiceNote[];
  load: number;
  processors: number;
  /** The command that plays the same demo. */
  command: string;
  keep: boolean;
}>;

/** Returns at most ten lines: the objects that stopped, known causes, and the next commands. */
export function stuckLines({ waitingFor, motion }: StoryStuck, circumstances: Circumstances): readonly string[] {
  const { services, load, processors, command, keep } = circumstances;
  const stopped = stoppedLast(motion, MOST_STOPPED);
  const ended = services.filter((one) => one.ended);
  const troubled = services.filter((one) => !one.ended && one.trouble !== undefined);
  const isBusy = load > processors;
  return [
    `error: nothing has moved for ${seconds(motion.stillMs)}; the demo waits for ${waitingFor}`,
    ...(stopped.length === 0 ? [] : ['What moved last:']),
    ...stopped.map(({ name, state, seconds: age }) => `  ${name}: ${state}, for ${age} s`),
    ...[...ended, ...troubled].slice(0, MOST_SERVICES).map(serviceLine),
    ...(isBusy ? [`This machine is busy: load ${load.toFixed(0)} on ${processors} processors. Try again later.`] : []),
    keep
      ? 'Everything stays up. Ask what is wrong with the commands below.'
      : `Play it again and leave everything up, to look at it from another terminal: ${command} --keep`,
  ].map((line) => (line.length > MOST_LENGTH ? `${line.slice(0, MOST_LENGTH - 1)}…` : line));
}

function serviceLine({ name, ended, exitCode, trouble }: ServiceNote): string {
  const said = trouble === undefined ? '' : `: ${plainLine(trouble)}`;
  return ended ? `${name} ended with exit code ${exitCode ?? 'unknown'}${said}` : `${name} logged last${said}`;
}

const seconds = (ms: number): string => `${Math.round(ms / 1_000)} s`;
