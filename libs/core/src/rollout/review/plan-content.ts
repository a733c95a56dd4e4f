import { z } from 'zod';
import { CRD_KIND, CSV_KIND } from '../../classic/install-plan/steps/install-plan-step.js';
import { manifestOf } from '../../classic/install-plan/steps/step-manifest.js';
import type { FleetPlan } from '../../kernel/api/fleet/fleet-plan.js';
import type { ChangeKind } from '../../kernel/api/fleet/fleet-strategy.js';
import { breakingChanges } from './content-changes.js';
import type { SubscriptionMove } from './hop-hash.js';
import { kept } from './kept-lines.js';
import type { PlanDifference } from './plan-difference.js';
import { type ReviewedStep, reviewPlan } from './review-plan.js';

/** A plan class and the plan of one hop, with facts of the cluster in which it was found first. */
export type PlannedClass = Readonly<{
  hash: string;
  hopHash: string;
  /** The Subscription of the subject. */
  subscription: string;
  from: string | undefined;
  to: string;
  changes: readonly ChangeKind[];
  moves: readonly SubscriptionMove[];
  /** Every bundle that the plan brings. */
  bundles: readonly string[];
  steps: readonly ReviewedStep[];
  /** The deprecations of its bundle in the catalog. */
  deprecations?: readonly string[] | undefined;
  /** The changes of the Subscription itself. */
  lines?: readonly string[] | undefined;
}>;

/**
 * Returns the content to review for one hop of a plan class: the changes of its plan in the cluster at that
 * time.
 */
export function planContent(planned: PlannedClass): FleetPlan['spec'] {
  const {
    hash,
    hopHash,
    from,
    to,
    changes,
    moves,
    bundles,
    steps,
    subscription,
    lines = [],
    deprecations = [],
  } = planned;
  const { differences } = reviewPlan(steps);
  const section = (name: PlanDifference['section'], sign?: PlanDifference['sign']): PlanDifference[] =>
    differences.filter((one) => one.section === name && (sign === undefined || one.sign === sign));
  const rights = (sign: '+' | '-') =>
    section('permissions', sign).flatMap(({ what, lines }) => lines.map((line) => `${what}: ${line.slice(2)}`));
  const objects = (sign: PlanDifference['sign']) =>
    [...section('workloads', sign), ...section('objects', sign)].map(({ what, text, lines }) =>
      [`${what} ${text}`, ...lines].join('\n'),
    );
  const moved = new Set(moves.map((move) => move.to));
  const others = moves.filter((move) => move.subscription !== subscription);
  return {
    hash,
    path: [{ ...(from === undefined ? {} : { from }), to, hopHash }],
    changes: [...changes],
    deprecations: kept(deprecations),
    images: {
      added: kept(section('images', '+').map(({ what }) => what)),
      removed: kept(section('images', '-').map(({ what }) => what)),
    },
    crds: steps.filter(({ step }) => step.resource.kind === CRD_KIND).flatMap(definitionChange),
    rbac: { added: kept(rights('+')), removed: kept(rights('-')) },
    webhooks: kept(steps.flatMap(webhooksOf)),
    dependencies: kept(bundles.filter((name) => name !== to && !moved.has(name))),
    neighbours: kept(others.map((move) => `${move.subscription}: ${move.from ?? 'nothing'} → ${move.to}`)),
    objects: { created: kept(objects('+')), changed: kept([...lines, ...objects('~')]), deleted: kept(objects('-')) },
  };
}

const Version = z.looseObject({
  name: z.string(),
  served: z.boolean().catch(false),
  storage: z.boolean().catch(false),
});
const Definition = z.looseObject({ spec: z.looseObject({ versions: z.array(Version).catch([]) }) });
const versionsOf = (value: unknown) => Definition.safeParse(value).data?.spec.versions ?? [];

/**
 * Returns added and removed versions of a CRD, and the changes that break its users. Returns nothing if it
 * stays unchanged.
 */
function definitionChange(reviewed: ReviewedStep): FleetPlan['spec']['crds'] {
  const { step, live } = reviewed;
  const manifest = manifestOf(step);
  if ('fail' in manifest) return [];
  const [after, before] = [versionsOf(manifest.object), versionsOf(live)];
  const served = (versions: typeof after) => versions.filter((one) => one.served).map(({ name }) => name);
  const only = (of: readonly string[], not: readonly string[]) => of.filter((name) => !not.includes(name));
  const [adds, removes] = [only(served(after), served(before)), only(served(before), served(after))];
  const stored = (versions: typeof after) => versions.find(({ storage }) => storage)?.name;
  const storage = stored(after) === stored(before) ? undefined : stored(after);
  const breaking = kept(breakingChanges(reviewed));
  if (adds.length + removes.length + breaking.length === 0 && storage === undefined) return [];
  const name = step.resource.name;
  return [{ name, adds, removes, breaking, owners: [], ...(storage === undefined ? {} : { storage }) }];
}

const Webhooks = z.looseObject({
  spec: z.looseObject({
    webhookdefinitions: z
      .array(z.looseObject({ type: z.string().catch(''), generateName: z.string().catch('') }))
      .catch([]),
  }),
});

/** The webhooks of a CSV. */
function webhooksOf({ step }: ReviewedStep): string[] {
  if (step.resource.kind !== CSV_KIND) return [];
  const manifest = manifestOf(step);
  const found = 'fail' in manifest ? undefined : Webhooks.safeParse(manifest.object).data;
  return (found?.spec.webhookdefinitions ?? []).map(({ type, generateName }) => `${type} ${generateName}`);
}
