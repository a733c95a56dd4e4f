import { z } from 'zod';
import { hasRealCatalog, REAL_CATALOGS } from '../resolution/measure-case.js';
import type { Comparison } from './comparison.js';
import { measured } from './timed-command.js';

const Answered = z.object({ medianMs: z.number(), cpuMs: z.number() });

/**
 * `original` is run as `PROGRAM CATALOG`: operator-controller's resolver, asked for the newest bundle of
 * every package with nothing installed, again and again. It prints one line of JSON, `medianMs` and `cpuMs`
 * of one answer.
 */
export function extensionChoice(original: string | undefined, folder: string): Comparison[] {
  if (!hasRealCatalog()) return [];
  const run = (command: readonly string[]) => async () => {
    const { sample, printed } = await measured(command, folder, 'pipe');
    const { medianMs, cpuMs } = Answered.parse(JSON.parse(printed));
    return { ...sample, wallMs: medianMs, cpuMs };
  };
  return [
    {
      work: 'choose the bundle of a ClusterExtension, median of all packages of v4.20',
      ours: run([process.execPath, 'dist/bench/extension.js', '--newest']),
      ...(original === undefined ? {} : { original: run([original, `${REAL_CATALOGS}/v4.20`]) }),
    },
  ];
}
