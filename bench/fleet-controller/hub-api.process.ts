import { setImmediate as nextTurn } from 'node:timers/promises';
import { clusterStatus } from '#core/cluster/membership/cluster-conditions';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { BenchHubApi } from '../fleet-rollout/hub-api.js';
import type { HubAnswer, HubReading, HubRequest } from './hub-messages.js';
import { PlayedAppliers } from './played-appliers.js';

/** The process of the hub API: FleetClusters as pollers report them, and appliers are played. */
const REGIONS = ['eu', 'us', 'ap'];
const STARTS_A_TURN = 100;
let hub: BenchHubApi | undefined;
let appliers: PlayedAppliers | undefined;
let before = Promise.resolve();

async function start(clusters: number): Promise<BenchHubApi> {
  const api = await BenchHubApi.start();
  const width = String(clusters).length;
  for (let at = 0; at < clusters; at += 1) {
    addCluster(api, `edge-${String(at + 1).padStart(width, '0')}`, at);
    if (at % STARTS_A_TURN === 0) await nextTurn();
  }
  hub = api;
  appliers = new PlayedAppliers(api.cluster);
  return api;
}

function addCluster(api: BenchHubApi, name: string, at: number): void {
  const labels = { region: REGIONS[at % REGIONS.length] ?? '', tier: at % 50 === 0 ? 'lab' : 'prod' };
  const object = { apiVersion: FLEET_API, kind: 'FleetCluster', metadata: { name, labels } };
  api.cluster.create({ ...object, spec: { access: { context: name } } } as KubernetesObject);
  const sighting = {
    uid: `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`,
    version: 'v1.34.4',
    facts: { arches: ['amd64'], nodes: 3, provider: 'aws', claims: { owner: `team-${at % 40}` } },
    managed: { acts: true, isPaused: false, because: '' },
    credentials: {},
  };
  // As it comes over the wire, without fields that have no value.
  const status = JSON.parse(JSON.stringify(clusterStatus({}, sighting, new Date().toISOString())));
  const ref = { apiVersion: FLEET_API, kind: 'FleetCluster', name };
  api.cluster.edit(ref, (stored) => Object.assign(stored, { status }), 'status');
}

function read(api: BenchHubApi, rollout: string): HubReading {
  const writes = Object.fromEntries([...api.writes].filter(([what]) => !what.includes('leases')));
  const { clusters: reported = 0, reports = 0 } = appliers ?? {};
  return { status: api.rollout(rollout), reported, reports, writes };
}

async function answered(request: HubRequest): Promise<HubAnswer> {
  if (request.do === 'start') return { kubeconfig: (await start(request.clusters)).kubeconfig };
  if (hub === undefined) throw new Error('the first message is not "start"');
  if (request.do === 'read') return read(hub, request.rollout);
  if (request.do === 'apply') hub.apply(request.kind, request.name, request.spec);
  else appliers?.offer(request.bundle);
  return { done: true };
}

process.on('disconnect', () => process.exit(0));
process.on('message', (request: HubRequest) => {
  before = before.then(async () => void process.send?.(await answered(request)));
});
