import { readFile } from 'node:fs/promises';

/** Usage of a process since it started; undefined if the system has no /proc. */
export type Usage = Readonly<{ cpuSeconds: number; peakMiB: number; residentMiB: number }>;

/** The kernel counts in hundredths of a second on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

export async function usageOf(pid: number): Promise<Usage | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => undefined);
  if (stat === undefined || status === undefined) return undefined;
  // Fields after the name: it stands in parentheses and may hold spaces. User time is the 12th, system time
  // the 13th.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  const mebibytes = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1_024;
  return { cpuSeconds: ticks / TICKS_PER_SECOND, peakMiB: mebibytes('VmHWM'), residentMiB: mebibytes('VmRSS') };
}
