import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readSettings } from '../config/settings.js';
import { loadClusters } from '../kube/access/load-clusters.js';
import { openFleetHub } from './open-fleet-hub.js';

const KUBECONFIG = JSON.stringify({
  apiVersion: 'v1',
  kind: 'Config',
  clusters: [{ name: 'hub', cluster: { server: 'https://hub.example.com' } }],
  users: [{ name: 'hub', user: { token: 'of-a-test' } }],
  contexts: [{ name: 'hub', context: { cluster: 'hub', user: 'hub' } }],
});
/** Ten thousand clusters that are upgraded report more changes in a minute. */
const EVENTS_IN_A_MINUTE = 50_000;

describe('the client of the hub API', () => {
  let folder: string;
  let kubeconfig: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'flotilla-hub-'));
    kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, KUBECONFIG, { mode: 0o600 });
  });
  afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

  it('never rests after a change or a page of a list, as those of clusters do', async () => {
    const settings = readSettings({ FLOTILLA_FLEET: 'context:hub', FLOTILLA_KUBECONFIG: kubeconfig });
    const hub = await openFleetHub(settings, { fieldManager: 'flotilla-fleet-controller' });
    const [cluster] = await loadClusters({ kubeconfigs: [kubeconfig], fieldManager: 'flotilla-applier' });
    const rests = [hub, cluster].map((client) => [
      client?.budget.restAfterEvent(1_000, EVENTS_IN_A_MINUTE) !== undefined,
      client?.budget.rest(1_000) !== undefined,
    ]);
    expect(rests).toEqual([
      [false, false],
      [true, true],
    ]);
    await Promise.all([hub?.close(), cluster?.close()]);
  });
});
