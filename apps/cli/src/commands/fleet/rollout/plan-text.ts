import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { FleetPlan } from '#core/kernel/api/fleet/fleet-plan';
import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import { counted } from '#core/kernel/text/counted';
import { ROLLBACK_CLASS } from '#core/rollout/controller/step/returns';
import type { RolloutRow } from '#core/rollout/controller/step/row';
import type { LiveFleet, LiveRollout } from '#lifecycle/rollouts/controller/state/live-fleet';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { crdText, labelled, listed, TEXT_COLUMN } from '../../../output/change-lines.js';
import { folded } from '../../../output/folded-lines.js';
import { approvalTexts } from './approval-text.js';
import { targetThere } from './cluster-target.js';
import { type ClassAnswer, rolloutAnswer } from './rollout-answer.js';

/** A plan class with its changes, as far as the hub keeps them. */
export type PlanClass = ClassAnswer &
  Readonly<{
    /** The installed version in most clusters of the class. */
    from: string | null;
    to: string;
    plan: FleetPlan['spec'] | null;
  }>;

/** Returns the class of a rollout, with the FleetPlan that keeps the reviewed plan. */
export async function planClass(
  hub: KubeClient,
  fleet: LiveFleet,
  rollout: LiveRollout,
  answer: ClassAnswer,
): Promise<PlanClass> {
  const [namespace, name = ''] = rollout.record.spec.name.split('/');
  const ref = { apiVersion: FLEET_API, kind: 'FleetPlan', name: `${name}-${answer.hash}`, namespace };
  const plan = FleetPlan.safeParse(await hub.get(ref)).data?.spec ?? null;
  const rows = [...rollout.record.rows.values()].filter((row) => row.class === answer.hash);
  const clusters = rows.map(({ cluster }) => cluster);
  return {
    ...answer,
    from: fromOf(fleet, rollout.record.spec.subject, clusters),
    to: plan?.path.at(-1)?.to ?? targetOf(fleet, rollout, rows),
    plan,
  };
}

/** Returns the target of a class without a kept FleetPlan: all its clusters plan the same. */
const targetOf = (fleet: LiveFleet, rollout: LiveRollout, [row]: readonly RolloutRow[]): string =>
  row === undefined ? rollout.record.spec.target : targetThere(fleet, rollout, row);

/** Returns the version that most of these clusters have installed. */
export function fromOf(fleet: LiveFleet, subject: string, clusters: readonly string[]): string | null {
  const counts = new Map<string, number>();
  for (const name of clusters) {
    const bundle = fleet.clusters.get(name)?.report(subject)?.bundle;
    if (bundle !== undefined) counts.set(bundle, (counts.get(bundle) ?? 0) + 1);
  }
  return [...counts].sort(([a, m], [b, n]) => n - m || byCodeUnit(a, b))[0]?.[0] ?? null;
}

/** Returns the class of a decision as text. Returns '' if the rollout has no such class. */
export async function planClassText(
  hub: KubeClient,
  fleet: LiveFleet,
  rollout: LiveRollout,
  hash: string,
): Promise<string> {
  const found = rolloutAnswer(fleet, rollout).classes.find((one) => one.hash === hash);
  return found === undefined ? '' : classPlanText(await planClass(hub, fleet, rollout, found));
}

/** Returns the changes of a class, for people. */
export function classPlanText(answer: PlanClass, width?: number): string {
  const { from, to, plan, clusters, changes, hash } = answer;
  const hops = plan === null ? '' : `, ${counted(plan.path.length, 'hop')}`;
  const first = plan?.path[0]?.from ?? from;
  const path =
    hash === ROLLBACK_CLASS
      ? `back from ${to} to the previous version of each`
      : `${first === null ? 'new' : first} → ${to}`;
  const head = `${path}${hops}, ${counted(clusters, 'cluster')}\n`;
  const approval = listed('approval', approvalTexts(answer));
  if (plan === null) {
    const kinds = changes.join(', ') || 'no known kind of change';
    return inColumn(head, [labelled('class', `${hash}: ${kinds}`), ...approval], width);
  }
  const { images, crds, rbac, webhooks, dependencies, neighbours, objects, deprecations } = plan;
  const rows = [
    labelled('class', `${hash}: ${changes.join(', ')}`),
    ...approval,
    ...plan.path.slice(1).map((hop) => labelled('then', `${hop.from ?? ''} → ${hop.to}`)),
    ...listed(
      'warning',
      deprecations.map((one) => `deprecated: ${one}`),
    ),
    ...listed('image', imageTexts(images?.added ?? [], images?.removed ?? [])),
    ...listed('crd', crds.map(crdText)),
    ...listed('rights', [
      ...(rbac?.added ?? []).map((one) => `+ ${one}`),
      ...(rbac?.removed ?? []).map((one) => `- ${one}`),
    ]),
    ...listed('webhook', webhooks),
    ...listed('needs', dependencies),
    ...listed('objects', objectTexts(objects)),
    ...listed('also', neighbours.length === 0 ? ['no other operator moves in these namespaces'] : neighbours),
  ];
  return inColumn(head, rows, width);
}

/** Text that does not fit continues in the column of the texts. */
const inColumn = (head: string, rows: readonly string[], width: number | undefined): string =>
  `${folded(head, width)}${folded(rows.join(''), width, TEXT_COLUMN)}`;

/** An image with the digest that it replaces: of the same repository. */
function imageTexts(added: readonly string[], removed: readonly string[]): string[] {
  const repository = (image: string): string => image.split('@')[0] ?? image;
  const left = [...removed];
  const texts = added.map((image) => {
    const at = left.findIndex((one) => repository(one) === repository(image));
    const [was] = at < 0 ? [] : left.splice(at, 1);
    if (was === image) return `${image}  (only during the upgrade)`;
    return was === undefined ? image : `${image}  (was ${was.slice(repository(was).length)})`;
  });
  return [...texts, ...left.map((image) => `${image}  (no longer)`)];
}

function objectTexts(objects: FleetPlan['spec']['objects']): string[] {
  if (objects === undefined) return [];
  const { created, changed, deleted } = objects;
  return [
    ...created.map((one) => `+ ${one}`),
    ...changed.map((one) => `~ ${one}`),
    ...deleted.map((one) => `- ${one}`),
  ];
}
