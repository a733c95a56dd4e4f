import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import type { CatalogRow, ClusterRow, OperatorRow, PlanRow } from '#core/view/rows/rows';
import { SystemClock } from '#platform/clock/system-clock';
import { readSettings } from '#platform/config/settings';
import { publicProofKeys } from '#platform/console/proof/proof-keys';
import { HubKey } from '#platform/keys/hub-key';
import { silentLog } from '#platform/telemetry/log.port';
import { MemoryView } from '#platform/view/memory-view';
import { type ConsoleParts, ConsoleService } from './console.service.js';

const AT = '2026-11-25T10:00:00Z';

export const clusterRow = (cluster: string, more: Partial<ClusterRow> = {}): ClusterRow => ({
  ...{
    kind: 'cluster',
    id: 'cluster',
    cluster,
    context: cluster,
    updatedAt: AT,
    labels: {},
    version: 'v1.34.4',
    reach: 'fresh',
  },
  ...{ since: AT, lastSeen: AT, standing: 'well', catalogsWell: 1, catalogs: 1, paused: false, upgradeBlockers: [] },
  counts: { failed: 0, blocked: 0, 'needs-approval': 0, 'under-way': 0, well: 1 },
  ...more,
});

export const operatorRow = (cluster: string, name: string, more: Partial<OperatorRow> = {}): OperatorRow => ({
  ...{ kind: 'operator', id: `subscription/${name}s/${name}`, cluster, namespace: `${name}s`, name, updatedAt: AT },
  ...{ api: 'classic', package: name, catalog: 'olm/samples', channel: 'stable', installed: `${name}.v1.0.0` },
  ...{ version: '1.0.0', next: '', newest: `${name}.v1.0.0`, approval: 'Automatic', standing: 'well', since: AT },
  ...{ plan: '', planHash: '', deprecated: false },
  ...more,
});

export const planRow = (cluster: string, name: string, hash: string, more: Partial<PlanRow> = {}): PlanRow => ({
  ...{ kind: 'plan', id: `plan/${name}s/install-1`, cluster, namespace: `${name}s`, name: 'install-1', updatedAt: AT },
  ...{ hash, moves: [{ package: name, from: `${name}.v1.0.0`, to: `${name}.v1.1.0` }], change: 'minor', crds: false },
  ...{ rbac: false, shared: false, createdAt: AT, phase: 'RequiresApproval', approved: false, approvedBy: '' },
  ...more,
});

export const catalogRow = (cluster: string, digest: string, more: Partial<CatalogRow> = {}): CatalogRow => ({
  ...{ kind: 'catalog', id: 'source/olm/samples', cluster, namespace: 'olm', name: 'samples', updatedAt: AT },
  global: true,
  ...{ source: 'CatalogSource', image: 'registry.example.com/samples:latest', digest, state: 'READY', message: '' },
  ...{ packages: 3, polledAt: AT, nextAt: AT, standing: 'well' },
  ...more,
});

const WAITS = { standing: 'needs-approval', next: 'lamp.v1.1.0', stillRuns: 'lamp.v1.0.0' } as const;

/** The rows of two clusters: one well, one with a failed operator and a plan that waits. */
export function fillTwoClusters(view: MemoryView): void {
  const cause = { code: 'plan-failed', kind: 'InstallPlan', names: ['harbor'], text: 'plan failed' };
  view.write({
    cluster: 'east',
    changed: [clusterRow('east'), operatorRow('east', 'harbor'), catalogRow('east', `sha256:${'a'.repeat(64)}`)],
    removed: [],
  });
  view.write({
    cluster: 'west',
    changed: [
      clusterRow('west', { standing: 'failed', cause }),
      operatorRow('west', 'harbor', { standing: 'failed', cause }),
      operatorRow('west', 'lamp', { ...WAITS, planHash: 'hash-1' }),
      planRow('west', 'lamp', 'hash-1'),
      catalogRow('west', `sha256:${'b'.repeat(64)}`),
    ],
    removed: [],
  });
}

export type RunningConsole = Readonly<{
  service: ConsoleService;
  view: MemoryView;
  key: string;
  keyFile: string;
  port: number;
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Response>;
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Response>;
}>;

/** A console on loopback, with a read model in memory and a page. */
export async function openConsole(
  environment: Readonly<Record<string, string>> = {},
  parts: Partial<ConsoleParts> = {},
): Promise<RunningConsole> {
  const folder = await mkdtemp(join(tmpdir(), 'console-'));
  const keyFile = join(folder, 'console-key');
  const settings = readSettings({
    FLOTILLA_CONSOLE_PORT: '0',
    FLOTILLA_CONSOLE_KEY_FILE: keyFile,
    ...environment,
  });
  const view = new MemoryView();
  await writeFile(join(folder, 'index.html'), '<!doctype html><title>Flotilla</title>');
  const service = await ConsoleService.open({
    ...{ settings, clock: new SystemClock(), log: silentLog, registry: new Registry(), reader: view },
    pagesFolder: folder,
    proofKeys: publicProofKeys(HubKey.random()),
    ...parts,
  });
  const key = new URL(service.link).hash.replace('#key=', '');
  const bearer = { authorization: `Bearer ${key}` };
  return {
    service,
    view,
    key,
    keyFile,
    port: service.port,
    get: (path, headers = bearer) => fetch(new URL(path, service.origin), { headers }),
    post: (path, body, headers = bearer) =>
      fetch(new URL(path, service.origin), {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
  };
}
