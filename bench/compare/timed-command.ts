import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sample } from './comparison.js';

export type Command = readonly string[];

/** True if GNU time is on the PATH: it measures any program. */
export const hasGnuTime = (): boolean => spawnSync('time', ['-f', '%M', 'true'], { stdio: 'ignore' }).status === 0;

/** Runs a command once; its output is thrown away. `prepare` runs before, and does not count. */
export async function timedCommand(
  command: Command,
  { folder, prepare, checkout }: Readonly<{ folder: string; prepare?: () => Promise<void>; checkout?: string }>,
): Promise<Sample> {
  await prepare?.();
  return (await measured(command, folder, 'ignore', checkout)).sample;
}

/** Runs a command once in the folder `checkout`, otherwise in this one, and also returns its output. */
export async function measured(
  command: Command,
  folder: string,
  stdout: 'ignore' | 'pipe',
  checkout = '.',
): Promise<Readonly<{ sample: Sample; printed: string }>> {
  const usage = join(folder, 'usage');
  const start = performance.now();
  const child = spawn('time', ['-q', '-f', '%U %S %M', '-o', usage, ...command], {
    stdio: ['ignore', stdout, 'pipe'],
    cwd: checkout,
  });
  const [printed, complaint] = [collected(child.stdout), collected(child.stderr)];
  const [code] = await once(child, 'exit');
  const wallMs = performance.now() - start;
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}: ${(await complaint).slice(0, 2_000)}`);
  const text = await readFile(usage, 'utf8');
  const [user = Number.NaN, system = Number.NaN, peakKiB = Number.NaN] = text.trim().split(' ').map(Number);
  const sample = { wallMs, cpuMs: 1_000 * (user + system), peakMiB: peakKiB / 1_024 };
  return { sample, printed: await printed };
}

async function collected(stream: AsyncIterable<Buffer> | null): Promise<string> {
  return stream === null ? '' : Buffer.concat(await Array.fromAsync(stream)).toString('utf8');
}
