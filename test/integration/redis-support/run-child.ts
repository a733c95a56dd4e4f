import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const HOOK = new URL('./source-imports.mjs', import.meta.url).href;

export type RunningChild = Readonly<{
  process: ChildProcess;
  /** The first line that begins with `prefix`, without it. Fails when the child ends before. */
  line(prefix: string): Promise<string>;
}>;

/** A process of its own that runs one of our TypeScript files, to be killed by the test. */
export function runChild(file: URL, args: readonly string[], env: NodeJS.ProcessEnv = process.env): RunningChild {
  const flags = ['--no-warnings', '--conditions=flotilla-source', '--import', HOOK];
  const child = spawn(process.execPath, [...flags, fileURLToPath(file), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env,
  });
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  const wake = () => {
    for (const check of [...waiting]) check();
  };
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    wake();
  });
  createInterface({ input: child.stderr }).on('line', (line) => lines.push(`stderr: ${line}`));
  child.on('exit', wake);
  const line = (prefix: string) =>
    new Promise<string>((resolve, reject) => {
      const check = () => {
        const found = lines.find((text) => text.startsWith(prefix));
        const ended = child.exitCode !== null || child.signalCode !== null;
        if (found === undefined && !ended) return;
        waiting.delete(check);
        if (found !== undefined) resolve(found.slice(prefix.length));
        else reject(new Error(`child ended before "${prefix}":\n${lines.join('\n')}`));
      };
      waiting.add(check);
      check();
    });
  return { process: child, line };
}
