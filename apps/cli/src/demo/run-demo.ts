import { join } from 'node:path';
import { silentLog } from '#platform/telemetry/log.port';
import { PROJECT_ROOT } from '../clusters/install-crds.js';
import { ExitCode, type Io } from '../io.js';
import { type Stage, setStage } from './demo-stage.js';
import { look, playScenario, StoryStuck } from './scenario.js';
import { renderSummary } from './summary.js';
import { Timeline } from './timeline.js';

export type DemoOptions = Readonly<{ keep: boolean; kubeconfigs: readonly string[] }>;

const PATIENCE_MS = 60_000;

/** Plays the story on a stage of its own, tells it, and strikes the stage. */
export async function runDemo(io: Io, { keep, kubeconfigs }: DemoOptions): Promise<void> {
  const timeline = new Timeline(io.out);
  const log = { ...silentLog, info: (_fields: unknown, line: string) => io.err(`${line}\n`) };
  const stage = await setStage({ log, kubeconfigs });
  const onInterrupt = () => void stage.strike().then(() => process.exit(130));
  process.once('SIGINT', onInterrupt);
  try {
    const clusters = stage.clients.map(({ cluster }) => cluster).join(' and ');
    timeline.tell('hub', `clusters ${clusters}, an image registry, Redis (${stage.redis.how})`);
    timeline.tell('hub', `services started: ${stage.services.map(({ name }) => name).join(', ')}`);
    await playScenario({ stage, timeline, examples: join(PROJECT_ROOT, 'examples'), patienceMs: PATIENCE_MS });
    await printSummary(io, stage, timeline);
    if (keep) await stay(io, stage);
    io.exit(ExitCode.done);
  } catch (error) {
    if (!(error instanceof StoryStuck)) throw error;
    io.err(`error: ${error.message}\n`);
    for (const service of stage.services) io.err(`--- last lines of ${service.name}\n${await service.tail()}\n`);
    io.exit(ExitCode.remoteFailed);
  } finally {
    process.off('SIGINT', onInterrupt);
    await stage.strike();
  }
}

async function printSummary(io: Io, stage: Stage, timeline: Timeline): Promise<void> {
  const seen = await Promise.all(
    stage.clients.map(async (client) => ({ cluster: client.cluster, seen: await look(client, timeline) })),
  );
  const doneAfter = (cluster: string) => {
    const last = timeline.moments.findLast(({ where }) => where === cluster);
    return last === undefined ? '-' : `${last.seconds.toFixed(1)} s`;
  };
  io.out(`\n${renderSummary(seen, doneAfter)}`);
}

/** Leaves everything running until Ctrl-C. */
async function stay(io: Io, stage: Stage): Promise<void> {
  io.out(`\nStill running. Look around in another terminal, end with Ctrl-C:\n`);
  io.out(`  kubectl --kubeconfig ${stage.kubeconfigs[0]} get csv,installplans,subscriptions -A\n`);
  await new Promise<void>((resolve) => process.once('SIGTERM', () => resolve()));
}
