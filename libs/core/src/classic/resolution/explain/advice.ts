import { didYouMean } from '../../../kernel/text/did-you-mean.js';
import type { Reason } from '../problem/resolution-problem.js';

/** Returns advice: one sentence for each kind of cause, the most direct ones first. */
export function adviceFor(explanation: readonly Reason[]): string {
  const orphans = explanation.flatMap(orphanSentence);
  // Once the CSV without a Subscription is gone, the conflict is gone.
  const leaves = explanation.flatMap(leavesOf).filter(({ kind }) => orphans.length === 0 || !kind.startsWith('same-'));
  const sentences = [...orphans, ...easiest(leaves).flatMap((leaf) => sentenceFor(leaf) ?? [])];
  return [...new Set(sentences)].slice(0, MAX_SENTENCES).join(' ');
}

/** Returns the bundle with the fewest other missing requirements, among bundles that lack the same thing. */
function easiest(leaves: readonly Reason[]): Reason[] {
  const lacking = Map.groupBy(leaves, ({ kind, facts }) => (kind === 'missing' ? facts['what'] : undefined));
  return leaves.filter((leaf) => {
    if (leaf.kind !== 'missing') return true;
    const alike = lacking.get(leaf.facts['what']) ?? [];
    const least = Math.min(...alike.map(({ facts }) => facts['also']?.length ?? 0));
    return (leaf.facts['also']?.length ?? 0) === least;
  });
}

const MAX_SENTENCES = 4;

const leavesOf = (reason: Reason): Reason[] =>
  reason.because.length === 0 ? [reason] : reason.because.flatMap(leavesOf);

/**
 * Deleting a CSV stops its operator, so it comes last; one that another replaces must stay
 * until that one has succeeded.
 */
const orphanSentence = ({ kind, subject, facts }: Reason): string[] =>
  kind === 'installed' && facts['left'] === undefined
    ? [
        `If ClusterServiceVersion ${facts['namespace']}/${subject} is in phase Replacing, an upgrade from it has stopped: delete nothing, and see why with flotilla status. ` +
          `Otherwise set status.installedCSV of a Subscription to it again. Or delete it: this also deletes its Deployments and stops its operator.`,
      ]
    : [];

function sentenceFor({ kind, facts }: Reason): string | undefined {
  switch (kind) {
    case 'missing':
      return missingSentence(facts);
    case 'nothing-found':
      return NOTHING_FOUND[facts['lacks'] ?? '']?.(facts);
    case 'deprecated':
      return 'Choose another channel or version: a bundle with property olm.deprecated is never installed.';
    case 'same-api':
      return `Install them in different namespaces, or remove one: a namespace has room for one provider of ${facts['shared']}.`;
    case 'same-package':
      return `Request the same channel and version of package ${facts['shared']} in every Subscription, or remove one: a namespace holds one bundle of a package.`;
    case 'crowd':
      return 'Move at least one of them to another namespace, or remove one.';
    case 'conflict':
      return 'Remove the operator that needs the installed version, or wait for a version of it that works with the successor.';
    default:
      return undefined;
  }
}

function missingSentence({ what, near, also }: Reason['facts']): string {
  const everything = also === '' ? what : `${what}, and also ${also}`;
  return near === ''
    ? `Add a catalog that provides ${everything}, or remove the Subscription that leads to it.`
    : `Add a catalog that provides ${everything} (${near}), or choose a version that needs less.`;
}

const namesIn = (has = ''): readonly string[] => has.split(', ').filter((name) => name !== '');

const NOTHING_FOUND: Readonly<Record<string, (facts: Reason['facts']) => string>> = {
  catalog: ({ catalog }) =>
    `Check spec.source and spec.sourceNamespace: ${catalog} is empty, or is not a catalog of this namespace or of the global catalog namespace.`,
  package: ({ catalog, package: name = '', has }) =>
    `Check spec.name: catalog ${catalog} has no package ${name}${didYouMean(name, namesIn(has))}.`,
  channel: ({ package: name, channel = '', has }) =>
    `Check spec.channel: package ${name} has no channel ${channel}${has === '' ? '' : `, only ${has}`}${didYouMean(channel, namesIn(has))}.`,
  startingCSV: ({ package: name, startingCSV, has }) =>
    `Check spec.startingCSV, or leave it out: package ${name} has no ${startingCSV} there${has === '' ? '' : `, only ${has}`}.`,
};
