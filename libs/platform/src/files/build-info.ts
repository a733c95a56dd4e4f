import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from './project-root.js';

/** The build of Flotilla that a process runs, and its platform. */
export type BuildInfo = Readonly<{
  version: string;
  /** The commit of the build, if the build recorded it in `dist/COMMIT`. */
  commit?: string;
  /** Version of Node, such as `v24.1.0`. */
  node: string;
  /** Operating system and processor, such as `linux/x64`. */
  platform: string;
}>;

/** The build of this process. */
export function buildInfo(): BuildInfo {
  const commit = recordedCommit();
  return {
    version: projectVersion(),
    ...(commit === undefined ? {} : { commit }),
    node: process.version,
    platform: `${process.platform}/${process.arch}`,
  };
}

/** The version in package.json. */
export function projectVersion(): string {
  const { version } = JSON.parse(readFileSync(join(PROJECT_ROOT, 'package.json'), 'utf8')) as { version: string };
  return version;
}

function recordedCommit(): string | undefined {
  try {
    return /^[0-9a-f]{40,64}$/.exec(readFileSync(join(PROJECT_ROOT, 'dist', 'COMMIT'), 'utf8').trim())?.[0];
  } catch {
    return undefined;
  }
}
