import type { Catalog } from '#core/catalog/model/catalog';
import { withNearPackages } from '#core/classic/resolution/explain/near-packages';
import { renderExplanation } from '#core/classic/resolution/explain/render-explanation';
import { whyChosen } from '#core/classic/resolution/explain/why-chosen';
import { renderOutlook } from '#core/classic/resolution/outlook/render-outlook';
import { type UpgradeOutlook, upgradeOutlook } from '#core/classic/resolution/outlook/upgrade-outlook';
import type { IndexedCatalog } from '#core/classic/resolution/problem/catalog-slice';
import { ISOLATION_ANNOTATION } from '#core/classic/resolution/problem/desired-namespace';
import { isFor } from '#core/classic/resolution/problem/resolution-of';
import type {
  ChosenBundle,
  DesiredNamespace,
  ObservedNamespace,
  Reason,
  Resolution,
} from '#core/classic/resolution/problem/resolution-problem';
import { didYouMean } from '#core/kernel/text/did-you-mean';
import { NotFound, UsageError } from '../terminal/io.js';
import { inlineFault, OTHER_BUNDLE } from './bundle-manifests.js';
import type { PlanQuestion } from './plan-question.js';
import { indexOf, resolveOffline } from './resolve-offline.js';

export type ExplainedKind = 'Subscription' | 'ClusterServiceVersion';
type Subject = Readonly<{ kind: ExplainedKind; name: string }>;
type Resolved = Extract<Resolution, { result: 'resolved' }>;

/**
 * The answer to `flotilla explain`, also printed by `-o json`. `well`: the object has, or gets, its requested
 * version.
 */
export type ExplainAnswer = Subject &
  Readonly<{
    namespace: string;
    well: boolean;
    state: 'installs' | 'upgrades' | 'settled' | 'cannot-be-met' | 'waits-for-neighbours' | 'error' | 'orphan';
    text: string;
    /** OLM's words for it, as in the condition ResolutionFailed. */
    message?: string;
    explanation?: readonly Reason[];
    /** The end of `text`, with the next steps. */
    advice?: string;
    outlook?: UpgradeOutlook;
  }>;

const KINDS: Readonly<Record<string, ExplainedKind>> = {
  subscription: 'Subscription',
  subscriptions: 'Subscription',
  sub: 'Subscription',
  subs: 'Subscription',
  clusterserviceversion: 'ClusterServiceVersion',
  clusterserviceversions: 'ClusterServiceVersion',
  csv: 'ClusterServiceVersion',
  csvs: 'ClusterServiceVersion',
};

/** The kind that a word on the command line means, by kubectl's names for it. */
export function subjectKind(word: string): ExplainedKind {
  const kind = Object.hasOwn(KINDS, word.toLowerCase()) ? KINDS[word.toLowerCase()] : undefined;
  if (kind !== undefined) return kind;
  throw new UsageError(
    `cannot explain objects of kind "${word}" from files; name a subscription, a csv or an extension`,
  );
}

/** Everything an explanation is made from. */
type Case = Readonly<{
  subject: Subject;
  observed: ObservedNamespace;
  catalogs: readonly IndexedCatalog[];
  desired: DesiredNamespace;
  resolution: Resolution;
  /** The hub's refusal of a bundle, as far as its catalog shows it. */
  faultOf: (bundle: ChosenBundle) => string | undefined;
}>;

/** Resolves the question and explains the answer for one object of it. */
export function explainAnswer(subject: Subject, question: PlanQuestion, contents: readonly Catalog[]): ExplainAnswer {
  const catalogs = question.catalogs.flatMap(({ key, priority }, position) => {
    const content = contents[position];
    return content === undefined ? [] : [{ key, priority, content, index: indexOf(content) }];
  });
  return explainObserved(subject, question.observed, catalogs, (bundle) => inlineFault(bundle, catalogs));
}

/**
 * Explains as {@link explainAnswer} does, for a namespace and catalogs that were read already, from any
 * source.
 */
export function explainObserved(
  subject: Subject,
  observed: ObservedNamespace,
  catalogs: readonly IndexedCatalog[],
  faultOf: (bundle: ChosenBundle) => string | undefined = () => undefined,
): ExplainAnswer {
  const { problem, resolution: plain } = resolveOffline(observed, catalogs);
  const resolution = withNearPackages(plain, catalogs);
  const asked = { subject, observed, catalogs, desired: problem.wishes, resolution, faultOf };
  return subject.kind === 'Subscription' ? explainSubscription(asked) : explainCsv(asked);
}

function explainSubscription(asked: Case): ExplainAnswer {
  const { subject, desired, resolution } = asked;
  const base = { ...subject, namespace: desired.namespace };
  const ownSubscription = desired.subscriptions.find(({ name }) => name === subject.name);
  if (ownSubscription === undefined) throw unknown(asked);
  if (resolution.result !== 'resolved') return stopped(asked, resolution);
  const leftOut = unresolvedReason(resolution, subject.name);
  if (leftOut !== undefined) return { ...base, ...leftOut };
  const outlook = upgradeOutlook(ownSubscription, desired, asked.catalogs, resolution);
  const next = resolution.chosen.find((bundle) => bundle.upToDate === undefined && isFor(ownSubscription, bundle));
  const fault = next && asked.faultOf(next);
  if (fault !== undefined) {
    return { ...base, well: false, state: 'cannot-be-met', text: `${fault}\n${OTHER_BUNDLE}`, message: fault, outlook };
  }
  const because =
    next === undefined ? [] : [`${next.name} is installed because of: ${reasons(next, resolution, desired)}.`];
  const state = next === undefined ? 'settled' : outlook.installed === undefined ? 'installs' : 'upgrades';
  return { ...base, well: true, state, text: [...because, renderOutlook(outlook)].join('\n'), outlook };
}

const reasons = (bundle: ChosenBundle, { chosen }: Resolved, desired: DesiredNamespace): string =>
  whyChosen(bundle, chosen, desired).join('; ');

function unresolvedReason({ unresolved = [] }: Resolved, name: string) {
  const found = unresolved.find((reason) => reason.kind === 'subscription' && reason.name === name);
  if (found === undefined) return undefined;
  const { message, explanation, advice } = found;
  const text = explanation.length === 0 ? `${message}\n${advice}` : renderExplanation(explanation, advice);
  return { well: false, state: 'cannot-be-met' as const, text, message, explanation, advice };
}

/**
 * Explains a namespace in which nothing is resolved. A second resolution, with isolation, shows the
 * Subscription at fault.
 */
function stopped(asked: Case, resolution: Exclude<Resolution, Resolved>): ExplainAnswer {
  const { subject, observed, catalogs, desired } = asked;
  const base = { ...subject, namespace: desired.namespace, well: false, message: resolution.message };
  const alone = resolveOffline(isolated(observed), catalogs).resolution;
  const text =
    resolution.result === 'error'
      ? `${resolution.message}\n${resolution.advice}`
      : renderExplanation(resolution.explanation, resolution.advice);
  const explanation = resolution.result === 'error' ? [] : resolution.explanation;
  const { advice } = resolution;
  if (alone.result !== 'resolved') return { ...base, state: 'error', text, explanation, advice };
  const own = unresolvedReason(alone, subject.name);
  if (own !== undefined) return { ...base, ...own };
  const guilty = (alone.unresolved ?? []).map(({ kind, name }) =>
    kind === 'subscription' ? `Subscription ${name}` : `ClusterServiceVersion ${name}`,
  );
  const head = `${subject.kind} ${subject.name} itself is correct. A namespace is resolved as a whole, and ${guilty.join(', ')} cannot be met:`;
  const way = `With annotation ${ISOLATION_ANNOTATION}: "true" on the OperatorGroup it would not have to wait for its neighbours.`;
  return { ...base, state: 'waits-for-neighbours', text: [head, text, way].join('\n'), explanation, advice };
}

const isolated = (observed: ObservedNamespace): ObservedNamespace => ({
  ...observed,
  operatorGroups: observed.operatorGroups.map((group) => ({
    ...group,
    metadata: { ...group.metadata, annotations: { ...group.metadata.annotations, [ISOLATION_ANNOTATION]: 'true' } },
  })),
});

function explainCsv(asked: Case): ExplainAnswer {
  const { subject, desired, resolution } = asked;
  const base = { ...subject, namespace: desired.namespace };
  const coming = resolution.result === 'resolved' && resolution.chosen.find(({ name }) => name === subject.name);
  if (coming) {
    const text = `${subject.name} is installed because of: ${reasons(coming, resolution, desired)}.`;
    return { ...base, well: true, state: 'installs', text };
  }
  if (!desired.csvs.some(({ name }) => name === subject.name)) throw unknown(asked);
  const owner = desired.subscriptions.find(({ installedCSV }) => installedCSV === subject.name);
  if (owner === undefined) {
    const text = `ClusterServiceVersion ${subject.name} is installed and no Subscription names it in status.installedCSV: it does not change and never receives an upgrade, and operators that conflict with it cannot be installed. In phase Replacing it is deleted once its successor has succeeded: delete nothing. Otherwise set status.installedCSV of its Subscription to its name, or delete it. This also deletes its Deployments and so stops its operator.`;
    return { ...base, well: true, state: 'orphan', text };
  }
  const answer = explainSubscription({ ...asked, subject: { kind: 'Subscription', name: owner.name } });
  return { ...answer, ...base, text: `It belongs to Subscription ${owner.name}.\n${answer.text}` };
}

function unknown({ subject: { kind, name }, desired }: Case): NotFound {
  const known = (kind === 'Subscription' ? desired.subscriptions : desired.csvs).map((one) => one.name);
  const hint =
    known.length === 0 ? '' : `; there ${known.length === 1 ? 'is' : 'are'} ${known.slice(0, 10).join(', ')}`;
  return new NotFound(
    `no ${kind} ${name} in namespace ${desired.namespace} of the manifests${didYouMean(name, known)}${hint}`,
  );
}
