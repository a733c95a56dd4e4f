import { listed } from '../constraints/constraint-text.js';
import type { Reason } from '../problem/resolution-problem.js';

/** Candidates listed one by one before the rest is summed up, and the depth of the explanation. */
const WIDTH = 4;
const DEPTH = 5;

/**
 * Renders the reasons of an unsatisfiable resolution in plain words: one paragraph for each thing that must
 * hold, then the advice.
 */
export function renderExplanation(explanation: readonly Reason[], advice: string): string {
  const paragraphs = explanation.map((root) =>
    root.kind === 'crowd' ? crowdStory(root) : `${subjectOf(root)}: ${storyOf(root)}.`,
  );
  return [...paragraphs, ...(advice === '' ? [] : [advice])].join('\n');
}

/**
 * Returns an explanation's words about one candidate, by its id, as the end of a sentence that begins with
 * it.
 */
export function candidateWords(explanation: readonly Reason[], id: string): string {
  const crowd = explanation.find(({ kind }) => kind === 'crowd');
  if (crowd !== undefined) return `it would leave too little room: ${crowdStory(crowd)}`;
  const rendered = explanation
    .flatMap(reasonsBelow)
    .find(({ kind, subject }) => kind === 'candidate' && subject === id);
  if (rendered === undefined) return 'others leave no room for it';
  const below = new Set(reasonsBelow(rendered));
  const others = explanation.flatMap(reasonsBelow).filter((reason) => !below.has(reason) && needsSomething(reason));
  const needs = others.map(
    ({ subject, facts }) => `${subject.slice(subject.lastIndexOf('/') + 1)} needs ${facts['what']}`,
  );
  const why = needs.length === 0 ? '' : `, and ${listed([...new Set(needs)].slice(0, WIDTH), 'and')}`;
  return `it ${candidateStory(rendered, DEPTH)}${why}`;
}

const needsSomething = ({ kind, facts }: Reason): boolean => kind === 'requires' && facts['what'] !== '';

const reasonsBelow = (reason: Reason): Reason[] => [
  ...(reason.because.length === 0 ? [] : [reason]),
  ...reason.because.flatMap(reasonsBelow),
];

const crowdStory = ({ facts }: Reason): string =>
  `${facts['who']} cannot be met together: each of these ${facts['count']} has candidates of its own, but all of their candidates belong to only ${facts['room']} APIs or packages (${facts['places']}), and a namespace has room for one of each.`;

function subjectOf({ kind, subject, facts }: Reason): string {
  return kind === 'subscription'
    ? `Subscription ${facts['namespace']}/${subject} cannot be met`
    : `ClusterServiceVersion ${facts['namespace']}/${subject} is installed, ${facts['left'] === undefined ? 'no Subscription refers to it' : 'its Subscription is left out'}, so it stays`;
}

function storyOf(root: Reason): string {
  if (root.kind === 'installed' && root.because.length > 0) {
    return `it ${root.because.map((reason) => reasonStory(reason, DEPTH)).join(' and ')}`;
  }
  const rendered = root.because.map((reason) =>
    reason.kind === 'requires' && reason.facts['what'] === ''
      ? candidatesStory(reason, DEPTH)
      : reasonStory(reason, DEPTH),
  );
  return rendered.length === 0 ? 'it leaves no room for the others' : rendered.join('; ');
}

function candidatesStory({ because }: Reason, depth: number): string {
  const [only, ...others] = because;
  if (only === undefined) return 'there is no candidate';
  if (others.length === 0) return `its only candidate ${nameOf(only)} ${candidateStory(only, depth)}`;
  const alike = Map.groupBy(because, (candidate) => candidateStory(candidate, depth));
  const rendered = [...alike]
    .slice(0, WIDTH)
    .map(([story, candidates]) => `${groupName(candidates)} ${story}${soDo(candidates)}`);
  const rest = alike.size > WIDTH ? '; and others for further reasons' : '';
  return `none of its ${because.length} candidates can be installed: ${rendered.join('; ')}${rest}`;
}

const nameOf = ({ facts }: Reason): string => `${facts['csv']}${facts['place'] === '' ? '' : ` (${facts['place']})`}`;

const groupName = ([first]: readonly Reason[]): string => (first === undefined ? '' : nameOf(first));

function soDo([first, ...alike]: readonly Reason[]): string {
  if (first === undefined || alike.length === 0) return '';
  const shortName = (reason: Reason) =>
    reason.facts['place'] === first.facts['place'] ? (reason.facts['csv'] ?? '') : nameOf(reason);
  const more = alike.length > WIDTH ? [`${alike.length - WIDTH} more`] : [];
  return `, and the same holds for ${listed([...alike.slice(0, WIDTH).map(shortName), ...more], 'and')}`;
}

function candidateStory({ because }: Reason, depth: number): string {
  if (because.length === 0) return 'is excluded for a reason given elsewhere';
  if (depth === 0) return 'is excluded for further reasons';
  return because.map((reason) => reasonStory(reason, depth - 1)).join(' and ');
}

function reasonStory(reason: Reason, depth: number): string {
  const { facts } = reason;
  switch (reason.kind) {
    case 'missing':
      return `needs ${facts['what']}, but no catalog available to this namespace provides it${facts['near'] === '' ? '' : ` (${facts['near']})`}`;
    case 'requires':
      return `needs ${facts['what']}, but ${candidatesStory(reason, depth)}`;
    case 'deprecated':
      return 'is marked as deprecated (property olm.deprecated)';
    case 'nothing-found':
      return reason.text;
    case 'conflict':
      return `cannot be installed together with ${facts['others']}: it is the successor`;
    case 'same-api':
      return `cannot be installed together with ${facts['others']}: both provide ${facts['shared']}`;
    case 'same-package':
      return `cannot be installed together with ${facts['others']}: both are of package ${facts['shared']}`;
    default:
      return reason.text;
  }
}
