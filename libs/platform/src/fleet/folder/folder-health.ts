import { join } from 'node:path';
import type { Health } from '../../telemetry/health-check.js';

type FolderSituation = Readonly<{
  folder: string;
  /** Lines, each with the path of a file; undefined where all of them are taken over. */
  problem: string | undefined;
  /** What has no effect where it lies. */
  notes: readonly string[];
  /** Whether another process has the folder. */
  isLost: boolean;
}>;

const NAMED = 3;

/** The line of `/healthz` about a fleet's folder. Files are named from the folder on. */
export function folderHealth({ folder, problem, notes, isLost }: FolderSituation): Health {
  if (isLost) return { up: false, detail: 'another process uses the folder: nothing more is written' };
  if (problem === undefined && notes.length === 0)
    return { up: true, detail: 'all files of the folder are taken over' };
  const lines = problem?.split('\n') ?? notes;
  const more = lines.length > NAMED ? `; and ${lines.length - NAMED} more` : '';
  const named = lines.slice(0, NAMED).map((line) => fromFolder(line, folder));
  const holds = problem === undefined ? '' : 'what files said before holds until they are corrected: ';
  return { up: true, degraded: true, detail: `${holds}${named.join('; ')}${more}` };
}

/** Who asks for the health of a hub need not know where on its machine the folder is. */
function fromFolder(line: string, folder: string): string {
  if (line.startsWith(`${folder}: `)) return `the folder: ${line.slice(folder.length + 2)}`;
  const prefix = join(folder, 'x').slice(0, -1);
  return prefix === '' ? line : line.replaceAll(prefix, '');
}
