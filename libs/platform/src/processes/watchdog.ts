import { type ChildProcess, spawn } from 'node:child_process';

/**
 * Runs a shell script with arguments `$1`, `$2` … once this process is gone, killed or not: `cat` returns
 * when the last holder of the pipe's other end is gone. It has a process group of its own, so that Ctrl-C
 * does not reach it. Without a shell nothing runs, and started processes end only through their own stop().
 */
export function afterThisProcess(script: string, args: readonly string[]): ChildProcess {
  const watchdog = spawn('sh', ['-c', `cat >/dev/null; ${script}`, 'flotilla-watchdog', ...args], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  watchdog.on('error', () => undefined);
  watchdog.stdin?.on('error', () => undefined);
  watchdog.unref();
  if (watchdog.stdin !== null && 'unref' in watchdog.stdin && typeof watchdog.stdin.unref === 'function') {
    watchdog.stdin.unref();
  }
  return watchdog;
}
