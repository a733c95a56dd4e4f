import type { FleetObject } from '../../kernel/api/fleet/fleet-kinds.js';
import type { FleetFiles } from '../controller/record/subjects.js';
import type { Decision } from '../controller/step/decisions.js';
import { durationMs } from '../placement/waves.js';
import type { FleetScenario, ScenarioCluster } from './scenario.js';
import type { ScriptEntry } from './scenario-schema.js';
import { VirtualCluster } from './virtual-cluster.js';
import type { VirtualWorld } from './world.js';

/** The hub of a script: people act on it, and clusters come, change and leave. */
export type ScriptedHub = Readonly<{
  files: Pick<FleetFiles, 'apply' | 'remove' | 'subjects'>;
  release: (subject: string, to: string | undefined, trigger: 'Release') => void;
  decide: (decision: Decision) => void;
  /** Called after a change of everything, or of one cluster. */
  changedAll: (cluster?: string) => void;
}>;

type Released = Readonly<{ subject: string; to?: string | undefined }>;

/** Adds a cluster with its installed bundles. */
export function addCluster(world: VirtualWorld, entry: ScenarioCluster): VirtualCluster {
  const given = {
    labels: entry.labels ?? {},
    facts: entry.facts ?? {},
    isPaused: entry.paused === true,
    allowedNamespaces: entry.allowedNamespaces,
  };
  const cluster = new VirtualCluster(entry.name, world.now, given, world.reportOf);
  for (const [subject, bundle] of Object.entries(entry.installed ?? {})) cluster.installed.set(subject, bundle);
  world.clusters.set(entry.name, cluster);
  if (entry.offline === true) world.at(world.now, () => world.goOffline(cluster));
  return cluster;
}

/**
 * Schedules the actions of the script, in its order. If it has no release, every subject is released at once.
 */
export function playScript(scenario: FleetScenario, world: VirtualWorld, hub: ScriptedHub): void {
  const { script } = scenario.file;
  for (const [index, entry] of script.entries()) {
    world.at(world.start + durationMs(entry.at), () => play(entry, scenario.applied.get(index), world, hub));
  }
  if (script.some(({ release }) => release !== undefined)) return;
  world.at(world.start, () => {
    for (const subject of hub.files.subjects.keys()) release({ subject }, world, hub);
  });
}

function play(entry: ScriptEntry, applied: FleetObject | undefined, world: VirtualWorld, hub: ScriptedHub): void {
  if (entry.release !== undefined) release(entry.release, world, hub);
  else if (entry.decide !== undefined) decide(entry.decide, world, hub);
  else if (entry.join !== undefined) join(entry.join, world, hub);
  else if ((entry.withdraw ?? entry.deprecate) !== undefined) changeCatalogs(entry, world, hub);
  else if (entry.install !== undefined) install(entry.install, world, hub);
  else if (entry.leave !== undefined) leave(entry.leave, world, hub);
  else if (entry.remove !== undefined) remove(entry.remove, world, hub);
  else if (applied !== undefined) apply(applied, world, hub);
  else changeCluster(entry, world, hub);
}

function release({ subject: key, to }: Released, world: VirtualWorld, hub: ScriptedHub): void {
  const subject = hub.files.subjects.get(key);
  if (subject !== undefined) world.catalogs.lead({ subject: key, to: to ?? world.usualTarget(subject) });
  hub.release(key, to, 'Release');
}

function decide(given: NonNullable<ScriptEntry['decide']>, world: VirtualWorld, hub: ScriptedHub): void {
  hub.decide({
    rollout: given.rollout,
    action: given.action,
    class: given.class ?? null,
    wave: given.wave ?? null,
    clusters: given.clusters ?? [],
    by: given.by,
    at: world.now,
    reason: given.reason,
    expiresAt: given.for === undefined ? undefined : world.now + durationMs(given.for),
  });
}

function join(entry: ScenarioCluster, world: VirtualWorld, hub: ScriptedHub): void {
  if (world.clusters.has(entry.name)) return;
  world.event('Joined', entry.name);
  const { offline, ...online } = entry;
  const cluster = addCluster(world, online);
  if (offline === true) world.goOffline(cluster);
  for (const joined of world.onJoined) joined(cluster);
  if (!cluster.isOnline) cluster.isReachable = false;
  hub.changedAll(entry.name);
}

/** The catalogs lead to a target no more, or deprecate it. */
function changeCatalogs(entry: ScriptEntry, world: VirtualWorld, hub: ScriptedHub): void {
  if (entry.withdraw !== undefined) world.catalogs.withdraw(entry.withdraw);
  if (entry.deprecate !== undefined) world.catalogs.deprecate(entry.deprecate);
  hub.changedAll();
}

/** Moves a subject to another version as users of a cluster do. */
function install(
  { cluster: name, subject: key, bundle }: NonNullable<ScriptEntry['install']>,
  world: VirtualWorld,
  hub: ScriptedHub,
): void {
  const [cluster, subject] = [world.clusters.get(name), hub.files.subjects.get(key)];
  if (cluster !== undefined && subject !== undefined) world.installByHand(cluster, subject, bundle);
}

function leave(name: string, world: VirtualWorld, hub: ScriptedHub): void {
  const cluster = world.clusters.get(name);
  if (cluster === undefined) return;
  world.event('Left', name);
  world.clusters.delete(name);
  cluster.activities.clear();
  hub.changedAll(name);
}

/** Applies an entry that changes one existing cluster. */
function changeCluster(entry: ScriptEntry, world: VirtualWorld, hub: ScriptedHub): void {
  const name = entry.label?.cluster ?? entry.pause ?? entry.unpause ?? entry.accept ?? '';
  const cluster = world.clusters.get(name);
  if (cluster === undefined) return;
  if (entry.label !== undefined) {
    relabel(cluster, entry.label.labels);
    world.event('Relabelled', name);
  } else if (entry.pause !== undefined) setPaused(cluster, true, world);
  else if (entry.unpause !== undefined) setPaused(cluster, false, world);
  else {
    cluster.isReplaced = false;
    world.event('Accepted', name);
  }
  hub.changedAll(name);
}

function relabel(cluster: VirtualCluster, changes: Readonly<Record<string, string | null>>): void {
  const labels = Object.entries({ ...cluster.labels, ...changes });
  cluster.relabel(Object.fromEntries(labels.filter((entry): entry is [string, string] => entry[1] !== null)));
}

function setPaused(cluster: VirtualCluster, isPaused: boolean, world: VirtualWorld): void {
  if (cluster.isPaused === isPaused) return;
  cluster.isPaused = isPaused;
  cluster.pausedAt = world.now;
  world.event(isPaused ? 'Paused' : 'Unpaused', cluster.name);
  if (!isPaused) world.deliverAll(cluster);
}

function apply(object: FleetObject, world: VirtualWorld, hub: ScriptedHub): void {
  hub.files.apply(object);
  if (object.kind === 'FleetCluster') applyCluster(object, world, hub);
  hub.changedAll();
}

/** Returns the facts of a FleetCluster that the simulation reads. */
export const entryOf = ({
  metadata,
  spec,
  status,
}: Extract<FleetObject, { kind: 'FleetCluster' }>): ScenarioCluster => {
  const facts = (status as Readonly<{ facts?: unknown }> | undefined)?.facts;
  return {
    name: metadata.name,
    labels: metadata.labels ?? {},
    paused: spec.paused,
    allowedNamespaces: spec.allowedNamespaces,
    ...(typeof facts === 'object' && facts !== null ? { facts: facts as Record<string, unknown> } : {}),
  };
};

function applyCluster(
  object: Extract<FleetObject, { kind: 'FleetCluster' }>,
  world: VirtualWorld,
  hub: ScriptedHub,
): void {
  const cluster = world.clusters.get(object.metadata.name);
  const { allowedNamespaces, paused } = object.spec;
  if (cluster === undefined) {
    join(entryOf(object), world, hub);
    return;
  }
  cluster.allowedNamespaces = allowedNamespaces;
  setPaused(cluster, paused, world);
  if (JSON.stringify(cluster.labels) === JSON.stringify(object.metadata.labels ?? {})) return;
  cluster.relabel(object.metadata.labels ?? {});
  world.event('Relabelled', cluster.name);
}

function remove(key: string, world: VirtualWorld, hub: ScriptedHub): void {
  const [kind, name = ''] = key.split('/');
  hub.files.remove(key);
  if (kind === 'FleetCluster') leave(name, world, hub);
  hub.changedAll();
}
