import { referenceOf } from '../../classic/install-plan/creation/bundle-reference.js';
import { CRD_KIND } from '../../classic/install-plan/steps/install-plan-step.js';
import { manifestOf } from '../../classic/install-plan/steps/step-manifest.js';
import type { ClusterServiceVersion } from '../../kernel/api/cluster-service-version.js';
import { csvName, csvNamespace, ownedCrds, requiredCrds } from '../../kernel/api/csv-facts.js';
import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import type { SubscriptionMove } from './hop-hash.js';
import { type ReviewedStep, reviewPlan } from './review-plan.js';

/** An operator outside of the plan that owns or requires a definition of it. */
type DefinitionUser = Readonly<{
  namespace: string;
  /** Name of the ClusterServiceVersion. */
  name: string;
  role: 'owner' | 'user';
}>;

/** A CustomResourceDefinition that a plan writes, with the other operators that it concerns. */
export type TouchedDefinition = Readonly<{
  /** Bundle that brings it. */
  bundle: string;
  name: string;
  /** `unread`: the plan only refers to its content, or holds it corrupted. */
  change: 'new' | 'changed' | 'unchanged' | 'unread';
  others: readonly DefinitionUser[];
  /** Operators that are left out of `others`. */
  more: number;
}>;

const MOST_DEFINITIONS = 300;
const MOST_OTHERS = 20;

type Place = Readonly<{
  namespace: string;
  moves: readonly SubscriptionMove[];
  /** All of the cluster, without copies. */
  csvs: readonly ClusterServiceVersion[];
}>;

/** Returns the definitions that a plan writes, those with other owners first. */
export function touchedDefinitions(steps: readonly ReviewedStep[], place: Place): TouchedDefinition[] {
  const own = new Set(place.moves.flatMap(({ from, to }) => [from ?? '', to]));
  for (const { step } of steps) own.add(step.resolving);
  const others = place.csvs.filter((csv) => csvNamespace(csv) !== place.namespace || !own.has(csvName(csv)));
  return steps
    .filter(({ step }) => step.resource.kind === CRD_KIND)
    .map((step) => touched(step, others))
    .toSorted((a, b) => owners(b) - owners(a) || b.others.length - a.others.length || byCodeUnit(a.name, b.name))
    .slice(0, MOST_DEFINITIONS);
}

const owners = ({ others }: TouchedDefinition): number => others.filter(({ role }) => role === 'owner').length;

function touched(one: ReviewedStep, csvs: readonly ClusterServiceVersion[]): TouchedDefinition {
  const { name } = one.step.resource;
  const names = (some: readonly Readonly<{ name: string }>[]) => some.some((crd) => crd.name === name);
  const found = csvs
    .flatMap((csv): DefinitionUser[] => {
      const role = names(ownedCrds(csv)) ? 'owner' : names(requiredCrds(csv)) ? 'user' : undefined;
      return role === undefined ? [] : [{ namespace: csvNamespace(csv), name: csvName(csv), role }];
    })
    .toSorted(
      (a, b) => byCodeUnit(a.role, b.role) || byCodeUnit(a.namespace, b.namespace) || byCodeUnit(a.name, b.name),
    );
  const others = found.slice(0, MOST_OTHERS);
  return { bundle: one.step.resolving, name, change: changeOf(one), others, more: found.length - others.length };
}

function changeOf(one: ReviewedStep): TouchedDefinition['change'] {
  if (referenceOf(one.step) !== undefined || 'fail' in manifestOf(one.step)) return 'unread';
  const [difference] = reviewPlan([one]).differences;
  if (difference === undefined) return 'unchanged';
  return difference.sign === '+' ? 'new' : 'changed';
}
