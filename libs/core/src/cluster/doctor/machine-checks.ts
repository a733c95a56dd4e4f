import { oldNode } from './old-node.js';

/** One thing that was checked: it is as it should be, should be changed, or keeps the hub from working. */
export type DoctorCheck = Readonly<{
  /** The subject of the check: `node`, `memory`, `redis`, `cluster east`. */
  name: string;
  result: 'ok' | 'warning' | 'failed';
  /** The result, in one line. */
  text: string;
  /** Advice. Empty if there is nothing to do. */
  todo: string;
}>;

/** Facts about the machine that will run a hub. */
export type MachineFacts = Readonly<{
  /** Version of Node, as `24.1.0`. */
  node: string;
  /** Memory that a process may use, in bytes: that of the machine, or of its container if that is less. */
  memoryBytes: number;
  processors: number;
  /** Most files that a process may open. Undefined if the system does not report it. */
  openFiles?: number | undefined;
  /** The folder for content of catalogs and bundles. */
  contentDir: string;
  /** Free bytes in the folder. Undefined if the folder cannot be used; `contentProblem` has the reason. */
  contentFreeBytes?: number | undefined;
  contentProblem?: string | undefined;
  /** True if the disk of the folder is full. No right of the user fixes that. */
  contentIsFull?: boolean | undefined;
}>;

const MIB = 1024 * 1024;
/** All services of a hub with a few clusters in one process. */
const LEAST_MEMORY = 512 * MIB;
const LEAST_FREE = 1024 * MIB;
/** Connections, watches over one connection, catalogs being unpacked. */
const LEAST_FILES = 1024;

export const ok = (name: string, text: string): DoctorCheck => ({ name, result: 'ok', text, todo: '' });
export const warning = (name: string, text: string, todo: string): DoctorCheck => ({
  name,
  result: 'warning',
  text,
  todo,
});
export const failed = (name: string, text: string, todo: string): DoctorCheck => ({
  name,
  result: 'failed',
  text,
  todo,
});

/** Compares the machine with the needs of a hub (docs/sizing.md has those of larger fleets). */
export function machineChecks(facts: MachineFacts): readonly DoctorCheck[] {
  return [nodeCheck(facts), memoryCheck(facts), filesCheck(facts), contentCheck(facts)];
}

function nodeCheck({ node }: MachineFacts): DoctorCheck {
  const old = oldNode(node);
  return old === undefined ? ok('node', `Node ${node}`) : failed('node', old.text, old.todo);
}

function memoryCheck({ memoryBytes, processors }: MachineFacts): DoctorCheck {
  const text = `${mebibytes(memoryBytes)} of memory, ${processors} ${processors === 1 ? 'processor' : 'processors'}`;
  if (memoryBytes >= LEAST_MEMORY) return ok('memory', text);
  return warning(
    'memory',
    `${text}: little for a hub`,
    `give the hub at least ${mebibytes(LEAST_MEMORY)}; docs/sizing.md lists the needs of a fleet`,
  );
}

function filesCheck({ openFiles }: MachineFacts): DoctorCheck {
  if (openFiles === undefined) return ok('open files', 'the system names no limit');
  const text = `a process may open ${openFiles} files`;
  if (openFiles >= LEAST_FILES) return ok('open files', text);
  return warning(
    'open files',
    `${text}: too few for many clusters`,
    `raise the limit, for example: ulimit -n ${LEAST_FILES * 8}`,
  );
}

function contentCheck({
  contentDir,
  contentFreeBytes,
  contentProblem,
  contentIsFull = false,
}: MachineFacts): DoctorCheck {
  const name = 'content';
  if (contentFreeBytes === undefined) {
    return failed(
      name,
      `${contentDir} cannot be used: ${contentProblem ?? 'no reason is known'}`,
      contentIsFull
        ? 'free space there, or name a folder of another disk in FLOTILLA_CONTENT_DIR'
        : 'name a folder that this user can write in FLOTILLA_CONTENT_DIR',
    );
  }
  const text = `${contentDir} has ${mebibytes(contentFreeBytes)} free`;
  if (contentFreeBytes >= LEAST_FREE) return ok(name, text);
  return warning(
    name,
    `${text}: catalogs and bundles are unpacked there`,
    `free space, or name another folder in FLOTILLA_CONTENT_DIR`,
  );
}

/** Clocks that are set by NTP differ by less than a second. */
const TOLERATED_SKEW_MS = 120_000;

/**
 * Checks the time by which the clock of this machine is ahead of the API server's. Both judge certificates
 * and tokens.
 */
export function clockCheck(cluster: string, aheadMs: number): DoctorCheck {
  const name = `clock of cluster ${cluster}`;
  if (Math.abs(aheadMs) < TOLERATED_SKEW_MS) return ok(name, 'that of this machine, within two minutes');
  const minutes = Math.round(Math.abs(aheadMs) / 60_000);
  const text = `the clock of this machine is ${minutes} min ${aheadMs > 0 ? 'ahead of' : 'behind'} that of its API server`;
  return warning(name, text, 'set both clocks by NTP: certificates, tokens and the windows of rollouts depend on them');
}

const mebibytes = (bytes: number): string =>
  bytes >= 1024 * MIB ? `${(bytes / (1024 * MIB)).toFixed(1)} GiB` : `${Math.floor(bytes / MIB)} MiB`;
