import { join } from 'node:path';
import type { Health } from '../../telemetry/health-check.js';

type FolderSituation = Readonly<{
  folder: string;
  /** Lines, each with the path of a file. Undefined if all files are taken over. */
  problem: string | undefined;
  /** Objects without effect in their place. */
  notes: readonly string[];
  /** True if another process has the folder. */
  isLost: boolean;
}>;

const NAMED = 3;

/** The line of `/healthz` about a fleet's folder. Files are named from the folder on. */
export function folderHealth({ folder, problem, notes, isLost }: FolderSituation): Health {
  if (isLost) return { up: false, detail: 'another process uses the folder: nothing more is written' };
  if (problem === undefined && notes.length === 0) return { up: true, detail: 'all files of the folder are read' };
  const lines = problem?.split('\n') ?? notes;
  const more = lines.length > NAMED ? `; and ${lines.length - NAMED} more` : '';
  const named = lines.slice(0, NAMED).map((line) => fromFolder(line, folder));
  const holds = problem === undefined ? '' : 'the earlier content of files stays in force until they are corrected: ';
  return { up: true, degraded: true, detail: `${holds}${named.join('; ')}${more}` };
}

/** Makes the paths relative: readers of a hub's health need not know the folder's place on its machine. */
function fromFolder(line: string, folder: string): string {
  if (line.startsWith(`${folder}: `)) return `the folder: ${line.slice(folder.length + 2)}`;
  const prefix = join(folder, 'x').slice(0, -1);
  return prefix === '' ? line : line.replaceAll(prefix, '');
}
