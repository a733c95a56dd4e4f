import { spawn } from 'node:child_process';
import { mkdirSync, openSync } from 'node:fs';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '#platform/config/setting';
import { afterThisProcess } from '#platform/processes/watchdog';
import { PATIENCE_MS, pause } from '../patience.js';
import { type DockerEngine, DockerFailed, docker, runProgram } from './docker-command.js';

/**
 * Keeps the rules of the packet filter, and whether packets are forwarded, as they are before dockerd
 * changes both.
 */
const REMEMBER = `
iptables-save > "$1/iptables.before" && ip6tables-save > "$1/ip6tables.before"
cat /proc/sys/net/ipv4/ip_forward > "$1/forward.before"
`;

/** Removes every container of the engine, ends it, and puts the network of the machine back. */
const END = `
exec 2>/dev/null
DOCKER_HOST=unix://$1/docker.sock; export DOCKER_HOST
ids=$(docker ps --all --quiet); [ -z "$ids" ] || docker rm --force --volumes $ids
docker network prune --force
pid=$(cat "$1/docker.pid") && kill "$pid"
tries=0; while kill -0 "$pid" && [ "$tries" -lt 150 ]; do sleep 0.2; tries=$((tries + 1)); done
kill -KILL "$pid"
for filter in iptables ip6tables; do
  for table in filter nat raw mangle; do
    grep -q "^[*]$table" "$1/$filter.before" || { $filter -t $table -F; $filter -t $table -X; }
  done
  grep -q "^[*]filter" "$1/$filter.before" || $filter -P FORWARD ACCEPT
  $filter-restore < "$1/$filter.before"
done
cat "$1/forward.before" > /proc/sys/net/ipv4/ip_forward
ip link delete docker0
rm -rf "$1"
`;

/**
 * Starts dockerd with a socket of its own; images stay in `dataFolder` for the next time. It ends, with all
 * of its containers, with `stop()` or with this process.
 */
export async function startOwnEngine(environment: Environment, dataFolder: string): Promise<DockerEngine> {
  const folder = await mkdtemp(join(tmpdir(), 'flotilla-docker-'));
  mkdirSync(dataFolder, { recursive: true });
  await runProgram(environment, ['sh', '-ec', REMEMBER, 'remember', folder], PATIENCE_MS);
  const watchdog = afterThisProcess(END, [folder]);
  const stop = async () => {
    await runProgram(environment, ['sh', '-c', END, 'end', folder], PATIENCE_MS);
    if (watchdog.pid !== undefined) process.kill(-watchdog.pid, 'SIGKILL');
  };
  const socket = `unix://${join(folder, 'docker.sock')}`;
  const log = join(folder, 'dockerd.log');
  const out = openSync(log, 'a');
  const flags = [
    '--data-root',
    dataFolder,
    '--exec-root',
    join(folder, 'exec'),
    '--pidfile',
    join(folder, 'docker.pid'),
  ];
  const server = spawn('dockerd', [...flags, '--host', socket], {
    stdio: ['ignore', out, out],
    detached: true,
    env: environment,
  });
  server.on('error', () => undefined);
  server.unref();
  const engine = { environment: { ...environment, DOCKER_HOST: socket }, describe: 'dockerd, started here', stop };
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await answers(engine))) {
    if (server.exitCode !== null || performance.now() > deadline) {
      const lines = (await readFile(log, 'utf8')).trim().split('\n').slice(-5).join('\n');
      await stop();
      throw new DockerFailed('dockerd', lines);
    }
    await pause(200);
  }
  return engine;
}

const answers = (engine: DockerEngine): Promise<boolean> =>
  docker(engine, ['version', '--format', '{{.Server.Version}}'], 10_000).then(
    () => true,
    () => false,
  );
