import { findExecutable } from '../../debian/executable.js';

/** The commands of package managers; `scripts/needs.sh` has the same. */
const COMMANDS = [
  ['apt-get', 'apt-get install redis-server'],
  ['dnf', 'dnf install valkey'],
  ['apk', 'apk add valkey'],
  ['brew', 'brew install valkey'],
] as const;

/** Returns the command of this system that installs Redis or Valkey. */
export function redisInstallCommand(
  env: Readonly<Record<string, string | undefined>>,
  isRoot = process.getuid?.() === 0,
): string {
  const [manager, command] = COMMANDS.find(([name]) => findExecutable(name, env['PATH'] ?? '') !== undefined) ?? [];
  if (command === undefined) return "your system's package";
  return isRoot || manager === 'brew' ? command : `sudo ${command}`;
}
