import { availableParallelism, loadavg } from 'node:os';
import type { Io } from '../../../terminal/io.js';
import type { ServiceProcess } from '../environment/service-process.js';
import { type ServiceNote, type StoryStuck, stuckLines } from './story-stuck.js';

const GRAVE = new Set(['warn', 'error', 'fatal']);

/** Prints the objects that stopped moving in a demo, and the next commands. `command` plays the same demo. */
export async function complain(
  io: Io,
  stuck: StoryStuck,
  services: readonly ServiceProcess[],
  asked: Readonly<{ command: string; keep: boolean }>,
): Promise<void> {
  const machine = { load: loadavg()[0] ?? 0, processors: availableParallelism() };
  const notes = await Promise.all(services.map(noteOf));
  for (const line of stuckLines(stuck, { ...asked, ...machine, services: notes })) io.err(`${line}\n`);
}

async function noteOf(service: ServiceProcess): Promise<ServiceNote> {
  const grave = (await service.logged()).findLast(({ level }) => GRAVE.has(String(level)));
  return {
    name: service.name,
    ended: !service.running,
    exitCode: service.exitCode,
    trouble: grave === undefined ? undefined : JSON.stringify(grave),
  };
}
