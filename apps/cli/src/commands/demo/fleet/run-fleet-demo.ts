import { ExitCode, type Io } from '../../../terminal/io.js';
import { readFleet } from '../../fleet/hub/read-fleet.js';
import { consoleAtStart } from '../environment/demo-texts.js';
import { onceSignalled, stopsDemo, untilExit } from '../environment/stops-demo.js';
import { complain } from '../motion/complain.js';
import { StoryStuck } from '../motion/story-stuck.js';
import { DemoScreen } from './demo-screen.js';
import { type FleetEnvironment, type Rings, startFleetEnvironment } from './fleet-environment.js';
import {
  approveAsAnna,
  BAD,
  darken,
  ended,
  FIRST,
  type FleetStory,
  offer,
  PATCH,
  prepareFleet,
  ringDone,
  seen,
  succeeded,
  switchOff,
} from './fleet-story.js';
import { fleetCommands, fleetSummary } from './fleet-summary.js';

/** Longest time without any motion on a machine that has no other work. */
const PATIENCE_MS = 60_000;
const stores = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, at) => `store-${String(from + at).padStart(2, '0')}`);

const TWELVE: Rings = { lab: stores(1, 2), canary: stores(3, 5), shops: stores(6, 12) };
const SIX: Rings = { lab: stores(1, 1), canary: stores(2, 3), shops: stores(4, 6) };

export type FleetDemoOptions = Readonly<{
  keep: boolean;
  /** True if the services are processes of their own, with a Redis between them. */
  distributed: boolean;
}>;

/** Runs `flotilla demo fleet`: a minute of rollouts over twelve simulated clusters. */
export const runFleetDemo = (io: Io, options: FleetDemoOptions): Promise<void> =>
  play(io, TWELVE, options, async (story) => {
    const switchOn = await loseStore(story, 'store-11');
    await patchEverywhere(story);
    await returnOfStore(story, 'store-11', switchOn);
    await badVersion(story, 2, { dark: 'store-04', untouched: 7 });
  });

/** The part of the fleet demo that `flotilla demo` ends with. */
export async function runShortFleetDemo(io: Io, distributed: boolean): Promise<void> {
  io.out('\n');
  await play(
    io,
    SIX,
    { keep: false, distributed },
    (story) => badVersion(story, 1, { dark: 'store-02', untouched: 3 }),
    PATCH,
  );
  io.out('\nMore of it in about a minute, with twelve clusters: flotilla demo fleet\n');
}

async function play(
  io: Io,
  rings: Rings,
  { keep, distributed }: FleetDemoOptions,
  tell: (story: FleetStory) => Promise<void>,
  first = FIRST,
): Promise<void> {
  const say = (line: string) => {
    if (line.includes('installing')) io.err(`${line}\n`);
  };
  const starting = startFleetEnvironment(rings, { say, withConsole: keep, distributed });
  const stop = stopsDemo(io, starting);
  const environment = await starting;
  const screen = new DemoScreen(io, environment.hub, PATIENCE_MS, environment.services);
  const story = { io, environment, screen };
  environment.receiver.onMessage((text) => screen.say(`\nMessage to the team:\n${text.replace(/^/gm, '  | ')}\n\n`));
  try {
    screen.say(introduction(rings, first.version));
    screen.say(consoleAtStart(environment.environment.console?.link));
    await prepareFleet(story, first);
    await tell(story);
    screen.rest();
    screen.say(`\n${fleetSummary(await readFleet(environment.hub, new Date()), io.columns)}`);
    stop.ignore();
    environment.receiver.onMessage(() => undefined);
    if (keep) await stay(io, environment);
    io.exit(ExitCode.done);
  } catch (error) {
    if (stop.signalled()) return untilExit();
    if (!(error instanceof StoryStuck)) throw error;
    screen.rest();
    await complain(io, error, environment.services, { command: 'flotilla demo fleet', keep });
    stop.ignore();
    if (keep) await stay(io, environment);
    io.exit(ExitCode.remoteFailed);
  } finally {
    stop.ignore();
    await environment.stop();
  }
}

/** Leaves everything running until a signal, most likely Ctrl-C. */
async function stay(io: Io, { environment, kubeconfig }: FleetEnvironment): Promise<void> {
  io.out(`\nThe rollouts in the web console: ${environment.console?.link ?? ''}\n`);
  io.out(fleetCommands(kubeconfig));
  await new Promise((resolve) => onceSignalled(resolve));
}

function introduction(rings: Rings, version: string): string {
  const sizes = Object.entries(rings).map(([ring, { length }]) => `${ring} ${length}`);
  const total = Object.values(rings).flat().length;
  return [
    `A hub and a fleet of ${total} simulated clusters with lighthouse-operator v${version}. Rings: ${sizes.join(', ')}.`,
    'The strategy: one ring after the other, 3 s of soak after lab and canary, a check in canary that lamps burn. A new minor',
    'version needs an approval of the change board. One failure is too many: every cluster that was changed goes back.',
    '',
    '',
  ].join('\n');
}

const heading = ({ screen }: FleetStory, text: string): void => screen.say(`\n== ${text}\n`);

async function loseStore(story: FleetStory, cluster: string): Promise<() => void> {
  heading(story, `${cluster} is switched off.`);
  const switchOn = switchOff(story, cluster);
  await seen(story, cluster, false);
  return switchOn;
}

async function patchEverywhere(story: FleetStory): Promise<void> {
  heading(story, 'The catalog offers v1.0.1. A patch needs no approval: it goes through the three rings by itself.');
  await offer(story, 1, [FIRST, PATCH]);
  await ended(story, 'Completed');
}

async function returnOfStore(story: FleetStory, cluster: string, switchOn: () => void): Promise<void> {
  story.screen.rest();
  heading(story, `${cluster} is switched on again. It catches up by itself, under the limits of its ring.`);
  story.screen.followAgain();
  switchOn();
  await ringDone(story, 'shops');
}

async function badVersion(
  story: FleetStory,
  number: number,
  { dark, untouched }: Readonly<{ dark: string; untouched: number }>,
): Promise<void> {
  story.screen.rest();
  heading(
    story,
    'The catalog offers v1.1.0, with rights to read Secrets. It waits for an approval; nothing has changed yet.',
  );
  await offer(story, number, [FIRST, PATCH, BAD]);
  await approveAsAnna(story, number);
  await darken(story, dark);
  await succeeded(story, dark, BAD.version);
  story.screen.rest();
  heading(
    story,
    `OLM says Succeeded in ${dark}. The Lighthouse there says that its lamp is dark: the check "lamp" of canary.`,
  );
  story.screen.followAgain();
  await ended(story, 'RolledBack');
  const { length } = story.environment.clusters;
  const shops = ` ${untouched} shops never had v1.1.0.`;
  story.screen.rest();
  heading(
    story,
    `Stopped in canary: ${length - untouched} of ${length} clusters had v1.1.0, and are back at v1.0.1.${shops} It is not offered again.`,
  );
}
